"""Kinematics: inverse and forward kinematics, Jacobians, rates and accelerations, the linear map, certificates.

Derivations and sources: docs/theory/legs.md and docs/forward-kinematics.md.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
