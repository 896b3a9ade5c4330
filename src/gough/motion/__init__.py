"""Motion: paths, timing that respects the legs, tool heads, part programs, recorded motions.

>>> import gough
>>> from gough import motion
>>> m = gough.load("hexel")
>>> up = gough.frames.displaced(m, gough.pose([0, 0, 0.02]))
>>> path = motion.line(m.home, up)
>>> motion.leg_motion(m, path)["joint"].shape
(301, 6)

Derivations and sources: docs/motion.md.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
