"""Limits: signed margins of a pose, travel until a limit binds, the nearest allowed pose.

Derivations and sources: docs/workspace.md and docs/velocity-stiffness.md.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
