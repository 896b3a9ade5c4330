"""Simulation: adaptive steps, fixed steps, held multipliers, shooting; projection after each step."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from itertools import pairwise
from typing import ClassVar, Literal

import numpy as np
from numpy.typing import ArrayLike

from gough.arrays import Array
from gough.checks.arguments import checks_arguments
from gough.checks.numbers import numbers, of_shape
from gough.errors import InputError, NotConvergedError, RedundantConstraintsError
from gough.multibody._equations import rows_of, saddle_equations
from gough.multibody._projection import project
from gough.multibody.motion import Motion
from gough.multibody.solvers import AUTOMATIC, Solver, kept_rows, refuse_singular_poinsot, solver_for
from gough.multibody.system import State, System, rank_lost

Rates = Callable[[float, Array], Array]
Instant = tuple[float, State]
Projection = Callable[[float, State], State]
"""From a time and a state to a state near it: `projected`, or the identity."""

PROJECTION_TOLERANCE = 1e-15
"""Tolerance of Newton's method on the joint rows, as a part of the system's size."""
MOST_STEPS = 10_000_000
"""Most steps of one integration, or of fixed steps between two times."""


def projected(system: System, time: float, state: State) -> State:
    """Return the state projected onto all constraints: R orthogonal, joints closed, velocities consistent with both."""
    Z, V = state.Z.copy(), state.V.copy()
    tables = system.tables_of(kept_rows(system, Z, V)) if system.redundancy.count else system.tables
    if not project(Z, V, tables, system.size, PROJECTION_TOLERANCE * system.size):
        raise rank_lost(system, time)
    return State(Z, V)


def explicit_rates(system: System, method: str) -> Callable[[float, Array, Array, Array], Array]:
    """Return the time derivative of the packed state under given Lambda (n, 3, 3) and joint multipliers (m,).

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
    """Return the inverse of `packed`."""
    n = len(y) // 24
    Z, V = np.zeros((n + 1, 3, 4)), np.zeros((n + 1, 3, 4))
    Z[:-1], V[:-1] = y[: 12 * n].reshape(n, 3, 4), y[12 * n :].reshape(n, 3, 4)
    Z[-1, :, 1:] = np.eye(3)
    return State(Z, V)


def rates_of(solver: Solver) -> Rates:
    """Return the time derivative of the packed state, with multipliers solved for at every evaluation."""

    def rates(time: float, y: Array) -> Array:
        Z, V = unpacked(y)
        return np.concatenate([V[:-1].ravel(), solver.solve(time, Z, V).acceleration.ravel()])

    return rates


def adaptive(
    solver: Solver, start: State, times: Array, rtol: float, atol: float, projection: Projection
) -> Iterator[Instant]:
    """Yield states at `times` by SciPy's DOP853 (Hairer, Norsett, Wanner 1993, section II.10), projected after every
    step.

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
        f"integration stopped at {stepper.t:.6g} s of {times[-1]:.6g} s after {MOST_STEPS} steps; simulate a "
        "shorter time, or use larger rtol and atol"
    )


def rk4_step(rates: Rates, time: float, y: Array, step: float) -> Array:
    """Return one classical Runge-Kutta step."""
    k1 = rates(time, y)
    k2 = rates(time + step / 2, y + step / 2 * k1)
    k3 = rates(time + step / 2, y + step / 2 * k2)
    k4 = rates(time + step, y + step * k3)
    return np.asarray(y + step / 6 * (k1 + 2 * k2 + 2 * k3 + k4))


def fixed(solver: Solver, start: State, times: Array, step: float, projection: Projection) -> Iterator[Instant]:
    """Return states at `times` by classical Runge-Kutta steps of at most `step` [s], multipliers at every
    evaluation."""
    return stepped(partial(rk4_step, rates_of(solver)), start, times, step, projection)


def held(solver: Solver, start: State, times: Array, step: float, projection: Projection) -> Iterator[Instant]:
    """Integrate as `fixed` does, with all multipliers constant over a step: Dumitriu and Margaritescu 2016, section
    5."""
    explicit = explicit_rates(solver.system, "held multipliers")

    def advance(time: float, y: Array, h: float) -> Array:
        found = solver.solve(time, *unpacked(y))
        multipliers = np.nan_to_num(found.multipliers)
        return rk4_step(lambda time, y: explicit(time, y, found.orthogonality, multipliers), time, y, h)

    return stepped(advance, start, times, step, projection)


def stepped(
    advance: Callable[[float, Array, float], Array], start: State, times: Array, step: float, projection: Projection
) -> Iterator[Instant]:
    """Yield states at `times` by steps of at most `step` [s], of equal length between two times."""
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
                raise NotConvergedError(f"the motion diverged at {begin + k * h:.6g} s; use a smaller step")
            y = packed(projection(begin + (k + 1) * h, unpacked(y)))
        yield float(end), unpacked(y)


MOST_ITERATIONS = 40
"""Most iterations of a step."""
SHOOTING_TOLERANCE = 1e-13
"""Tolerance of constraints at the end of a step, as a part of the system's size; of rates times the step."""

Shape = Literal["constant", "linear"]
UPPER = ([0, 0, 0, 1, 1, 2], [0, 1, 2, 1, 2, 2])
"""Elements 11, 12, 13, 22, 23, 33 of a symmetric matrix."""


class Shooting:
    """Shooting, as named by Dumitriu 2017: integrate over the step with guessed multipliers, correct them, repeat.

    Constant multipliers p over a step h leave the residual Phi of the constraints at its end; the next guess is

        p - 2 / h^2 (Phi_q M^-1 Phi_q^T)^-1 Phi

    with the matrix of the start of the step. "constant" multipliers, as in the paper, satisfy the positions only;
    multipliers "linear" over the step satisfy positions and velocities. Needs regular Poinsot matrices.
    """

    name: ClassVar[str] = "shooting"

    def __init__(self, system: System, shape: Shape = "linear") -> None:
        if system.redundancy.count:
            raise RedundantConstraintsError(
                f"{system.redundancy.sentence()} Shooting cannot choose among them; use another solver"
            )
        self.system, self.shape = system, shape
        self.explicit = explicit_rates(system, self.name)
        self.inverse = np.linalg.inv(system.masses)
        self.scale = SHOOTING_TOLERANCE * max(1.0, system.size)
        self.guess = np.zeros((2, 6 * len(system.bodies) + len(system.rows)))

    def step(self, time: float, y: Array, h: float) -> Array:
        """Return the packed state after a step h [s]; `guess` (2, 6 n + m) has the multipliers at both of its ends.

        Raises
        ------
        NotConvergedError
            The iteration does not reach the constraints; a smaller step converges.

        """
        correction = self._correction(time, y)
        missed = np.inf
        for _ in range(MOST_ITERATIONS):
            end = self._integrated(time, y, h)
            phi, rate = self._residuals(end)
            before, missed = missed, float(max(np.abs(phi).max(), np.abs(rate).max() * h * (self.shape == "linear")))
            # Near the tolerance a residual that no longer halves is rounding.
            if missed <= self.scale or (missed < 1e3 * self.scale and missed > 0.5 * before):
                return end
            if not missed < 1e3:  # diverges, or NaN
                break
            u, w = correction @ phi / h**2, correction @ rate / h
            if self.shape == "constant":
                self.guess -= 2.0 * u
            else:
                # A change p_0 + (p_1 - p_0) t / h of the multipliers changes Phi by h^2 (p_0 / 3 + p_1 / 6) and Phi' by
                # h (p_0 + p_1) / 2, both times Phi_q M^-1 Phi_q^T; solved for the p that cancel Phi and Phi'.
                self.guess += np.stack([2.0 * w - 6.0 * u, 6.0 * u - 4.0 * w])
        raise NotConvergedError(
            f"shooting at {time:.6g} s misses the constraints by {missed:.3g} after {h:.3g} s; use smaller steps",
            missed,
        )

    def run(self, start: State, times: Array, step: float) -> Iterator[Instant]:
        """Return states at `times`, by steps of at most `step` [s]; not projected."""
        return stepped(self.step, start, times, step, lambda time, state: state)

    def _integrated(self, time: float, y: Array, h: float) -> Array:
        """Packed state at the end of the step under the guessed multipliers."""
        n = len(self.system.bodies)

        def rates(instant: float, y: Array) -> Array:
            part = (instant - time) / h
            p = (1.0 - part) * self.guess[0] + part * self.guess[1]
            Lambda = np.zeros((n, 3, 3))
            Lambda[:, UPPER[0], UPPER[1]] = Lambda[:, UPPER[1], UPPER[0]] = p[: 6 * n].reshape(n, 6)
            return self.explicit(instant, y, Lambda, p[6 * n :])

        return rk4_step(rates, time, y, h)

    def _residuals(self, y: Array) -> tuple[Array, Array]:
        """Phi and Phi' of all constraints (6 n + m,): of each solid the elements of R^T R - I, halved on the diagonal,
        then the joint rows."""
        Z, V = unpacked(y)
        R, Rd = Z[:-1, :, 1:], V[:-1, :, 1:]
        square = np.swapaxes(R, 1, 2) @ R - np.eye(3)
        rate = np.swapaxes(R, 1, 2) @ Rd
        rate = rate + np.swapaxes(rate, 1, 2)
        half = np.array([0.5, 1.0, 1.0, 0.5, 1.0, 0.5])
        phi, joint_rate = self.system.constraints(Z, V)
        return (
            np.concatenate([(square[:, UPPER[0], UPPER[1]] * half).ravel(), phi]),
            np.concatenate([(rate[:, UPPER[0], UPPER[1]] * half).ravel(), joint_rate]),
        )

    def _correction(self, time: float, y: Array) -> Array:
        """(Phi_q M^-1 Phi_q^T)^-1 at the start of a step."""
        s = self.system
        Z, V = unpacked(y)
        n = len(s.bodies)
        # Phi_q are the lower left rows of the saddle matrix; M is block diagonal, one (4, 4) block for each row of Z.
        K, _ = saddle_equations(Z, V, np.zeros_like(Z), s.tables)
        rows = K[12 * n :, : 12 * n]
        weighted = np.einsum("kbri,bij->kbrj", rows.reshape(-1, n, 3, 4), self.inverse)
        return np.linalg.inv(weighted.reshape(len(rows), -1) @ rows.T)


Multipliers = Literal["every evaluation", "held"]

RTOL, ATOL = 1e-11, 1e-13
"""Default tolerances of a step."""
SMALLEST_RTOL = 3e-14
"""Smallest relative tolerance that double precision resolves."""
CONSISTENT = 1e-6
"""Largest residual of the constraints at the start, as a part of the system's size."""
SHOOTING = "shooting"


@checks_arguments
def simulate(
    system: System,
    duration: float | None = None,
    *,
    times: ArrayLike | None = None,
    state: State | None = None,
    solver: str = AUTOMATIC,
    rtol: float = RTOL,
    atol: float = ATOL,
    step: float | None = None,
    multipliers: Multipliers = "every evaluation",
    project: bool = True,
) -> Motion:
    """Integrate a system's equations of motion.

    Parameters
    ----------
    system : System
    duration : float, optional
        [s]; the result has 101 equidistant times.
    times : (k,) array, optional
        Times of the result instead, ascending; the first is the start [s].
    state : State, optional
        Default: at rest at the start, see `System.state`.
    solver : str
        "saddle", "two-step", "chains", "shooting"; "auto" is the fastest one that applies.
    rtol, atol : float
        Tolerances of the adaptive Runge-Kutta steps of order 8 (SciPy's DOP853).
    step : float, optional
        Take classical Runge-Kutta steps of this length instead [s]. "shooting" and held multipliers need it.
    multipliers : "every evaluation" or "held"
        "held" keeps the multipliers of the start of each step over the step, as Dumitriu and Margaritescu (2016,
        section 5): of first order, for comparison. With "shooting", "held" means constant over a step as in Dumitriu
        2017; otherwise they are linear.
    project : bool
        Project positions and velocities onto the constraints after every step, and states between steps too.

    Returns
    -------
    Motion
        States at the times, with residuals of the constraints and energy.

    Raises
    ------
    InputError
        The solver does not apply (the message names one that does), or rows are redundant.
    NotConvergedError
        The motion reaches a singular configuration; the message gives the time.

    """
    when = _times(duration, times)
    start = system.state() if state is None else state
    _check_start(system, start)
    projection: Projection = partial(projected, system) if project else lambda time, state: state
    if rtol < SMALLEST_RTOL or atol < 0:
        raise InputError(f"rtol {rtol:g} and atol {atol:g}: double precision reaches {SMALLEST_RTOL:g} and 0")
    _check_step(step, multipliers, solver)
    # Shooting finds states only; accelerations and multipliers of the result are those of the automatic solver.
    at_instant = solver_for(system, AUTOMATIC if solver == SHOOTING else solver)
    instants: Iterator[Instant]
    if solver == SHOOTING:
        shape: Literal["constant", "linear"] = "constant" if multipliers == "held" else "linear"
        instants = Shooting(system, shape).run(start, when, float(step or 0.0))
    elif step is None:
        instants = adaptive(at_instant, start, when, rtol, atol, projection)
    elif multipliers == "held":
        instants = held(at_instant, start, when, step, projection)
    else:
        instants = fixed(at_instant, start, when, step, projection)
    time, states = zip(*instants, strict=True)
    Z, V = (np.array(part) for part in zip(*states, strict=True))
    return Motion(system, at_instant, np.array(time), Z, V)


def _check_step(step: float | None, multipliers: Multipliers, solver: str) -> None:
    if step is not None and not step > 0:
        raise InputError(f"step: {step} s is not a valid step length")
    if step is None and (multipliers == "held" or solver == SHOOTING):
        raise InputError(f"{'held multipliers' if multipliers == 'held' else SHOOTING} need the length of a `step` [s]")


def _check_start(system: System, start: State) -> None:
    """`InputError` for a start that violates joints, their rates or orthogonality."""
    for name, part in zip("ZV", start, strict=True):
        of_shape(f"{name} of the start", part, f"({len(system.bodies) + 1}, 3, 4)")
    R = start.Z[:-1, :, 1:]
    # `not x <= limit` refuses NaN too.
    phi, rate = system.constraints(start.Z, start.V)
    off = max(np.abs(phi).max(initial=0.0), np.abs(np.swapaxes(R, 1, 2) @ R - np.eye(3)).max())
    if not off <= CONSISTENT * max(1.0, system.size):
        raise InputError(f"the start breaks the constraints by {off:.3g} m (or of 1); see System.state")
    if not np.abs(rate).max(initial=0.0) <= CONSISTENT * max(1.0, float(np.abs(start.V).max())):
        raise InputError(f"the start's velocities break the joints by {np.abs(rate).max():.3g} m/s; see System.state")


def _times(duration: float | None, times: ArrayLike | None) -> Array:
    """Times of the result, from a duration or as given."""
    if (duration is None) == (times is None):
        raise InputError("pass either a duration or times")
    if times is None:
        if not (np.isfinite(duration) and duration > 0):  # type: ignore[arg-type, operator]
            raise InputError(f"duration: {duration} s is not a valid duration")
        return np.linspace(0.0, float(duration), 101)  # type: ignore[arg-type]
    when = numbers("times", times).copy()
    if when.ndim != 1 or len(when) < 2 or not np.isfinite(when).all() or (np.diff(when) <= 0).any():
        raise InputError("times: expected at least two finite increasing times")
    return when
