"""Rigid multibody dynamics with all nine elements of the rotation matrices as coordinates.

The formulation of Vallee, Isnard and Dumitriu: a pseudo-translation T* and a full rotation matrix R of every solid,
orthogonality as constraints, joints with multipliers, M Z'' = F + Phi_q^T Lambda (`docs/multibody.md`).

>>> import numpy as np
>>> from gough import multibody
>>> bar = multibody.Body(name="bar", mass=1.0, mass_centre=[0.5, 0, 0], inertia=np.diag([0, 1, 1]) / 12)
>>> pendulum = multibody.System([bar], [multibody.Spherical("ground", "bar", [0, 0, 0])])
>>> motion = multibody.simulate(pendulum, 1.0)
>>> motion.reaction("spherical ground - bar").shape
(101, 6)
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
