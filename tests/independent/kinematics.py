"""Legs by their vector loop, the Jacobian by screws, conditioning and speeds.

A pose is t, R: the platform's origin and axes in the base frame; leading axes of both are a batch.
"""

import numpy as np

SINGULAR = 1e-9  # smallest over largest singular value at home below which it is rounding


def platform_joints(m, t, R):
    """Places of the platform joints, t + R b, (..., 6, 3)."""
    return t[..., None, :] + np.einsum("...ij,kj->...ki", R, m.b)


def joint_coordinates(m, t, R):
    """Inverse kinematics q (..., 6); NaN where a leg cannot close."""
    w = platform_joints(m, t, R) - m.a
    if m.kind == "UPS":
        return np.linalg.norm(w, axis=-1)
    along = np.sum(w * m.axis, axis=-1)
    with np.errstate(invalid="ignore", divide="ignore"):
        if m.kind == "PUS":  # |w - q g| = L
            return along + m.branch * np.sqrt(m.L**2 - (np.sum(w**2, axis=-1) - along**2))
        x, y, rise, r = _about_axis(m, w)
        rho, phi = np.hypot(x, y), np.arctan2(y, x)  # law of cosines in the triangle centre, foot, joint
        q = phi + m.branch * np.arccos((rho**2 + rise**2 + r**2 - m.L**2) / (2 * rho * r))
    return np.arctan2(np.sin(q), np.cos(q))


def _about_axis(m, w):
    """Coordinates of w in the crank's axes: x along the arm, y across, height above the foot's circle; its radius."""
    lift = np.sum(m.arm * m.axis, axis=-1)
    flat = m.arm - lift[:, None] * m.axis
    r = np.linalg.norm(flat, axis=-1)
    e1 = flat / r[:, None]
    e2 = np.cross(m.axis, e1)
    return np.sum(w * e1, axis=-1), np.sum(w * e2, axis=-1), np.sum(w * m.axis, axis=-1) - lift, r


def driven_points(m, q):
    """Feet of the rods p(q), (..., 6, 3)."""
    if m.kind == "UPS":
        return np.broadcast_to(m.a, (*np.shape(q), 3))
    if m.kind == "PUS":
        return m.a + q[..., None] * m.axis
    return m.a + turned(m.axis, q, m.arm)


def turned(n, q, v):
    """V turned by q about the unit vector n (Rodrigues)."""
    c, s = np.cos(q)[..., None], np.sin(q)[..., None]
    return c * v + s * np.cross(n, v) + (1 - c) * np.sum(n * v, axis=-1, keepdims=True) * n


def legs(m, t, R):
    """q, feet p, unit vectors u along the rods and rod lengths."""
    q = joint_coordinates(m, t, R)
    p = driven_points(m, q)
    d = platform_joints(m, t, R) - p
    length = np.linalg.norm(d, axis=-1)
    return q, p, d / length[..., None], length


def drive_rate(m, p, u):
    """How quickly the rod's equation follows the drive, u . p' + L': 1 for struts."""
    if m.kind == "UPS":
        return np.ones(u.shape[:-1])
    return np.sum(u * (m.axis if m.kind == "PUS" else np.cross(m.axis, p - m.a)), axis=-1)


def screws(m, t, R, point):
    """Rows [u, r x u] of the six rods, r from the point (platform frame) to the platform joint, (..., 6, 6)."""
    _, _, u, _ = legs(m, t, R)
    r = np.einsum("...ij,kj->...ki", R, m.b - point)
    return np.concatenate([u, np.cross(r, u)], axis=-1)


def jacobian(m, t, R, point):
    """J with q' = J [v, w], v of the point (platform frame)."""
    _, p, u, _ = legs(m, t, R)
    return screws(m, t, R, point) / drive_rate(m, p, u)[..., None]


def characteristic_length(m):
    """Root mean square distance of the platform joints from their mean."""
    return np.sqrt(np.mean(np.sum((m.b - m.b.mean(axis=0)) ** 2, axis=1)))


def singularity_rows(m, t, R):
    """The six rows [u, rho x u] without unit, rho = R (b - mean b) / l."""
    rows = screws(m, t, R, m.b.mean(axis=0))
    return np.concatenate([rows[..., :3], rows[..., 3:] / characteristic_length(m)], axis=-1)


def is_singular_at_home(m):
    """Whether home is singular to rounding."""
    values = np.linalg.svd(singularity_rows(m, m.t0, m.R0), compute_uv=False)
    return values[-1] <= SINGULAR * values[0]


def singular_value(m, t, R):
    """Smallest singular value of those rows, negative where their determinant has not the sign it has at home.

    Where home is singular to rounding it has no side, and the value is never negative.
    """
    A = singularity_rows(m, t, R)
    closed = np.isfinite(A).all(axis=(-1, -2))
    A = np.where(closed[..., None, None], A, 0.0)
    side = 0.0 if is_singular_at_home(m) else np.sign(np.linalg.det(singularity_rows(m, m.t0, m.R0)))
    sign = np.sign(np.linalg.det(A)) * side
    return np.where(closed, np.linalg.svd(A, compute_uv=False)[..., -1] * np.where(sign < 0, -1, 1), np.nan)


def conditioning(m, t, R):
    """Singular values of the Jacobian from [v, l w] of the platform joints' centre to the joint rates."""
    J = jacobian(m, t, R, m.b.mean(axis=0))
    return np.linalg.svd(J * np.repeat([1, 1 / characteristic_length(m)], 3), compute_uv=False)


def top_speeds(m, t, R):
    """Along and about x, y, z alone at the point of interest (6,); in every direction; about every axis."""
    J, qd = jacobian(m, t, R, m.poi), m.actuators["joint_speed"]
    with np.errstate(divide="ignore"):  # a leg that does not move limits nothing
        along = np.min(qd / np.abs(np.swapaxes(J, -1, -2)), axis=-1)
    every = np.min(qd / np.linalg.norm(J[..., :3], axis=-1), axis=-1)
    every_axis = np.min(qd / np.linalg.norm(J[..., 3:], axis=-1), axis=-1)
    return along, every, every_axis
