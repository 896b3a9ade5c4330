"""Frames: conventions of controllers, pivots, tool and work frames.

Derivations and sources: docs/conventions.md.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
