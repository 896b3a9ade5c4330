"""Regions of poses, bounds of every margin over them, and proofs by these bounds.

Derivations and sources: docs/certify.md and docs/theory/proofs.md.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
