"""Forces in the stated motion: virtual work, with velocities and accelerations of all bodies by differences in time.

From home straight along gravity's axis, x(t) = stroke (1 - cos(pi t / T)) / 2 from rest to rest, 0 <= t <= T.
"""

import numpy as np
from scipy.interpolate import CubicSpline
from scipy.spatial.transform import Rotation
from tests.independent.dynamics import bodies, steps
from tests.independent.kinematics import jacobian, joint_coordinates
from tests.independent.margins import size
from tests.independent.travel import TIE, travel

SLIP = 1e-3  # of the size per second, or rad/s: Coulomb friction is tanh(1) of its value there
FINE = 4001  # times at which friction is looked at, which begins and ends steeply
TIMES = 25  # the rule over time errs by far less where nothing jumps: the ends are ends of a period
TICK = 1e-3  # of T, for differences in time


def direction_and_stroke(m):
    """Unit vector up, or down where that goes farther but for a tie, and half the travel [m]."""
    pull = np.linalg.norm(m.g)
    up = -m.g / pull if pull > 0 else np.array([0.0, 0, 1])
    (plus, _), (minus, _) = (travel(m, np.append(e, np.zeros(3))) for e in (up, -up))
    e, far = (up, plus) if plus >= minus * (1 - TIE) else (-up, minus)
    return e, far / 2 if np.isfinite(far) else 0.05 * size(m)


def path(m, e, stroke, s):
    """Pose, joint rates and joint accelerations per T at times s, in parts of T."""

    def q(s):
        t = m.t0 + (stroke / 2 * (1 - np.cos(np.pi * s)))[..., None] * e
        return joint_coordinates(m, t, np.broadcast_to(m.R0, (*np.shape(s), 3, 3)))

    s = np.asarray(s, float)
    h, ahead, here, behind = TICK, q(s + TICK), q(s), q(s - TICK)
    return (ahead - behind) / (2 * h), (ahead - 2 * here + behind) / h**2


def least_time(m, e, stroke):
    """Time in which no joint exceeds half its top speed and acceleration; 1 s where neither is known."""
    rate, bend = (np.abs(values).max(axis=0) for values in path(m, e, stroke, np.linspace(0, 1, 1001)))
    times = []
    if "joint_speed" in m.actuators:
        times.append(np.max(rate / (0.5 * m.actuators["joint_speed"])))
    if "joint_acceleration" in m.actuators:
        times.append(np.sqrt(np.max(bend / (0.5 * m.actuators["joint_acceleration"]))))
    return max(times, default=1.0)


def forces_and_powers(m, e, stroke, T):
    """Actuator forces and powers (FINE, 6) at evenly spread times; bodies at TIMES of them, splines between."""
    s = np.linspace(0, 1, TIMES)
    load = np.zeros((TIMES, 6))
    for k in range(TIMES):
        at = [m.t0 + stroke / 2 * (1 - np.cos(np.pi * (s[k] + n * TICK))) * e for n in (-1, 0, 1)]
        load[k] = np.linalg.solve(jacobian(m, at[1], m.R0, np.zeros(3)).T, _inertia_and_weight(m, at, TICK * T))
    fine = np.linspace(0, 1, FINE)
    rates, bends = path(m, e, stroke, fine)
    rates, bends, load = rates / T, bends / T**2, CubicSpline(s, load)(fine)
    given = {
        key: m.actuators.get(key, np.zeros(6)) for key in ("viscous_friction", "coulomb_friction", "rotor_inertia")
    }
    gear = (
        m.actuators.get("gear_ratio", np.ones(6)) if m.kind == "RUS" else 2 * np.pi / m.actuators.get("screw_lead", 1)
    )
    slip = SLIP * (1.0 if m.kind == "RUS" else size(m))
    load += given["viscous_friction"] * rates + given["coulomb_friction"] * np.tanh(rates / slip)
    load += given["rotor_inertia"] * gear**2 * bends
    return load, load * rates


def _inertia_and_weight(m, at, tick):
    """Generalised forces (6,) of the platform's origin and axes that move all bodies through three places [N, N m]."""
    three = [bodies(m, t, m.R0) for t in at]
    may_spin = _may_spin(m)
    needed = []  # of each body: m (a - g), and the rate of its angular momentum
    for (body, c0, A0), (_, c1, A1), (_, c2, A2), spins in zip(*three, may_spin, strict=True):
        w0, w1 = (turn(A, B, spins) / tick for A, B in ((A0, A1), (A1, A2)))
        half0, half1 = (Rotation.from_rotvec(k * w * tick / 2).as_matrix() @ A1 for k, w in ((-1, w0), (1, w1)))
        L0, L1 = (H @ body.I @ H.T @ w for H, w in ((half0, w0), (half1, w1)))
        needed.append((body.mass * ((c0 - 2 * c1 + c2) / tick**2 - m.g), (L1 - L0) / tick))
    found = np.zeros(6)
    for j, h in enumerate(steps(m)):
        x = h * np.eye(6)[j]
        ends = [bodies(m, at[1] + k * x[:3], Rotation.from_rotvec(k * x[3:]).as_matrix() @ m.R0) for k in (-1, 1)]
        for (_, c0, A0), (_, c1, A1), (F, M), spins in zip(*ends, needed, may_spin, strict=True):
            found[j] += (F @ (c1 - c0) + M @ turn(A0, A1, spins)) / (2 * h)
    return found


def _may_spin(m):
    """Of each body: whether its axes say how it turns about the leg; round parts without a given joint do not."""
    found = [True] * ((m.platform is not None) + len(m.head))
    for part in m.parts:
        found += [part in ("slider", "crank") or m.joint_axis is not None] * 6
    return found


def turn(A, B, may_spin):
    """Rotation vector from axes A to B; of round parts the shortest that brings the z axis there."""
    if may_spin:
        return Rotation.from_matrix(B @ A.T).as_rotvec()
    w = np.cross(A[:, 2], B[:, 2])
    s = np.linalg.norm(w)
    return w * (np.arctan2(s, A[:, 2] @ B[:, 2]) / s if s > 0 else 0.0)


def peak(values):
    """Largest without sign (6,): at the ends, or of parabolas through the largest sample and its neighbours."""
    a = np.abs(values)
    found = []
    for leg in range(6):
        k = int(a[:, leg].argmax())
        if 0 < k < len(a) - 1:
            left, top, right = a[k - 1 : k + 2, leg]
            bend = left - 2 * top + right
            found.append(top - (right - left) ** 2 / (8 * bend) if bend < 0 else top)
        else:
            found.append(a[k, leg])
    return np.array(found)


def rms(values):
    """Root mean square over time (6,)."""
    return np.sqrt(np.trapezoid(values**2, axis=0) / (len(values) - 1))
