"""Simulation of a system under given forces: choice of solver, step control and multipliers."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from gough.arrays import Array
from gough.checks.arguments import checks_arguments
from gough.checks.numbers import numbers, of_shape
from gough.errors import InputError
from gough.multibody.integrate import Instant, Projection, adaptive, fixed, held, projected
from gough.multibody.motion import Motion
from gough.multibody.solvers import AUTOMATIC, solver_for
from gough.multibody.system import State, System

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
        "saddle", "two-step", "reduced", "chains", "shooting"; "auto" is the fastest one that applies.
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
        from gough.multibody.shooting import Shooting

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
        raise InputError(f"step: {step} s is no length of a step")
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
        raise InputError("give either a duration or times")
    if times is None:
        if not (np.isfinite(duration) and duration > 0):  # type: ignore[arg-type, operator]
            raise InputError(f"duration: {duration} s is no duration")
        return np.linspace(0.0, float(duration), 101)  # type: ignore[arg-type]
    when = numbers("times", times).copy()
    if when.ndim != 1 or len(when) < 2 or not np.isfinite(when).all() or (np.diff(when) <= 0).any():
        raise InputError("times: expected at least two, rising, finite")
    return when
