"""Poles of a machine under a controller, by linearisation; controllers whose poles are fast enough."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from gough.arrays import Array
from gough.checks.arguments import checks_arguments
from gough.dynamics._equations import STATE_NUMBERS
from gough.dynamics.arguments import AppliedWrench
from gough.dynamics.controllers import Controller, LegPID
from gough.dynamics.integration import DIFFERENCE, Evaluated
from gough.dynamics.motions import Motion
from gough.dynamics.plant import Plant
from gough.poses import PoseLike, checked_matrices
from gough.present.show import significant
from gough.stacked import AnyMachine

NEUTRAL = DIFFERENCE**0.5
"""Real part of a pole that counts as zero, as a part of the largest pole: by this much the derivatives' error splits a
double pole at zero."""
DOUBLINGS = 10
"""Number of doublings of a bandwidth that are tried."""
ROUND_OFF = 1e-9
"""Difference of the elements of equal poses [1, m]."""


@checks_arguments
def closed_loop_poles(
    machine: AnyMachine,
    controller: Controller,
    X: PoseLike | None = None,
    *,
    wrench: ArrayLike | None = None,
    point: ArrayLike | None = None,
    gravity: bool | ArrayLike | None = None,
) -> Array:
    """Poles of the closed loop, linearised about rest at a pose that the controller holds.

    They are the eigenvalues of the derivative of the equations of motion and of the controller's memory by the pose,
    the twist and the memory, by whose signs a small deviation grows or dies out (Lyapunov 1892). Coulomb friction,
    which has no derivative at rest, is left out of the machine and of the controller's models.

    Parameters
    ----------
    machine : Machine
    controller : Controller
    X : PoseLike, optional
        Home where not given.
    wrench, point, gravity
        As in `gough.simulate`.

    Returns
    -------
    (n,) array
        Complex [1/s], in ascending order of their real parts; n is 12 for each platform, and the controller's memory.
        Deviations die out if all real parts are negative. A memory that no force depends on has poles at zero.

    Raises
    ------
    InputError
        The machine has no masses, or cannot move at the pose.

    """
    from scipy.linalg import null_space

    pose = machine.X_home if X is None else checked_matrices(X)
    applied, alone = AppliedWrench(machine.stage_shape, wrench, point), machine.without_coulomb_friction()
    plant = Plant(alone, controller.held_at(pose), applied, gravity, None)
    y = plant.start(pose, np.zeros((*machine.stage_shape, 6)))
    # Changes of unit quaternions are perpendicular to them, and the work of two stages follows from the other states.
    fixed = np.zeros((len(machine.stages), len(y)))
    for k, row in enumerate(fixed):
        turn = slice(STATE_NUMBERS * k + 3, STATE_NUMBERS * k + 7)
        row[turn] = y[turn]
    free = null_space(np.concatenate([fixed, np.eye(len(y))[plant.size + plant.memory :]]))
    poles = np.linalg.eigvals(free.T @ Evaluated(plant, 1.0).jacobian(0.0, y) @ free)
    return np.asarray(poles[np.lexsort((poles.imag, poles.real))])


def instability(machine: AnyMachine, poles: Array, X: Array) -> str:
    """Sentence on the least stable of the poles (n,) of a closed loop at a pose; empty where none is unstable."""
    worst = poles[-1]
    if not worst.real > NEUTRAL * np.abs(poles).max():
        return ""
    where = "at home" if np.allclose(X, machine.X_home, rtol=0, atol=ROUND_OFF) else "where the motion begins"
    rate = significant(worst.real, 3)
    pole = f"{rate} ± {significant(abs(worst.imag), 3)}i" if abs(worst.imag) > NEUTRAL * abs(worst) else rate
    return (
        f"the closed loop is unstable {where}: a pole at {pole} 1/s, with which deviations grow by e in "
        f"{significant(1 / worst.real, 3)} s"
    )


def settling_pid(
    machine: AnyMachine, motion: Motion, bandwidth: float, decay: float, *, has_integral: bool = True, **applied: Any
) -> tuple[LegPID, float, Array]:
    """The tuned controller that holds the weight with the smallest of the bandwidths w, 2 w, 4 w, ... at which every
    pole at home decays by at least a rate [1/s], with its bandwidth [rad/s] and poles; the last where none does.
    `applied` is as in `closed_loop_poles`."""
    for k in range(DOUBLINGS + 1):
        w = bandwidth * 2.0**k
        pid = LegPID.tuned(machine, motion, w, has_integral=has_integral, holds_weight=True)
        poles = closed_loop_poles(machine, pid, **applied)
        if poles[-1].real <= -decay:
            break
    return pid, w, poles
