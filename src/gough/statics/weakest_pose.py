"""The weakest pose of a workspace: the minimum of the smallest principal stiffness."""

from __future__ import annotations

from typing import Unpack

from gough.arrays import Array
from gough.checks.arguments import checks_arguments
from gough.poses import PoseLike
from gough.stacked import AnyMachine
from gough.statics.stiffness import PrincipalStiffness, least_principal_stiffness, stiffness
from gough.workspaces.minimum import Motion, SearchGrid, WorkspaceMinimum, workspace_minimum


@checks_arguments
def weakest_pose(
    machine: AnyMachine,
    orientation: PoseLike | None = None,
    motion: Motion = "translation",
    **grid: Unpack[SearchGrid],
) -> WorkspaceMinimum:
    """The allowed pose whose smallest principal stiffness is the least found.

    Parameters
    ----------
    machine : Machine
        With the stiffness of its legs; two stages are in series.
    motion : "translation" or "rotation"
        Which of the principal stiffnesses, of the platform origin: of displacements [N/m] or of rotations [N m/rad].
    orientation, **grid : see `gough.workspaces.workspace_minimum`

    Returns
    -------
    WorkspaceMinimum
        Its value in N/m or N m/rad. The search samples: a narrow valley between its poses can be missed.

    Raises
    ------
    InputError
        The machine has no stiffness, or no pose of the grid is allowed.

    """
    stiffness(machine, machine.X_home)  # a machine without stiffness says so before the search

    def smallest(poses: Array) -> Array:
        return least_principal_stiffness(stiffness(machine, poses), motion)

    unit = PrincipalStiffness.QUANTITIES[motion][0]
    return workspace_minimum(machine, smallest, orientation, unit=unit, **grid)
