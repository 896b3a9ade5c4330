"""The dexterous workspace: positions at which the platform can take every orientation of a cone."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, ClassVar

import numpy as np
from numpy.typing import ArrayLike

from gough.arrays import Array, Ints, Progress
from gough.checks.arguments import checks_arguments
from gough.errors import InputError
from gough.limits.interval_search import Intervals, binding_at, limits_for_search, poses_at
from gough.poses import PoseLike, one_pose
from gough.results import Quantities, Result
from gough.stacked import AnyMachine
from gough.workspaces.boundary import boundary_mesh
from gough.workspaces.cone_columns import SETTLED, ConeColumns, shorten, worst_of_cone, worst_of_rotations
from gough.workspaces.cone_extent import cone_extent
from gough.workspaces.extent import Extent, search_bounds
from gough.workspaces.mesh import Mesh
from gough.workspaces.orientation_cone import OrientationCone
from gough.workspaces.quadrature import measured_shares
from gough.workspaces.uncertain import Uncertain
from gough.workspaces.workspace import Workspace, column_feet, search_grid, workspace_of

if TYPE_CHECKING:
    import xarray


SHARE_BLOCKS = 4
"""Of the places of columns that measure the boundary."""
COARSE = 7
"""Columns along x and y when the part's own box is looked for, besides those through home."""
FILLED, ROUNDS = 0.7, 6
"""A box filled to this part along each side is not drawn closer; most times that it is."""


@dataclass(frozen=True, eq=False)
class DexterousWorkspace(Result):
    """Positions at which every orientation of a cone is allowed.

    Attributes
    ----------
    columns : Workspace
        The body, in the form of the workspace at one orientation: at its ends some orientation of the cone meets the
        limit that binds.
    cone : Cone
    orientations : int
        How many orientations every column was searched at, before the worst ones at its own ends were taken in.
    shortfall : float
        Worst relative margin that a last search over the cone found at the ends, with its sign turned: by how much of
        a limit's scale the true boundary can lie farther in; round-off where the search has caught every limit.
    bounds : (low, high), (3,) arrays
        Positions beyond which nothing was to be looked for [m]: the ranges given, else what the legs can reach.

    """

    QUANTITIES: ClassVar[Quantities] = {
        "volume": "m3",
        "volume_error": "m3",
        "orientations": "1",
        "shortfall": "1",
    }

    columns: Workspace
    cone: OrientationCone
    orientations: int
    shortfall: float
    bounds: tuple[Array, Array]

    @property
    def dataset(self) -> xarray.Dataset:
        """The columns, as those of the workspace at one orientation."""
        return self.columns.dataset

    def __str__(self) -> str:
        volume = f"{self.volume:.4g} m3, to {self.volume_error:.1g} m3"
        return f"{volume}, where every orientation of the cone is allowed"

    @property
    def volume(self) -> float:
        """Volume [m3]."""
        return self.columns.volume

    @property
    def volume_error(self) -> float:
        """Its estimated error [m3], that of the columns' distance."""
        return self.columns.volume_error

    @cached_property
    def extent(self) -> Extent:
        """Farthest positions along the axes that allow the whole cone, to rounding (`gough.workspaces.cone_extent`)."""
        w = self.columns
        return cone_extent(w.machine, self.cone, self.bounds, (w.x, w.y, w.ends), w.ignore)

    @cached_property
    def boundary_share(self) -> dict[str, Uncertain]:
        """Part of the boundary on which each limit binds, as of a whole workspace (`gough.workspaces.quadrature`)."""
        w, ends = self.columns, self.extent
        arrays = limits_for_search(w.machine, w.ignore)

        def found(axis: int, feet: Array, height: float) -> tuple[Array, Array, Ints, Ints]:
            family = ConeColumns(w.machine, arrays, self.cone, axis, feet, height)
            places, column, binding = family.ends(family.search()[0])
            return self.cone.rotations(worst_of_cone(w.machine, arrays, self.cone, places)[0]), places, column, binding

        return measured_shares(w.machine, w.names, (ends.low, ends.high), self.bounds, found, SHARE_BLOCKS)

    def mesh(self, progress: Progress = None) -> Mesh:
        """The boundary as a closed mesh; its vertices off the columns are met at the sampled orientations of the cone
        only, and of these only where one refuses the end of what the others leave: a gap on the way to an end that it
        allows is not followed, but where all allow that end."""
        w = self.columns
        if not w.count.any():
            raise InputError("no position allows the whole cone: there is no boundary")
        arrays = limits_for_search(w.machine, w.ignore)
        exact, R = arrays._replace(sign_only=False), self.cone.rotations(self.cone.samples())

        def crossing(inside: Array, direction: Array, length: Array, names_limits: bool) -> tuple[Array, Ints]:
            found = length.copy(), np.full(len(direction), -1, dtype=np.int64)
            far, binding = found
            left = np.arange(len(direction))
            for k in range(len(R)):  # each edge ends where its worst orientation does, until none refuses its end
                worst, least = worst_of_rotations(
                    w.machine, arrays, R, inside[left] + far[left, None] * direction[left]
                )
                left, worst = left[least < -SETTLED], worst[least < -SETTLED]
                before = far[left]
                shorten(w.machine, arrays, R[worst], (inside, direction), found, left)
                left = left[far[left] < before]
                if progress is not None:
                    progress(k + 1 if len(left) else len(R), len(R))
                if not len(left):
                    break
            # Where all orientations allow the end, perhaps one of them does not allow the way there.
            whole = np.flatnonzero(binding < 0)
            for rotation in R:
                shorten(w.machine, arrays, rotation, (inside, direction), found, whole)
            # Where only orientations between the sampled ones end it, the limit is that of the worst there.
            if names_limits:
                at = (inside + far[:, None] * direction)[binding < 0]
                between = self.cone.rotations(worst_of_cone(w.machine, arrays, self.cone, at)[0])
                binding[binding < 0] = binding_at(w.machine, exact, poses_at(w.machine, between, at))
            return far, binding

        return boundary_mesh((w.x, w.y, w.ends), w.z_range, crossing, w.names)


@checks_arguments
def dexterous_workspace(
    machine: AnyMachine,
    orientation: PoseLike | None = None,
    *,
    tilt: float,
    roll: float = 0.0,
    x: ArrayLike | None = None,
    y: ArrayLike | None = None,
    z: tuple[float, float] | None = None,
    samples: int = 25,
    ignore: tuple[str, ...] = (),
    progress: Progress = None,
) -> DexterousWorkspace:
    """Positions of the point of interest at which every orientation of a cone about a given one is allowed.

    Each column is searched at orientations spread over the cone, with exact ends, and the intervals intersected. Then
    the worst orientation of the whole cone is looked for at each end, from the worst sampled one on, and the column
    searched again with it: the exchange method for constraints without number (Blankenship and Falk 1976), which
    converges to the boundary where the least margin over the cone is zero. A limit broken only between the samples and
    nowhere near the worst of them could be missed: `shortfall` is what a last search found.

    Parameters
    ----------
    machine : Machine
    orientation : PoseLike, optional
        One pose whose rotation is the cone's middle; home where none is given.
    tilt : float
        Half-angle of the cone of the platform's z axis [rad].
    roll : float
        Turn about that axis, in both directions [rad].
    x, y, z, samples, ignore
        As for `gough.workspace`.
    progress : callable, optional
        Called with the number of orientations done and of all.

    Returns
    -------
    DexterousWorkspace
        Empty, with volume 0, where no position allows the whole cone.

    Raises
    ------
    InputError
        A tilt or roll outside 0 to pi, an axis without positions, or a limit to ignore that the machine does not have.

    """
    X = one_pose(orientation, machine.end_home)
    if not (0 <= tilt <= np.pi and 0 <= roll <= np.pi):
        raise InputError(f"dexterous workspace: tilt {tilt:g} and roll {roll:g} rad, expected 0 to pi")
    cone = OrientationCone(float(tilt), float(roll), np.ascontiguousarray(X[:3, :3]))
    arrays = limits_for_search(machine, ignore)
    xs, ys, z_range = search_grid(machine, cone.R, (x, y, z), samples, ignore)

    def columns_at(xs: Array, ys: Array, progress: Progress = None) -> tuple[Intervals, float]:
        feet = column_feet(xs, ys, z_range[0])
        return ConeColumns(machine, arrays, cone, 2, feet, z_range[1] - z_range[0]).search(progress)

    if x is None or y is None:
        places = _drawn_closer(machine, (xs, ys), lambda xs, ys: columns_at(xs, ys)[0].count)
        xs, ys = (
            axis if is_given is not None else near
            for axis, near, is_given in zip((xs, ys), places, (x, y), strict=True)
        )
    found, shortfall = columns_at(xs, ys, progress)
    columns = workspace_of(machine, found.trimmed(), (xs, ys), z_range=z_range, R=cone.R, ignore=ignore)
    return DexterousWorkspace(columns, cone, len(cone.samples()), shortfall, search_bounds(machine, cone.R, (x, y, z)))


def _drawn_closer(
    machine: AnyMachine, axes: tuple[Array, Array], counts: Callable[[Array, Array], Ints]
) -> tuple[Array, Array]:
    """As many places along x and y over a box that fits the part: coarse columns find it, and those through home."""
    home = machine.home_point
    ends = np.array([[axis[0], axis[-1]] for axis in axes])
    for _ in range(ROUNDS):
        coarse = [np.linspace(ends[k, 0], ends[k, 1], COARSE) for k in range(2)]
        coarse = [np.union1d(c, home[k]) if c[0] < home[k] < c[-1] else c for k, c in enumerate(coarse)]
        inside = counts(*coarse).reshape(len(coarse[0]), len(coarse[1])) > 0
        if not inside.any():
            break
        hits = [c[inside.any(axis=1 - k)] for k, c in enumerate(coarse)]
        step = (ends[:, 1] - ends[:, 0]) / (COARSE - 1)
        box = np.array([[hit[0] - s, hit[-1] + s] for hit, s in zip(hits, step, strict=True)])
        box = np.clip(box, ends[:, :1], ends[:, 1:])
        filled = (box[:, 1] - box[:, 0]) / (ends[:, 1] - ends[:, 0])
        ends = box
        if filled.min() > FILLED:
            break
    x, y = (np.linspace(ends[k, 0], ends[k, 1], len(axes[k])) for k in range(2))
    return x, y
