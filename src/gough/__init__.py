"""Gough: a toolbox for hexapods, six-legged parallel robots with extending, sliding or rotating drives.

>>> import gough
>>> m = gough.load("hexel")
>>> q = gough.inverse_kinematics(m, m.home)

Names are imported at first use: `import gough` alone imports and compiles next to nothing.
"""

import lazy_loader

import gough.errors  # noqa: F401 - makes `except gough.errors.InputError` work without an import of its own

__version__ = "0.2.0"

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
