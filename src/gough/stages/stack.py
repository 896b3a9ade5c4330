"""One machine on another, without a file."""

from __future__ import annotations

from gough.checks.arguments import checks_arguments
from gough.machine import Machine
from gough.poses import PoseLike, as_matrices
from gough.stacked import StackedMachine


@checks_arguments
def stack(lower: Machine, upper: Machine, mount: PoseLike | None = None, *, name: str = "stack") -> StackedMachine:
    """Machine of two stages: `upper` on the platform of `lower`.

    Parameters
    ----------
    lower, upper : Machine
    mount : PoseLike, (4, 4), optional
        The upper stage's base in the lower stage's platform; that platform's frame itself where none is given.
    name : str

    Returns
    -------
    StackedMachine
        In the units of the lower stage.

    Raises
    ------
    StagesError, ShapeError
        A stage that has two stages itself; a mount that is not one pose.

    """
    if mount is None:
        return StackedMachine(name=name, stages=(lower, upper), units=lower.units)
    return StackedMachine(name=name, stages=(lower, upper), X_IU=as_matrices(mount), units=lower.units)
