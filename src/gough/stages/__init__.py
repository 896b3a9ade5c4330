"""Functions for machines of two stages only: redundancy resolution, force balance, common workspace.

Functions of single machines, such as `gough.jacobian` or `gough.simulate`, accept machines of two stages too:
poses of both platforms are arrays (..., 2, 4, 4) in the base of the lower stage, the intermediate platform first;
their twists and accelerations (..., 2, 6); joint coordinates and actuator forces (..., 12), the lower stage's first.

>>> import gough
>>> from gough import stages
>>> m = gough.load("double-hexapod")
>>> found = stages.resolve_redundancy(m, m.X_home[1], "margin")
>>> gough.margins(m, found.matrix).is_allowed
array(True)

Derivations and sources: docs/two-stages.md.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
