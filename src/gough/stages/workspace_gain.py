"""Workspace of two stages together against that of each alone, at the orientation of home.

Each stage alone displaces the end platform by the elements of its own workspace, W_1 and W_2, sets of displacements
from home: the connected component containing home.

Both together, with the intermediate platform at the orientation of home, displace it by the Minkowski sum W_1 + W_2.
Rotations of the intermediate platform enlarge this set, so the gain is a lower bound.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import product

import numpy as np

from gough.arrays import Array, Ints, Progress
from gough.checks.arguments import checks_arguments
from gough.checks.numbers import check_count
from gough.errors import InputError
from gough.limits.interval_search import extent, find_intervals, limits_for_search, poses_at
from gough.machine import Machine
from gough.quantity import derived, quantity, result
from gough.results import Result
from gough.stacked import StackedMachine

COLUMNS_ACROSS = 33
"""Columns along the longer side of either stage's workspace."""
FINER = 5
"""Columns of the sections, in columns of the volumes: where two stages add up, edges follow the columns."""


@dataclass(frozen=True, eq=False)
class PositionColumns:
    """Displacements along columns parallel to z of the base, on a grid of multiples of a step.

    Attributes
    ----------
    x, y : (nx,), (ny,) array
        Places of the columns [m].
    ends : (nx, ny, k, 2) array
        Lower and upper end of each of the up to k intervals of a column, ascending [m]; NaN where there is none.
    step : float
        [m]

    """

    x: Array
    y: Array
    ends: Array
    step: float

    @property
    def height(self) -> Array:
        """Total length of the intervals of each column (nx, ny) [m]."""
        return np.nan_to_num(self.ends[..., 1] - self.ends[..., 0]).sum(axis=-1)

    @property
    def volume(self) -> float:
        """Volume [m3], columns times their heights."""
        return float(self.height.sum() * self.step**2)

    @property
    def section(self) -> PositionColumns:
        """Those through home, at y = 0."""
        j = int(np.argmin(np.abs(self.y)))
        return PositionColumns(self.x, self.y[j : j + 1], self.ends[:, j : j + 1], self.step)

    def thinned(self, n: int = 2, first: tuple[int, int] = (0, 0)) -> PositionColumns:
        """Return every n-th column along x and y, with those at the offsets `first` from the columns through home."""
        i, j = ((int(np.argmin(np.abs(axis))) + k) % n for axis, k in zip((self.x, self.y), first, strict=True))
        return PositionColumns(self.x[i::n], self.y[j::n], self.ends[i::n, j::n], n * self.step)


@result
class WorkspaceGain(Result):
    """Workspaces of each stage alone and of both, as displacements of the end platform from home in base axes.

    Attributes
    ----------
    lower, upper, both : Columns
    sections : tuple of Columns
        Of the same three: finer columns at y = 0.
    machine : StackedMachine

    """

    lower: PositionColumns
    upper: PositionColumns
    both: PositionColumns
    sections: tuple[PositionColumns, PositionColumns, PositionColumns]
    volume_error: float = quantity(
        "m3", doc="Estimated error of the volume of both: its largest change with every other column left out."
    )
    machine: StackedMachine

    def __str__(self) -> str:
        return f"both stages together reach {self.gain:.4g} times the volume of the larger one"

    @property
    @derived("m3", "part")
    def volumes(self) -> tuple[float, float, float]:
        """Volumes of the lower stage alone, of the upper one, and of both [m3]."""
        return self.lower.volume, self.upper.volume, self.both.volume

    @property
    @derived("1")
    def gain(self) -> float:
        """Volume of both together over that of the larger one alone."""
        return self.both.volume / max(self.lower.volume, self.upper.volume)


@checks_arguments
def workspace_gain(
    machine: StackedMachine, *, samples: int = COLUMNS_ACROSS, progress: Progress = None
) -> WorkspaceGain:
    """Compare the workspace of both stages together with each alone, the intermediate platform at home's orientation.

    Both displace by the Minkowski sum W_1 + W_2 of what each displaces (by definition). Ends of the columns of each
    stage come from root finding on every limit (`gough.workspace`); each column of the sum is the union of the sums of
    all pairs of columns that meet there. Ends are exact for the given columns.

    Parameters
    ----------
    machine : StackedMachine
    samples : int
        Columns along the longer side of either stage's workspace.
    progress : callable, optional
        Called with the work done and the total work.

    Returns
    -------
    WorkspaceGain
        Displacements of the end platform in base axes of each stage alone and of both together [m], their volumes [m3],
        the error of the last one, and the gain.

    Raises
    ------
    InputError
        The legs of a stage have no largest length, or its home is not allowed.

    """
    if samples < 5:
        raise InputError(f"workspace gain: samples {samples}, expected at least 5")
    check_count("columns", samples * FINER, samples * FINER)
    R_BU = (machine.lower.X_home @ machine.X_IU)[:3, :3]
    frames = (machine.lower, np.eye(3)), (machine.upper, R_BU)
    boxes = [_box(stage, R) for stage, R in frames]
    step = max(float(np.ptp(box[:, :2], axis=0).max()) for box in boxes) / (samples - 1)
    fine = [_columns(stage, R, box, step / FINER, progress) for (stage, R), box in zip(frames, boxes, strict=True)]
    lower, upper = (columns.thinned(FINER) for columns in fine)
    both = sum_of(lower, upper)
    # Every other column left out along x and y, with all four choices of the first ones of the lower stage.
    coarse = (sum_of(lower.thinned(2, first), upper.thinned()) for first in ((0, 0), (0, 1), (1, 0), (1, 1)))
    error = max(abs(both.volume - part.volume) for part in coarse)
    sections = fine[0].section, fine[1].section, section_of_sum(*fine)
    return WorkspaceGain(lower, upper, both, sections, error, machine)


def _box(stage: Machine, R: Array) -> Array:
    """Lowest and highest displacements (2, 3) of a stage in base axes; R is the orientation of its own base."""
    low, high = extent(stage, limits_for_search(stage), stage.X_home[:3, :3])
    if not (np.isfinite([low, high]).all() and (low < high).all()):
        raise InputError(f"machine {stage.name!r}: the legs have no largest length, so the workspace is unbounded")
    corners = np.array(list(product(*zip(low, high, strict=True)))) - stage.home_point
    turned = corners @ R.T
    return np.array([turned.min(axis=0), turned.max(axis=0)])


def _columns(stage: Machine, R: Array, box: Array, step: float, progress: Progress) -> PositionColumns:
    """Displacements of a stage along columns of the base; R is the orientation of its own base."""
    x, y = (step * np.arange(np.floor(box[0, k] / step), np.ceil(box[1, k] / step) + 1) for k in range(2))
    # Columns begin and end outside the box.
    beyond = 1e-6 * stage.size
    bottom, height = box[0, 2] - beyond, float(np.ptp(box[:, 2])) + 2 * beyond
    feet = np.stack([*np.meshgrid(x, y, indexing="ij"), np.full((len(x), len(y)), bottom)], axis=-1).reshape(-1, 3)
    starts = poses_at(stage, stage.X_home[:3, :3], feet @ R + stage.home_point)
    directions = np.tile(np.append(R[2], np.zeros(3)), (len(feet), 1))
    arrays = limits_for_search(stage)
    found = find_intervals(stage, arrays, starts, directions, np.full(len(feet), height), progress)
    return _from_home(PositionColumns(x, y, (found.ends + bottom).reshape(len(x), len(y), -1, 2), step), stage)


def _from_home(columns: PositionColumns, stage: Machine) -> PositionColumns:
    """The connected component containing home: intervals of neighbouring columns that overlap are joined."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    nx, ny, k = columns.ends.shape[:3]
    # Graph of the intervals; those of neighbouring columns that overlap are connected.
    number = np.arange(nx * ny * k).reshape(nx, ny, k)
    low, high = columns.ends[..., 0], columns.ends[..., 1]
    pairs = []
    for a, b in ((np.s_[:-1], np.s_[1:]), (np.s_[:, :-1], np.s_[:, 1:])):
        with np.errstate(invalid="ignore"):
            meet = (low[a][..., :, None] <= high[b][..., None, :]) & (low[b][..., None, :] <= high[a][..., :, None])
        first, second = np.broadcast_arrays(number[a][..., :, None], number[b][..., None, :])
        pairs.append(np.stack([first[meet], second[meet]]))
    i, j = np.concatenate(pairs, axis=1)
    _, part = connected_components(coo_array((np.ones(len(i)), (i, j)), shape=(number.size,) * 2), directed=False)
    middle = int(np.argmin(np.abs(columns.x))), int(np.argmin(np.abs(columns.y)))
    with np.errstate(invalid="ignore"):
        holds_home = np.flatnonzero((low[middle] <= 0) & (high[middle] >= 0))
    if not len(holds_home):
        raise InputError(f"machine {stage.name!r}: home is not allowed, so the workspace about it is empty")
    kept = part.reshape(nx, ny, k) == part[number[middle][holds_home[0]]]
    return replace(columns, ends=np.where(kept[..., None], columns.ends, np.nan))


def sum_of(a: PositionColumns, b: PositionColumns) -> PositionColumns:
    """Return Minkowski sum of two sets of displacements on grids with one step."""
    (i_a, lo_a, hi_a), (i_b, lo_b, hi_b) = _intervals(a), _intervals(b)
    places = i_a[:, None] + i_b[None]
    shape = len(a.x) + len(b.x) - 1, len(a.y) + len(b.y) - 1
    low, high = (lo_a[:, None] + lo_b[None]).ravel(), (hi_a[:, None] + hi_b[None]).ravel()
    # Columns (i, j) of a and (k, l) of b add up to column (i + k, j + l).
    ends = _united(np.ravel_multi_index((places[..., 0].ravel(), places[..., 1].ravel()), shape), low, high, shape)
    x, y = (
        first[0] + second[0] + a.step * np.arange(n)
        for first, second, n in zip((a.x, a.y), (b.x, b.y), shape, strict=True)
    )
    return PositionColumns(x, y, ends, a.step)


def section_of_sum(a: PositionColumns, b: PositionColumns) -> PositionColumns:
    """Return the section at y = 0 of `sum_of`."""
    (i_a, lo_a, hi_a), (i_b, lo_b, hi_b) = _intervals(a), _intervals(b)
    rows = np.rint(a.y / a.step).astype(np.int64)[i_a[:, 1]], np.rint(-b.y / a.step).astype(np.int64)[i_b[:, 1]]
    place, low, high = [], [], []
    for row in np.intersect1d(*rows):
        of_a, of_b = (np.flatnonzero(each == row) for each in rows)
        place.append(np.add.outer(i_a[of_a, 0], i_b[of_b, 0]).ravel())
        low.append(np.add.outer(lo_a[of_a], lo_b[of_b]).ravel())
        high.append(np.add.outer(hi_a[of_a], hi_b[of_b]).ravel())
    shape = len(a.x) + len(b.x) - 1, 1
    ends = _united(np.concatenate(place), np.concatenate(low), np.concatenate(high), shape)
    return PositionColumns(a.x[0] + b.x[0] + a.step * np.arange(shape[0]), np.zeros(1), ends, a.step)


def _intervals(columns: PositionColumns) -> tuple[Ints, Array, Array]:
    """Column indices (n, 2), lower and upper ends (n,) of all intervals."""
    i, j, k = np.nonzero(np.isfinite(columns.ends[..., 0]))
    return np.stack([i, j], axis=1), columns.ends[i, j, k, 0], columns.ends[i, j, k, 1]


def _united(place: Ints, low: Array, high: Array, shape: tuple[int, int]) -> Array:
    """Union of the intervals of each place: (nx, ny, k, 2), ascending, NaN beyond their number."""
    # All places at once: sorted by place and lower end, a new interval begins where all before it have ended.
    order = np.lexsort((low, place))
    place, low, high = place[order], low[order], high[order]
    # `lift` shifts places apart on one axis, so that none overlap.
    lift = place * (2 * (np.abs(low).max() + np.abs(high).max()) + 1.0)
    reached = np.maximum.accumulate(high + lift)
    begins = np.append(True, low[1:] + lift[1:] > reached[:-1])
    first = np.flatnonzero(begins)
    last = np.append(first[1:], len(low)) - 1
    where = place[first]
    rank = np.arange(len(first)) - np.searchsorted(where, where)
    ends = np.full((shape[0] * shape[1], int(rank.max()) + 1, 2), np.nan)
    ends[where, rank, 0], ends[where, rank, 1] = low[first], reached[last] - lift[last]
    return ends.reshape(*shape, -1, 2)
