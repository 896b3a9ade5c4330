"""Singularities: the singular surface, distances to it, conditioning, proofs of regions free of it.

Derivations and sources: docs/singularities.md.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
