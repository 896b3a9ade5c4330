"""All assembly modes against a tracker in plain NumPy; one pose at a time for controllers; the proof of a pose.

The peer is what one writes without a compiled tracker: the same equations (Husty 1996: six quadrics and Study's
condition in the dual quaternion), all forty paths as one NumPy batch from the same start machine, Runge-Kutta of
fourth order to predict and Newton's method to correct, one fixed step for all, ends by Newton's method alone. It has
no end game and checks nothing: where steps are too long paths jump, and what is then missing is not told.
"""

from __future__ import annotations

import sys
from pathlib import Path
from time import thread_time

import numpy as np

import gough
from benchmarks.timing import interleaved, repeated
from gough._compile import kernel
from gough.assembly.families import GENERAL, normalised
from gough.assembly.solve import start_system
from gough.kinematics.certificate import certify_pose
from gough.kinematics.solver import next_pose

sys.path.insert(0, str(Path(__file__).parent.parent / "tests" / "assembly"))
from machines import DIETMAIER_BASE, DIETMAIER_LENGTHS, DIETMAIER_PLATFORM, random_pose, symmetric

US, MS = 1e6, 1e3
STEPS = 400
ROUNDS = 10


def quadrics(legs):
    """Symmetric matrices (7, 8, 8) of the equations x' Q x = 0 of legs (6, 7): rows (a, b, c).

    c/2 e.e - (a e).(e b) + 2 g.(e b - a e) + 2 g.g of each leg, and e.g.
    """
    Q = np.zeros((7, 8, 8), dtype=complex)
    for n, row in enumerate(legs):
        A, B = (np.array([product(*pair) for pair in pairs]).T for pairs in factors(row[:3], row[3:6]))
        Q[n, :4, :4] = 0.5 * row[6] * np.eye(4) - 0.5 * (A.T @ B + B.T @ A)
        Q[n, 4:, :4], Q[n, :4, 4:], Q[n, 4:, 4:] = B - A, (B - A).T, 2.0 * np.eye(4)
    Q[6, :4, 4:] = Q[6, 4:, :4] = 0.5 * np.eye(4)
    return Q


def factors(a, b):
    """Pairs of quaternions whose products are the columns of e -> a e and e -> e b."""
    units = np.eye(4)
    return [([0, *a], unit) for unit in units], [(unit, [0, *b]) for unit in units]


def product(p, q):
    """Of quaternions, real part first."""
    p, q = np.asarray(p), np.asarray(q)
    return np.concatenate([[p[0] * q[0] - p[1:] @ q[1:]], p[0] * q[1:] + q[0] * p[1:] + np.cross(p[1:], q[1:])])


def numpy_modes(machine, q):
    """Complex dual quaternions (n, 8) that solve the legs, distinct: forty paths in one batch, fixed steps."""
    target = normalised(machine.legs.driven_points(q), machine.b_P, q).legs
    legs, x = start_system(GENERAL, 0)
    low, middle, high = (quadrics(legs + s * (target - legs)) for s in (0.0, 0.5, 1.0))
    # Q(s) = low + s slope + s^2 bend: along a straight way of (a, b, c) the quadrics are quadratic.
    slope, bend = 4.0 * middle - 3.0 * low - high, 2.0 * (low + high - 2.0 * middle)

    def tangent(s, x):
        Q, Q_s = low + s * (slope + s * bend), slope + 2.0 * s * bend
        return across(Q, x, -np.einsum("ni,kij,nj->nk", x, Q_s, x))

    h = 1.0 / STEPS
    for step in range(STEPS):
        s = step * h
        x = x / np.linalg.norm(x, axis=1, keepdims=True)
        k1 = tangent(s, x)
        k2 = tangent(s + h / 2, x + h / 2 * k1)
        k3 = tangent(s + h / 2, x + h / 2 * k2)
        x = x + h / 6 * (k1 + 2 * k2 + 2 * k3 + tangent(s + h, x + h * k3))
        s += h
        for _ in range(2 if step < STEPS - 1 else 6):
            x = x + corrected(low + s * (slope + s * bend), x)
    x = x / np.linalg.norm(x, axis=1, keepdims=True)
    fits = np.abs(np.einsum("ni,kij,nj->nk", x, high, x)).max(axis=1) < 1e-12
    x = x[fits & (np.abs((x[:, :4] ** 2).sum(axis=1)) > 1e-8)]
    same = np.abs(np.abs(x.conj() @ x.T) - 1.0) < 1e-9
    return x[same.argmax(axis=1) == np.arange(len(x))]


def corrected(Q, x):
    """Newton's step across x."""
    return across(Q, x, -np.einsum("ni,kij,nj->nk", x, Q, x))


def across(Q, x, right):
    """The d (n, 8) with 2 x' Q d = right (n, 7) and no part along x."""
    J = np.concatenate([2.0 * np.einsum("ni,kij->nkj", x, Q), x.conj()[:, None]], axis=1)
    right = np.concatenate([right, np.zeros((len(x), 1))], axis=1)
    return np.linalg.solve(J, right[..., None])[..., 0]


def modes():
    """All modes of a general machine and of hexapods; the forward solver; the certificate."""
    return [*all_modes(), *controllers()]


def machines():
    """Names, machines and joint coordinates: general, special, and special but for the rounding of a drawing."""
    yield "dietmaier", gough.from_points(DIETMAIER_BASE, DIETMAIER_PLATFORM), np.array(DIETMAIER_LENGTHS)
    for name in ("hexel", "dehaeze", "tsai2000"):
        m = gough.load(name)
        yield name, m, gough.inverse_kinematics(m, m.home)
    rng = np.random.default_rng(2)
    m = symmetric(rng)
    yield "three-fold symmetry", m, gough.inverse_kinematics(m, random_pose(rng))


def all_modes():
    """One vector of joint coordinates, one core."""
    rows = []
    for name, m, q in machines():
        ours = gough.assembly_modes(m, q).finite_count
        with np.errstate(all="ignore"):
            theirs = len(numpy_modes(m, q))
            times = interleaved(
                [("Gough", lambda m=m, q=q: gough.assembly_modes(m, q)), ("NumPy", lambda m=m, q=q: numpy_modes(m, q))],
                rounds=5,
                clock=thread_time,
            )
        what = f"all assembly modes of {name}: {ours} finite; reference: {theirs}"
        rows.append((what, times["Gough"] * MS, "NumPy homotopy", times["NumPy"] * MS, "ms"))
    return rows


@kernel
def follow(code, arrays, q, rounds):
    """A controller's loop, compiled: joint coordinates q (n, 6) many times over; how many were near."""
    near = 0
    for _ in range(rounds):
        for k in range(q.shape[0]):
            near += next_pose(code, arrays, q[k]) == 0
    return near


def circle(machine, tick, count=1000):
    """Joint coordinates (count, 6) on a circle of 5 cm through home and back, at most `tick` [m] of a leg apart."""
    angle = tick / 0.05
    for _ in range(3):
        s = angle * np.concatenate([np.arange(count // 2), np.arange(count // 2)[::-1]])
        way = 0.05 * np.stack([np.sin(s), np.cos(s) - 1.0, 0.2 * np.sin(2 * s)], axis=1)
        X = machine.X_home @ gough.pose_matrix(way)
        q = gough.inverse_kinematics(machine, X)
        angle *= tick / np.abs(np.diff(q, axis=0)).max()
    return X, q


def controllers():
    """Hexel on a circle, one call for each tick of a controller, against forward kinematics from the last pose.

    At a thousand ticks a second its legs, at their top speed of 25 mm/s, move 0.025 mm between two; the other row is of
    ten times that.
    """
    m, rows = gough.load("hexel"), []
    for tick in (25e-6, 250e-6):
        X, q = circle(m, tick)
        times = controller_times(m, q)
        each = {name: US * time / len(q) / (ROUNDS if name == "compiled" else 1) for name, time in times.items()}
        what = f"ForwardSolver, {1e3 * tick:.3g} mm a tick"
        rows.append((f"{what}, call from Python", each["solver"], "near=last", each["forward"], "us"))
        rows.append((f"{what}, inside compiled code", each["compiled"], "near=last", each["forward"], "us"))
    parties = [
        ("proof", lambda: certify_pose(m, q, X)),
        ("single", repeated(lambda: certify_pose(m, q[0], X[0]), len(q))),
    ]
    proof = {name: US * time / len(q) for name, time in interleaved(parties, clock=thread_time).items()}
    return [*rows, ("certificate, per pose", proof["proof"], "call for one pose", proof["single"], "us")]


def controller_times(machine, q):
    """Seconds for joint coordinates q, one call each: from Python, inside compiled code (ROUNDS times), the peer."""
    solver, last = gough.ForwardSolver(machine), [machine.X_home]
    joints = list(q)

    def from_last():
        for row in joints:
            last[0] = gough.forward_kinematics(machine, row, near=last[0]).matrix

    def called():
        for row in joints:
            solver(row)

    def compiled():
        assert follow(*solver.state, q, ROUNDS) == ROUNDS * len(q)

    return interleaved([("solver", called), ("forward", from_last), ("compiled", compiled)], clock=thread_time)
