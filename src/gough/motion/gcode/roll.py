"""The roll about the tool: free where a program gives the tool's axis alone, and chosen by margins."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gough.analysis.margins import margins
from gough.machine import Machine
from gough.motion.gcode.tool_frames import about_z

Array = NDArray[np.float64]

STEPS = 72
"""Rolls all round that are looked at, 5 degrees apart."""
CLOSER = 10
"""How much closer the next look about the best is."""
REACH = 2
"""Steps of roll from one place to the next at most, where it has to change on the way."""


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
