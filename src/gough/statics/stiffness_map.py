"""Stiffness, and displacement under a load, over a grid of positions; the weakest pose of a workspace."""

from __future__ import annotations

from functools import partial
from typing import Unpack

import numpy as np
from numpy.typing import ArrayLike

from gough.arrays import Array
from gough.checks.arguments import checks_arguments
from gough.checks.numbers import of_shape
from gough.poses import PoseLike
from gough.results import Labelled, returns_dataset
from gough.stacked import AnyMachine
from gough.statics.stiffness import (
    PrincipalStiffness,
    axial_forces,
    deflection,
    least_principal_stiffness,
    principal_stiffness,
    stiffness,
)
from gough.workspaces.minimum import Motion, SearchGrid, WorkspaceMinimum, workspace_minimum
from gough.workspaces.position_maps import Grid, Variables, map_over_positions, of_positions


@returns_dataset
@checks_arguments
def stiffness_map(
    machine: AnyMachine,
    orientation: PoseLike | None = None,
    **grid: Unpack[Grid],
) -> Labelled:
    """Map the principal stiffnesses over a grid of positions of the point of interest at one orientation.

    Parameters
    ----------
    machine : Machine
        With leg stiffnesses, see `gough.stiffness`.
    orientation, **grid : see `gough.workspaces.map_over_positions`.

    Returns
    -------
    xarray.Dataset
        Over x, y, z, NaN where the pose is not allowed: `translation` [N/m] and `rotation` [N m/rad], ascending over
        `principal` (see `gough.statics.principal_stiffness`), and `softest_axis`, the direction of the first
        translation.

    """
    return map_over_positions.labelled(machine, partial(_of_poses, machine), orientation, **grid)


def _of_poses(machine: AnyMachine, poses: Array) -> Variables:
    """Principal stiffnesses of poses (n, 4, 4)."""
    found = principal_stiffness(stiffness(machine, poses))
    return {
        "translation": of_positions(found.translation, "N/m", "principal stiffness of translation", "principal"),
        "rotation": of_positions(found.rotation, "N m/rad", "principal stiffness of rotation", "principal"),
        "softest_axis": of_positions(found.translation_axes[..., 0], "1", "softest direction", "axis"),
    }


@returns_dataset
@checks_arguments
def displacement_map(
    machine: AnyMachine,
    wrench: ArrayLike,
    orientation: PoseLike | None = None,
    **grid: Unpack[Grid],
) -> Labelled:
    """Map the displacement of the point of interest under a load there, over a grid of its positions at one
    orientation.

    Parameters
    ----------
    machine : Machine
        With leg stiffnesses, see `gough.stiffness`.
    wrench : (6,) array
        [f, m] on the platform, about the point of interest, in the base frame [N, N m].
    orientation, **grid : see `gough.workspaces.map_over_positions`.

    Returns
    -------
    xarray.Dataset
        Over x, y, z, NaN where the pose is not allowed: `displacement` [m] and `rotation` [rad] over `axis`, their
        lengths `displacement_length` and `rotation_angle`, and `axial_force` [N] of each `leg`, compression positive.

    """
    F = of_shape("wrench", wrench, "(6,)")
    point = machine.point_of_interest

    def moved(poses: Array) -> Variables:
        V = deflection(machine, poses, F, point=point)
        force = axial_forces(machine, poses, F, point=point)
        length, angle = (np.linalg.norm(part, axis=-1) for part in (V[..., :3], V[..., 3:]))
        return {
            "displacement": of_positions(V[..., :3], "m", "displacement", "axis"),
            "rotation": of_positions(V[..., 3:], "rad", "rotation", "axis"),
            "displacement_length": of_positions(length, "m", "displacement under the load"),
            "rotation_angle": of_positions(angle, "rad", "rotation under the load"),
            "axial_force": of_positions(force, "N", "force of a leg, pushing positive", "leg"),
        }

    found = map_over_positions.labelled(machine, moved, orientation, **grid)
    found.attrs["wrench"] = F.tolist()
    return found


@checks_arguments
def weakest_pose(
    machine: AnyMachine,
    orientation: PoseLike | None = None,
    motion: Motion = "translation",
    **grid: Unpack[SearchGrid],
) -> WorkspaceMinimum:
    """Find the allowed pose with the lowest principal stiffness (Lipkin and Patterson 1992).

    The search is that of `gough.workspaces.workspace_minimum`: direct search with a barrier (Audet and Dennis 2006)
    and quadratic programming by turns, from many starts.

    Parameters
    ----------
    machine : Machine
        With the stiffness of its legs.
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
    stiffness(machine, machine.X_home)  # raises before the search for a machine without stiffness

    def smallest(poses: Array) -> Array:
        return least_principal_stiffness(stiffness(machine, poses), motion)

    unit = PrincipalStiffness.QUANTITIES[motion].unit
    return workspace_minimum(machine, smallest, orientation, unit=str(unit), **grid)
