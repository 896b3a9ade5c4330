"""The quickest motion along a path that keeps every limit of the legs.

Reachability back and forth (`gough.motion.timing._topp`) on a grid that is halved wherever the profile, in the middle
of an interval, neither touches a limit nor stays below it to the tolerance: at the end it touches one at every instant
and passes none, but for the switches from one limit to another, which the grid closes in on to a part of 1e-8 of the
time.
"""

from __future__ import annotations

from typing import Unpack

import numpy as np
from numpy.typing import ArrayLike

from gough.arrays import Array, Progress
from gough.checks.arguments import checks_arguments
from gough.checks.numbers import numbers
from gough.errors import InputError
from gough.machine import Machine
from gough.motion.paths.path import Path
from gough.motion.timing._topp import controllable, reachable
from gough.motion.timing.grid import SUDDEN, Grid, first_grid, past_limits, past_limits_between, refined
from gough.motion.timing.limits import LimitsGiven, MotionLimits, motion_limits
from gough.motion.timing.schedules import Profile, durations
from gough.motion.timing.timed_path import TimedPath

PASSES = 60
"""Most halvings."""
SWITCH = 1e-8
"""Intervals that take no more than this part of the time are not halved: in them one limit takes over from another."""
MOST = 200_000
"""Intervals at most; where they do not suffice, the best of them is done and `TimedPath.within` says how good it is."""
FULL = 0.9
"""Part of them after which only switches are closed in on."""
RESERVE = 0.3
"""Part of the tolerance that is used between the ends of intervals."""


@checks_arguments
def time_optimal(
    machine: Machine,
    path: Path,
    *,
    stops: ArrayLike = (),
    tolerance: float = 1e-6,
    progress: Progress = None,
    **limits: Unpack[LimitsGiven],
) -> TimedPath:
    """Quickest motion along a path within the limits of speed, acceleration and force (Pham and Pham 2018, TOPP-RA).

    It begins and ends at rest, and stops at corners, where the joints' rates would jump; where neither accelerations
    nor forces are limited it needs no rest and runs at full speed from begin to end.

    Parameters
    ----------
    machine : Machine
        Its limits hold where none are given.
    path : Path
        Of the platform in the base.
    stops : (m,) array
        Parameters at which it rests besides.
    tolerance : float
        By which the share of the binding limit may fall short of one: what a coarse grid would pass a limit by,
        where it was looked at, the whole motion is slowed down by. The work grows with one over its root: for a part
        program of a thousand lines 1e-3 takes seconds.
    progress : callable, optional
        Called with how many passes are done and the most there may be.
    **limits
        joint_speed, joint_acceleration, actuator_force, feed, turn_feed, point and wrench, as in `motion_limits`. A
        feed is kept as a constant speed of the tool tip wherever the other limits allow it.

    Returns
    -------
    TimedPath
        A motion; `.shares()` says which limit binds when, `gough.plot.timing` draws it.

    Raises
    ------
    InputError
        Nothing limits the motion somewhere, a leg cannot close on the path, or an actuator cannot hold the machine.

    """
    kept = motion_limits(machine, **limits)
    if not 0 < tolerance < 1:
        raise InputError(f"tolerance {tolerance:g}: expected a number between 0 and 1")
    rests = numbers("stops", stops)
    if rests.ndim != 1 or not ((rests >= path.span[0]) & (rests <= path.span[1])).all():
        raise InputError(f"stops: expected parameters of the path, from {path.span[0]:g} to {path.span[1]:g}")
    return _refined_until(kept, path, rests, tolerance, progress)


def _refined_until(limits: MotionLimits, path: Path, rests: Array, tolerance: float, progress: Progress) -> TimedPath:
    """The quickest motion on a grid that is fine enough."""
    grid, enough = first_grid(limits, path, rests), RESERVE * tolerance
    for done in range(PASSES):
        x, u, failed = _solved(grid)
        if progress is not None:
            progress(done, PASSES)
        if failed >= 0:
            if done == PASSES - 1:
                raise InputError(f"no profile within the limits was found past s = {grid.s[failed] + path.span[0]:.6g}")
            near = np.abs(np.arange(len(u)) - failed) <= 2
            grid = refined(grid, limits, path, np.where(near, 1.0, 0.0), tolerance)
            continue
        time, past = durations(grid.s, np.sqrt(x), u), past_limits(grid, x, u)
        off = np.abs(past).max(axis=0)
        is_switch = time <= SWITCH * time[np.isfinite(time)].sum()
        if done % 4 == 3 or (off <= enough)[~is_switch].all():
            past = np.concatenate([past, past_limits_between(grid, limits, path, x, u)])
            off = np.abs(past).max(axis=0)
        # Where the grid is too coarse for any profile, nothing moves: finer.
        off = np.where(is_switch, 0.0, np.where(np.isfinite(time), off, 1.0))
        within, cut = float(off.max()), enough
        room = max(0, MOST - len(off)) // 8  # an interval may be halved three times at once
        if len(off) > FULL * MOST:
            cut = max(enough, SUDDEN)
        elif int((off > enough).sum()) > room:
            cut = min(float(np.partition(off, -room - 1)[-room - 1]), SUDDEN)  # switches cost little
        if not (off > cut).any() or done == PASSES - 1:
            break
        grid = refined(grid, limits, path, off, cut)
    if progress is not None:
        progress(PASSES, PASSES)
    over = float(past[:, ~is_switch].max(initial=0.0))
    x, u = _slower(x, u, over)
    return TimedPath(path, Profile.of(grid.s + path.span[0], x, u), limits, within + 2 * over)


def _slower(x: Array, u: Array, past: float) -> tuple[Array, Array]:
    """Squared speeds and accelerations of the same motion in so much more time that no limit is passed any more.

    Speeds fall with the time, accelerations with its square, forces between their limits towards those at rest.
    """
    slow = (1 + past) ** -2
    return x * slow, u * slow


def _solved(grid: Grid) -> tuple[Array, Array, int]:
    """Squared speeds (n + 1,) and accelerations (n, 2) at the ends of the intervals; where it failed, or -1.

    A profile may exist that a grid this coarse misses: where limits bend sharply.
    """
    h, most = np.diff(grid.s), grid.caps
    x, u = np.empty_like(most), np.empty((len(h), 2))
    failed = controllable(grid.rows, h, grid.caps, most)
    x[0] = most[0]
    if failed < 0:
        failed = reachable(grid.rows, h, most, x, u)
    return x, u, failed
