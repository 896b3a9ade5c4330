"""Fitting a recorded motion into a machine, scaled by the margins of its coupled workspace."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from itertools import product
from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import ArrayLike

from gough.arrays import Array, Progress
from gough.checks.arguments import checks_arguments
from gough.displacements import displaced, displacement
from gough.dynamics.drive_peaks import drive_peaks, exceeded, force_name, motion_extremes
from gough.dynamics.equations import inverse_dynamics
from gough.dynamics.extremes import Extremes, extremes
from gough.dynamics.histories import leg_history, motion_forces
from gough.dynamics.motions import Motion, States
from gough.errors import InputError
from gough.limits.margins import Margins, margins
from gough.limits.table import ROUNDING, limit_table
from gough.limits.ties import DRIVE_ROUNDING
from gough.machine import Machine
from gough.motion.recorded.recorded_motion import MOST_TIMES, RecordedMotion, below, on_machine, ramp
from gough.present.units import force_unit, percent, with_unit
from gough.quantity import ALONG_AXES, derived, quantity, result
from gough.results import Result

if TYPE_CHECKING:
    import xarray

GAINS = 32
"""Gains between 0 and the largest at which the margins of each sample are evaluated, to bracket the first crossing."""
FITTED_RATE = 25.0
"""Samples per second of a fitted motion [Hz]: enough for frequencies up to some hertz."""
FINER = 4
"""Factor by which times of forces are closer than the samples of a fitted motion."""
AT_TOP = 0.999
"""Part of its top speed at which a leg is held back by it."""
PART = 1e-9
"""Tolerance of the factor on the gains with which the motion keeps all limits between its samples."""
NOT_CLOSED = -1.0
"""Relative margin where a leg cannot close."""


@result
class FittedMotion(Result):
    """A recorded motion scaled to a machine.

    Attributes
    ----------
    machine : Machine
    motion : RecordedMotion
        Of the platform, for `gough.dynamics.motion_forces` and other functions of motions.
    extremes : dict of str to Extremes
        Of joints, and of actuators where masses are known, see `gough.dynamics.drive_peaks.motion_extremes`; "margin"
        has the relative margins.

    """

    machine: Machine
    kind: str = quantity("", is_listed=False, doc='Kind of the gain, "single" or "varying".')
    motion: RecordedMotion
    time: Array = quantity("s", "time", doc="Times of the samples.")
    gain: Array = quantity("1", "time", doc="Factor of displacement and rotation.")
    largest: Array = quantity(
        "1", "time", doc="The largest factor at each instant by itself, at which the reserve is reached."
    )
    margin: Array = quantity("1", "time", doc="Smallest relative margin of the platform.")
    worst: float = quantity("1", doc="Smallest relative margin, between the samples too.")
    binding: str = quantity("", is_listed=False, doc="Name of the limit with the smallest margin.")
    speed_used: float = quantity("1", doc="Largest leg speed as a part of its limit; NaN where the machine has none.")
    fastest: float = quantity("s", doc="Time at which a leg has its largest speed.")
    fade: float = quantity("s", doc="Time to come in from home, and to go back.")
    extremes: Mapping[str, Extremes]

    @property
    @derived("1")
    def scale(self) -> float:
        """Mean gain."""
        return float(self.gain.mean())

    def sentence(self) -> str:
        """Describe gain, smallest margin and fastest leg."""
        return "; ".join(self.sentences())

    def sentences(self) -> list[str]:
        """Describe gain, smallest margin and fastest leg, one sentence each."""
        most = f"gain: {self.gain.max():.4g}"
        found = [most if self.kind == "single" else f"{most} at most, {self.scale:.4g} in the mean"]
        found.append(f"smallest relative margin: {self.worst:.4g} ({self.binding})")
        if np.isfinite(self.speed_used):
            found.append(f"the fastest leg is at {percent(self.speed_used, 3)} of its top speed{self._why}")
        for part in drive_peaks(self.machine, self.extremes):
            if part.used is not None and part.quantity != "speed":
                name = force_name(self.machine) if part.quantity == "force" else part.quantity
                found.append(f"the hardest leg is at {percent(part.used.max(), 3)} of its largest {name}")
        return found

    @property
    def drives_exceeded(self) -> str:
        """Sentences on the limits of speeds, accelerations and forces that are exceeded; empty for none."""
        return "; ".join(exceeded(self.machine, drive_peaks(self.machine, self.extremes)))

    @property
    def _why(self) -> str:
        """What to do where a leg is at its top speed only to come in or to go back."""
        begin, end = self.motion.span
        if self.speed_used < AT_TOP or min(self.fastest - begin, end - self.fastest) >= self.fade:
            return ""
        return " while it comes in from home or goes back: a longer fade allows more"

    def forces(self, times: ArrayLike | None = None) -> xarray.Dataset:
        """Compute leg motion over times (n,) [s], with forces and powers as in `gough.dynamics.motion_forces` where the
        machine has masses, and the `gain`; four times finer than the samples where no times are given."""
        t = np.linspace(*self.motion.span, FINER * len(self.time)) if times is None else np.asarray(times, dtype=float)
        if self.machine.platform is None:
            data = leg_history(self.machine, self.motion(t), t)
        else:
            data = motion_forces(self.machine, self.motion, t)
        return data.assign(gain=("time", np.interp(t, self.time, self.gain), {"units": "1"}))


@checks_arguments
def fit_motion(
    machine: Machine,
    motion: Motion,
    *,
    reserve: float = 0.05,
    gain: Literal["single", "varying"] = "single",
    largest: float = 1.0,
    width: float = 10.0,
    fade: float = 0.0,
    rate: float = FITTED_RATE,
    keeps_speeds: bool = True,
    progress: Progress = None,
) -> FittedMotion:
    """Scale a motion to the largest gain with a reserve to every limit of the machine, all axes coupled.

    Displacements from home about the point of interest have their translation and angle multiplied by the gain. For
    each instant the largest gain is that at which the smallest relative margin first falls to the reserve. A single
    gain is the smallest of these; a varying one is a smooth curve nowhere above them. The result is checked between the
    samples too, with speeds, accelerations and forces of the legs, and scaled down where necessary.

    Parameters
    ----------
    machine : Machine
    motion : Motion
        Displacements, the unit pose being home: `RecordedMotion.relative`, `washout`.
    reserve : float
        Smallest relative margin allowed, see `gough.limits.Margins.relative`.
    gain : "single" or "varying"
    largest : float
        Largest gain; 1 does not amplify small movements.
    width : float
        Time over which a varying gain falls and rises again [s].
    fade : float
        Duration of the transitions from and to rest at home [s].
    rate : float
        Samples per second [Hz].
    keeps_speeds : bool
        Whether the legs' top speeds, largest accelerations and largest forces are kept, where the machine has any.
    progress : callable, optional
        Called with the work done and its total.

    Returns
    -------
    FittedMotion
        With its gain over time, its smallest margin and the limit that binds.

    Raises
    ------
    InputError
        Home itself keeps less than the reserve, or the actuators cannot hold the machine there.

    """
    how = {"reserve": reserve, "gain": gain, "largest": largest, "width": width, "fade": fade, "rate": rate}
    return fitted(machine, motion, None, **how, keeps_speeds=keeps_speeds, progress=progress)  # type: ignore[arg-type]


def fitted(
    machine: Machine,
    motion: Motion,
    force: Callable[[Array, States], Array] | None,
    *,
    reserve: float,
    gain: Literal["single", "varying"],
    largest: float = 1.0,
    width: float = 10.0,
    fade: float,
    rate: float,
    keeps_speeds: bool = True,
    progress: Progress = None,
) -> FittedMotion:
    """Fit as `fit_motion` does, with actuator forces at times and states, as on a moving base; None for a fixed
    base."""
    _check_home(machine, reserve)
    if keeps_speeds:
        _check_held(machine)
    if force is None and machine.platform is not None:
        force = partial(_forces, machine)
    begin, end = motion.span
    t = even_times(begin, end, rate)
    # Gains by the samples alone, faded in and out: a curve below all of them, or their minimum.
    D = motion(t)[0]
    most = largest_gains(machine, D, reserve, largest, progress)
    # The width is a time; `below` takes samples.
    wanted = np.full(len(t), most.min()) if gain == "single" else below(most, int(width * len(t) / (end - begin)))
    wanted = wanted * ramp(t - begin, fade) * ramp(end - t, fade)

    def scaled(part: float) -> tuple[RecordedMotion, dict[str, Extremes]]:
        found = RecordedMotion(t, on_machine(machine, D, part * wanted))
        return found, motion_extremes(machine, found, force, more=lambda _, states: _relative(machine, states[0]))

    def excess(part: float) -> float:
        """Beyond the reserve or, as part of a limit, beyond the limits of the drives."""
        found = scaled(part)[1]
        used = [peak.used.max() - 1.0 for peak in drive_peaks(machine, found) if peak.used is not None]
        short = reserve - max(float(found["margin"].lowest.min()), NOT_CLOSED) - ROUNDING
        return max([short, *used]) if keeps_speeds else short

    # The splines overshoot their samples: the gain is scaled down until all limits are kept between them too.
    part = _largest_part(excess)
    found, over = scaled(part)
    least = over["margin"].lowest
    binding = limit_table(machine).columns[int(np.argmin(least))].name
    speed = machine.limits.joint_speed
    used = np.full(6, np.nan) if speed is None else over["joint_rate"].peak / speed
    fastest = float(over["joint_rate"].when[int(np.argmax(used))])
    margin = _smallest(margins(machine, found(t)[0]))
    numbers = float(least.min()), binding, float(used.max()), fastest, fade
    return FittedMotion(machine, gain, found, t, part * wanted, most, margin, *numbers, over)


def _forces(machine: Machine, time: Array, states: States) -> Array:
    return inverse_dynamics(machine, *states)


def _relative(machine: Machine, X: Array) -> dict[str, Array]:
    """Relative margins (n, k); `NOT_CLOSED` where a leg cannot close."""
    found = margins(machine, X).relative
    return {"margin": np.where(np.isnan(found), NOT_CLOSED, found)}


def _check_held(machine: Machine) -> None:
    """Raise `InputError` if the actuators cannot hold the machine at home, so that no gain keeps their limits."""
    limit = machine.limits.actuator_force
    if limit is None or machine.platform is None:
        return
    force = np.abs(inverse_dynamics(machine, machine.X_home, np.zeros(6), np.zeros(6)))
    k = int(np.argmax(force / limit))
    if force[k] > limit[k] * (1.0 + DRIVE_ROUNDING):
        needed, allowed = (with_unit(machine, part[k], force_unit(machine), 4) for part in (force, limit))
        raise InputError(
            f"leg {k + 1} needs {needed} to hold the machine at home, allowed {allowed}: no gain satisfies the limit"
        )


def largest_gains(
    machine: Machine,
    D: Array,
    reserve: float,
    largest: float = 1.0,
    progress: Progress = None,
) -> Array:
    """Return gain (n,) at which the margin of each displacement D (n, 4, 4) first falls to the reserve, at most
    `largest`.

    Bracketed in 32 steps from home outwards, then found to rounding.
    """
    levels = np.linspace(0.0, largest, GAINS + 1)
    kept = np.ones((len(levels), len(D)), dtype=np.bool_)
    for k in range(1, len(levels)):
        kept[k] = _smallest(margins(machine, on_machine(machine, D, levels[k]))) >= reserve
        if progress is not None:
            progress(k, GAINS)
    broken = np.argmin(kept, axis=0)  # the first that is not kept; 0 where all are
    gains = np.full(len(D), largest)
    is_limited = ~kept.all(axis=0)
    if is_limited.any():
        k = broken[is_limited]
        gains[is_limited] = _crossing(machine, D[is_limited], levels[k - 1], levels[k], reserve)
    return gains


def _crossing(machine: Machine, D: Array, low: Array, high: Array, reserve: float) -> Array:
    """Gain (n,) at which displacements D (n, 4, 4) reach the reserve, which they keep at `low` and not at `high`."""
    from scipy.optimize.elementwise import find_root

    def excess(gain: Array, k: Array) -> Array:
        return _smallest(margins(machine, on_machine(machine, D[k.astype(int)], gain))) - reserve

    found = find_root(excess, (low, high), args=(np.arange(len(D)),))
    # The end of the last bracket that keeps the reserve, rather than the root itself, which may miss it by rounding.
    return np.where(found.f_bracket[0] >= 0, *found.bracket)


@result
class PerAxisScale(Result):
    """Gains of a motion by limits on single axes."""

    safe: float = quantity(
        "1", doc="Gain at which the box about the motion, all six axes at their ends at once, still keeps the reserve."
    )
    alone: float = quantity(
        "1", doc="Gain at which every axis by itself does, the others at home, as in a table of single-axis travels."
    )
    axes: Array = quantity(
        tuple((unit, unit) for unit in ALONG_AXES), "twist", "end", frame="base",
        doc="Ends of the motion along and about the axes.",
    )  # fmt: skip

    def sentence(self) -> str:
        """Describe both gains."""
        return (
            f"without speeds, limits on single axes would allow a gain of {self.safe:.4g} where all axes move at once, "
            f"and of {self.alone:.4g} where one moves at a time"
        )


def even_times(begin: float, end: float, rate: float) -> Array:
    """Return evenly spaced times (n,) from begin to end [s]."""
    count = rate * (end - begin)
    if not count <= MOST_TIMES:
        raise InputError(f"rate: {rate:g} Hz makes {count:.3g} times of this motion, at most {MOST_TIMES} are made")
    return np.linspace(begin, end, max(int(np.ceil(count)), 16) + 1)


@checks_arguments
def per_axis_scale(
    machine: Machine, motion: Motion, *, reserve: float = 0.05, rate: float = FITTED_RATE
) -> PerAxisScale:
    """Compute the gains of a motion by limits on single axes, for comparison with `fit_motion`.

    The box has the motion's extent along each axis, so it is the best box for this motion; margins are evaluated along
    728 rays from home to its corners and the middles of its edges and faces.

    Parameters
    ----------
    machine : Machine
    motion : Motion
        Displacements, the unit pose being home.
    reserve : float
        Smallest relative margin allowed.
    rate : float
        Knots per second [Hz] of motions without `knots`.

    Returns
    -------
    PerAxisScale
        Gains [1] of a box whose every point is allowed, and of each axis by itself.

    Raises
    ------
    InputError
        Home itself keeps less than the reserve.

    """
    _check_home(machine, reserve)
    times = np.union1d(even_times(*motion.span, rate), getattr(motion, "knots", []))
    moved = extremes(lambda t: {"moved": displacement(np.eye(4), motion(t)[0])}, times)["moved"]
    ends = np.stack([np.minimum(moved.lowest, 0.0), np.maximum(moved.highest, 0.0)], axis=1)
    # The 3^6 - 1 directions to corners and middles of faces and edges of all dimensions; one axis each for `alone`.
    rays = np.array([signs for signs in product((-1, 0, 1), repeat=6) if any(signs)])
    places = np.where(rays > 0, ends[:, 1], np.where(rays < 0, ends[:, 0], 0.0))
    found = largest_gains(machine, displaced(np.eye(4), places), reserve)
    return PerAxisScale(float(found.min()), float(found[np.abs(rays).sum(axis=1) == 1].min()), ends)


def _check_home(machine: Machine, reserve: float) -> None:
    at_home = margins(machine, machine.X_home)
    least = float(np.nanmin(at_home.relative))
    if not least > reserve:
        raise InputError(
            f"reserve: home has a relative margin of only {least:.4g} ({at_home.binding}), below the required "
            f"{reserve:g}; use a smaller reserve or another home"
        )


def _smallest(found: Margins) -> Array:
    """Smallest relative margin (...); `NOT_CLOSED` where there is none, so that searches see a broken limit."""
    relative = found.relative
    return np.where(np.isnan(relative).all(axis=-1), NOT_CLOSED, np.nan_to_num(relative, nan=np.inf).min(axis=-1))


def _largest_part(excess: Callable[[float], float]) -> float:
    """Largest factor between 0 and 1 without excess: the root to `PART`, from below; 0 where there is excess at 0."""
    from scipy.optimize import brentq

    if excess(1.0) <= 0.0:
        return 1.0
    if excess(0.0) > 0.0:
        return 0.0
    root = brentq(excess, 0.0, 1.0, xtol=PART)
    below = np.maximum(root - PART * np.array([0, 1, 2, 4, 8, 16]), 0.0)
    return float(next((part for part in below if excess(part) <= 0.0), 0.0))
