"""Machines in the formats of other programs."""
