"""Assembly modes: every pose with given joint coordinates, and transitions between them.

Derivations and sources: docs/assembly-modes.md.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
