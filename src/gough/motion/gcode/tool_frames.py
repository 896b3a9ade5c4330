"""Where the tool is in a part program's terms: its frame on the platform, the work frame, the home of both.

A program speaks of a cutter: its tip, and its axis from the tip to the spindle, z of the frame C. The machine's tool
frame T has its z axis either way: C is T, or T turned by half a turn about x.
"""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import NDArray

from gough.errors import InputError
from gough.machine import Machine
from gough.poses import PoseLike, checked_matrices, inverse_matrices

Array = NDArray[np.float64]
Spindle = Literal["+z", "-z"]

HALF_TURN = np.diag([1.0, -1.0, -1.0, 1.0])
"""About x."""
CLEAR = 0.05
"""Part of the machine's size by which the joints must stand behind the tip to tell where the spindle is."""
STRAIGHT_DOWN = 1e-6
"""1 + cos of a tool axis against z of the work frame below which no shortest turn leads there."""


def spindle_side(machine: Machine, X_PT: Array) -> Spindle:
    """Where along z of the tool frame the spindle is: on the side of the platform's joints, "-z" if they have none."""
    along = (machine.platform_centre - X_PT[:3, 3]) @ X_PT[:3, 2]
    return "+z" if along > CLEAR * machine.size else "-z"


def tool_in_platform(machine: Machine) -> Array:
    """X_PT (4, 4) of the tool's tip; of a head as it stands."""
    return np.array(machine.X_PT if machine.head is None else machine.head.tip())


def cutter(machine: Machine, spindle: Spindle | None = None) -> Array:
    """X_TC (4, 4): the cutter in the tool frame."""
    if spindle not in (None, "+z", "-z"):
        raise InputError(f"spindle: {spindle!r} is not known, expected '+z' or '-z'")
    side = spindle_side(machine, tool_in_platform(machine)) if spindle is None else spindle
    return np.eye(4) if side == "+z" else HALF_TURN.copy()


def work_frame(machine: Machine, work: PoseLike | None, X_TC: Array) -> Array:
    """X_BW (4, 4): the one given, or the cutter's frame at home."""
    if work is None:
        return np.asarray(machine.X_home @ tool_in_platform(machine) @ X_TC)
    X = checked_matrices(work)
    if X.shape != (4, 4):
        raise InputError(f"work: expected one pose (4, 4), got the shape {X.shape}")
    return X


def home_in_work(machine: Machine, X_BW: Array, X_TC: Array) -> Array:
    """X_WC (4, 4) with the machine at home."""
    return np.asarray(inverse_matrices(X_BW) @ machine.X_home @ tool_in_platform(machine) @ X_TC)


def turned_to(axis: Array) -> Array:
    """Rotations (n, 3, 3) that take z the shortest way to unit vectors (n, 3), none of them against z.

    They depend on the axis alone, so that closed paths of the axis close.
    """
    x, y, z = axis.T
    k = 1 / (1 + z)
    rows = [1 - k * x * x, -k * x * y, x, -k * x * y, 1 - k * y * y, y, -x, -y, z]
    return np.stack(rows, axis=-1).reshape(-1, 3, 3)


def about_z(angle: Array) -> Array:
    """Rotations (..., 3, 3) about z."""
    c, s, zero = np.cos(angle), np.sin(angle), np.zeros_like(angle)
    return np.stack([c, -s, zero, s, c, zero, zero, zero, zero + 1], axis=-1).reshape(*np.shape(angle), 3, 3)
