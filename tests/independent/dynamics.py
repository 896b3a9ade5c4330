"""Forces that hold the weight and natural frequencies: from energies, by differences of the places of all bodies."""

from dataclasses import replace
from itertools import product

import numpy as np
from scipy.linalg import eigh
from scipy.spatial.transform import Rotation
from tests.independent.kinematics import (
    characteristic_length,
    driven_points,
    jacobian,
    joint_coordinates,
    platform_joints,
    turned,
)

STEP = 1e-4
WIDE = 2e-3
"""Step of second differences of the fourth order: errors near 1e-10 of the energy."""
SECOND = {-2: -1 / 12, -1: 4 / 3, 0: -5 / 2, 1: 4 / 3, 2: -1 / 12}
FIRST = {-2: 1 / 12, -1: -2 / 3, 1: 2 / 3, 2: -1 / 12}
"""Weights of these differences by steps: of a second and of a first derivative."""


def moved(m, x):
    """Home, moved by x: the platform's origin by x[:3] [m], its axes by the rotation vector x[3:] [rad]."""
    return m.t0 + x[:3], Rotation.from_rotvec(x[3:]).as_matrix() @ m.R0


def bodies(m, t, R, *, drives_held=False):
    """All bodies with a mass: (Body, place of its mass centre, its axes).

    With the drives held sliders and cranks stay at home, and legs turn about their feet and give along their length.
    """
    q0 = joint_coordinates(m, m.t0, m.R0)
    q = q0 if drives_held else joint_coordinates(m, t, R)
    p, P = driven_points(m, q), platform_joints(m, t, R)
    found = [] if m.platform is None else [(m.platform, t + R @ m.platform.c, R)]
    found += [(body, t + R @ (p_P + R_P @ body.c), R @ R_P) for body, p_P, R_P in m.head]
    for part, of_leg in m.parts.items():
        for i, body in enumerate(of_leg):
            origin, axes = {"piston": P, "crank": m.a}.get(part, p)[i], np.eye(3)
            if part == "crank":
                flat = m.arm[i] - m.arm[i] @ m.axis[i] * m.axis[i]
                x = turned(m.axis[i], q[i : i + 1], flat / np.linalg.norm(flat))[0]
                axes = np.column_stack([x, np.cross(m.axis[i], x), m.axis[i]])
            elif part != "slider":
                axes = leg_axes(m, i, P[i] - p[i], q[i])
            found.append((body, origin + axes @ body.c, axes))
    return found


def leg_axes(m, i, d, q):
    """The leg frame: z along the leg; y along the universal joint's second axis where its first one is known."""
    z = d / np.linalg.norm(d)
    if m.joint_axis is None:  # round parts: any frame that does not turn about the leg, here by the shortest turn
        z0 = platform_joints(m, m.t0, m.R0)[i] - driven_points(m, joint_coordinates(m, m.t0, m.R0))[i]
        z0 = z0 / np.linalg.norm(z0)
        w = np.cross(z0, z)
        s = np.linalg.norm(w)
        return Rotation.from_rotvec(w * (np.arctan2(s, z0 @ z) / s if s > 0 else 0)).as_matrix() @ _any_axes(z0)
    e = turned(m.axis[i], np.array([q]), m.joint_axis[i])[0] if m.kind == "RUS" else m.joint_axis[i]
    y = np.cross(z, e)
    y = y / np.linalg.norm(y)
    return np.column_stack([np.cross(y, z), y, z])


def _any_axes(z):
    x = np.cross(z, np.eye(3)[np.argmin(np.abs(z))])
    x = x / np.linalg.norm(x)
    return np.column_stack([x, np.cross(z, x), z])


def steps(m):
    """A small displacement along and about each axis."""
    return STEP * np.repeat([characteristic_length(m), 1.0], 3)


def weight_per_gravity(m):
    """Actuator forces that hold all known masses at home under a unit of gravity along x, y, z: (6, 3).

    f . dq = dV for every displacement, V = - sum m g . c; so J^T f = dV/dx.
    """
    slopes = np.zeros((6, 3))
    for k, h in enumerate(steps(m)):
        x = h * np.eye(6)[k]
        for sign in (1, -1):
            slopes[k] -= sign * sum(body.mass * c for body, c, _ in bodies(m, *moved(m, sign * x))) / (2 * h)
    return np.linalg.solve(jacobian(m, m.t0, m.R0, np.zeros(3)).T, slopes)


def holding_forces(m):
    """Actuator forces that hold the machine's weight at home (6,)."""
    return weight_per_gravity(m) @ m.g


def mass_matrix(m):
    """M at home with the drives held: kinetic energy = x'^T M x' / 2, of the platform's origin and axes."""
    velocities = []  # of each displacement: of each body sqrt(mass) v and sqrt(inertia) w
    for k, h in enumerate(steps(m)):
        x = h * np.eye(6)[k]
        pairs = zip(*(bodies(m, *moved(m, s * x), drives_held=True) for s in (1, -1)), strict=True)
        rates = [(body, (c1 - c0) / (2 * h), (A1 @ A0.T) / (2 * h), A0) for (body, c1, A1), (_, c0, A0) in pairs]
        velocities.append([(body, v, A0.T @ _vee(W)) for body, v, W, A0 in rates])
    M = np.zeros((6, 6))
    for j, row in enumerate(velocities):
        for k, column in enumerate(velocities):
            for (body, v1, w1), (_, v2, w2) in zip(row, column, strict=True):
                M[j, k] += body.mass * v1 @ v2 + w1 @ body.I @ w2
    return M


def _vee(W):
    return np.array([W[2, 1] - W[1, 2], W[0, 2] - W[2, 0], W[1, 0] - W[0, 1]]) / 2


def geometric_stiffness(m, point, wrench=None):
    """Second derivatives (6, 6) at home, about a point of the platform, of the energy that is not the springs' own.

    W(x) + sum T_i L_i(x): all weights and a force that keeps its direction at the point, the drives held, and the rods
    under the tensions T that hold them, W' + sum T_i L_i' = 0. A moment that keeps its direction has no potential: only
    the tensions that hold it count.
    """
    F = np.zeros(6) if wrench is None else np.asarray(wrench)
    p0, arm, here = driven_points(m, joint_coordinates(m, m.t0, m.R0)), m.R0 @ point, bodies(m, m.t0, m.R0)

    def energies(x):  # of weights and the force, and the rods' lengths (7,)
        t, R = moved(m, x)
        t = t + arm - (R @ m.R0.T) @ arm
        pairs = zip(bodies(m, t, R, drives_held=True), here, strict=True)
        fall = sum(body.mass * (c - c0) @ m.g for (body, c, _), (_, c0, _) in pairs)
        lengths = np.linalg.norm(platform_joints(m, t, R) - p0, axis=1)
        return np.append(-fall - F[:3] @ x[:3], lengths)

    h, axes = WIDE * np.repeat([characteristic_length(m), 1.0], 3), np.eye(6)
    slopes = np.array([sum(w * energies(s * h[k] * axes[k]) for s, w in FIRST.items()) / h[k] for k in range(6)])
    pull = slopes[:, 0] - np.append(np.zeros(3), F[3:])
    tension = np.linalg.solve(slopes[:, 1:], -pull)

    def energy(x):
        return energies(x) @ np.append(1.0, tension)

    G = np.empty((6, 6))
    for i in range(6):
        G[i, i] = sum(w * energy(s * h[i] * axes[i]) for s, w in SECOND.items()) / h[i] ** 2
        for j in range(i):
            pairs = product(FIRST.items(), repeat=2)
            total = sum(v * w * energy(a * h[i] * axes[i] + b * h[j] * axes[j]) for (a, v), (b, w) in pairs)
            G[i, j] = G[j, i] = total / (h[i] * h[j])
    return G


def squares_under_load(m):
    """Squared angular frequencies under all weights at home, the drives held [1/s2]; negative ones fall over."""
    from tests.independent.statics import stiffness

    origin = np.zeros(3)
    K = stiffness(m, m.t0, m.R0, origin) + geometric_stiffness(m, origin)
    return eigh(K, mass_matrix(m), eigvals_only=True)


def natural_frequencies(m, t=None, R=None):
    """K shape = (2 pi f)^2 M shape with the drives held at a pose, or at home [Hz]."""
    from tests.independent.statics import stiffness

    if t is not None:
        m = replace(m, t0=t, R0=R)  # in all of this "home" is where the drives are held
    K = stiffness(m, m.t0, m.R0, np.zeros(3))
    return np.sqrt(eigh(K, mass_matrix(m), eigvals_only=True)) / (2 * np.pi)
