"""Singularities: the singular surface, distances to it, conditioning, proofs of regions free of it."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
