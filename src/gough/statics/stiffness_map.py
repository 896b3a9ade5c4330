"""Stiffness, and displacement under a load, over a grid of positions."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Unpack

import numpy as np
from numpy.typing import ArrayLike

from gough.arrays import Array
from gough.checks.arguments import checks_arguments
from gough.checks.numbers import of_shape
from gough.poses import PoseLike
from gough.stacked import AnyMachine
from gough.statics.stiffness import axial_forces, displacement_under_load, principal_stiffness, stiffness
from gough.workspaces.position_maps import Grid, Variables, map_over_positions

if TYPE_CHECKING:
    import xarray


@checks_arguments
def stiffness_map(
    machine: AnyMachine,
    orientation: PoseLike | None = None,
    **grid: Unpack[Grid],
) -> xarray.Dataset:
    """Principal stiffnesses over a grid of positions of the point of interest at one orientation.

    Parameters
    ----------
    machine : Machine
        With leg stiffnesses, see `gough.stiffness`.
    orientation, **grid : see `gough.workspaces.map_over_positions`.

    Returns
    -------
    xarray.Dataset
        Over x, y, z, NaN where the pose is refused: `translation` [N/m] and `rotation` [N m/rad], ascending over
        `principal` (see `gough.statics.principal_stiffness`), and `softest_axis`, the direction of the first
        translation.

    """
    found = map_over_positions(machine, partial(principal_of_poses, machine), orientation, **grid)
    return found.assign_coords(axis=["x", "y", "z"])


def principal_of_poses(machine: AnyMachine, poses: Array) -> Variables:
    """Principal stiffnesses of poses (n, 4, 4), for maps."""
    found = principal_stiffness(stiffness(machine, poses))
    translation, rotation = ("principal stiffness of translation", "principal stiffness of rotation")
    return {
        "translation": (("principal",), found.translation, {"units": "N/m", "long_name": translation}),
        "rotation": (("principal",), found.rotation, {"units": "N m/rad", "long_name": rotation}),
        "softest_axis": (
            ("axis",),
            found.translation_axes[..., 0],
            {"units": "1", "long_name": "softest direction"},
        ),
    }


@checks_arguments
def displacement_map(
    machine: AnyMachine,
    wrench: ArrayLike,
    orientation: PoseLike | None = None,
    **grid: Unpack[Grid],
) -> xarray.Dataset:
    """How far a load at the point of interest displaces it, over a grid of its positions at one orientation.

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
        Over x, y, z, NaN where the pose is refused: `displacement` [m] and `rotation` [rad] over `axis`, their
        lengths `displacement_length` and `rotation_angle`, and `axial_force` [N] of each `leg`, pushing positive.

    """
    F = of_shape("wrench", wrench, "(6,)")
    point = machine.point_of_interest

    def moved(poses: Array) -> Variables:
        V = displacement_under_load(machine, poses, F, point=point)
        force = axial_forces(machine, poses, F, point=point)
        length, angle = (np.linalg.norm(part, axis=-1) for part in (V[..., :3], V[..., 3:]))
        return {
            "displacement": (("axis",), V[..., :3], {"units": "m", "long_name": "displacement"}),
            "rotation": (("axis",), V[..., 3:], {"units": "rad", "long_name": "rotation"}),
            "displacement_length": ((), length, {"units": "m", "long_name": "displacement under the load"}),
            "rotation_angle": ((), angle, {"units": "rad", "long_name": "rotation under the load"}),
            "axial_force": (("leg",), force, {"units": "N", "long_name": "force of a leg, pushing positive"}),
        }

    found = map_over_positions(machine, moved, orientation, **grid)
    legs = np.arange(1, 1 + found.sizes["leg"])
    return found.assign_coords(axis=["x", "y", "z"], leg=legs).assign_attrs(wrench=F.tolist())
