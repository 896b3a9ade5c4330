"""A machine of two stages from two machines."""

from __future__ import annotations

from gough.checks.arguments import checks_arguments
from gough.machine import Machine
from gough.poses import PoseLike, as_matrices
from gough.stages.implementations import StackedMachine


@checks_arguments
def stack(lower: Machine, upper: Machine, mount: PoseLike | None = None, *, name: str = "stack") -> StackedMachine:
    """Machine of two stages: `upper` on the platform of `lower`.

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
