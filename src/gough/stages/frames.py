"""Poses, twists and accelerations of both stages, and the share of each stage in a displacement.

Poses of both platforms are arrays (..., 2, 4, 4), the intermediate platform I first, the end platform P second, in the
base B of the lower stage; their twists and accelerations (..., 2, 6) are of their origins, in axes of B. The upper
stage's base U is fixed to I:

    X_UP = X_IU^-1 X_BI^-1 X_BP
    v_UP = R_UB (v_P - v_I - w_I x r)                              r from I's origin to P's
    w_UP = R_UB (w_P - w_I)
    a_UP = R_UB (a_P - a_I - alpha_I x r - w_I x (w_I x r)) - 2 w x v_UP         w = R_UB w_I
    alpha_UP = R_UB (alpha_P - alpha_I) - w x w_UP

X_BI = D^s X_BI,home with D = X_BP X_BP,home^-1, on the group of rigid motions, D^s = exp(s log D). With W the twist of
D seen from the base's origin, D' = [W] D, that of D^s is

    W_I = G(ad) W        G(z) = (e^(s z) - 1) / (e^z - 1) = sum over n of (B_n+1(s) - B_n+1) / (n + 1)! z^n

and the rate of log D is ad / (e^ad - 1) W = sum of B_n / n! ad^n W, with ad that of log D, Bernoulli numbers B_n and
Bernoulli polynomials B_n(s) (Iserles et al. 2000, Lie-group methods). Rotations are below pi and the poles of G at
2 pi i, so each term is at most half of the one before it.
"""

from __future__ import annotations

from functools import cache
from math import ceil, log

import numpy as np
from numpy.typing import ArrayLike

from gough.arrays import Array
from gough.checks.arguments import checks_arguments
from gough.checks.numbers import of_shape
from gough.dynamics.motions import States
from gough.dynamics.motions import states_of_all as states_of_all_of_stage
from gough.errors import ShapeError
from gough.kinematics.inverse import postures as postures_of_stage
from gough.kinematics.rates import end_jacobian as end_jacobian_of_stage
from gough.kinematics.rates import jacobian
from gough.poses import PoseLike, checked_matrices, common_shape, cross, inverse_matrices, skew, times
from gough.stacked import StackedMachine


def both_poses(X: PoseLike) -> Array:
    """Return poses of both platforms (..., 2, 4, 4), checked."""
    matrices = checked_matrices(X)
    if matrices.shape[-3:] != (2, 4, 4):
        raise ShapeError(
            f"poses of both platforms: expected shape (..., 2, 4, 4), got {matrices.shape}; if only the poses "
            "of the end platform are known, use gough.stages.resolve_redundancy"
        )
    return matrices


def both_six(name: str, values: ArrayLike) -> Array:
    """Return twists, accelerations or wrenches of both platforms (..., 2, 6)."""
    return of_shape(name, values, "(..., 2, 6), the intermediate platform first")


def flat(values: Array) -> Array:
    """Return vectors of both platforms (..., 2, 6), concatenated (..., 12)."""
    return values.reshape(*values.shape[:-2], 12)


def twelve(name: str, values: ArrayLike) -> Array:
    """Return joint quantities of both stages (..., 12)."""
    return of_shape(name, values, "(..., 12), the lower stage first")


def upper_base(machine: StackedMachine, X: Array) -> Array:
    """Return X_BU (..., 4, 4): pose of the upper stage's base in the base of the lower one."""
    return np.asarray(X[..., 0, :, :] @ machine.X_IU)


@checks_arguments
def upper_pose(machine: StackedMachine, X: Array) -> Array:
    """Compute X_UP, the end platform in the base of its own stage: X_IU^-1 X_BI^-1 X_BP (by definition).

    Parameters
    ----------
    machine : StackedMachine
    X : (..., 2, 4, 4) array
        Poses of both platforms in the base, the intermediate one first.

    Returns
    -------
    (..., 4, 4) array
        X_IU^-1 X_BI^-1 X_BP; NaN where a pose is.

    """
    of_shape("poses", X, "(..., 2, 4, 4), the intermediate platform first")
    return np.asarray(inverse_matrices(upper_base(machine, X)) @ X[..., 1, :, :])


def own_poses(machine: StackedMachine, X: Array) -> tuple[Array, Array]:
    """Return poses (..., 4, 4) of both platforms, each in the base of its own stage."""
    return np.ascontiguousarray(X[..., 0, :, :]), upper_pose(machine, X)


@checks_arguments
def stacked_poses(machine: StackedMachine, X_BI: Array, X_UP: Array) -> Array:
    """Compute the poses of both platforms in the base from the pose of each in its own base: the inverse of
    `upper_pose`.

    X_BP = X_BI X_IU X_UP (by definition).

    Parameters
    ----------
    machine : StackedMachine
    X_BI, X_UP : (..., 4, 4) array
        The intermediate platform in the lower stage's base, the end platform in the upper one's; broadcast.

    Returns
    -------
    (..., 2, 4, 4) array
        X_BI and X_BI X_IU X_UP; NaN where a pose is.

    """
    X_BI, X_UP = of_shape("X_BI", X_BI, "(..., 4, 4)"), of_shape("X_UP", X_UP, "(..., 4, 4)")
    common_shape("X_BI and X_UP", X_BI.shape[:-2], X_UP.shape[:-2])
    X_BP = X_BI @ machine.X_IU @ X_UP
    return np.stack([np.broadcast_to(X_BI, X_BP.shape), X_BP], axis=-3)


def transposed_times(J: Array, values: Array, name: str = "values") -> Array:
    """Return J^T times vectors, broadcast, see `gough.kinematics.rates.times`."""
    return times(np.swapaxes(J, -1, -2), values, name)


def upper_map(machine: StackedMachine, X: Array) -> Array:
    """Return T (..., 6, 12) of V_UP = T [V_I, V_P]."""
    R_UB = np.swapaxes(upper_base(machine, X)[..., :3, :3], -1, -2)
    r = X[..., 1, :3, 3] - X[..., 0, :3, 3]
    T = np.zeros((*X.shape[:-3], 6, 12))
    T[..., :3, :3], T[..., 3:, 3:6] = -R_UB, -R_UB
    T[..., :3, 6:9], T[..., 3:, 9:] = R_UB, R_UB
    T[..., :3, 3:6] = R_UB @ skew(r)  # - w x r = [r]x w
    return T


@checks_arguments
def upper_twist(machine: StackedMachine, X: Array, V: Array) -> Array:
    """Compute V_UP, the end platform's twist in the upper stage's base.

    v_UP = R_UB (v_P - v_I - w_I x r), w_UP = R_UB (w_P - w_I) with r from I to P (by definition: dX_UP / dt).

    Parameters
    ----------
    machine : StackedMachine
    X : (..., 2, 4, 4) array
        Poses of both platforms in the base.
    V : (..., 2, 6) array
        Their twists [v, w] in base axes [m/s, rad/s].

    Returns
    -------
    (..., 6) array
        [v, w] relative to U in its axes [m/s, rad/s]; NaN where a pose or a twist is.

    """
    return times(upper_map(machine, X), flat(V))


@checks_arguments
def upper_acceleration(machine: StackedMachine, X: Array, V: Array, A: Array) -> Array:
    """Compute A_UP, the rate of V_UP in axes of the upper stage's base.

    By definition dV_UP / dt, with the centrifugal and Coriolis terms of I's rotation:
    a_UP = R_UB (a_P - a_I - alpha_I x r - w_I x (w_I x r)) - 2 w x v_UP, alpha_UP = R_UB (alpha_P - alpha_I) - w x w_UP
    with w = R_UB w_I.

    Parameters
    ----------
    machine : StackedMachine
    X : (..., 2, 4, 4) array
        Poses of both platforms in the base.
    V, A : (..., 2, 6) array
        Their twists [m/s, rad/s] and accelerations [m/s2, rad/s2] in base axes.

    Returns
    -------
    (..., 6) array
        [a, alpha] relative to U in its axes [m/s2, rad/s2]; NaN where a pose, twist or acceleration is.

    """
    return times(upper_map(machine, X), flat(A)) + upper_bias(machine, X, V)


def upper_bias(machine: StackedMachine, X: Array, V: Array) -> Array:
    """Return A_UP (..., 6) at zero accelerations of both platforms: minus the centrifugal and Coriolis terms."""
    R_UB = np.swapaxes(upper_base(machine, X)[..., :3, :3], -1, -2)
    r = X[..., 1, :3, 3] - X[..., 0, :3, 3]
    w_I = V[..., 0, 3:]
    w = times(R_UB, w_I)
    # a = - R_UB w_I x (w_I x r) - 2 w x v_UP, alpha = - w x w_UP
    V_UP = upper_twist(machine, X, V)
    a = -times(R_UB, cross(w_I, cross(w_I, r))) - 2 * cross(w, V_UP[..., :3])
    return np.concatenate([a, -cross(w, V_UP[..., 3:])], axis=-1)


TERMS = 64
"""Most terms of the series: enough for rounding at rotations up to half a turn."""
EPSILON = float(np.finfo(float).eps)
FIRST_TERMS = 6
"""Terms for pure translations, where the third power of [[ad, 0], [ad', ad]] is zero, and a margin for the factors n of
the n-th term."""


def shared(machine: StackedMachine, X: Array, share: Array) -> Array:
    """Return poses of both platforms (..., 2, 4, 4) with the lower stage's share (...) of the displacement X from home.

    The upper stage performs the remainder of the same screw, as seen from its base.
    """
    return _shared_along(machine, X, share, _screws(machine, X))


@postures_of_stage.register(StackedMachine)
def postures(machine: StackedMachine, X: Array) -> Array:
    """Return poses (..., 2, 4, 4) of both platforms, see `gough.kinematics.inverse.postures`."""
    return shared(machine, X, np.asarray(machine.share))


def _shared_along(machine: StackedMachine, X: Array, share: Array, screws: Array) -> Array:
    """`shared` from log D (..., 6) of the poses."""
    from scipy.spatial.transform import RigidTransform

    shape = common_shape("poses and share", X.shape[:-2], share.shape)
    screw = np.broadcast_to(screws, (*shape, 6)).reshape(-1, 6)
    part, is_known = np.full((len(screw), 4, 4), np.nan), np.isfinite(screw).all(axis=-1)
    shares = np.broadcast_to(share, shape).reshape(-1)[is_known]
    part[is_known] = RigidTransform.from_exp_coords(shares[:, None] * screw[is_known]).as_matrix()
    X_BI = part.reshape(*shape, 4, 4) @ machine.lower.X_home
    return np.stack([X_BI, np.broadcast_to(X, X_BI.shape)], axis=-3)


@states_of_all_of_stage.register(StackedMachine)
def states_of_all(machine: StackedMachine, states: States) -> States:
    """Return poses (..., 2, 4, 4), twists and accelerations (..., 2, 6), see `gough.dynamics.motions.states_of_all`."""
    X, V, A = states
    screw, w = _screws(machine, X), V[..., 3:]
    both = _shared_along(machine, X, np.asarray(machine.share), screw)
    p_I, p = both[..., 0, :3, 3], both[..., 1, :3, 3]
    # Twist of the end platform about the base's origin, and its rate in time: v_O = v - w x p.
    W = np.concatenate([V[..., :3] - cross(w, p), w], axis=-1)
    W_t = np.concatenate([A[..., :3] - cross(A[..., 3:], p) - cross(w, V[..., :3]), A[..., 3:]], axis=-1)
    # SciPy's exponential coordinates are [rotation, translation], twists here [v, w].
    W_I, W_I_t = _shared_twist(machine.share, screw[..., [3, 4, 5, 0, 1, 2]], W, W_t)
    # Back to the origin of the intermediate platform.
    V_I, A_I = W_I.copy(), W_I_t.copy()
    V_I[..., :3] += cross(W_I[..., 3:], p_I)
    A_I[..., :3] += cross(W_I_t[..., 3:], p_I) + cross(W_I[..., 3:], V_I[..., :3])
    return both, np.stack([V_I, V], axis=-2), np.stack([A_I, A], axis=-2)


@end_jacobian_of_stage.register(StackedMachine)
def end_jacobian(machine: StackedMachine, X: Array) -> Array:
    """Return joint rates per twist of the end platform (..., 12, 6), see `gough.kinematics.rates.end_jacobian`."""
    # The columns are the joint rates of the six unit twists.
    units = np.broadcast_to(np.eye(6), (*X.shape[:-2], 6, 6))
    poses = np.broadcast_to(X[..., None, :, :], (*X.shape[:-2], 6, 4, 4))
    both, V, _ = states_of_all(machine, (poses, units, np.zeros_like(units)))
    return np.asarray(jacobian(machine, both[..., 0, :, :, :]) @ np.swapaxes(flat(V), -1, -2))


def _screws(machine: StackedMachine, X: Array) -> Array:
    """Log D (..., 6) [r, u] of poses of the end platform (..., 4, 4); NaN where a pose is."""
    from scipy.spatial.transform import RigidTransform

    # SciPy's conversion refuses NaN, so only known poses go through it.
    D = X @ inverse_matrices(machine.X_home[1])
    is_known = np.isfinite(D).all(axis=(-1, -2))
    found = np.full((*X.shape[:-2], 6), np.nan)
    found[is_known] = RigidTransform.from_matrix(D[is_known]).as_exp_coords()
    return found


def _shared_twist(share: float, screw: Array, W: Array, W_t: Array) -> tuple[Array, Array]:
    """W_I (..., 6) and its rate, from W and its rate, by the series G(ad); screws (..., 6) are [u, r]."""
    of_share, of_log = _coefficients(share)
    ad, n = _ad(screw), _needed_terms(screw)
    # `step`, [[ad, 0], [ad', ad]], maps [ad^k W, (ad^k W)'] to the same with k + 1; ad' is that of the rate of log D.
    step = np.zeros((*ad.shape[:-2], 12, 12))
    step[..., :6, :6] = step[..., 6:, 6:] = ad
    step[..., 6:, :6] = _ad(_series(of_log[:n], ad, W))
    found = _series(of_share[:n], step, np.concatenate([W, W_t], axis=-1))
    return found[..., :6], found[..., 6:]


def _series(coefficients: Array, A: Array, x: Array) -> Array:
    """Sum of c_n A^n x (..., m) for matrices A (..., m, m), by Horner's rule."""
    found = np.zeros((*x.shape, 1))
    for c in coefficients[::-1]:
        found = A @ found + c * x[..., None]
    return found[..., 0]


def _needed_terms(screw: Array) -> int:
    """Number of terms above rounding: each is angle / (2 pi) of the one before it; for the largest angle."""
    angle = np.linalg.norm(screw[..., :3], axis=-1)
    largest = float(np.max(angle, initial=0.0, where=np.isfinite(angle)))
    part = min(max(largest / (2 * np.pi), EPSILON), 0.5)
    return min(FIRST_TERMS + ceil(1.15 * log(EPSILON) / log(part)), TERMS)


def _ad(screw: Array) -> Array:
    """Matrix ad (..., 6, 6) of a screw [u, r]: the bracket [u, r] x [v, w] = [r x v + u x w, r x w]."""
    found = np.zeros((*screw.shape[:-1], 6, 6))
    found[..., :3, :3] = found[..., 3:, 3:] = skew(screw[..., 3:])
    found[..., :3, 3:] = skew(screw[..., :3])
    return found


@cache
def _coefficients(share: float) -> tuple[Array, Array]:
    """Coefficients of z^n in (e^(s z) - 1) / (e^z - 1) and in z / (e^z - 1), by division of power series."""
    n = np.arange(TERMS)
    one_over = 1.0 / np.cumprod(n + 1.0)  # 1 / (n + 1)!
    # Multiplication of series by (e^z - 1) / z, as a lower triangular Toeplitz matrix; the right sides are
    # (e^(s z) - 1) / z and 1.
    divisor = np.tril(one_over[np.abs(n[:, None] - n)])
    found = np.linalg.solve(divisor, np.column_stack([share ** (n + 1.0) * one_over, n == 0]))
    return found[:, 0], found[:, 1]
