"""Integrators: adaptive steps, fixed steps, held multipliers; projection onto the constraints after each step."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from itertools import pairwise

import numpy as np

from gough.arrays import Array
from gough.errors import InputError, NotConvergedError
from gough.multibody._projection import project
from gough.multibody._rows import rows_of
from gough.multibody.solver import Solver, kept_rows, refuse_singular_poinsot
from gough.multibody.system import State, System, rank_lost

Rates = Callable[[float, Array], Array]
Instant = tuple[float, State]
Projection = Callable[[float, State], State]
"""From a time and a state to a state near it: `projected`, or the identity."""

WITHIN = 1e-15
"""Tolerance of Newton's method on the joint rows, as a part of the system's size."""
MOST_STEPS = 10_000_000
"""Most steps of one integration, or of fixed steps between two times."""


def projected(system: System, time: float, state: State) -> State:
    """The state projected onto all constraints: R orthogonal, joints closed, velocities consistent with both."""
    Z, V = state.Z.copy(), state.V.copy()
    tables = system.tables_of(kept_rows(system, Z, V)) if system.redundancy.count else system.tables
    if not project(Z, V, tables, system.size, WITHIN * system.size):
        raise rank_lost(system, time)
    return State(Z, V)


def explicit_rates(system: System, method: str) -> Callable[[float, Array, Array, Array], Array]:
    """Time derivative of the packed state under given Lambda (n, 3, 3) and joint multipliers (m,).

    Z'' = [X | Y + R Lambda] M^-1 with the joints' efforts in X and Y (2016, eq. 12); needs regular Poinsot matrices.
    """
    refuse_singular_poinsot(system, method)
    inverse = np.linalg.inv(system.masses)

    def rates(time: float, y: Array, Lambda: Array, multipliers: Array) -> Array:
        Z, V = unpacked(y)
        E = system.efforts(time, Z, V)
        if len(multipliers):
            J = rows_of(Z, V, system.tables)[2] * multipliers[:, None, None, None]
            np.add.at(E, system.joint_solids, J)  # solids occur in several rows, so `+=` would drop terms
        E[:-1, :, 1:] += Z[:-1, :, 1:] @ Lambda
        return np.concatenate([V[:-1].ravel(), (E[:-1] @ inverse).ravel()])

    return rates


def packed(state: State) -> Array:
    """State as one vector (24 n,), without the ground."""
    return np.concatenate([state.Z[:-1].ravel(), state.V[:-1].ravel()])


def unpacked(y: Array) -> State:
    """The inverse of `packed`."""
    n = len(y) // 24
    Z, V = np.zeros((n + 1, 3, 4)), np.zeros((n + 1, 3, 4))
    Z[:-1], V[:-1] = y[: 12 * n].reshape(n, 3, 4), y[12 * n :].reshape(n, 3, 4)
    Z[-1, :, 1:] = np.eye(3)
    return State(Z, V)


def rates_of(solver: Solver) -> Rates:
    """Time derivative of the packed state, with multipliers solved for at every evaluation."""

    def rates(time: float, y: Array) -> Array:
        Z, V = unpacked(y)
        return np.concatenate([V[:-1].ravel(), solver.solve(time, Z, V).acceleration.ravel()])

    return rates


def adaptive(
    solver: Solver, start: State, times: Array, rtol: float, atol: float, projection: Projection
) -> Iterator[Instant]:
    """States at `times` by SciPy's DOP853 (Hairer, Norsett, Wanner 1993, section II.10), projected after every step.

    States between two steps are those of its interpolant of order 7, projected too.
    """
    from scipy.integrate import DOP853

    rates = rates_of(solver)
    yield float(times[0]), start
    stepper = DOP853(rates, float(times[0]), packed(start), float(times[-1]), rtol=rtol, atol=atol)
    waiting = 1  # index of the next of `times`
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
        end = packed(projection(stepper.t, unpacked(stepper.y)))
        for time, y in zip(times[waiting:arrived], between, strict=True):
            yield float(time), projection(time, unpacked(end if time == stepper.t else y))
        waiting = arrived
        # The next step starts from the projected end of this one, with the rates there.
        stepper.y, stepper.f = end, rates(stepper.t, end)
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
    """States at `times` by classical Runge-Kutta steps of at most `step` [s], multipliers at every evaluation."""
    return stepped(partial(rk4_step, rates_of(solver)), start, times, step, projection)


def held(solver: Solver, start: State, times: Array, step: float, projection: Projection) -> Iterator[Instant]:
    """As `fixed`, with all multipliers constant over a step: Dumitriu and Margaritescu 2016, section 5."""
    explicit = explicit_rates(solver.system, "held multipliers")

    def advance(time: float, y: Array, h: float) -> Array:
        found = solver.solve(time, *unpacked(y))
        multipliers = np.nan_to_num(found.multipliers)
        return rk4_step(lambda time, y: explicit(time, y, found.orthogonality, multipliers), time, y, h)

    return stepped(advance, start, times, step, projection)


def stepped(
    advance: Callable[[float, Array, float], Array], start: State, times: Array, step: float, projection: Projection
) -> Iterator[Instant]:
    """States at `times` by steps of at most `step` [s], of equal length between two times."""
    y = packed(start)
    yield float(times[0]), start
    for begin, end in pairwise(times):
        count = max(1, int(np.ceil((end - begin) / step - 1e-9)))  # rounding of the quotient adds no step
        if count > MOST_STEPS:
            raise InputError(f"step: {step:g} s makes {count:.3g} steps to {end:.6g} s, at most {MOST_STEPS} are taken")
        h = (end - begin) / count
        for k in range(count):
            y = advance(begin + k * h, y, h)
            if not np.isfinite(y).all():
                raise NotConvergedError(f"the motion left all bounds at {begin + k * h:.6g} s; take a smaller step")
            y = packed(projection(begin + (k + 1) * h, unpacked(y)))
        yield float(end), unpacked(y)
