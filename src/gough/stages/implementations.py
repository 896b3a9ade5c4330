"""The machine of two stages, with all that functions of a `Machine` do for it.

Importing this module registers the implementations; whoever makes a `StackedMachine` imports it from here.
"""

from __future__ import annotations

import copyreg
from dataclasses import fields
from typing import Any

from gough.checks.arguments import checks_arguments
from gough.machine import Machine
from gough.poses import PoseLike, as_matrices
from gough.stacked import StackedMachine as StackedMachine
from gough.stages import dynamics, frames, kinematics, limits, statics

REGISTERED = (dynamics, frames, kinematics, limits, statics)
"""Modules with implementations."""


def restored(values: dict[str, Any]) -> StackedMachine:
    """Return a machine from a pickle, which imports this module in the process that reads it."""
    return StackedMachine(**values)


copyreg.pickle(StackedMachine, lambda m: (restored, ({each.name: getattr(m, each.name) for each in fields(m)},)))


@checks_arguments
def stack(lower: Machine, upper: Machine, mount: PoseLike | None = None, *, name: str = "stack") -> StackedMachine:
    """Build a machine of two stages: `upper` on the platform of `lower`.

    Parameters
    ----------
    lower, upper : Machine
    mount : PoseLike, (4, 4), optional
        Pose of the upper stage's base in the lower stage's platform; by default the frames coincide.
    name : str

    Returns
    -------
    StackedMachine
        In the units of the lower stage.

    Raises
    ------
    StagesError, ShapeError
        A stage that is itself a machine of two stages; a mount that is not one pose.

    """
    if mount is None:
        return StackedMachine(name=name, stages=(lower, upper), units=lower.units)
    return StackedMachine(name=name, stages=(lower, upper), X_IU=as_matrices(mount), units=lower.units)
