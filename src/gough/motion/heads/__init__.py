"""Tool heads on the platform: kinematics of the tip, sharing a tool path between platform and head, forces.

Derivations and sources: docs/tool-head.md.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
