"""Distance of a pose from the singular surface of its orientation, between two bounds, by branch and bound."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from gough.arrays import Array
from gough.checks.arguments import checks_arguments
from gough.errors import InputError
from gough.machine import Machine
from gough.poses import PoseLike, checked_matrices
from gough.present.show import Show
from gough.quantity import quantity, result
from gough.regions.boxes import Boxes
from gough.results import Result
from gough.singularity.nearest_on_rays import first_guess, nearer
from gough.singularity.surface import FARTHEST, SingularSurface, singular_surface

MOST_BOXES = 40_000
"""Most boxes for one distance."""
TOGETHER = 256
"""Most boxes halved at a time."""


@result
class SingularDistance(Result):
    """Distance of a pose from the singular surface of its orientation.

    Attributes
    ----------
    machine : Machine

    """

    lower: float = quantity(
        "m", doc="Proven: no singular position is nearer; the radius that was searched where none was found."
    )
    upper: float = quantity("m", doc="Distance of the nearest singular position found; inf where none was.")
    position: Array = quantity(
        "m", "axis", frame="base", doc="Position of the point of interest at it; NaN where none was found."
    )
    machine: Machine

    def sentence(self) -> str:
        """Both ends of the distance, rounded outwards, and the position, in the units of the machine's file."""
        show = Show(self.machine)
        if not np.isfinite(self.upper):
            return f"more than {show.with_unit(self.lower, 'm')}; no singular position found"
        return f"{show.between(self.lower, self.upper, 'm')}, at ({show.numbers(self.position)})"


@checks_arguments
def singular_distance(
    machine: Machine, X: PoseLike | None = None, *, rtol: float = 1e-3, max_boxes: int = MOST_BOXES
) -> SingularDistance:
    """Distance of a pose from the nearest singular pose of the same orientation, with a lower bound.

    The least |t' - t| over positions t' with det J_qV = 0 (by definition). Boxes about the pose are halved, the nearest
    first, until those that may hold a singular position are as far as the nearest one found.

    Parameters
    ----------
    machine : Machine
    X : PoseLike, optional
        One pose; home where none is given. It need not be allowed.
    rtol : float
        Largest relative difference of the bounds.
    max_boxes : int
        Most boxes, after which the bounds are returned as they are.

    Returns
    -------
    SingularDistance
        Bounds [m] and the nearest singular position found; infinite where none was found within the search.

    Raises
    ------
    InputError
        A leg cannot close at the pose.

    """
    pose = machine.X_home if X is None else checked_matrices(X)
    surface = singular_surface(machine, pose)
    origin, offset = pose[:3, 3], pose[:3, :3] @ machine.point_of_interest
    if np.isnan(surface.sided(origin[None])[0]):
        raise InputError("no distance from a singularity: a leg cannot close at that pose, see gough.margins")
    upper, nearest = first_guess(surface, origin)
    if upper <= 1e-12 * machine.size:
        return SingularDistance(0.0, 0.0, origin + offset, machine)
    # Search the cube about the ball within which a nearer singular position could lie.
    radius = min(upper, FARTHEST * machine.size)
    pool, enough = _Pool(surface, origin), (1 - rtol) * radius
    pool.add(Boxes.of(origin - radius, origin + radius), enough)
    while pool.count < max_boxes and pool.lower < enough:
        boxes = pool.nearest(enough).halved()
        # The segment from the pose to each centre may cross the surface nearer than before.
        centres = np.stack([np.broadcast_to(origin, boxes.centres.shape), boxes.centres])
        upper, nearest = nearer(surface, origin, centres, (upper, nearest))
        enough = (1 - rtol) * min(upper, radius)
        pool.add(boxes, enough)
    return SingularDistance(min(pool.lower, upper, radius), upper, nearest + offset, machine)


class _Pool:
    """Boxes that may hold a singular position, by level, with the distance of each from the origin."""

    def __init__(self, surface: SingularSurface, origin: Array) -> None:
        self.surface, self.origin = surface, origin
        self.levels: dict[int, tuple[Boxes, Array]] = {}
        self.count = 0

    @property
    def lower(self) -> float:
        """Distance of the nearest box; infinite where there is none."""
        return min((float(away.min(initial=np.inf)) for _, away in self.levels.values()), default=np.inf)

    def add(self, boxes: Boxes, enough: float) -> None:
        """Add the boxes that are not proven free; those as far as `enough` are added without a test."""
        self.count += len(boxes)
        # Distance of a box: that of its nearest point.
        away = np.linalg.norm(np.maximum(np.abs(boxes.centres - self.origin) - boxes.half, 0.0), axis=1)
        is_open = away >= enough
        near = np.flatnonzero(~is_open)
        is_open[near] = ~self.surface.excludes(boxes.centres[near], boxes.half)
        boxes, away = boxes[is_open], away[is_open]
        if boxes.level in self.levels:
            others, their = self.levels[boxes.level]
            boxes = replace(boxes, place=np.concatenate([others.place, boxes.place]))
            away = np.concatenate([their, away])
        self.levels[boxes.level] = boxes, away

    def nearest(self, enough: float) -> Boxes:
        """Remove and return the nearest boxes of the level of the nearest one, `TOGETHER` at most, none as far as
        `enough`."""
        level = min(self.levels, key=lambda k: float(self.levels[k][1].min(initial=np.inf)))
        boxes, away = self.levels[level]
        chosen = np.zeros(len(boxes), dtype=bool)
        chosen[np.argsort(away)[:TOGETHER]] = True
        chosen &= away < enough
        self.levels[level] = boxes[~chosen], away[~chosen]
        return boxes[chosen]
