"""Where in the workspace a quantity is least: the weakest pose, the slowest pose."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from gough._arguments import checks_arguments
from gough.analysis.descent import Descent, Progress
from gough.analysis.maps import grid_axes
from gough.analysis.margins import margins
from gough.analysis.stiffness import leg_stiffness, principal_stiffness, stiffness
from gough.analysis.velocity import velocity_envelope
from gough.errors import InputError, ShapeError
from gough.machine import Machine
from gough.poses import PoseLike, checked_matrices

Array = NDArray[np.float64]
Motion: TypeAlias = Literal["translation", "rotation"]

ON_THE_LIMIT = 1e-5
"""A relative margin below this counts as holding the pose where the search ended."""


@dataclass(frozen=True, eq=False)
class LowestPose:
    """The allowed pose with the lowest value found.

    Attributes
    ----------
    matrix : (4, 4) array
        The pose.
    position : (3,) array
        Of the point of interest there [m].
    value : float
        The quantity there, in its unit.
    on_grid : float
        The lowest value on the grid that the search set out from: how much refining brought.
    held_by : tuple of str
        Names of the limits that keep it from going on; empty for a minimum inside.

    """

    matrix: Array
    position: Array
    value: float
    on_grid: float
    held_by: tuple[str, ...]


@checks_arguments
def lowest_in_workspace(
    machine: Machine,
    function: Callable[[Array], Array],
    orientation: PoseLike | None = None,
    *,
    turn: float = 0.0,
    x: ArrayLike | None = None,
    y: ArrayLike | None = None,
    z: ArrayLike | None = None,
    samples: int = 15,
    progress: Progress | None = None,
) -> LowestPose:
    """The allowed pose at which a quantity is least.

    A grid of positions at the orientation is sampled; from its lowest poses that are no neighbours two local searches
    go on by turns, never leaving the limits, until neither finds a lower value. One looks in many fresh random
    directions at the step's distance and moves to the lowest allowed pose or halves the step (direct search with an
    extreme barrier, Audet and Dennis 2006): it needs no derivatives, which smallest eigenvalues lack where two are
    equal. The other is quadratic programming with the margins as constraints, which follows limits into their corners.
    A narrow valley between the grid's points can be missed: `samples` is the answer.

    Parameters
    ----------
    machine : Machine
    function : callable
        From poses (n, 4, 4) to the quantity (n,); NaN counts as refused.
    orientation : PoseLike, optional
        A pose whose rotation is kept, or from which it departs by `turn` at most; home where none is given.
    turn : float
        Largest rotation from the orientation [rad]; 0 keeps it.
    x, y, z, samples, progress : see `gough.map_over_positions`; the search stays within axes that are given.

    Raises
    ------
    InputError
        The grid has no allowed pose.

    """
    X = machine.X_home if orientation is None else checked_matrices(orientation)
    if X.ndim != 2:
        raise ShapeError.expected("orientation", "(4, 4), one pose", X.shape)
    if not 0 <= turn < np.pi:
        raise InputError(f"turn {turn:g} rad: expected 0 to less than half a turn")
    axes = grid_axes(machine, X, (x, y, z), samples)
    is_given = np.array([axis is not None for axis in (x, y, z)])
    search = Descent(machine, function, X[:3, :3], turn, axes, is_given)
    values = search.on_grid(progress)
    if not np.isfinite(values).any():
        raise InputError(f"machine {machine.name!r}: no pose of the grid is allowed; take more samples")
    ends = [search.descend(start) for start in search.starts(values)]
    best, value = min(ends, key=lambda end: end[1])
    pose = search.poses(best[None])[0]
    g = margins(machine, pose)
    held = tuple(np.array(g.names)[np.nan_to_num(g.relative, nan=1.0) < ON_THE_LIMIT].tolist())
    return LowestPose(pose, best[:3], value, float(np.nanmin(values)), (*held, *search.ends_reached(best)))


@checks_arguments
def weakest_pose(
    machine: Machine,
    orientation: PoseLike | None = None,
    motion: Motion = "translation",
    *,
    turn: float = 0.0,
    x: ArrayLike | None = None,
    y: ArrayLike | None = None,
    z: ArrayLike | None = None,
    samples: int = 15,
    progress: Progress | None = None,
) -> LowestPose:
    """The allowed pose whose smallest principal stiffness is least [N/m, or N m/rad], see `lowest_in_workspace`."""
    leg_stiffness(machine, np.ones(6))  # a machine without stiffness says so before the search

    def smallest(poses: Array) -> Array:
        found = principal_stiffness(stiffness(machine, poses))
        return (found.translation if motion == "translation" else found.rotation)[..., 0]

    return lowest_in_workspace(
        machine, smallest, orientation, turn=turn, x=x, y=y, z=z, samples=samples, progress=progress
    )


@checks_arguments
def slowest_pose(
    machine: Machine,
    orientation: PoseLike | None = None,
    motion: Motion = "translation",
    *,
    joint_speed: ArrayLike | None = None,
    turn: float = 0.0,
    x: ArrayLike | None = None,
    y: ArrayLike | None = None,
    z: ArrayLike | None = None,
    samples: int = 15,
    progress: Progress | None = None,
) -> LowestPose:
    """The allowed pose whose guaranteed speed is least [m/s, or rad/s], see `lowest_in_workspace`.

    Its value is a speed that the machine reaches in every direction anywhere in the workspace.
    """
    velocity_envelope(machine, machine.X_home, joint_speed=joint_speed)  # a machine without speeds says so first

    def guaranteed(poses: Array) -> Array:
        return velocity_envelope(machine, poses, joint_speed=joint_speed).guaranteed(motion)

    return lowest_in_workspace(
        machine, guaranteed, orientation, turn=turn, x=x, y=y, z=z, samples=samples, progress=progress
    )
