"""Paths: a pose as a function of a parameter, with derivatives and their bounds over intervals."""
