"""Poses with the joint coordinates of home: Newton's method from many random starts, until more find nothing new.

A count from below, which is whole where the starts are many; Dietmaier (1998): never more than 40.
"""

import numpy as np
from scipy.spatial.transform import Rotation
from tests.independent.kinematics import (
    SINGULAR as DEXTERITY_OF_SINGULAR,
)
from tests.independent.kinematics import (
    characteristic_length,
    drive_rate,
    driven_points,
    joint_coordinates,
    platform_joints,
)
from tests.independent.margins import allowed

ROUNDS, STEPS = 8, 60
CLOSED = 1e-10  # error of a rod's squared length, in squared lengths
SAME = 1e-5  # of the machine's size, and rad: poses nearer than that are one
SINGULAR = 1e-7  # smallest over largest singular value
MOST = 40  # a pose more, and they have no number


def modes(m, starts=1500):
    """Poses t, R with the joint coordinates of home, their sides of the singular surface, their smallest over largest
    singular value of the Jacobian, which of them are allowed, whether there is a self-motion.

    Poses of a self-motion, singular ones without number, are not counted.
    """
    q = joint_coordinates(m, m.t0, m.R0)
    p, L = driven_points(m, q), q if m.kind == "UPS" else m.L
    t, R = m.t0[None], m.R0[None]
    is_free = False
    for turn in range(ROUNDS):
        known = len(t)
        more = _solved(m, p, L, starts, np.random.default_rng(turn))
        t, R = _different(np.concatenate([t, more[0]]), np.concatenate([R, more[1]]), L.max())
        values = np.linalg.svd(_errors_and_rows(m, p, L, t, R)[1], compute_uv=False)
        regular = values[:, -1] > SINGULAR * values[:, 0]
        is_free |= len(t) > MOST
        if is_free:
            t, R = t[regular], R[regular]
        if turn > 1 and len(t) == known:
            break
    rows = _errors_and_rows(m, p, L, t, R)[1]
    values = np.linalg.svd(rows, compute_uv=False)
    side = np.where(values[:, -1] > SINGULAR * values[:, 0], np.sign(np.linalg.det(rows)), 0.0)
    return t, R, side, dexterity(m, p, t, R), within_limits(m, t, R), is_free


def dexterity(m, p, t, R):
    """Smallest over largest singular value of the Jacobian with the driven points at p, whatever the legs' branches."""
    d = platform_joints(m, t, R) - p
    u = d / np.linalg.norm(d, axis=-1, keepdims=True)
    r = np.einsum("nij,kj->nki", R, m.b - m.b.mean(axis=0)) / characteristic_length(m)
    values = np.linalg.svd(
        np.concatenate([u, np.cross(r, u)], axis=-1) / drive_rate(m, p, u)[..., None], compute_uv=False
    )
    ratio = values[:, -1] / values[:, 0]
    return np.where(ratio > DEXTERITY_OF_SINGULAR, ratio, 0.0)


def _errors_and_rows(m, p, L, t, R):
    """Errors of |t + R b - p|^2 = L^2 (n, 6) over L^2, and their slopes (n, 6, 6) by shifts over L and turns."""
    arm = np.einsum("nij,kj->nki", R, m.b)
    d = (t[:, None] + arm - p) / L.max()
    rows = 2 * np.concatenate([d, np.cross(arm / L.max(), d)], axis=-1)
    return (d**2).sum(axis=-1) - (L / L.max()) ** 2, rows


def _solved(m, p, L, starts, rng):
    """Poses at which Newton's method ends from random ones with the first leg closed."""
    R = Rotation.from_quat(rng.normal(size=(starts, 4))).as_matrix()
    u = rng.normal(size=(starts, 3))
    t = p[0] - R @ m.b[0] + L[0] * u / np.linalg.norm(u, axis=1, keepdims=True)
    for _ in range(STEPS):
        error, rows = _errors_and_rows(m, p, L, t, R)
        square = np.swapaxes(rows, 1, 2) @ rows + 1e-14 * np.eye(6)  # solvable where singular too
        step = -np.linalg.solve(square, np.einsum("nki,nk->ni", rows, error)[..., None])[..., 0]
        step *= np.minimum(1, 1 / np.maximum(np.linalg.norm(step, axis=1, keepdims=True), 1e-300))
        t, R = t + L.max() * step[:, :3], Rotation.from_rotvec(step[:, 3:]).as_matrix() @ R
    good = np.abs(_errors_and_rows(m, p, L, t, R)[0]).max(axis=1) < CLOSED
    return t[good], R[good]


def _different(t, R, size):
    """One of each pose, the first ones."""
    flat = np.concatenate([t / size, R.reshape(-1, 9)], axis=1)
    chosen = []
    for k in range(len(t)):
        if not chosen or np.linalg.norm(flat[chosen] - flat[k], axis=1).min() > SAME:
            chosen.append(k)
    return t[chosen], R[chosen]


def within_limits(m, t, R):
    """Which of the poses keep every limit, with the legs on the branch that the file chooses."""
    off = joint_coordinates(m, t, R) - joint_coordinates(m, m.t0, m.R0)
    if m.kind == "RUS":
        off = np.arctan2(np.sin(off), np.cos(off))
    own = np.abs(np.nan_to_num(off, nan=np.inf)).max(axis=1) < 1e-6 * (1 if m.kind == "RUS" else np.ptp(m.a))
    return own & allowed(m, t, R)
