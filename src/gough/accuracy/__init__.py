"""Accuracy: resolution of the platform, pose errors from errors of joints and parameters.

Derivations and sources: docs/velocity-stiffness.md.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
