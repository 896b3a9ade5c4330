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

from __future__ import annotations

from typing import TYPE_CHECKING

from gough._lazy import lazy_names

if TYPE_CHECKING:
    from gough.multibody.bodies import GROUND as GROUND
    from gough.multibody.bodies import Body as Body
    from gough.multibody.classics.bricard_loop import bricard as bricard
    from gough.multibody.classics.parallelogram import four_bar as four_bar
    from gough.multibody.classics.pendulum import double_pendulum as double_pendulum
    from gough.multibody.classics.squeezer import andrews as andrews
    from gough.multibody.classics.squeezer import andrews_angles as andrews_angles
    from gough.multibody.classics.top import spinning_top as spinning_top
    from gough.multibody.hexapod_builder import hexapod as hexapod
    from gough.multibody.hexapod_builder import stacked as stacked
    from gough.multibody.inverse import Forces as Forces
    from gough.multibody.inverse import inverse_dynamics as inverse_dynamics
    from gough.multibody.joints.cylindrical import Cylindrical as Cylindrical
    from gough.multibody.joints.distance import Distance as Distance
    from gough.multibody.joints.fixed import Fixed as Fixed
    from gough.multibody.joints.in_line import InLine as InLine
    from gough.multibody.joints.joint import Joint as Joint
    from gough.multibody.joints.joint import Row as Row
    from gough.multibody.joints.prismatic import Prismatic as Prismatic
    from gough.multibody.joints.revolute import Revolute as Revolute
    from gough.multibody.joints.spherical import Spherical as Spherical
    from gough.multibody.joints.universal import Universal as Universal
    from gough.multibody.loads import Force as Force
    from gough.multibody.loads import Load as Load
    from gough.multibody.loads import Spring as Spring
    from gough.multibody.loads import Torque as Torque
    from gough.multibody.motion import Motion as Motion
    from gough.multibody.redundancy import Redundancy as Redundancy
    from gough.multibody.simulation import simulate as simulate
    from gough.multibody.solvers import SOLVERS as SOLVERS
    from gough.multibody.solvers import solver_for as solver_for
    from gough.multibody.solvers.solver import Solution as Solution
    from gough.multibody.system import State as State
    from gough.multibody.system import System as System

_HOME = {
    "GROUND": "bodies",
    "Body": "bodies",
    "bricard": "classics.bricard_loop",
    "four_bar": "classics.parallelogram",
    "double_pendulum": "classics.pendulum",
    "andrews": "classics.squeezer",
    "andrews_angles": "classics.squeezer",
    "spinning_top": "classics.top",
    "hexapod": "hexapod_builder",
    "stacked": "hexapod_builder",
    "Forces": "inverse",
    "inverse_dynamics": "inverse",
    "Cylindrical": "joints.cylindrical",
    "Distance": "joints.distance",
    "Fixed": "joints.fixed",
    "InLine": "joints.in_line",
    "Joint": "joints.joint",
    "Row": "joints.joint",
    "Prismatic": "joints.prismatic",
    "Revolute": "joints.revolute",
    "Spherical": "joints.spherical",
    "Universal": "joints.universal",
    "Force": "loads",
    "Load": "loads",
    "Spring": "loads",
    "Torque": "loads",
    "Motion": "motion",
    "Redundancy": "redundancy",
    "simulate": "simulation",
    "SOLVERS": "solvers",
    "solver_for": "solvers",
    "Solution": "solvers.solver",
    "State": "system",
    "System": "system",
}
"""Public name -> module that defines it."""

__all__ = [*_HOME]  # noqa: PLE0604
__getattr__, __dir__ = lazy_names(__name__, _HOME)
