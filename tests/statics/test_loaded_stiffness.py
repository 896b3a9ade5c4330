"""Stiffness and frequencies under load: second derivatives of a potential energy written here, and the motion."""

from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from scipy.linalg import eigvals
from tests.poses import displaced
from tests.skew import MACHINES, SKEW_OF_KIND
from tests.thorough import thorough

import gough
from gough import stages
from gough.machine import Actuators
from gough.statics.stiffness import platform_stiffness

STEP = 2e-3
"""Of differences of the fourth order, in metres and rad: errors near 1e-9 of the energy."""
DIFFERENCES = 2e-6
"""Error of second differences with that step, relative to the largest element."""
FIRST = {-2: 1 / 12, -1: -2 / 3, 1: 2 / 3, 2: -1 / 12}
SECOND = {-2: -1 / 12, -1: 4 / 3, 0: -5 / 2, 1: 4 / 3, 2: -1 / 12}
"""Weights of the differences by steps: of a first and of a second derivative."""
SOFT = 3e3
"""Stiffness of the legs [N/m], so low that loads matter."""
POINT = np.array([0.03, -0.05, 0.08])


class Stage:
    """One stage with held drives: ends of its rods and mass centres of its bodies, all from the drawing."""

    def __init__(self, m, X):
        self.m, q = m, gough.inverse_kinematics(m, X)
        self.feet = m.legs.driven_points(q)
        at_zero = m.legs.carriers(np.zeros(6))[:, :3, :3]
        self.carriers = m.legs.carriers(q)
        self.first = np.einsum("nij,nkj,nk->ni", self.carriers[:, :3, :3], at_zero, m.joint_axis)

    def rods(self, X):
        heads = self.m.b_P @ X[:3, :3].T + X[:3, 3]
        return heads, np.linalg.norm(heads - self.feet, axis=1)

    def moment(self, X):
        """Sum of mass times mass centre in the stage's base (3,), and the mass."""
        m, (heads, length) = self.m, self.rods(X)
        total = m.platform.mass
        found = total * (X[:3, :3] @ m.platform.mass_centre + X[:3, 3])
        for part, body in m.leg_bodies.items():
            end = m.legs.attached_to[part]
            for i in range(6):
                u = (heads[i] - self.feet[i]) / length[i]
                y = np.cross(u, self.first[i])
                y /= np.linalg.norm(y)
                R, origin = np.column_stack([np.cross(y, u), y, u]), self.feet[i] if end == "foot" else heads[i]
                if end == "carrier":
                    R, origin = self.carriers[i, :3, :3], self.carriers[i, :3, 3]
                found = found + body.mass[i] * (origin + R @ body.mass_centre[i])
                total += body.mass[i]
        return found, total


def second_derivatives(function, n):
    """Hessian (n, n) of a function at zero, of the fourth order in the step."""
    h, axes = STEP, np.eye(n)
    H = np.empty((n, n))
    for i in range(n):
        for j in range(i, n):
            if i == j:
                H[i, i] = sum(w * function(k * h * axes[i]) for k, w in SECOND.items()) / h**2
            else:
                pairs = product(FIRST.items(), repeat=2)
                total = sum(v * w * function(h * (a * axes[i] + b * axes[j])) for (a, v), (b, w) in pairs)
                H[i, j] = H[j, i] = total / h**2
    return H


def gradient(function, n):
    return np.array([sum(w * function(k * STEP * e) for k, w in FIRST.items()) for e in np.eye(n)]) / STEP


def energy_of(machines, X, F, g, k):
    """Potential energy of springs, weights and the force F[:3] at POINT over the displacements (6,) of each platform,
    the springs under the forces that balance the load F there. The end platform is displaced about POINT, an
    intermediate one about its origin."""
    points = [np.zeros(3)] * (len(X) - 1) + [POINT]
    mount = machines[-1][1]
    parts = [Stage(m, pose) for (m, _), pose in zip(machines, own(X, mount), strict=True)]

    def positions(x):
        return [displaced(pose, part, at) for pose, part, at in zip(X, x.reshape(-1, 6), points, strict=True)]

    def lengths(x):
        return np.concatenate([p.rods(pose)[1] for p, pose in zip(parts, own(positions(x), mount), strict=True)])

    def of_loads(x):
        poses = positions(x)
        total = -F[:3] @ (poses[-1][:3, :3] @ POINT + poses[-1][:3, 3])
        base = np.eye(4)
        for part, pose, absolute in zip(parts, own(poses, mount), poses, strict=True):
            moment, mass = part.moment(pose)
            total -= g @ (base[:3, :3] @ moment + mass * base[:3, 3])
            base = absolute @ mount if mount is not None else base
        return total

    n = 6 * len(X)
    zero = np.zeros(n)
    J = np.array([gradient(lambda x, i=i: lengths(x)[i], n) for i in range(n)])
    pull = gradient(of_loads, n)
    pull[-3:] -= F[3:]
    push = np.linalg.solve(J.T, pull)  # springs push by k (rest - length)
    rest = lengths(zero) + push / k
    return lambda x: 0.5 * np.sum(k * (lengths(x) - rest) ** 2) + of_loads(x)


def own(X, mount):
    """Poses of the platforms, each in the base of its own stage."""
    return [X[0]] if len(X) == 1 else [X[0], np.linalg.inv(X[0] @ mount) @ X[1]]


@pytest.fixture
def loaded(random_machine, rng):
    def make(kind):
        m = replace(random_machine(kind, rng), actuators=Actuators(stiffness=SOFT * rng.uniform(1, 2, 6)))
        return m, displaced(m.X_home, rng.normal(size=6) * 0.01)

    return make


def check(found, expected, moment):
    antisymmetric = np.zeros_like(expected)
    # About fixed axes turns do not commute: a moment that keeps its direction adds -[m]x / 2.
    antisymmetric[-3:, -3:] = -0.5 * np.cross(np.eye(3), moment)
    scale = np.abs(expected).max()
    np.testing.assert_allclose((found + found.T) / 2, expected, rtol=0, atol=DIFFERENCES * scale)
    np.testing.assert_allclose((found - found.T) / 2, antisymmetric, rtol=0, atol=DIFFERENCES * scale)


@pytest.mark.parametrize("kind", SKEW_OF_KIND)
def test_stiffness_under_load_is_the_second_derivative_of_the_potential_energy(loaded, rng, kind):
    m, X = loaded(kind)
    F, g = rng.normal(size=6) * [80, 80, 80, 10, 10, 10], m.gravity
    expected = second_derivatives(energy_of([(m, None)], [X], F, g, m.actuators.stiffness), 6)
    found = gough.stiffness(m, X, point=POINT, wrench=F, gravity=True)
    check(found, expected, F[3:])
    for gravity in (None, g):
        np.testing.assert_array_equal(gough.stiffness(m, X, point=POINT, wrench=F, gravity=gravity), found)
    assert np.abs(found - gough.stiffness(m, X, point=POINT)).max() > 1e3 * DIFFERENCES * np.abs(expected).max()


@pytest.mark.parametrize(("below", "above"), [*thorough(("UPS", "RUS")), ("PUS", "UPS")])
def test_stiffness_of_stages_under_load_is_the_second_derivative_of_the_potential_energy(loaded, rng, below, above):
    (lower, X_BI), (upper, X_UP) = loaded(below), loaded(above)
    mount = gough.pose([0.1, 0.02, 0.05], [0.2, 0.1, 0.3], "XYZ")
    m = stages.stack(lower, upper, mount)
    X = np.stack([X_BI, X_BI @ m.X_IU @ X_UP])
    F, k = rng.normal(size=6) * [80, 80, 80, 10, 10, 10], np.concatenate([s.actuators.stiffness for s in m.stages])
    energy = energy_of([(lower, None), (upper, m.X_IU)], list(X), F, m.gravity, k)
    expected = second_derivatives(energy, 12)
    both = platform_stiffness(m, X, point=POINT, wrench=F, gravity=True)
    shift = np.eye(12)
    shift[6:9, 9:] = gough.poses.skew(X[1, :3, :3] @ POINT)  # the origin's displacement from that of the point
    both = shift.T @ both @ shift
    check(both, expected, F[3:])
    # The intermediate platform stays in equilibrium.
    ends = both[6:, 6:] - both[6:, :6] @ np.linalg.solve(both[:6, :6], both[:6, 6:])
    found = gough.stiffness(m, X, point=POINT, wrench=F, gravity=True)
    np.testing.assert_allclose(found, ends, rtol=0, atol=1e-9 * np.abs(ends).max())


def accelerations(m, X, q0, held):
    """Function of displacements (n,) to the platforms' accelerations on springs at the drives."""
    k = np.concatenate([stage.actuators.stiffness for stage in m.stages])
    shape = X.shape[:-2]

    def rate(x):
        poses = np.array(
            [displaced(pose, part) for pose, part in zip(X.reshape(-1, 4, 4), x.reshape(-1, 6), strict=True)]
        )
        poses = poses.reshape(X.shape)
        force = held - k * (gough.inverse_kinematics(m, poses) - q0)
        return gough.forward_dynamics(m, poses, np.zeros((*shape, 6)), force).ravel()

    return rate


@pytest.mark.parametrize("count", [1, 2])
def test_frequencies_are_those_of_the_equations_of_motion(loaded, count):
    """Struts, whose springs may stand at the drives; with all bodies and their weights."""
    parts = [loaded("UPS") for _ in range(count)]
    if count == 1:
        (m, X), n = parts[0], 6
    else:
        m, n = stages.stack(parts[0][0], parts[1][0], gough.pose([0.1, 0.02, 0.05], [0.2, 0.1, 0.3], "XYZ")), 12
        X = np.stack([parts[0][1], parts[0][1] @ m.X_IU @ parts[1][1]])
    held = gough.leg_forces(m, X, gravity=True)
    rate, h = accelerations(m, X, gough.inverse_kinematics(m, X), held), 1e-4
    assert np.abs(rate(np.zeros(n))).max() < 1e-9
    A = np.array([sum(w * rate(s * h * e) for s, w in FIRST.items()) / h for e in np.eye(n)]).T
    expected = np.sort(eigvals(-A).real)
    found = gough.natural_frequencies(m, X, gravity=True)
    np.testing.assert_allclose(found.square, expected, rtol=1e-7, atol=1e-9 * expected[-1])


def tall(mass, height, inertia):
    """The soft machine with a payload, and the same with its platform's frame drawn 500 mm higher."""
    m = gough.load(str(MACHINES / "soft-tall.toml"))
    up = np.array([0, 0, 0.5])
    legs, body = replace(m.legs, b_P=m.legs.b_P - up), replace(m.platform, mass_centre=m.platform.mass_centre - up)
    X = m.X_home.copy()
    X[:3, 3] += up
    shifted = replace(m, legs=legs, platform=body, X_home=X)
    load = np.array([0, 0, height])
    return [each.with_payload(mass, at, np.diag(inertia)) for each, at in ((m, load), (shifted, load - up))]


def test_frequencies_under_load_do_not_depend_on_where_the_platforms_frame_is_drawn():
    a, b = (gough.natural_frequencies(m, m.home, gravity=True) for m in tall(80, 0.5, [2, 2, 1]))
    np.testing.assert_allclose(a.frequency, b.frequency, rtol=1e-10)
    assert a.frequency[0] == pytest.approx(1.01025, abs=5e-6)  # from first principles, by another program
    assert a.is_stable
    assert (a.missing(), b.missing()) == ("", "")


def test_a_platform_that_falls_over_is_reported_as_unstable():
    for m in tall(200, 1.0, [4, 4, 2]):
        found = gough.natural_frequencies(m, m.home, gravity=True)
        assert found.square[0] == pytest.approx(-0.640, abs=5e-4)  # from first principles, by another program
        assert not found.is_stable
        assert "unstable" in found.missing()
        assert not gough.statics.principal_stiffness(gough.stiffness(m, m.home, gravity=True)).is_stable
        assert gough.natural_frequencies(m, m.home).is_stable


def test_a_simulated_swing_under_load_has_the_frequency_of_the_mode():
    m = tall(80, 0.5, [2, 2, 1])[0]
    found = gough.natural_frequencies(m, m.home, gravity=True)
    q0, held, k = gough.inverse_kinematics(m, m.home), gough.leg_forces(m, m.home, gravity=True), m.actuators.stiffness
    V0, half = 1e-5 * found.shape[:, 0], 0.5 / found.frequency[0]
    r = gough.simulate(
        m, m.home, V0, lambda t, X, V: held - k * (gough.inverse_kinematics(m, X) - q0), 1.5 * half, rtol=1e-11
    )
    # The mode's coordinate returns through zero after half a period.
    t = r.time.to_numpy()
    y = (found.shape[:, 0] @ gough.dynamics.mass_matrix(m, m.home)) @ r.twist.to_numpy().T
    k = int(np.flatnonzero(np.diff(np.sign(y)))[0])
    quarter = np.interp(0.0, [y[k + 1], y[k]], [t[k + 1], t[k]])
    assert quarter == pytest.approx(half / 2, rel=1e-6)
