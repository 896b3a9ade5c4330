"""Bounds of every margin over whole regions of poses.

Derivations and sources: docs/theory/proofs.md.
"""
