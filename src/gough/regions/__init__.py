"""Bounds of every margin over whole regions of poses."""
