"""Statics: actuator forces at rest, stiffness, wrench capacity.

Derivations and sources: docs/velocity-stiffness.md.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
