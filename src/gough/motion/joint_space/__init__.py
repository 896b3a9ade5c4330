"""Interpolation in joint space, and histories of joints played back to poses.

Derivations and sources: docs/motion.md.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
