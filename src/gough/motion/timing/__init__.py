"""Schedules of paths: the least time within limits, limited jerk, and what each instant uses of the limits."""
