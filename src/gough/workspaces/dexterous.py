"""The dexterous workspace: positions at which the platform can take every orientation of a cone."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from gough.arrays import Array, Ints, Progress
from gough.checks.arguments import checks_arguments
from gough.errors import InputError
from gough.limits.interval_search import Intervals, limits_for_search
from gough.poses import PoseLike, one_pose
from gough.present.units import percent, with_unit
from gough.quantity import derived, quantity, result
from gough.stacked import AnyMachine
from gough.workspaces.cones import ConeColumns, OrientationCone, cone_extent, cone_levels, worst_of_cone
from gough.workspaces.extent import Extent, search_bounds
from gough.workspaces.levels import Axes, Levels, levels_of
from gough.workspaces.workspace import Workspace, column_feet, search_grid, workspace_of

COARSE = 7
"""Columns along x and y of the search for the part's own box, besides those through home."""
FILLED, ROUNDS = 0.7, 6
"""The box is not shrunk further once the part fills this much of each side; most times that it is shrunk."""


@result
class DexterousWorkspace(Workspace):
    """Positions at which every orientation of a cone is allowed: a workspace at whose ends some orientation of the
    cone meets the limit that binds. Its `mesh` has each limit at the worst of the sampled orientations.

    Attributes
    ----------
    cone : Cone

    """

    SHARE_BLOCKS: ClassVar[int] = 4
    NOTHING: ClassVar[str] = "no position allows the whole cone"

    cone: OrientationCone
    orientations: int = quantity(
        "1",
        doc="Sampled orientations at which every column was searched, before the worst ones at its own ends were "
        "added.",
    )  # fmt: skip
    shortfall: float = quantity(
        "1",
        doc="Largest violation of a limit, as a part of its scale, that a last search over the cone found at the "
        "ends: by so much the true boundary can lie farther in; round-off where the exchange has converged.",
    )  # fmt: skip

    @property
    @derived("rad")
    def tilt(self) -> float:
        """Half-angle of the cone of the platform's z axis [rad]."""
        return self.cone.tilt

    @property
    @derived("rad")
    def roll(self) -> float:
        """Turn about that axis, in both senses [rad]."""
        return self.cone.roll

    def facts(self) -> dict[str, str]:
        """Return the volume, and the cone of orientations that is allowed there."""
        tilt, roll = (with_unit(self.machine, angle, "rad") for angle in (self.tilt, self.roll))
        missed = "" if self.shortfall < 1e-9 else f"; {percent(self.shortfall, 2)} of a limit's scale may be missed"
        cone = f"tilt {tilt}, roll {roll}: {self.orientations} orientations, then the worst ones between them{missed}"
        return {"volume": super().facts()["volume"], "cone": cone}

    @cached_property
    def extent(self) -> Extent:
        """Farthest positions along the axes that allow the whole cone, to rounding (`gough.workspaces.cones`)."""
        self.check_boundary()
        return cone_extent(self.machine, self.cone, self.bounds, (self.x, self.y, self.ends), self.ignore)

    def _ends(self, axis: int, feet: Array, height: float) -> tuple[Array, Array, Ints, Ints]:
        m, arrays = self.machine, limits_for_search(self.machine, self.ignore)
        family = ConeColumns(m, arrays, self.cone, axis, feet, height)
        places, column, binding = family.ends(family.search()[0])
        return self.cone.rotations(worst_of_cone(m, arrays, self.cone, places)[0]), places, column, binding

    def _levels_on(self, axes: Axes) -> Levels:
        return cone_levels(levels_of(self.machine, limits_for_search(self.machine, self.ignore)), self.cone, axes)


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
    """Compute the positions of the point of interest at which every orientation of a cone about a reference is allowed.

    Each column is searched at orientations spread over the cone, with exact ends, and the intervals are intersected.
    Then the worst orientation of the whole cone is searched for at each end, from the worst sample on, and the column
    is searched again at that orientation: the exchange method of semi-infinite programming (Blankenship and Falk 1976),
    which converges to the boundary, where the smallest margin over the cone is zero. A limit that is violated only
    between the samples and nowhere near the worst of them could be missed: `shortfall` is what a last search found.

    Parameters
    ----------
    machine : Machine
    orientation : PoseLike, optional
        Pose that sets the middle orientation; default: home.
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
        near_x, near_y = _shrunk_axes(machine, (xs, ys), lambda xs, ys: columns_at(xs, ys)[0].count)
        xs, ys = near_x if x is None else xs, near_y if y is None else ys
    found, shortfall = columns_at(xs, ys, progress)
    how = {"z_range": z_range, "R": cone.R, "ignore": ignore, "bounds": search_bounds(machine, cone.R, (x, y, z))}
    searched = {"cone": cone, "orientations": len(cone.samples()), "shortfall": shortfall}
    return workspace_of(DexterousWorkspace, machine, found.trimmed(), (xs, ys), **how, **searched)


def _shrunk_axes(
    machine: AnyMachine, axes: tuple[Array, Array], counts: Callable[[Array, Array], Ints]
) -> tuple[Array, Array]:
    """As many places along x and y over a box about the part, which coarse columns find, and those through home."""
    home = machine.home_point
    ends = np.array([[axis[0], axis[-1]] for axis in axes])
    for _ in range(ROUNDS):
        coarse = [np.linspace(ends[k, 0], ends[k, 1], COARSE) for k in range(2)]
        coarse = [np.union1d(c, home[k]) if c[0] < home[k] < c[-1] else c for k, c in enumerate(coarse)]
        inside = counts(*coarse).reshape(len(coarse[0]), len(coarse[1])) > 0
        if not inside.any():
            break
        # The part ends within a step of the outermost columns that meet it.
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
