"""What the sections tell: the answers of Gough's functions about one machine at home, each asked for once."""

from __future__ import annotations

from datetime import datetime
from functools import cached_property
from typing import Literal

import numpy as np
from numpy.typing import NDArray

import gough
from gough.analysis.corners import Corners
from gough.analysis.margins import Margins
from gough.analysis.travel import TravelRow
from gough.machine import Machine
from gough.poses import skew
from gough.report.show import Show

Array = NDArray[np.float64]


class Datasheet:
    """One machine and what is known of it.

    Parameters
    ----------
    machine : Machine
    command : str
        How the datasheet was asked for, for its last section.
    when : datetime, optional
        Now where none is given.

    """

    def __init__(self, machine: Machine, command: str = "", when: datetime | None = None) -> None:
        self.machine = machine
        self.command = command
        self.when = datetime.now().astimezone() if when is None else when
        self.show = Show(machine)

    @cached_property
    def q(self) -> Array:
        """Joint coordinates at home (6,) [m or rad]."""
        return gough.inverse_kinematics(self.machine, self.machine.X_home)

    @cached_property
    def travel(self) -> tuple[TravelRow, ...]:
        """Travel along and about each axis from home."""
        return gough.travel_table(self.machine)

    @cached_property
    def margins(self) -> Margins:
        """Margins at home."""
        return gough.margins(self.machine, self.machine.X_home)

    @cached_property
    def translation_corners(self) -> Corners:
        """Corners of the range of translations."""
        return gough.corners(self.machine, "translation")

    @cached_property
    def rotation_corners(self) -> Corners:
        """Corners of the range of rotations."""
        return gough.corners(self.machine, "rotation")

    def corners(self, kind: Literal["translation", "rotation"]) -> Corners:
        """Corners of one kind."""
        return self.translation_corners if kind == "translation" else self.rotation_corners

    @cached_property
    def u_B(self) -> Array:
        """Rod directions at home in the base frame, (6, 3)."""
        p_B = self.machine.legs.path(self.q, self.q, 1)[:, 0]
        d_B = self.machine.b_home - p_B
        return np.asarray(d_B / np.linalg.norm(d_B, axis=1, keepdims=True))

    def jacobian_at(self, point: Array) -> Array:
        """J_qV at home (6, 6) for twists of a point (3,) of the platform frame, in base axes.

        The origin moves with v_point + r x w, r the arm from the origin to the point.
        """
        J_qV = gough.jacobian(self.machine, self.machine.X_home)
        moved = J_qV.copy()
        moved[:, 3:] += J_qV[:, :3] @ skew(self.machine.X_home[:3, :3] @ point)
        return moved
