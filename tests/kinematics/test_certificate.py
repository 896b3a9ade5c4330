"""Proofs of poses: what they claim is compared with the true pose, had to fifty digits."""

from decimal import Decimal, localcontext

import numpy as np
import pytest
from tests.skew import SKEW

import gough
from gough._compile import kernel
from gough.assembly.real_poses import leg_gradients
from gough.kinematics._certificate import LOCAL_ROWS, bounds, invert, write_local
from gough.kinematics.certificate import REASONS, certify_pose

REGULAR = [info.name for info in gough.machines(stages=1) if info.name != "singular-home"]
REGULAR += SKEW
DIGITS = 50
TIGHT = 1e-11
"""A proven error at home, in machine sizes and rad: some tens of roundings, times the conditioning."""


def exact(values):
    """Doubles as decimals, not rounded."""
    return np.vectorize(Decimal, otypes=[object])(np.asarray(values, dtype=np.float64))


def orthonormal(R):
    """The rotation next to a matrix that is one to rounding."""
    for _ in range(4):
        R = R @ (3 * exact(np.eye(3)) - R.T @ R) / 2
    return R


def turn_by(v):
    """Cayley's rotation of tan(angle / 2) = |v|."""
    x, y, z = v
    cross = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]], dtype=object)
    square = v @ v
    return ((1 - square) * exact(np.eye(3)) + 2 * np.outer(v, v) + 2 * cross) / (1 + square)


def true_pose(machine, q, X):
    """The pose next to X that fits the legs to fifty digits: rotation and centre of the platform."""
    rod = machine.legs.rod()
    a, length = exact(machine.legs.driven_points(q)), exact(q if rod is None else rod)
    b = exact(machine.b_P) - exact(machine.platform_centre)
    R = orthonormal(exact(X[:3, :3]))
    t = exact(X[:3, 3]) + exact(X[:3, :3]) @ exact(machine.platform_centre)
    size = float(machine.size)
    G = leg_gradients(machine, q, X[None])[0]
    for _ in range(12):
        d = b @ R.T + t - a
        missed = ((d * d).sum(axis=1) - length * length).astype(float) / (2.0 * np.linalg.norm(d.astype(float), axis=1))
        step = np.linalg.solve(G, -missed)
        t = t + exact(step[:3])
        R = turn_by(exact(step[3:] / (2.0 * size))) @ R
    assert np.abs(missed).max() < 1e-40 * size
    return R, t


def distances(machine, X, R, t):
    """Of pose X from the true one: shift of the platform's centre [m], angle [rad]."""
    centre = exact(X[:3, 3]) + exact(X[:3, :3]) @ exact(machine.platform_centre)
    M = exact(X[:3, :3]).T @ R
    sine = np.array([M[2, 1] - M[1, 2], M[0, 2] - M[2, 0], M[1, 0] - M[0, 1]]).astype(float) / 2.0
    return np.linalg.norm((t - centre).astype(float)), np.arcsin(np.linalg.norm(sine))


def near_home(machine, rng, count, shift=0.03, turn=0.1):
    X = machine.X_home @ gough.pose_matrix(
        shift * machine.size * rng.normal(size=(count, 3)), turn * rng.normal(size=(count, 3)), "XYZ"
    )
    return X[np.isfinite(gough.inverse_kinematics(machine, X)).all(axis=1)]


@pytest.mark.parametrize("name", REGULAR)
def test_the_true_pose_lies_within_the_proven_error(name):
    m = gough.load(name)
    X = near_home(m, np.random.default_rng(11), 4)
    q = gough.inverse_kinematics(m, X)
    s = gough.forward_kinematics(m, q, near=X)
    proof = s.certificate
    assert proof.proven.all()
    assert len(X)
    with localcontext() as context:
        context.prec = DIGITS
        for k, pose in enumerate(s.matrix):
            shift, angle = distances(m, pose, *true_pose(m, q[k], pose))
            assert shift <= proof.position_error[k] < TIGHT * m.size
            assert angle <= proof.rotation_error[k] < TIGHT


@pytest.mark.parametrize("name", REGULAR)
def test_a_displaced_pose_is_proven_only_with_an_error_that_covers_it(name):
    """Displaced by anything from rounding to a third of the machine: the pose that made q is never excluded."""
    m, rng = gough.load(name), np.random.default_rng(12)
    X = near_home(m, rng, 3)[0]
    q = gough.inverse_kinematics(m, X)
    off = np.logspace(-14, -0.5, 300)
    c = m.platform_centre
    about_centre = gough.pose_matrix(c) @ gough.pose_matrix(
        m.size * off[:, None] * rng.normal(size=(300, 3)), off[:, None] * rng.normal(size=(300, 3)), "XYZ"
    )
    moved = X @ about_centre @ gough.pose_matrix(-c)
    proof = certify_pose(m, np.broadcast_to(q, (300, 6)), moved)
    shift = np.linalg.norm(((moved - X) @ np.append(c, 1.0))[:, :3], axis=1)
    M = np.swapaxes(moved[:, :3, :3], 1, 2) @ X[:3, :3]
    vee = np.stack([M[:, 2, 1] - M[:, 1, 2], M[:, 0, 2] - M[:, 2, 0], M[:, 1, 0] - M[:, 0, 1]], axis=1)
    angle = np.arctan2(np.linalg.norm(vee, axis=1), np.trace(M, axis1=1, axis2=2) - 1.0)
    covered = (shift <= proof.position_error) & (angle <= proof.rotation_error)
    elsewhere = (shift > proof.position_radius) | (angle > proof.rotation_radius)
    assert (covered | elsewhere)[proof.proven].all()
    assert covered[off < 1e-7].all(), "so close by, the proof is about this pose"
    assert proof.proven[off < 1e-7].all()
    assert not proof.proven[off > 0.25].any(), "so far off nothing is proven"


@kernel
def seen_from(model, q, X, G, M, Y):
    largest = write_local(model, q, X, G)
    invert(G, M, Y)
    return bounds(G, Y, largest)


@pytest.mark.parametrize("name", SKEW)
def test_the_equations_the_proof_is_about_are_those_of_the_legs(name):
    """Value, derivatives and the bound of the second ones, from the squared lengths of a displaced platform."""
    m = gough.load(name)
    X = m.X_home
    q = gough.inverse_kinematics(m, X) + 1e-4
    G, M, Y = np.empty((LOCAL_ROWS, 6)), np.empty((6, 12)), np.empty((6, 6))
    eta, kappa, lam, _, _ = seen_from(m.forward_model, q, X, G, M, Y)
    b = (m.b_P - m.platform_centre) / m.size
    a = ((m.legs.driven_points(q) - X[:3, 3]) @ X[:3, :3] - m.platform_centre) / m.size
    L = (q if m.legs.rod() is None else m.legs.rod()) / m.size

    def legs(y):
        """Of y = (v, w) (n, 6): the dual quaternion (1, v) + eps (-v.w, w), times 1 + |v|^2, by quaternion algebra."""
        v, w = y[:, None, :3], y[:, None, 3:]
        square, g0 = np.sum(v * v, axis=-1), -np.sum(v * w, axis=-1)
        turned = (1 - square[..., None]) * b + 2 * np.sum(v * b, axis=-1)[..., None] * v + 2 * np.cross(v, b)
        moved = 2 * (w - g0[..., None] * v + np.cross(v, w))
        d = turned + moved - (1 + square)[..., None] * a
        return (np.sum(d * d, axis=-1) / (1 + square) - (1 + square) * L**2) / 2

    h, E = 1e-3, np.eye(6)
    zero = np.zeros((1, 6))
    slope = (8 * (legs(h * E) - legs(-h * E)) - legs(2 * h * E) + legs(-2 * h * E)) / (12 * h)
    bend = np.array(
        [
            [
                (
                    legs(h * (i + j)[None])
                    - legs(h * (i - j)[None])
                    - legs(h * (j - i)[None])
                    + legs(-h * (i + j)[None])
                )[0]
                / (4 * h * h)
                for j in E
            ]
            for i in E
        ]
    )
    np.testing.assert_allclose(G[0], legs(zero)[0], atol=1e-13)
    np.testing.assert_allclose(G[1:7], slope, atol=1e-10)
    for row, (i, j) in zip(G[7:13], ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2)), strict=True):
        np.testing.assert_allclose(row, bend[i, j], atol=1e-5)
    assert kappa < 1e-9
    np.testing.assert_allclose(eta, np.abs(Y @ legs(zero)[0]).max(), rtol=1e-6)
    np.testing.assert_allclose(lam, np.abs(bend @ Y.T).sum(axis=(0, 1)).max(), rtol=1e-4)


@pytest.mark.parametrize("name", ["hexel", "rubin-camera", *SKEW])
def test_no_other_pose_lies_where_a_mode_is_the_only_one(name):
    m = gough.load(name)
    X = near_home(m, np.random.default_rng(13), 1, shift=0.01, turn=0.05)[0]
    modes = gough.assembly_modes(m, gough.inverse_kinematics(m, X))
    proven = np.flatnonzero(modes.certified)
    assert len(proven) > 1
    centres = modes.matrix @ np.append(m.platform_centre, 1.0)
    for i in proven:
        for j in range(len(modes)):
            cosine = 0.5 * (np.trace(modes.matrix[i, :3, :3].T @ modes.matrix[j, :3, :3]) - 1.0)
            apart = np.linalg.norm(centres[i] - centres[j]), np.arccos(np.clip(cosine, -1.0, 1.0))
            radius = modes.certificate.position_radius[i], modes.certificate.rotation_radius[i]
            assert i == j or apart[0] > radius[0] or apart[1] > radius[1]


@pytest.mark.parametrize("scale", [1e-6, 1e-3, 1e3, 1e6])
def test_a_machine_of_another_size_has_the_same_proofs(scale):
    m = gough.load("hexel")
    scaled = gough.from_points(scale * m.legs.a_B, scale * m.b_P, home=gough.pose(scale * m.X_home[:3, 3]))
    X = near_home(m, np.random.default_rng(14), 20)
    Y = X.copy()
    Y[:, :3, 3] *= scale
    here = gough.forward_kinematics(m, gough.inverse_kinematics(m, X), near=X).certificate
    there = gough.forward_kinematics(scaled, gough.inverse_kinematics(scaled, Y), near=Y).certificate
    assert here.proven.all()
    assert there.proven.all()
    np.testing.assert_allclose(there.position_radius, scale * here.position_radius, rtol=1e-6)
    np.testing.assert_allclose(there.rotation_radius, here.rotation_radius, rtol=1e-6)
    assert (there.position_error < TIGHT * scaled.size).all()


def test_what_is_not_proven_says_why():
    m = gough.load("hexel")
    q = gough.inverse_kinematics(m, m.home)
    nowhere = certify_pose(m, q, np.full((4, 4), np.nan))
    far = certify_pose(m, q, m.X_home @ gough.pose_matrix([0.3, 0, 0], [0.5, 0, 0], "XYZ"))
    singular = gough.load("singular-home")
    stuck = certify_pose(singular, gough.inverse_kinematics(singular, singular.home), singular.home)
    assert nowhere.sentence() == REASONS[3]
    assert far.sentence() == REASONS[1]
    assert stuck.sentence() == REASONS[2]
    assert certify_pose(m, q, m.home).sentence() == "proven"
    for proof in (nowhere, far, stuck):
        assert not proof.proven
        assert np.isinf(proof.position_error)
        assert np.isinf(proof.rotation_error)
        assert proof.position_radius == proof.rotation_radius == 0.0


def test_joint_values_that_do_not_fit_are_not_proven():
    m = gough.load("hexel")
    q = gough.inverse_kinematics(m, m.home)
    for off in (0.1, 0.5):
        assert not certify_pose(m, q + off * np.array([1, -1, 1, -1, 1, -1]), m.home).proven
    for bad in (np.nan, np.inf, 1e200):
        assert not certify_pose(m, [*q[:5], bad], m.home).proven
    for bad in (np.nan, 1e200):
        assert not certify_pose(m, q, m.X_home + [[0, 0, 0, bad], *[[0] * 4] * 3]).proven
    with pytest.raises(gough.GoughError, match="infinite"):
        certify_pose(m, q, m.X_home + [[0, 0, 0, np.inf], *[[0] * 4] * 3])
