"""Recorded motions: read, fitted into the workspace of a machine, washed out for motion cueing.

Derivations and sources: docs/recorded-motion.md.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
