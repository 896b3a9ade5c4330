"""How much of each limit a motion takes over time, and which one binds."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from gough.dynamics.motions import Motion
from gough.kinematics.rates import joint_accelerations
from gough.motion.timing.limits import MotionLimits

if TYPE_CHECKING:
    import xarray

Array = NDArray[np.float64]

SAMPLES = 1001
"""Times looked at where the caller names none."""
STEP = 1e-6
"""Of the difference that gives jerks, as part of the motion's span."""


def shares_over_time(
    limits: MotionLimits, motion: Motion, times: ArrayLike | None = None, s: Array | None = None
) -> xarray.Dataset:
    """Shares of limits over time, computed anew from a motion's poses, twists and accelerations.

    Parameters
    ----------
    limits : MotionLimits
    motion : Motion
    times : (n,) array, optional
        [s]; evenly spread where not given.
    s : (n,) array, optional
        Places on the path at these times, for feeds that change along it; the times themselves where not given.

    Returns
    -------
    xarray.Dataset
        Over `time` and `limit`: `share`, 1 on the limit; `binding`, the name of the largest; `s`.

    """
    import xarray

    t = np.linspace(*motion.span, SAMPLES) if times is None else np.asarray(times, dtype=float)
    s = t if s is None else s
    share = limits.shares(s, *motion(t))
    if limits.jerk is not None:
        share = np.concatenate([share, np.abs(_jerks(limits, motion, t)) / limits.jerk], axis=1)
    names = np.array(limits.names, dtype=str)
    return xarray.Dataset(
        {
            "share": (("time", "limit"), share, {"units": "1"}),
            "binding": ("time", names[np.argmax(share, axis=1)]),
            "s": ("time", s, {"units": "path parameter"}),
        },
        coords={"time": ("time", t, {"units": "s"}), "limit": names},
        attrs={"machine": limits.machine.name, "duration": motion.span[1] - motion.span[0]},
    )


def _jerks(limits: MotionLimits, motion: Motion, t: Array) -> Array:
    """Jerks (n, 6) of the joints, by differences of their accelerations that stay within the motion."""
    begin, end = motion.span
    h = STEP * (end - begin)
    low, high = np.maximum(t - h, begin), np.minimum(t + h, end)
    before, after = (joint_accelerations(limits.machine, *motion(at)) for at in (low, high))
    return np.asarray((after - before) / (high - low)[:, None])
