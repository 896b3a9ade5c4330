"""Machines of two stages: a hexapod on the platform of another, twelve legs for six coordinates of the end platform.

Poses of both platforms are arrays (..., 2, 4, 4) in the base of the lower stage, the intermediate platform first; their
twists and accelerations (..., 2, 6); joint coordinates and actuator forces (..., 12), the lower stage's first.

>>> import gough
>>> from gough import stages
>>> m = gough.load("double-hexapod")
>>> found = stages.inverse_kinematics(m, m.home, "margin")
>>> found.joints.shape
(12,)
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
