"""Workspaces: where the platform can go, and quantities mapped over it.

Derivations and sources: docs/workspace.md.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
