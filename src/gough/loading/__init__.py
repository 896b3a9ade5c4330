"""Machines of one stage or two from their files, and what their files mean."""
