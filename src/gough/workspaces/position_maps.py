"""Maps over positions at one orientation: any quantity of a pose, or the velocity envelope (De Sapio 1998)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeAlias, TypedDict, Unpack
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import ArrayLike, NDArray

from gough.arrays import Array, Bools, Progress
from gough.checks.arguments import checks_arguments
from gough.checks.numbers import check_count, of_shape
from gough.chunks import Chunks
from gough.errors import InputError
from gough.limits.interval_search import poses_at, reach_box
from gough.limits.margins import is_allowed, margins
from gough.limits.velocity_envelope import velocity_envelope
from gough.poses import PoseLike, one_pose
from gough.results import Labelled, returns_dataset
from gough.stacked import AnyMachine
from gough.workspaces.workspace import ascending, workspace

Variables: TypeAlias = Mapping[str, tuple[tuple[str, ...], Array, Mapping[str, Any]]]
"""Quantities of n poses by name: dimensions other than the poses', values (n, ...), attributes such as units."""
OfPoses: TypeAlias = Callable[[Array], Variables]
"""A function from allowed poses (n, 4, 4) to their quantities."""

SAMPLES = 15
"""Positions along each axis that is not given."""
CHUNK = 4096
"""Poses between two reports of progress."""
COLUMNS = 41
"""Columns along x and y of the workspace whose extent is the map's default."""
ENOUGH = 8
"""Fewest columns along x and along y that must meet the workspace, else the columns are laid closer."""
ZOOMS = 8
"""Times that they are laid closer; each resolves a workspace twenty times smaller."""
GRID = ("x", "y", "z")


class Places(TypedDict, total=False):
    """Keywords of searches over positions, see `map_over_positions`."""

    x: ArrayLike | None
    y: ArrayLike | None
    z: ArrayLike | None
    samples: int
    progress: Progress


class Grid(Places, total=False):
    """Keywords of maps over positions, see `map_over_positions`."""

    processes: int
    scheduler: str | None


@returns_dataset
@checks_arguments
def map_over_positions(
    machine: AnyMachine,
    function: OfPoses,
    orientation: PoseLike | None = None,
    *,
    x: ArrayLike | None = None,
    y: ArrayLike | None = None,
    z: ArrayLike | None = None,
    samples: int = SAMPLES,
    progress: Progress = None,
    chunk: int = CHUNK,
    processes: int = 1,
    scheduler: str | None = None,
) -> Labelled:
    """Evaluate quantities of poses over a grid of positions at one orientation.

    Parameters
    ----------
    machine : Machine
    function : callable
        From allowed poses (n, 4, 4) to their quantities: name -> (further dimensions, values (n, ...), attributes),
        the form in which xarray takes variables. It is called with parts of the grid.
    orientation : PoseLike, optional
        Pose that sets the orientation; default: home.
    x, y, z : float or array, optional
        Positions of the point of interest in the base frame, ascending [m]; one number makes a slice. Where not
        given, `samples` over the extent of the workspace at that orientation.
    samples : int
    progress : callable, optional
        Called with the number of positions done and of all; an exception from it (Ctrl-C) ends the map.
    chunk : int
        Poses passed to the function at once, and between two reports of progress.
    processes : int
        Processes of this machine that share the parts. In one process kernels use all cores; several are faster if the
        function computes in Python.
    scheduler : str, optional
        Address of a Dask scheduler, whose workers compute the parts instead.

    Returns
    -------
    xarray.Dataset
        Over x, y, z: `is_allowed`, whether the pose keeps every limit, and the quantities, NaN where it does not.

    Raises
    ------
    InputError
        An axis is not given and the workspace has no extent: the legs have no largest length, or nothing is allowed; no
        cluster at the scheduler's address.

    """
    X = one_pose(orientation, machine.end_home)
    axes = grid_axes(machine, X, (x, y, z), samples)
    shape = tuple(len(axis) for axis in axes)
    positions = np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1).reshape(-1, 3)
    poses = poses_at(machine, X[:3, :3], positions)
    # The function sees allowed poses only, in parts that processes or a cluster may share.
    firsts = range(0, len(poses), chunk)

    def report(done: int, _: int) -> None:
        if progress is not None:
            progress(min(done * chunk, len(poses)), len(poses))

    with Chunks(_of_part, (machine, function), processes if scheduler is None else None, scheduler) as workers:
        found = workers.run([poses[first : first + chunk] for first in firsts], report)
    allowed = np.concatenate([keeps for keeps, _ in found])
    parts = [quantities for _, quantities in found]
    return Labelled(
        {"is_allowed": (GRID, allowed.reshape(shape)), **_spread(parts, allowed, shape)},
        coords={
            **{name: (name, axis, {"units": "m"}) for name, axis in zip(GRID, axes, strict=True)},
            **_labels(parts[0]),
        },
        attrs={"machine": machine.name, "rotation": X[:3, :3].ravel().tolist()},
    )


def of_positions(values: Array, unit: str, words: str, *dims: str) -> tuple[tuple[str, ...], Array, Mapping[str, Any]]:
    """Return one of the `Variables` of n poses: values (n, ...) over the dimensions `dims`, with unit and name."""
    return dims, values, {"units": unit, "long_name": words}


def _labels(quantities: Variables) -> dict[str, Any]:
    """Coordinate labels of the quantities' own dimensions, for axes and legs."""
    sizes = {dim: k for dims, values, _ in quantities.values() for dim, k in zip(dims, values.shape[1:], strict=True)}
    labels = {"axis": list(GRID), "leg": np.arange(1, 1 + sizes.get("leg", 0))}
    return {dim: label for dim, label in labels.items() if dim in sizes}


def _of_part(common: tuple[AnyMachine, OfPoses], poses: Array) -> tuple[Bools, Variables]:
    """Which poses of a part are allowed, and the quantities of those."""
    machine, function = common
    keeps = is_allowed(machine, poses)
    return keeps, function(poses[keeps])


@checks_arguments
def grid_axes(
    machine: AnyMachine, X: Array, given: tuple[ArrayLike | None, ArrayLike | None, ArrayLike | None], samples: int
) -> tuple[Array, Array, Array]:
    """Return places along x, y and z [m]: those given, else `samples` over the workspace at the orientation of X (4,
    4)."""
    if samples < 2:
        raise InputError(f"samples {samples}: a map needs at least 2 along each axis without values")
    check_count("positions of the map", *(samples if axis is None else np.size(axis) for axis in given))
    low, high = (np.full(3, np.nan),) * 2 if all(axis is not None for axis in given) else extent(machine, X)
    axes = [
        np.linspace(low[k], high[k], samples) if axis is None else _ascending(axis, GRID[k])
        for k, axis in enumerate(given)
    ]
    return axes[0], axes[1], axes[2]


def extent(machine: AnyMachine, X: Array) -> tuple[Array, Array]:
    """Return the lowest and highest coordinates (3,) [m] of the workspace at the orientation of X (4, 4).

    By columns over the legs' reach and through home, laid closer until enough of them meet the workspace. Kept for each
    machine and orientation.
    """
    known = _extents.setdefault(machine, {})
    key = X[:3, :3].tobytes()
    if key not in known:
        known[key] = _extent(machine, X)
    low, high = known[key]
    return low.copy(), high.copy()


_extents: WeakKeyDictionary[AnyMachine, dict[bytes, tuple[Array, Array]]] = WeakKeyDictionary()


def _extent(machine: AnyMachine, X: Array) -> tuple[Array, Array]:
    empty = InputError(f"machine {machine.name!r}: no position is allowed at this orientation; specify x, y and z")
    low, high = reach_box(machine, X[:3, :3])
    if (low >= high).any():
        raise empty
    if not np.isfinite([*low, *high]).all():
        raise InputError(f"machine {machine.name!r}: the legs have no largest length; specify x, y and z")
    home = machine.home_point
    # An orientation that is singular everywhere has no allowed position unless the limit is ignored.
    at_home = margins(machine, poses_at(machine, X[:3, :3], home))
    ignore = tuple(column.name for column in at_home.columns if column.is_singularity) if at_home.is_singular else ()
    for _ in range(ZOOMS):
        x, y = (np.linspace(low[k], high[k], COLUMNS) for k in (0, 1))
        x, y = (np.union1d(a, home[k]) if a[0] < home[k] < a[-1] else a for k, a in enumerate((x, y)))
        found = workspace(machine, X, x=x, y=y, z=(low[2], high[2]), ignore=ignore)
        i, j = (np.unique(hit) for hit in np.nonzero(found.count))
        if not len(i):
            raise empty
        # The workspace ends within a step of the outermost columns that meet it.
        low = np.array([x[max(i[0] - 1, 0)], y[max(j[0] - 1, 0)], low[2]])
        high = np.array([x[min(i[-1] + 1, len(x) - 1)], y[min(j[-1] + 1, len(y) - 1)], high[2]])
        if min(len(i), len(j)) >= ENOUGH:
            break
    return np.array([*low[:2], np.nanmin(found.lower)]), np.array([*high[:2], np.nanmax(found.upper)])


def _ascending(given: ArrayLike, name: str) -> Array:
    message = f"map: {name} must be a number or a list of ascending finite numbers [m]"
    places = ascending(np.atleast_1d(np.asarray(given, dtype=float)), message)
    if not len(places):
        raise InputError(message)
    return places


def _spread(
    parts: list[Variables], allowed: NDArray[np.bool_], shape: tuple[int, ...]
) -> dict[str, tuple[object, ...]]:
    """The parts' quantities over the whole grid, NaN at poses that are not allowed."""
    spread: dict[str, tuple[object, ...]] = {}
    for name, (dims, first, attributes) in parts[0].items():
        values = np.concatenate([part[name][1] for part in parts])
        whole = np.full((len(allowed), *first.shape[1:]), np.nan)
        whole[allowed] = values
        spread[name] = ((*GRID, *dims), whole.reshape(*shape, *first.shape[1:]), dict(attributes))
    return spread


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
    """Compute top speeds of the point of interest over a grid of positions at one orientation.

    Parameters
    ----------
    machine : Machine
    orientation : PoseLike, optional
        Pose that sets the orientation; default: home.
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
