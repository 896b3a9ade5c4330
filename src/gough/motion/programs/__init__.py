"""Part programs in G-code and path files: read into moves, moves into paths, motions out as programs of the joints.

Derivations and sources: docs/part-programs.md.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
