"""How the velocity envelope changes over the workspace (De Sapio 1998, velocity hypersurface)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Unpack

import numpy as np
from numpy.typing import ArrayLike

from gough.arrays import Array
from gough.checks.arguments import checks_arguments
from gough.checks.numbers import of_shape
from gough.limits.velocity_envelope import velocity_envelope
from gough.machine import Machine
from gough.poses import PoseLike
from gough.workspaces.position_maps import Grid, Variables, map_over_positions

if TYPE_CHECKING:
    import xarray


AXES = np.eye(6)


@checks_arguments
def velocity_map(
    machine: Machine,
    orientation: PoseLike | None = None,
    *,
    directions: ArrayLike | None = None,
    joint_speed: ArrayLike | None = None,
    **grid: Unpack[Grid],
) -> xarray.Dataset:
    """Top speeds of the point of interest over a grid of positions at one orientation.

    Parameters
    ----------
    machine : Machine
    orientation : PoseLike, optional
        A pose whose rotation is kept; home where none is given.
    directions : (k, 3) or (k, 6) array, optional
        Further directions [v, w] whose top speed is wanted, as in `VelocityEnvelope.speed`.
    joint_speed : see `gough.velocity_envelope`.
    **grid : see `gough.workspaces.map_over_positions`.

    Returns
    -------
    xarray.Dataset
        Over x, y, z, NaN where the pose is refused: `guaranteed_translation` [m/s] and `guaranteed_rotation` [rad/s],
        the speeds that every direction allows; `fastest_translation` and `fastest_rotation`, those of the fastest one;
        `speed_along` [m/s] and `speed_about` [rad/s] each `axis` alone; `top_speed` along each of `directions` where
        they are given. Struts have the same guaranteed translation everywhere: their own speed.

    """
    wanted = None if directions is None else _checked(directions)

    def speeds(poses: Array) -> Variables:
        envelope = velocity_envelope(machine, poses, joint_speed=joint_speed)
        each = np.stack([envelope.speed(axis) for axis in AXES], axis=-1)
        found: dict[str, tuple[tuple[str, ...], Array, dict[str, str]]] = {
            "guaranteed_translation": (
                (),
                envelope.guaranteed("translation"),
                _attributes("m/s", "in every direction"),
            ),
            "fastest_translation": (
                (),
                envelope.fastest("translation"),
                _attributes("m/s", "in the fastest direction"),
            ),
            "guaranteed_rotation": ((), envelope.guaranteed("rotation"), _attributes("rad/s", "about every axis")),
            "fastest_rotation": ((), envelope.fastest("rotation"), _attributes("rad/s", "about the fastest axis")),
            "speed_along": (("axis",), each[:, :3], _attributes("m/s", "along one axis")),
            "speed_about": (("axis",), each[:, 3:], _attributes("rad/s", "about one axis")),
        }
        if wanted is not None:
            top = np.stack([envelope.speed(d) for d in wanted], axis=-1)
            found["top_speed"] = (("direction",), top, _attributes("m/s; rad/s of pure rotations", "along a direction"))
        return found

    found = map_over_positions(machine, speeds, orientation, **grid)
    if wanted is not None:
        found = found.assign_coords({"direction_vector": (("direction", "component"), wanted)})
    return found.assign_coords(axis=["x", "y", "z"])


def _attributes(unit: str, where: str) -> dict[str, str]:
    return {"units": unit, "long_name": f"top speed {where}"}


def _checked(directions: ArrayLike) -> Array:
    return of_shape("directions", directions, "(k, 3) or (k, 6)")
