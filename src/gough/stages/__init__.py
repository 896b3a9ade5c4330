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

from __future__ import annotations

from typing import TYPE_CHECKING

from gough._lazy import lazy_names

if TYPE_CHECKING:
    from gough.stages.dynamics import forward_dynamics as forward_dynamics
    from gough.stages.dynamics import inverse_dynamics as inverse_dynamics
    from gough.stages.equations import kinetic_energy as kinetic_energy
    from gough.stages.equations import mass_matrix as mass_matrix
    from gough.stages.equations import potential_energy as potential_energy
    from gough.stages.forces import ForceBalance as ForceBalance
    from gough.stages.forces import force_balance as force_balance
    from gough.stages.forward import StackedSolution as StackedSolution
    from gough.stages.forward import forward_kinematics as forward_kinematics
    from gough.stages.frames import stacked_poses as stacked_poses
    from gough.stages.frames import upper_acceleration as upper_acceleration
    from gough.stages.frames import upper_pose as upper_pose
    from gough.stages.frames import upper_twist as upper_twist
    from gough.stages.gain import WorkspaceGain as WorkspaceGain
    from gough.stages.gain import workspace_gain as workspace_gain
    from gough.stages.inverse import StackedInverse as StackedInverse
    from gough.stages.inverse import inverse_kinematics as inverse_kinematics
    from gough.stages.limits import StackedMargins as StackedMargins
    from gough.stages.limits import margins as margins
    from gough.stages.rates import jacobian as jacobian
    from gough.stages.rates import joint_accelerations as joint_accelerations
    from gough.stages.rates import joint_jacobian as joint_jacobian
    from gough.stages.rates import joint_rates as joint_rates
    from gough.stages.rates import least_rates as least_rates
    from gough.stages.rates import twists as twists
    from gough.stages.simulation import simulate as simulate

_HOME = {
    "forward_dynamics": "dynamics",
    "inverse_dynamics": "dynamics",
    "kinetic_energy": "equations",
    "mass_matrix": "equations",
    "potential_energy": "equations",
    "ForceBalance": "forces",
    "force_balance": "forces",
    "StackedSolution": "forward",
    "forward_kinematics": "forward",
    "stacked_poses": "frames",
    "upper_acceleration": "frames",
    "upper_pose": "frames",
    "upper_twist": "frames",
    "StackedInverse": "inverse",
    "inverse_kinematics": "inverse",
    "StackedMargins": "limits",
    "margins": "limits",
    "jacobian": "rates",
    "joint_accelerations": "rates",
    "joint_jacobian": "rates",
    "joint_rates": "rates",
    "least_rates": "rates",
    "twists": "rates",
    "simulate": "simulation",
    "WorkspaceGain": "gain",
    "workspace_gain": "gain",
}
"""Public name -> module that defines it."""

__all__ = [*_HOME]  # noqa: PLE0604
__getattr__, __dir__ = lazy_names(__name__, _HOME)
