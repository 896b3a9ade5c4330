"""Minima over the workspace: of any quantity of a pose, and of the guaranteed speed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Literal, TypeAlias, Unpack

import numpy as np
from numpy.typing import ArrayLike

from gough.arrays import Array
from gough.checks.arguments import checks_arguments
from gough.errors import InputError
from gough.kinematics.rates import end_jacobian
from gough.limits.interval_search import poses_at
from gough.limits.margins import margins
from gough.limits.table import limit_table
from gough.limits.ties import TIE, in_words
from gough.limits.velocity_envelope import COLUMNS, ball_of_each_joint, moved_to, velocity_envelope
from gough.poses import PoseLike, one_pose
from gough.present.show import Show
from gough.present.units import readable
from gough.quantity import quantity, result, transform
from gough.results import Result
from gough.stacked import AnyMachine
from gough.workspaces.descent import Descent, Progress, lowest_found
from gough.workspaces.position_maps import SAMPLES, Places, grid_axes
from gough.workspaces.quadrature import columns_over, spread

Motion: TypeAlias = Literal["translation", "rotation"]

REACH_MARGIN = 0.01
"""Part of a rod's length kept from the end of its reach in datasheets and commands, so that speeds stay above zero."""
REACH_COLUMNS = 96
"""Columns along each axis that are searched for ends of the legs' reach."""


class SearchGrid(Places, total=False):
    """Keywords of searches for a minimum, see `workspace_minimum`."""

    turn: float
    reach_margin: float


@result
class WorkspaceMinimum(Result):
    """The allowed pose with the lowest value that a search found; no proof that there is none lower.

    Attributes
    ----------
    active_limits : tuple of str
        Names of the limits that are active there; empty for a minimum in the interior.
    machine : Machine
    unit : str
        SI unit of the quantity, "" where it is not known.

    """

    matrix: Array = transform(has_platforms=True, doc="The pose.")
    position: Array = quantity("m", "axis", frame="base", doc="Position of the point of interest there.")
    value: float = quantity(lambda of: of.unit or "of the quantity", doc="The quantity there.")
    on_grid: float = quantity(
        lambda of: of.unit or "of the quantity",
        doc="The lowest value on the grid from which the search started, for comparison.",
    )  # fmt: skip
    active_limits: tuple[str, ...]
    machine: AnyMachine
    unit: str = ""
    reach_margin: float = quantity(
        "1", default=0.0, doc="Part of every rod's length by which its leg stays within its reach."
    )

    def __str__(self) -> str:
        return f"lowest value found {self.sentence()}"

    def sentence(self) -> str:
        """State value, position and active limits, in the units of the machine's file."""
        show, unit = Show(self.machine), readable(self.machine.units, self.unit)
        limited = f", limited there by {self.limited_by}" if self.active_limits else ""
        return f"{show.with_unit(self.value, unit)} at {show.point(self.position)}{limited}"

    @property
    def limited_by(self) -> str:
        """The active limits in words."""
        return in_words(self.active_limits) or "no limit"


@checks_arguments
def workspace_minimum(
    machine: AnyMachine,
    function: Callable[[Array], Array],
    orientation: PoseLike | None = None,
    *,
    turn: float = 0.0,
    x: ArrayLike | None = None,
    y: ArrayLike | None = None,
    z: ArrayLike | None = None,
    samples: int = SAMPLES,
    reach_margin: float = 0.0,
    unit: str = "",
    progress: Progress | None = None,
) -> WorkspaceMinimum:
    """Find the allowed pose with the lowest value of a quantity.

    A grid of positions at the orientation is sampled, and columns along each axis up to their ends, where most minima
    lie. Local searches start from the lowest points of many cells, from cells far apart, and from the ends of short
    direct searches (`gough.workspaces.descent`). From the best ends two methods alternate within the limits until
    neither finds a lower value. Direct search with an extreme barrier (Audet and Dennis 2006) tries many random
    directions at the step's distance and moves to the lowest allowed pose or halves the step: it needs no derivatives,
    which smallest eigenvalues lack where two are equal. Quadratic programming with the margins as constraints follows
    limits into their corners. The result is not proven to be global: a valley narrower than the grid's step and the
    distance of the columns can be missed.

    Parameters
    ----------
    machine : Machine
    function : callable
        From poses (n, 4, 4) to the quantity (n,), or to several (n, k)
        of which the smallest counts: each may be smooth where their minimum has kinks. NaN counts as not allowed.
    orientation : PoseLike, optional
        Pose that sets the orientation, or from which it departs by `turn` at most; default: home.
    turn : float
        Largest rotation from the orientation [rad]; 0 keeps it.
    reach_margin : float
        Part of every rod's length by which the platform joint stays within the leg's reach, 0 to less than 1.
    unit : str
        SI unit of the quantity, for display.
    x, y, z, samples, progress : see `gough.workspaces.map_over_positions`; the search stays within specified axes.

    Returns
    -------
    WorkspaceMinimum
        The pose, the value there, and the limits active there.

    Raises
    ------
    InputError
        The grid has no allowed pose.

    """
    X = one_pose(orientation, machine.end_home)
    if not 0 <= turn < np.pi:
        raise InputError(f"turn {turn:g} rad: expected 0 to less than half a turn")
    if not 0 <= reach_margin < 1:
        raise InputError(f"reach_margin {reach_margin:g}: expected a part of the rods' length, 0 to less than 1")
    axes = grid_axes(machine, X, (x, y, z), samples)
    is_given = np.array([axis is not None for axis in (x, y, z)])
    is_reach = np.array([column.quantity == "reach" for column in limit_table(machine).columns])
    search = Descent(machine, function, X[:3, :3], turn, axes, is_given, np.where(is_reach, reach_margin, 0.0))
    values = search.on_grid(progress)
    if not np.isfinite(values).any():
        raise InputError(f"machine {machine.name!r}: no pose of the grid is allowed; use more samples")
    best, value = lowest_found(search, values)
    pose = search.poses(best[None])[0]
    g = margins(machine, pose)
    active = np.array(g.names)[np.nan_to_num(g.relative, nan=1.0) - search.least < TIE].tolist()
    active_limits = (*active, *search.ends_reached(best))
    return WorkspaceMinimum(pose, best[:3], value, float(np.nanmin(values)), active_limits, machine, unit, reach_margin)


@checks_arguments
def slowest_pose(
    machine: AnyMachine,
    orientation: PoseLike | None = None,
    motion: Motion = "translation",
    *,
    joint_speed: ArrayLike | None = None,
    **grid: Unpack[SearchGrid],
) -> WorkspaceMinimum:
    """Find the allowed pose with the lowest guaranteed speed [m/s or rad/s], see `workspace_minimum`.

    The quantity is the largest sphere in |J_qV V| <= qd_max (De Sapio 1998, "Velocity Envelopes"), the search direct
    with a barrier (Audet and Dennis 2006) and quadratic programming by turns.

    The machine reaches this speed in every direction at all poses that the search evaluated. At the end of the reach
    of a slider or crank the rod is perpendicular to the path of its driven point: some direction then needs an infinite
    joint speed, and the value is exactly 0 for any drive. With a `reach_margin` it is above zero.

    Parameters
    ----------
    machine : Machine
        With joint speeds, unless `joint_speed` is specified.
    orientation : PoseLike, optional
        Pose that sets the orientation, or from which it departs by `turn` at most; default: home.
    motion : {"translation", "rotation"}
        As for `gough.limits.VelocityEnvelope.guaranteed`.
    joint_speed : float or (6,) array, optional
        Limits [m/s or rad/s]; default: the machine's value.
    **grid : see `gough.workspaces.workspace_minimum`.

    Returns
    -------
    WorkspaceMinimum
        Its value is the speed [m/s or rad/s].

    Raises
    ------
    InputError
        The machine has no joint speeds and none are passed, or the grid has no allowed pose.

    """
    # Invalid joint speeds are errors before any search.
    speeds = velocity_envelope(machine, machine.end_home, joint_speed=joint_speed).joint_speed
    unit = "rad/s" if motion == "rotation" else "m/s"
    # The minimum is exactly zero where columns end at the reach: no search is needed.
    is_to_reach = grid.get("reach_margin", 0.0) == 0.0
    if has_rods(machine) and is_to_reach:
        given = grid.get("x"), grid.get("y"), grid.get("z")
        found = _at_reach(machine, orientation, given, grid.get("samples", SAMPLES))
        if found is not None:
            return replace(found, unit=unit)

    columns, point = COLUMNS[motion], machine.point_of_interest

    def guaranteed(poses: Array) -> Array:
        X = machine.end_pose(poses)
        return ball_of_each_joint(moved_to(end_jacobian(machine, X), X, point)[..., columns], speeds)

    found = workspace_minimum(machine, guaranteed, orientation, unit=unit, **grid)
    ends_of_reach = {column.name for column in limit_table(machine).columns if column.quantity == "reach"}
    is_at_reach = is_to_reach and not ends_of_reach.isdisjoint(found.active_limits)
    return replace(found, value=0.0) if is_at_reach else found


def has_rods(machine: AnyMachine) -> bool:
    """Test whether legs have rods of constant length, and so a limited reach."""
    return any(stage.legs.rod() is not None for stage in machine.stages)


def _at_reach(
    machine: AnyMachine,
    orientation: PoseLike | None,
    given: tuple[ArrayLike | None, ArrayLike | None, ArrayLike | None],
    samples: int,
) -> WorkspaceMinimum | None:
    """An allowed pose at the end of a leg's reach, with the value 0; None if no column along an axis ends at one."""
    X = one_pose(orientation, machine.end_home)
    axes = grid_axes(machine, X, given, samples)
    low, high = (np.array([axis[k] for axis in axes]) for k in (0, -1))
    columns = limit_table(machine).columns
    for axis in np.flatnonzero(high > low).tolist():
        family = columns_over(machine, X[:3, :3], axis, low, high, spread(REACH_COLUMNS))
        places, _, binding = family.ends(at_limits=True)
        at_reach = [k for k, b in enumerate(binding) if columns[b].quantity == "reach"]
        if at_reach:
            k = at_reach[len(at_reach) // 2]
            pose = poses_at(machine, X[:3, :3], places[k])
            return WorkspaceMinimum(pose, places[k], 0.0, np.nan, (columns[binding[k]].name,), machine)
    return None
