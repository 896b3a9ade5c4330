"""Boxes of positions at one orientation, and lower bounds of the distance to singularity over them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from gough.arrays import Array, Bools, Ints
from gough.legs.leg import Enclosure
from gough.limits import _margins as layout
from gough.limits.rods import Pose
from gough.limits.table import limit_table
from gough.machine import Machine
from gough.regions.ball_bounds import PoseBalls, least_singular_near, leg_enclosure
from gough.regions.cells import Cells, motion_of
from gough.regions.charts import WIDENED, WIDER
from gough.regions.minorant import minorant
from gough.regions.models import variables
from gough.regions.motions import Motion
from gough.regions.shapes import PoseRegion
from gough.regions.singularity import singular_limit

TOGETHER = 1024
"""Boxes that are bounded together."""
ORTHONORMAL = 1e-13
"""Departure of the orientation from an orthonormal matrix."""


@dataclass(frozen=True, eq=False)
class PositionBoxes:
    """Boxes of positions of the platform's origin, centres (n, 3) and half-sides (3,) [m], at one orientation R."""

    machine: Machine
    R: Array
    centres: Array
    half: Array

    @property
    def region(self) -> PoseRegion:
        """All positions at the orientation."""
        half = np.repeat([np.inf, 0.0], 3)
        return PoseRegion(centre=np.zeros(6), half=half, groups=tuple((k,) for k in range(6)), reference=self.R)

    @cached_property
    def cells(self) -> Cells:
        """The boxes in six coordinates, of orientations without extent."""
        still = np.zeros_like(self.centres)
        half = np.broadcast_to(self.half, self.centres.shape)
        return Cells(np.concatenate([self.centres, still], axis=1), np.concatenate([half, still], axis=1))

    @cached_property
    def motion(self) -> Motion:
        """Displacements of poses from the boxes' centres."""
        return motion_of(self.region, self.cells)

    @cached_property
    def balls(self) -> PoseBalls:
        """Bounds of the displacements, for `gough.regions.ball_bounds`."""
        return balls_of(self.machine, self.motion)

    @cached_property
    def enclosure(self) -> Enclosure:
        """Enclosures of the legs' joint coordinates and directions."""
        return leg_enclosure(self.machine, self.balls)

    def least_singular(self, which: Bools | None = None, enough: float = 0.0) -> Array:
        """Lower bound (n,) of the smallest singular value over each box, as `gough.margins` counts it; at least 0, and
        infinite where no pose closes. Of `which` (n,), bounds up to `enough` are sharpened to second order."""
        least = least_singular_near(self.machine, self.balls, self.enclosure)
        is_undecided = least <= enough
        at = np.flatnonzero(is_undecided if which is None else is_undecided & which)
        for first in range(0, len(at), TOGETHER):
            some = at[first : first + TOGETHER]
            least[some] = np.fmax(least[some], self._second_order(some, max(enough, np.finfo(float).tiny)))
        return least

    @np.errstate(all="ignore")
    def _second_order(self, at: Ints, enough: float) -> Array:
        centre = self.centres[at].T
        p = variables(centre, np.tile(self.half[:, None] * WIDER, len(at)))
        pose = Pose(np.repeat(self.R[..., None], len(at), axis=2), p, np.zeros(3), ORTHONORMAL)
        limits = limit_table(self.machine).arrays
        G = limits.G.copy()
        G[layout.SINGULAR_MIN], G[layout.SIDE] = enough if enough > 1e-300 else 0.0, 0.0
        (found,) = singular_limit(limits._replace(G=G), at, pose)
        box = np.zeros(centre.shape), np.ones(centre.shape)
        proven = minorant(found.value[None], *box, ()).lower[0]
        return np.maximum(
            found.margin(np.full(len(at), -1.0)) + G[layout.SINGULAR_MIN], np.where(proven > 0, enough, 0.0)
        )


def balls_of(machine: Machine, motion: Motion) -> PoseBalls:
    """Largest displacements of joints and tool, and rotations, over boxes."""
    points = np.concatenate([machine.b_P, machine.X_PT[None, :3, 3]])
    reach = np.linalg.norm(points - motion.about, axis=-1)
    moved = motion.speed(reach)
    along = motion.half[:, :3] @ np.abs(motion.directions).T + motion.turn[:, None] * reach[6] * WIDENED
    return PoseBalls(
        X=motion.X,
        joints=moved[:, :6],
        tool=np.minimum(moved[:, 6:], along),
        turn=motion.turn,
        stretch=np.full((len(moved), 6), np.inf),
    )
