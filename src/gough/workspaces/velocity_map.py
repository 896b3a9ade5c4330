"""The velocity envelope over the workspace (De Sapio 1998, velocity hypersurface)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Unpack

import numpy as np
from numpy.typing import ArrayLike

from gough.arrays import Array
from gough.checks.arguments import checks_arguments
from gough.checks.numbers import of_shape
from gough.limits.velocity_envelope import velocity_envelope
from gough.poses import PoseLike
from gough.results import Labelled, returns_dataset
from gough.stacked import AnyMachine
from gough.workspaces.position_maps import Grid, Variables, map_over_positions, of_positions

AXES = np.eye(6)


@returns_dataset
@checks_arguments
def velocity_map(
    machine: AnyMachine,
    orientation: PoseLike | None = None,
    *,
    directions: ArrayLike | None = None,
    joint_speed: ArrayLike | None = None,
    **grid: Unpack[Grid],
) -> Labelled:
    """Top speeds of the point of interest over a grid of positions at one orientation.

    Parameters
    ----------
    machine : Machine
    orientation : PoseLike, optional
        A pose whose rotation is kept; home where none is given.
    directions : (k, 3) or (k, 6) array, optional
        Further directions [v, w] of which the top speed is computed, as in `VelocityEnvelope.speed`.
    joint_speed : see `gough.velocity_envelope`.
    **grid : see `gough.workspaces.map_over_positions`.

    Returns
    -------
    xarray.Dataset
        Over x, y, z, NaN where not allowed: `guaranteed_translation` [m/s] and `guaranteed_rotation` [rad/s],
        the speeds that every direction allows; `fastest_translation` and `fastest_rotation`, those of the fastest one;
        `speed_along` [m/s] and `speed_about` [rad/s] each `axis` alone; `top_speed` along each of `directions` where
        they are given. Struts have the same guaranteed translation everywhere: their own speed.

    """
    wanted = None if directions is None else of_shape("directions", directions, "(k, 3) or (k, 6)")

    def speeds(poses: Array) -> Variables:
        envelope = velocity_envelope(machine, machine.end_pose(poses), joint_speed=joint_speed)
        each = np.stack([envelope.speed(axis) for axis in AXES], axis=-1)
        found = {
            "guaranteed_translation": _speed(envelope.guaranteed("translation"), "m/s", "in every direction"),
            "fastest_translation": _speed(envelope.fastest("translation"), "m/s", "in the fastest direction"),
            "guaranteed_rotation": _speed(envelope.guaranteed("rotation"), "rad/s", "about every axis"),
            "fastest_rotation": _speed(envelope.fastest("rotation"), "rad/s", "about the fastest axis"),
            "speed_along": _speed(each[:, :3], "m/s", "along one axis", "axis"),
            "speed_about": _speed(each[:, 3:], "rad/s", "about one axis", "axis"),
        }
        if wanted is not None:
            top = np.stack([envelope.speed(d) for d in wanted], axis=-1)
            found["top_speed"] = _speed(top, "m/s; rad/s of pure rotations", "along a direction", "direction")
        return found

    found = map_over_positions.labelled(machine, speeds, orientation, **grid)
    if wanted is not None:
        found.coords["direction_vector"] = (("direction", "component"), wanted)
    return found


def _speed(values: Array, unit: str, where: str, *dims: str) -> tuple[tuple[str, ...], Array, Mapping[str, Any]]:
    return of_positions(values, unit, f"top speed {where}", *dims)
