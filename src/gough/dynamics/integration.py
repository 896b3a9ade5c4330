"""How a simulation is integrated: with which accuracy, how long at most, and what ends it before its time."""

from __future__ import annotations

from collections.abc import Callable, Collection

import numpy as np

from gough.arrays import Array
from gough.dynamics._equations import states_of
from gough.errors import InputError, NotConvergedError, nearest
from gough.limits.margins import margins
from gough.machine import Machine
from gough.present.units import with_unit
from gough.stacked import StackedMachine

NEAR_SINGULAR = 0.01
"""Where a machine file sets no `limits.singular_value`: stop at this distance, without unit, see `gough.margins`."""
NEAR_TURNING = 1e-3
"""Part of its length at which a rod counts as at the end of its reach: its drive would have to be infinitely quick at
the very end, which no simulation passes."""
ROUND_OFF = 1e-9
"""Part of a limit's scale by which a start may be beyond it."""
STOPS = ("limits", "singularity")
SMALLEST_RTOL = 2.3e-14
"""What double precision reaches in a step, by SciPy's measure."""
IMPLICIT = ("Radau", "BDF", "LSODA")
METHODS = ("RK23", "RK45", "DOP853", *IMPLICIT)
STIFF = 250.0
"""Decay rate times duration from which on a motion is stiff. A step of DOP853 is stable up to about 6 / rate and takes
12 evaluations: 500 evaluations for stability alone, more than most motions need for accuracy."""
DIFFERENCE = 1.5e-8
"""Of a state's numbers, for derivatives: the root of their rounding."""
MOST_EVALUATIONS = 4_000_000
"""Of the machine's equations in one simulation: minutes."""


def check_integrator(method: str | None, rtol: float, atol: float) -> None:
    """`InputError` unless SciPy has the method, and can keep relative and absolute errors so small."""
    if method is not None and method not in METHODS:
        raise InputError(f"method: {method!r} is not known, expected one of {', '.join(METHODS)}")
    if not (SMALLEST_RTOL <= rtol < 1.0 and 0.0 <= atol < np.inf):
        raise InputError(f"rtol {rtol:g}, atol {atol:g}: expected rtol from {SMALLEST_RTOL:g} to below 1, atol from 0")


class Evaluated:
    """A rate of states that can be evaluated `MOST_EVALUATIONS` times; NaN of states that are not finite.

    It knows the time at which it was asked last, and whether all answers were finite.
    """

    def __init__(self, rate: Callable[[float, Array], Array]) -> None:
        self.rate, self.count, self.time, self.is_finite = rate, 0, 0.0, True

    def __call__(self, t: float, y: Array) -> Array:
        """The rate; `NotConvergedError` beyond that many."""
        self.count += 1
        if self.count > MOST_EVALUATIONS:
            raise NotConvergedError(
                f"the simulation came to {t:.6g} s in {MOST_EVALUATIONS} evaluations; simulate a shorter time, or set "
                "a larger rtol, or take method='BDF' where forces become stiff"
            )
        self.time, found = t, self.rate(t, y) if np.isfinite(y).all() else np.full(len(y), np.nan)
        self.is_finite = self.is_finite and bool(np.isfinite(found).all())
        return found

    def jacobian(self, t: float, y: Array) -> Array:
        """Derivative of the rate by the state, (n, n), by differences.

        SciPy's own differences fail here: they grow until they overflow along a number
        that no rate depends on, such as work.
        """
        from scipy.optimize import approx_fprime

        return np.asarray(approx_fprime(y, lambda state: self(t, state), DIFFERENCE))

    def method(self, y0: Array, duration: float) -> str:
        """Name of the integrator: DOP853, or BDF where decay rate times duration at the start is above `STIFF`."""
        J = self.jacobian(0.0, y0)
        is_stiff = np.isfinite(J).all() and -np.linalg.eigvals(J).real.min() * duration > STIFF
        return "BDF" if is_stiff else "DOP853"


class Stop:
    """A quantity whose falling zero crossing ends the simulation, as an event function of SciPy."""

    terminal = True
    direction = -1.0

    def __init__(self, machine: Machine | StackedMachine, kind: str, nearest_singularity: float | None) -> None:
        self.machine, self.kind = machine, kind
        columns = margins(machine, machine.X_home).columns
        is_singular = np.array([column.is_singularity for column in columns])
        self.columns = np.flatnonzero(is_singular if kind == "singularity" else ~is_singular)
        bounds = np.array([columns[c].bound for c in self.columns])
        if kind == "singularity":
            near = np.where(bounds, bounds, NEAR_SINGULAR) if nearest_singularity is None else nearest_singularity
            self.shift = near - bounds
        else:
            self.shift = np.array([NEAR_TURNING * (columns[c].quantity == "reach") for c in self.columns])

    def __call__(self, t: float, y: Array) -> float:
        """How far the state is from ending the simulation; negative beyond."""
        if not len(self.columns):
            return 1.0
        found = margins(self.machine, states_of(self.machine.stage_shape, y)[0])
        values = (found.relative if self.kind == "limits" else found.values)[self.columns] - self.shift
        return float(np.nanmin(values)) if np.isfinite(values).any() else -1.0

    def sentence(self, y: Array) -> str:
        """Why the simulation ended at the state y."""
        found = margins(self.machine, states_of(self.machine.stage_shape, y)[0])
        values = (found.relative if self.kind == "limits" else found.values)[self.columns] - self.shift
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
) -> list[Stop]:
    """The stops of these names."""
    unknown = [kind for kind in kinds if kind not in STOPS]
    if unknown:
        hint = nearest(str(unknown[0]), STOPS)
        raise InputError(f"stop_at: {unknown[0]!r} is not known, expected {' or '.join(map(repr, STOPS))}.{hint}")
    return [Stop(machine, kind, nearest_singularity) for kind in kinds]


def check_start(stops: list[Stop], y: Array) -> None:
    """`InputError` where a simulation begins beyond what would end it."""
    for stop in stops:
        if stop(0.0, y) < -ROUND_OFF:
            raise InputError(
                f"at the start already {stop.sentence(y)}; choose another start, or leave {stop.kind!r} out of stop_at"
            )
