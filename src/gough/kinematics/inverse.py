"""Inverse kinematics: from the platform's pose to joint coordinates, in closed form, and to the turn of each strut."""

from __future__ import annotations

import numpy as np

from gough.arrays import Array
from gough.checks.annotations import fitted
from gough.checks.numbers import described
from gough.errors import InputError, ShapeError
from gough.kinematics._rates import inverse_batch
from gough.machine import Machine
from gough.poses import PoseLike, as_matrices, not_a_pose
from gough.stacked import by_machine
from gough.workers import PARALLEL_FROM, first_index


@by_machine
def inverse_kinematics(machine: Machine, X: PoseLike, *, out: Array | None = None) -> Array:
    """Compute the joint coordinates of poses: the closed form of | t + R b - p(q) | = L(q), solved leg by leg for q.

    For struts the length itself, for sliders and cranks the root on each leg's branch (De Sapio 1998, "Inverse
    Kinematics"; Sinatra, Xi and Staicu 2009, eq. 7, for sliders).

    Parameters
    ----------
    machine : Machine
    X : PoseLike, (..., 4, 4)
        Poses of the platform in the base.
    out : (..., 6) array, optional
        Array for the result, for loops that must not allocate: doubles, C-contiguous.

    Returns
    -------
    (..., 6) array
        Joint coordinates q [m, or rad for cranks], on each leg's branch; NaN where a leg cannot close, never an
        exception. Relative rounding error at most a few 1e-16 of the machine's size.

    Raises
    ------
    PoseError
        A rotation part that departs from a rotation by more than 1e-6; the first of a batch is named.
    ShapeError, InputError
        An `out` of another shape, or one that cannot be filled in place.

    """
    if type(machine) is not Machine:
        machine = fitted("machine", machine, "Machine", inverse_kinematics)
    matrices = as_matrices(X)
    flat = matrices.reshape(-1, 4, 4)
    leading = matrices.shape[:-2]
    q = np.empty((*leading, 6)) if out is None else checked_out(out, (*leading, 6))
    rows = q.reshape(-1, 6)
    code, table = machine.legs.code, machine.table
    if len(flat) < PARALLEL_FROM:
        bad = inverse_batch(code, table, flat, rows)
    else:
        bad = first_index(lambda s: inverse_batch(code, table, flat[s], rows[s]), len(flat))
    if bad >= 0:
        raise not_a_pose(matrices, bad)
    return q


def checked_out(out: Array, shape: tuple[int, ...]) -> Array:
    """Return the array `out`, checked."""
    # Kernels do not check bounds, and would write into a copy of an array that is not contiguous.
    if not isinstance(out, np.ndarray):
        raise InputError(f"out: expected an array to fill, got {described(out)}")
    if out.shape != shape:
        raise ShapeError.expected("out", str(shape), out.shape)
    if out.dtype != np.float64 or not (out.flags.c_contiguous and out.flags.writeable):
        raise InputError(
            f"out: expected a C-contiguous, writeable array of float64, got {out.dtype} with strides {out.strides}"
        )
    return out


@by_machine
def postures(machine: Machine, X: Array) -> Array:
    """Return poses of all platforms where the (end) platform has poses X (..., 4, 4): X itself."""
    return X


def leg_spins(machine: Machine, X: Array) -> Array:
    """Turn about each leg of its platform end against its base end (n, 6) [rad] at poses X (n, 4, 4), from home.

    Each end swings with the leg's direction without spin about it, as universal joints with small angles do; the rest
    of the platform's turn is about the leg.
    """
    X_home = machine.X_home
    u_home = _directions(machine, X_home[None])[0]
    u = _directions(machine, X)
    below, R = _swings(np.broadcast_to(u_home, u.shape), u), (X[:, :3, :3] @ X_home[:3, :3].T)[:, None]
    # The platform end: swung in the platform's axes as they are at home, then turned with the platform.
    above = R @ _swings(
        np.broadcast_to(u_home, u.shape), np.einsum("nlji,nlj->nli", np.broadcast_to(R, below.shape), u)
    )
    D = above @ np.swapaxes(below, -1, -2)  # a rotation about u
    skew = np.stack([D[..., 2, 1] - D[..., 1, 2], D[..., 0, 2] - D[..., 2, 0], D[..., 1, 0] - D[..., 0, 1]], axis=-1)
    return np.asarray(np.arctan2(np.sum(skew * u, axis=-1) / 2, (np.trace(D, axis1=-2, axis2=-1) - 1) / 2))


def _directions(machine: Machine, X: Array) -> Array:
    """Unit vectors (n, 6, 3) along struts."""
    d = machine.b_P @ np.swapaxes(X[:, :3, :3], -1, -2) + X[:, None, :3, 3] - machine.legs.rest()
    return np.asarray(d / np.linalg.norm(d, axis=-1, keepdims=True))


def _swings(a: Array, b: Array) -> Array:
    """Rotations (..., 3, 3) of least angle from unit vectors a to b (Rodrigues 1840)."""
    v, c = np.cross(a, b), np.sum(a * b, axis=-1)[..., None, None]
    K = np.zeros((*v.shape, 3))
    K[..., 0, 1], K[..., 0, 2], K[..., 1, 2] = -v[..., 2], v[..., 1], -v[..., 0]
    K = K - np.swapaxes(K, -1, -2)
    return np.asarray(np.eye(3) + K + K @ K / (1 + c))
