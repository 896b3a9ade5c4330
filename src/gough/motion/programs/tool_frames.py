"""Where the tool is in a part program's terms: its frame on the platform, the work frame, the home of both.

A program moves a cutter: its tip, and its axis from the tip to the spindle, z of the frame C. The machine's tool
frame T has its z axis in either sense: C is T, or T turned by half a turn about x.
"""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import NDArray

from gough.errors import InputError
from gough.limits.margins import margins
from gough.machine import Machine
from gough.poses import PoseLike, checked_matrices, inverse_matrices

Array = NDArray[np.float64]
Spindle = Literal["+z", "-z"]

HALF_TURN = np.diag([1.0, -1.0, -1.0, 1.0])
"""About x."""
CLEAR = 0.05
"""Part of the machine's size by which the joints must be behind the tip for the spindle's side to be known."""
STRAIGHT_DOWN = 1e-6
"""1 + cos of a tool axis against z of the work frame below which no shortest turn leads there."""


def spindle_side(machine: Machine, X_PT: Array) -> Spindle:
    """Where along z of the tool frame the spindle is: on the side of the platform's joints, "-z" if they have none."""
    along = (machine.platform_centre - X_PT[:3, 3]) @ X_PT[:3, 2]
    return "+z" if along > CLEAR * machine.size else "-z"


def tool_in_platform(machine: Machine) -> Array:
    """X_PT (4, 4) of the tool's tip; of a head in its present joint coordinates."""
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
    """Rotations (n, 3, 3) that take z by the smallest turn to unit vectors (n, 3), none of them against z.

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


STEPS = 72
"""Rolls all round that are looked at, 5 degrees apart."""
CLOSER = 10
"""How much closer the next look about the best is."""
REACH = 2
"""Steps of roll from one place to the next at most, where it has to change along the path."""


def best_roll(machine: Machine, X_BC: Array, X_CP: Array) -> tuple[Array, float]:
    """Rolls (n,) [rad] at poses X_BC (n, 4, 4) of the cutter, and the smallest relative margin with them.

    One roll for all of them where one keeps every limit: of these the one whose smallest relative margin is largest.
    Otherwise a roll that changes from place to place by ten degrees at most, such that the smallest margin is largest.

    Parameters
    ----------
    machine : Machine
    X_BC : (n, 4, 4) array
        The cutter in the base at roll zero, in the order of the path.
    X_CP : (4, 4) array
        The platform in the cutter's frame.

    """
    rolls = np.linspace(-np.pi, np.pi, STEPS, endpoint=False)
    least = _least(machine, X_BC, X_CP, rolls)
    best = int(np.argmax(least.min(axis=0)))
    if least[:, best].min() < 0:
        chosen = _wandering(least)
        return np.unwrap(rolls[chosen]), float(least[np.arange(len(chosen)), chosen].min())
    near = rolls[best] + np.linspace(-1, 1, 2 * CLOSER + 1) * 2 * np.pi / STEPS
    least = _least(machine, X_BC, X_CP, near)
    best = int(np.argmax(least.min(axis=0)))
    return np.full(len(X_BC), near[best]), float(least[:, best].min())


def _least(machine: Machine, X_BC: Array, X_CP: Array, rolls: Array) -> Array:
    """Smallest relative margins (n, r) at every place for every roll."""
    Z = np.tile(np.eye(4), (len(rolls), 1, 1))
    Z[:, :3, :3] = about_z(rolls)
    relative = margins(machine, X_BC[:, None] @ Z @ X_CP).relative
    return np.asarray(np.where(np.isnan(relative), np.inf, relative).min(axis=-1))


def _wandering(least: Array) -> NDArray[np.intp]:
    """Which roll at each place, neighbours at most `REACH` apart, makes the smallest of `least` (n, r) largest."""
    n, count = least.shape
    steps = sorted(range(-REACH, REACH + 1), key=abs)
    value, came = least[0].copy(), np.zeros((n, count), dtype=np.intp)
    for k in range(1, n):
        before = np.stack([np.roll(value, -step) for step in steps])
        best = np.argmax(before, axis=0)
        came[k] = (np.arange(count) + np.array(steps)[best]) % count
        value = np.minimum(least[k], before[best, np.arange(count)])
    chosen = np.empty(n, dtype=np.intp)
    chosen[-1] = int(np.argmax(value))
    for k in range(n - 1, 0, -1):
        chosen[k - 1] = came[k, chosen[k]]
    return chosen
