"""The equations of motion M(X) A + C(X, V) + G(X) = J_qV^T (f - friction) + F, inverse and forward, and their terms.

All about the platform's origin, in the base frame. C is quadratic in the velocities (Coriolis, centrifugal, gyroscopic
terms), G balances weight.
"""

from __future__ import annotations

from functools import partial
from math import prod

import numpy as np
from numpy.typing import ArrayLike

from gough.arrays import Array
from gough.checks.arguments import checks_arguments
from gough.checks.numbers import of_shape, six
from gough.dynamics._equations import bias_batch, forward_batch, inverse_batch, mass_batch
from gough.dynamics.bodies import first_moment
from gough.dynamics.model import Drives, PoseBatch, model_of, wrench_at_origin
from gough.errors import InputError
from gough.kinematics.inverse import inverse_kinematics
from gough.kinematics.rates import jacobian
from gough.machine import Machine
from gough.poses import PoseLike, as_matrices, checked_matrices
from gough.stacked import AnyMachine, by_machine


@by_machine
@checks_arguments
def inverse_dynamics(
    machine: Machine,
    X: PoseLike,
    V: ArrayLike,
    A: ArrayLike,
    wrench: ArrayLike | None = None,
    gravity: bool | ArrayLike | None = None,
    *,
    point: ArrayLike | None = None,
) -> Array:
    """Compute the actuator forces of a motion, by virtual work over all bodies (Tsai 2000; Sinatra et al. 2009).

    Parameters
    ----------
    machine : Machine
        With the platform's mass; legs without bodies are massless. Friction and rotors are those of the file.
    X : PoseLike, (..., 4, 4)
        Poses X_BP of the platform in the base.
    V : (..., 6) array
        Twist of the platform's origin [v, w] in the base frame [m/s, rad/s].
    A : (..., 6) array
        Its rate in time [a, alpha] [m/s2, rad/s2].
    wrench : (..., 6) array, optional
        [f, m] applied to the platform, in the base frame, about its origin or about `point` [N, N m].
    gravity : (..., 3) array, optional
        Acceleration of free fall in the base frame [m/s2]; default: the machine's value.
    point : (3,) array, optional
        Where the wrench acts, in the platform frame [m].

    Returns
    -------
    (..., 6) array
        Forces [N], or torques of cranks [N m]; positive drives the joint coordinate up. NaN where a leg cannot close or
        the pose is singular. Accuracy: rounding; published cases are met to all digits shown.

    Raises
    ------
    InputError
        The machine has no masses.

    """
    model = model_of(machine)
    F = wrench_at_origin(as_matrices(X), wrench, point)
    batch = PoseBatch(X, V=six("V", V), A=six("A", A), wrench=F, gravity=machine.free_fall(gravity))
    return batch.run(partial(inverse_batch, model), (6,))[0]


@by_machine
@checks_arguments
def forward_dynamics(
    machine: Machine,
    X: PoseLike,
    V: ArrayLike,
    force: ArrayLike,
    wrench: ArrayLike | None = None,
    gravity: bool | ArrayLike | None = None,
    *,
    point: ArrayLike | None = None,
) -> Array:
    """Compute the acceleration of the platform under actuator forces: M A = J_qV^T (f - force along q) + F - B.

    The equations of `inverse_dynamics` solved for A (Featherstone 2008, forward dynamics).

    Parameters
    ----------
    machine, X, V, wrench, gravity, point
        As in `gough.inverse_dynamics`.
    force : (..., 6) array
        Actuator forces [N], or torques of cranks [N m]; positive drives the joint coordinate up.

    Returns
    -------
    (..., 6) array
        [a, alpha], the rate in time of [v, w], in the base frame [m/s2, rad/s2]. NaN where a leg cannot close and where
        some motion has no inertia (a platform that is a point, on legs without mass).

    Raises
    ------
    InputError
        The machine has no masses.

    """
    model = model_of(machine)
    F = wrench_at_origin(as_matrices(X), wrench, point)
    batch = PoseBatch(X, V=six("V", V), force=six("force", force), wrench=F, gravity=machine.free_fall(gravity))
    return batch.run(partial(forward_batch, model), (6,))[0]


def check_moves(machine: AnyMachine, X: Array, A: Array) -> None:
    """`InputError` where an acceleration A of `forward_dynamics` at the start X of a motion is not finite."""
    if np.isfinite(A).all():
        return
    if np.isnan(inverse_kinematics(machine, X)).any():
        raise InputError("the machine cannot move from the start: a leg cannot close there (see gough.margins)")
    raise InputError(
        "the machine cannot move from the start: some motion of the platform has no inertia; specify "
        "platform.inertia, or the payload's inertia (`with_payload`)"
    )


@by_machine
@checks_arguments
def mass_matrix(machine: Machine, X: PoseLike, *, drives: Drives = "free") -> Array:
    """Compute the mass matrix M (..., 6, 6) of platform, legs and rotors: kinetic energy is V^T M V / 2.

    The sum of J_b^T M_b J_b over all bodies b, their twists V_b = J_b V (by definition; Featherstone 2008).

    Parameters
    ----------
    machine : Machine
    X : PoseLike, (..., 4, 4)
        Poses X_BP of the platform in the base.
    drives : "free" or "held"
        With held drives the legs yield along their length only, and sliders, cranks and rotors are at rest. This is
        the mass that vibrates on the legs' stiffness, see `gough.natural_frequencies`.

    Returns
    -------
    (..., 6, 6) array
        Symmetric, about the platform's origin in the base frame [kg, kg m; kg m, kg m2]; NaN where a leg cannot close.

    """
    model, held = model_of(machine), drives == "held"
    return PoseBatch(X).run(lambda X, M: mass_batch(model, X, held, M), (6, 6))[0]


@checks_arguments
def coriolis_wrench(machine: AnyMachine, X: PoseLike, V: ArrayLike) -> Array:
    """Compute C(X, V) (..., 6), the wrench of the actuators at the platform for a constant twist V without weight.

    The terms of the virtual work (Tsai 2000, section 4) at A = 0, g = 0, without friction.

    Parameters
    ----------
    machine : Machine
        With masses.
    X : PoseLike, (..., 4, 4)
        Poses of the platform in the base.
    V : (..., 6) array
        Twists [v, w] of the platform's origin in base axes [m/s, rad/s].

    Returns
    -------
    (..., 6) array
        [f, m] about the platform's origin in base axes [N, N m]; NaN where a leg cannot close.

    Raises
    ------
    InputError
        The machine has no masses.

    """
    return bias_wrench(machine, X, V, np.zeros(3))


@checks_arguments
def gravity_wrench(machine: AnyMachine, X: PoseLike, gravity: bool | ArrayLike | None = None) -> Array:
    """Compute G(X) (..., 6), the wrench of the actuators at the platform that holds the weight of all bodies at rest.

    The terms of the virtual work (Tsai 2000, section 4) at V = 0, A = 0.

    Parameters
    ----------
    machine : Machine
        With masses.
    X : PoseLike, (..., 4, 4)
        Poses of the platform in the base.
    gravity : (..., 3) array, optional
        Acceleration of free fall in base axes [m/s2]; default: the machine's value.

    Returns
    -------
    (..., 6) array
        [f, m] about the platform's origin in base axes [N, N m]; NaN where a leg cannot close.

    Raises
    ------
    InputError
        The machine has no masses.

    """
    return bias_wrench(machine, X, np.zeros((*machine.stage_shape, 6)), machine.free_fall(gravity))


@by_machine
def bias_wrench(machine: Machine, X: PoseLike, V: ArrayLike, gravity: Array) -> Array:
    """Return C(X, V) + G(X) (..., 6), without friction."""
    model = model_of(machine, has_friction=False)
    batch = PoseBatch(X, V=six("V", V), gravity=gravity)
    at_origin, along = batch.run(partial(bias_batch, model), (6,), (6,))
    J = jacobian(machine, X)
    return at_origin + (np.swapaxes(J, -1, -2) @ along[..., None])[..., 0]


@checks_arguments
def kinetic_energy(machine: AnyMachine, X: PoseLike, V: ArrayLike) -> Array:
    """Compute the kinetic energy (...) of all bodies and rotors under the twist V [J]: V^T M V / 2 (by definition of
    M).

    Parameters
    ----------
    machine : Machine
        With masses.
    X : PoseLike, (..., 4, 4)
        Poses of the platform in the base.
    V : (..., 6) array
        Twists [v, w] of the platform's origin in base axes [m/s, rad/s].

    Returns
    -------
    (...) array
        [J]; NaN where a leg cannot close.

    Raises
    ------
    InputError
        The machine has no masses.

    """
    shape = (*machine.stage_shape, 6)
    twists = of_shape("V", V, f"(..., {', '.join(map(str, shape))})")
    V = twists.reshape(*twists.shape[: -len(shape)], prod(shape))
    return np.asarray(0.5 * np.einsum("...i,...ij,...j->...", V, mass_matrix(machine, X), V))


@checks_arguments
def potential_energy(machine: AnyMachine, X: PoseLike, gravity: bool | ArrayLike | None = None) -> Array:
    """Compute the potential energy (...) of the weight of all bodies, zero with all mass centres at the base's origin
    [J].

    -g . sum m_b c_b over all bodies b, with mass centres c_b in the base (by definition).

    Parameters
    ----------
    machine : Machine
        With masses.
    X : PoseLike, (..., 4, 4)
        Poses of the platform in the base.
    gravity : (..., 3) array, optional
        Acceleration of free fall in base axes [m/s2]; default: the machine's value.

    Returns
    -------
    (...) array
        [J]; NaN where a leg with mass cannot close.

    Raises
    ------
    InputError
        The machine has no masses.

    """
    g = machine.free_fall(gravity)
    return np.asarray(-np.sum(g * first_moment(machine, checked_matrices(X))[1], axis=-1))
