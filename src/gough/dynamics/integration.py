"""Integration of a simulation: checks of the integrator, count of evaluations, choice of method, terminal events."""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import TYPE_CHECKING

import numpy as np

from gough.arrays import Array
from gough.dynamics._equations import states_of
from gough.dynamics.extremes import extremes
from gough.errors import InputError, NotConvergedError, nearest
from gough.limits.margins import Margins, margins
from gough.machine import Machine
from gough.present.units import with_unit
from gough.stacked import StackedMachine

if TYPE_CHECKING:
    from scipy.integrate import OdeSolution

NEAR_SINGULAR = 0.01
"""Smallest singular value at which to stop where a file has no `limits.singular_value`, see `gough.margins` [1]."""
NEAR_TURNING = 1e-3
"""Distance from the end of a rod's reach at which to stop, as a part of its length: at the end itself the rate of the
drive is infinite, and steps of the integrator vanish."""
FAR = 100.0
"""Distances from a stop beyond this count as this, and those that do not exist."""
BEYOND = 1e-6
"""Distance beyond a stop that is more than the tolerance of extremes and the rounding of an event."""
STOPS = ("limits", "singularity")
"""Names of the events that end a simulation."""
SMALLEST_RTOL = 2.3e-14
"""Smallest rtol, 100 units in the last place: SciPy replaces smaller ones."""
IMPLICIT = ("Radau", "BDF", "LSODA")
METHODS = ("RK23", "RK45", "DOP853", *IMPLICIT)
STIFF = 250.0
"""Decay rate times duration above which a motion is stiff. A step of DOP853 is stable up to about 6 / rate and takes
12 evaluations: 500 evaluations for stability alone, more than most motions need for accuracy."""
DIFFERENCE = 1.5e-8
"""Step of forward differences of the state: the square root of rounding."""
MOST_EVALUATIONS = 4_000_000
"""Most evaluations of the machine's equations in one simulation: minutes."""
STUCK = 20_000
"""Evaluations in which a simulation must come on by a part of its duration, that of 100 times the most evaluations."""


def check_integrator(method: str | None, rtol: float, atol: float) -> None:
    """`InputError` unless SciPy has the method and accepts the tolerances."""
    if method is not None and method not in METHODS:
        raise InputError(f"method: {method!r} is not known, expected one of {', '.join(METHODS)}")
    if not (SMALLEST_RTOL <= rtol < 1.0 and 0.0 <= atol < np.inf):
        raise InputError(f"rtol {rtol:g}, atol {atol:g}: expected rtol from {SMALLEST_RTOL:g} to below 1, atol from 0")


class Evaluated:
    """Rate of states over a duration, with limits of evaluations; NaN for states that are not finite.

    `explicit` is the explicit method that the caller has chosen, `stops` the events that end the simulation: errors
    advise the remaining options. Attributes: `count` of evaluations, `time` of the last one, `is_finite` of all
    values so far.
    """

    def __init__(
        self,
        rate: Callable[[float, Array], Array],
        duration: float,
        explicit: str | None = None,
        stops: Collection[str] = STOPS,
    ) -> None:
        self.rate, self.duration, self.explicit, self.stops = rate, duration, explicit, stops
        self.count, self.time, self.is_finite, self._before = 0, 0.0, True, -np.inf

    def __call__(self, t: float, y: Array) -> Array:
        """The rate; `NotConvergedError` beyond `MOST_EVALUATIONS`, or where `STUCK` evaluations hardly come on."""
        self.count += 1
        if self.count % STUCK == 0:
            if abs(t - self._before) < self.duration * STUCK / (100 * MOST_EVALUATIONS):
                raise NotConvergedError(
                    f"the simulation stopped at {t:.6g} s with almost no progress in {STUCK} evaluations: the step "
                    "size vanishes. A leg is near its turning point or a singularity, or forces jump"
                    f"{self.stop_first('both')}"
                )
            self._before = t
        if self.count > MOST_EVALUATIONS:
            implicit = "" if self.explicit is None else ", or method='BDF' where forces become stiff"
            raise NotConvergedError(
                f"the simulation stopped at {t:.6g} s after {MOST_EVALUATIONS} evaluations; simulate a shorter time, "
                f"or set a larger rtol{implicit}"
            )
        self.time, found = t, self.rate(t, y) if np.isfinite(y).all() else np.full(len(y), np.nan)
        self.is_finite = self.is_finite and bool(np.isfinite(found).all())
        return found

    def stop_first(self, what: str) -> str:
        """Return the advice to stop before `what`, where the simulation does not."""
        if set(STOPS) <= set(self.stops):
            return ""
        return f"; a simulation that stops at limits and near singularities ends before {what}"

    def jacobian(self, t: float, y: Array) -> Array:
        """Return the derivative of the rate by the state (n, n), by forward differences.

        SciPy's own differences are not used: they enlarge the step along a component that no rate depends on, such as
        work, until it overflows.
        """
        from scipy.optimize import approx_fprime

        return np.asarray(approx_fprime(y, lambda state: self(t, state), DIFFERENCE))

    def method(self, y0: Array) -> str:
        """Name of the integrator: BDF where decay rate times duration at the start exceeds `STIFF`, else DOP853."""
        J = self.jacobian(0.0, y0)
        is_stiff = np.isfinite(J).all() and -np.linalg.eigvals(J).real.min() * self.duration > STIFF
        return "BDF" if is_stiff else "DOP853"


class StopEvent:
    """Event function for SciPy: the simulation ends at its falling zero crossing."""

    terminal = True
    # Falling only: a start on a limit may move away from it.
    direction = -1.0

    def __init__(self, machine: Machine | StackedMachine, kind: str, nearest_singularity: float | None) -> None:
        self.machine, self.kind = machine, kind
        columns = margins(machine, machine.X_home).columns
        is_singular = np.array([column.is_singularity for column in columns])
        self.columns = np.flatnonzero(is_singular if kind == "singularity" else ~is_singular)
        bounds = np.array([columns[c].bound for c in self.columns])
        tolerance = np.array([columns[c].tolerance / columns[c].scale for c in self.columns])
        if kind == "singularity":
            near = np.where(bounds, bounds, NEAR_SINGULAR) if nearest_singularity is None else nearest_singularity
            self.shift = near - bounds
        else:
            self.shift = np.array([NEAR_TURNING * (columns[c].quantity == "reach") for c in self.columns])
        self.shift = self.shift - tolerance  # a start on a limit, to rounding, is within it

    def __call__(self, t: float, y: Array) -> float:
        """Smallest distance of the state from ending the simulation; negative beyond."""
        if not len(self.columns):
            return 1.0
        _, values = self._distances(y)
        return float(np.nanmin(values)) if np.isfinite(values).any() else -1.0

    def passed(self, solution: OdeSolution) -> float:
        """Return the time at which a solution is beyond the stop between two steps, where crossings are not seen;
        infinite without one."""

        def distances(t: Array) -> dict[str, Array]:
            values = self._distances(np.ascontiguousarray(solution(t).T))[1]
            return {"distance": np.clip(np.nan_to_num(values, nan=FAR), -FAR, FAR)}

        found = extremes(distances, solution.ts, noise={"distance": [(1.0, 0)]})["distance"]
        return float(found.when_lowest[np.argmin(found.lowest)]) if (found.lowest < -BEYOND).any() else np.inf

    def _distances(self, y: Array) -> tuple[Margins, Array]:
        """Margins at states y (..., n), and the distances of the columns that count from their stops."""
        found = margins(self.machine, states_of(self.machine.stage_shape, y)[0])
        return found, (found.relative if self.kind == "limits" else found.values)[..., self.columns] - self.shift

    def sentence(self, y: Array) -> str:
        """Return the reason for the end of the simulation at the state y."""
        found, values = self._distances(y)
        binding = int(self.columns[int(np.nanargmin(values))])
        column, margin = found.columns[binding], float(found.values[binding])
        of_stage = found.of_stage(binding)
        if self.kind == "singularity":
            return f"a singularity is near: {of_stage}smallest singular value {margin + column.bound:.3g}"
        if column.quantity == "reach":
            distance = with_unit(self.machine, margin, "m", 3)
            return f"a limit is reached: {of_stage}leg {column.legs[0]} is {distance} from where it cannot close"
        return f"a limit is reached: {found.sentence_of(binding)}"


def stops_of(
    machine: Machine | StackedMachine, kinds: Collection[str], nearest_singularity: float | None
) -> list[StopEvent]:
    """Return the event functions of these names."""
    unknown = [kind for kind in kinds if kind not in STOPS]
    if unknown:
        hint = nearest(str(unknown[0]), STOPS)
        raise InputError(f"stop_at: {unknown[0]!r} is not known, expected {' or '.join(map(repr, STOPS))}.{hint}")
    return [StopEvent(machine, kind, nearest_singularity) for kind in kinds]


def check_start(stops: list[StopEvent], y: Array) -> None:
    """`InputError` for a start beyond a stop."""
    for stop in stops:
        if stop(0.0, y) < 0.0:
            raise InputError(
                f"at the start already {stop.sentence(y)}; choose another start, or leave {stop.kind!r} out of stop_at"
            )
