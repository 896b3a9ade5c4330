"""Boxes of positions at one orientation, and lower bounds of the distance to singularity over them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from gough.arrays import Array, Bools
from gough.legs.leg import Enclosure
from gough.machine import Machine
from gough.regions.ball_bounds import PoseBalls, least_singular_near, leg_enclosure
from gough.regions.cell_bounds import balls_of
from gough.regions.cells import Cells, motion_of
from gough.regions.least_singular import singular_bounds
from gough.regions.motions import Motion
from gough.regions.shapes import PoseRegion


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
        if len(at):
            cells, motion = self.cells.chosen(at), self.motion.chosen(at)
            second = singular_bounds(self.machine, self.region, cells, motion, enough, np.ones(6))
            least[at] = np.fmax(least[at], second.margins + enough)  # margins are counted from `enough`
        return least
