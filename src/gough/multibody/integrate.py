"""Integrators: adaptive, of fixed step, with held multipliers; the return to the constraints after a step."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import pairwise

import numpy as np

from gough.arrays import Array
from gough.errors import InputError, NotConvergedError
from gough.multibody._dense import motion_rows
from gough.multibody._projection import project
from gough.multibody._rows import rows_of
from gough.multibody.redundancy import independent_rows, scaled
from gough.multibody.solver import Solver, refuse_singular_poinsot
from gough.multibody.system import State, System, rank_lost

Rates = Callable[[float, Array], Array]
Instant = tuple[float, State]

WITHIN = 1e-15
"""Where Newton's steps on the joints' rows may stop, part of the system's size."""
MOST_STEPS = 10_000_000
"""Of one integration, or between two times of fixed steps."""


class Projection:
    """Brings states to all constraints: R orthogonal, joints closed, velocities that keep both."""

    def __init__(self, system: System, *, is_on: bool = True) -> None:
        self.system, self.is_on = system, is_on

    def state(self, time: float, state: State) -> State:
        """The nearest state on the constraints; the state itself where projection is off."""
        if not self.is_on:
            return state
        s = self.system
        Z, V = state.Z.copy(), state.V.copy()
        tables = s.tables
        if s.redundancy.count:
            wide = motion_rows(Z, V, s.tables)[2]
            kept = independent_rows(scaled(wide, s.size), len(s.rows) - s.redundancy.count)
            tables = s.tables_of(kept)
        if not project(Z, V, tables, s.size, WITHIN * s.size):
            raise rank_lost(s, time)
        return State(Z, V)


class Explicit:
    """Z'' = [X | Y + R Lambda] M^-1 with the joints' efforts in X, Y (2016, eq. 12); needs regular Poinsot matrices."""

    def __init__(self, system: System, what: str) -> None:
        refuse_singular_poinsot(system, what)
        self.system = system
        self.inverse = np.linalg.inv(system.masses)

    def accelerations(self, time: float, Z: Array, V: Array, Lambda: Array, multipliers: Array) -> Array:
        """Z'' (n, 3, 4) at a state, with Lambda (n, 3, 3) and the joints' multipliers (m,)."""
        s = self.system
        E = s.efforts(time, Z, V)
        if len(multipliers):
            J = rows_of(Z, V, s.tables)[2] * multipliers[:, None, None, None]
            np.add.at(E, s.joint_solids, J)
        E[:-1, :, 1:] += Z[:-1, :, 1:] @ Lambda
        return np.asarray(E[:-1] @ self.inverse)


def packed(state: State) -> Array:
    """State as one vector (24 n,): the ground left out."""
    return np.concatenate([state.Z[:-1].ravel(), state.V[:-1].ravel()])


def unpacked(y: Array) -> State:
    """The inverse of `packed`."""
    n = len(y) // 24
    Z, V = np.zeros((n + 1, 3, 4)), np.zeros((n + 1, 3, 4))
    Z[:-1], V[:-1] = y[: 12 * n].reshape(n, 3, 4), y[12 * n :].reshape(n, 3, 4)
    Z[-1, :, 1:] = np.eye(3)
    return State(Z, V)


def rates_of(solver: Solver) -> Rates:
    """Time derivative of the packed state, with multipliers solved for at every call."""

    def rates(time: float, y: Array) -> Array:
        Z, V = unpacked(y)
        return np.concatenate([V[:-1].ravel(), solver.solve(time, Z, V).acceleration.ravel()])

    return rates


def adaptive(
    solver: Solver, start: State, times: Array, rtol: float, atol: float, projection: Projection
) -> Iterator[Instant]:
    """States at `times` by SciPy's DOP853 (Hairer, Norsett, Wanner 1993, section II.10), projected after every step.

    States between two steps come from its interpolant of order 7 and are projected too.
    """
    from scipy.integrate import DOP853

    rates = rates_of(solver)
    yield float(times[0]), start
    stepper = DOP853(rates, float(times[0]), packed(start), float(times[-1]), rtol=rtol, atol=atol)
    waiting = 1
    for _ in range(MOST_STEPS):
        if stepper.status != "running":
            return
        message = stepper.step()
        if stepper.status == "failed":
            raise NotConvergedError(
                f"integration stopped at {stepper.t:.6g} s of {times[-1]:.6g} s ({message}); the motion may run into a "
                "singular configuration there, or rtol and atol are finer than double precision"
            )
        arrived = int(np.searchsorted(times, stepper.t, side="right"))
        between = stepper.dense_output()(times[waiting:arrived]).T if arrived > waiting else []
        projected = packed(projection.state(stepper.t, unpacked(stepper.y)))
        for time, y in zip(times[waiting:arrived], between, strict=True):
            yield float(time), projection.state(time, unpacked(projected if time == stepper.t else y))
        waiting = arrived
        # The next step starts where the projection put this one's end.
        stepper.y = projected
        stepper.f = rates(stepper.t, projected)
    raise NotConvergedError(
        f"integration stopped at {stepper.t:.6g} s of {times[-1]:.6g} s after {MOST_STEPS} steps; give a shorter "
        "time, or for larger rtol and atol"
    )


def rk4_step(rates: Rates, time: float, y: Array, step: float) -> Array:
    """One classical Runge-Kutta step."""
    k1 = rates(time, y)
    k2 = rates(time + step / 2, y + step / 2 * k1)
    k3 = rates(time + step / 2, y + step / 2 * k2)
    k4 = rates(time + step, y + step * k3)
    return np.asarray(y + step / 6 * (k1 + 2 * k2 + 2 * k3 + k4))


def fixed(solver: Solver, start: State, times: Array, step: float, projection: Projection) -> Iterator[Instant]:
    """States at `times` by classical Runge-Kutta steps of about `step` [s], multipliers at every evaluation."""
    rates = rates_of(solver)

    def advance(time: float, y: Array, h: float) -> Array:
        return rk4_step(rates, time, y, h)

    return stepped(advance, start, times, step, projection)


def held(solver: Solver, start: State, times: Array, step: float, projection: Projection) -> Iterator[Instant]:
    """As `fixed`, with all multipliers as they are where a step starts: Dumitriu and Margaritescu 2016, section 5."""
    explicit = Explicit(solver.system, "held multipliers")

    def advance(time: float, y: Array, h: float) -> Array:
        found = solver.solve(time, *unpacked(y))
        Lambda, multipliers = found.orthogonality, np.nan_to_num(found.multipliers)

        def rates(time: float, y: Array) -> Array:
            Z, V = unpacked(y)
            acceleration = explicit.accelerations(time, Z, V, Lambda, multipliers)
            return np.concatenate([V[:-1].ravel(), acceleration.ravel()])

        return rk4_step(rates, time, y, h)

    return stepped(advance, start, times, step, projection)


def stepped(
    advance: Callable[[float, Array, float], Array], start: State, times: Array, step: float, projection: Projection
) -> Iterator[Instant]:
    """Steps that meet every one of `times`, equal between two of them and not longer than `step`."""
    y = packed(start)
    yield float(times[0]), start
    for begin, end in pairwise(times):
        count = max(1, int(np.ceil((end - begin) / step - 1e-9)))
        if count > MOST_STEPS:
            raise InputError(f"step: {step:g} s makes {count:.3g} steps to {end:.6g} s, at most {MOST_STEPS} are taken")
        h = (end - begin) / count
        for k in range(count):
            y = advance(begin + k * h, y, h)
            if not np.isfinite(y).all():
                raise NotConvergedError(f"the motion left all bounds at {begin + k * h:.6g} s; take a smaller step")
            y = packed(projection.state(begin + (k + 1) * h, unpacked(y)))
        yield float(end), unpacked(y)
