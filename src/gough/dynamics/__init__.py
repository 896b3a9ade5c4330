"""Dynamics by virtual work, closed in the platform's six coordinates: legs with mass, either way round, over time."""
