"""Machines that were built with known errors are found again; every kind of leg, every kind of measurement."""

from pathlib import Path

import numpy as np
import pytest
from tests.calibration.built import KINDS, KNOWN, MICRON, Built, everything, measured, same_kinematics
from tests.relabelled import relabelled
from tests.thorough import thorough

import gough
from gough.calibration.measurements import measurements
from gough.calibration.problem import Problem
from gough.calibration.setup import Setup
from gough.displacements import displaced

REFERENCES = Path(__file__).parents[1] / "references"
EXACT = 1e-9
"""Without noise errors come back to this [m, rad]: squares of residuals end at rounding."""
STEP = 1e-6
"""Of residuals, for differences [m, rad]."""


@pytest.mark.parametrize("kind", KINDS)
def test_derivatives_are_those_of_central_differences(kind):
    """All errors, all frames and points, all kinds of measurements, two sessions, away from zero."""
    legs, rng = everything(kind), np.random.default_rng(3)
    m, n = legs.machine, 4
    X = displaced(np.tile(m.X_home, (n, 1, 1)), rng.normal(size=(n, 6)) * 0.03 * np.array([m.size] * 3 + [1.0] * 3))
    points = rng.normal(size=(2, 3)) * 0.1 * m.size
    given = measurements(
        gough.inverse_kinematics(m, X), poses=X, positions=rng.normal(size=(n, 2, 3)), angles=rng.normal(size=(n, 2)),
        distances=rng.uniform(1, 2, (n, 2)), relative=np.roll(X, 1, axis=0), sessions=[0, 0, 1, 1],
    )  # fmt: skip
    frames = displaced(np.tile(np.eye(4), (3, 1, 1)), rng.normal(size=(3, 6)))
    setup = Setup(frames[:2], frames[2], points, points + 0.01, rng.normal(size=(2, 3)) + 2.0, frozenset())
    problem = Problem(legs, setup, given, np.full(6 * legs.count, 1e-3), X.copy())
    x = rng.normal(size=problem.errors_count + problem.setup_count)
    x *= np.where(np.arange(len(x)) < problem.errors_count, 0.3, 0.1)
    exact = problem.rows(x)
    size = np.max([np.abs(each.J).max(axis=(0, 1)) for each in exact], axis=0)
    for step in STEP * rng.normal(size=(6, len(x))) / np.maximum(size, STEP):  # every column counts alike in each
        for each, up, down in zip(exact, problem.rows(x + step), problem.rows(x - step), strict=True):
            difference = (up.r - down.r) / 2
            np.testing.assert_allclose(each.J @ step, difference, atol=1e-6 * np.abs(difference).max())


@pytest.mark.parametrize("kind", KINDS)
def test_errors_come_back_without_noise_from_poses_in_known_frames(kind):
    built = Built(gough.load(KINDS[kind]), np.random.default_rng(5))
    found = gough.calibrate(built.drawn, built.q, built.X, device=np.eye(4), target=np.eye(4))
    assert not found.undetermined
    assert not found.outliers
    # to the precision that readings allow, in the pose: the errors themselves lose the digits of their condition
    near = gough.inverse_kinematics(found.machine, built.X[:5])
    near = near if found.machine.encoders is None else found.machine.encoders.readings(near)
    np.testing.assert_allclose(near, built.q[:5], atol=EXACT)
    assert np.abs(found.errors - built.errors).max() < 1e3 * EXACT


PICOMETRE = 1e-12


def test_the_forty_two_parameters_of_nategh_and_agheli_come_back_to_a_picometre():
    """Their machine as drawn and as simulated (2009, tables 1 and 2), 1 to 5 mm apart, from twelve poses."""
    _, *rows = (line.split(",") for line in (REFERENCES / "nategh2009.csv").read_text().splitlines())
    drawn, real = (
        1e-3 * np.array([row[2:] for row in rows if row[0] == which], float) for which in ("nominal", "real")
    )
    home = gough.pose([0.0, 0.0, 0.85])
    m, built = (gough.from_points(one[:, 3:6], one[:, :3], home=home) for one in (drawn, real))
    d = np.random.default_rng(0).uniform(-1.0, 1.0, (12, 6)) * [0.3, 0.3, 0.15, 0.3, 0.3, 0.3]
    X = displaced(np.tile(m.X_home, (12, 1, 1)), d)
    truth = real - drawn
    readings = gough.inverse_kinematics(built, X) - truth[:, 6]
    found = gough.calibrate(m, readings, X, device=np.eye(4), target=np.eye(4))
    assert 1e-3 < np.abs(truth).max() < 6e-3
    errors = found.errors.reshape(6, 7)
    np.testing.assert_allclose(errors, truth[:, [3, 4, 5, 0, 1, 2, 6]], rtol=0, atol=PICOMETRE)


@pytest.mark.parametrize("kind", KINDS)
def test_calibrating_a_perfect_machine_changes_nothing(kind):
    built = Built(gough.load(KINDS[kind]), np.random.default_rng(1), off=0.0)
    found = gough.calibrate(built.drawn, built.q, built.X)
    assert found.rms < EXACT
    assert same_kinematics(found.machine, built.drawn, built.X) < EXACT


@pytest.mark.parametrize("kind", ["UPS", *thorough("PUS", "RUS")])
def test_frames_and_order_of_the_legs_do_not_matter(kind):
    """The device anywhere, the target anywhere on the platform, the legs numbered otherwise: the same machine."""
    rng = np.random.default_rng(8)
    built = Built(gough.load(KINDS[kind]), rng, n=30)
    X = built.X
    q = built.q + 20 * MICRON * rng.normal(size=built.q.shape)
    C, D = displaced(np.tile(np.eye(4), (2, 1, 1)), rng.normal(size=(2, 6)))
    noise = {"joints": 20 * MICRON, "positions": 1e-3 * MICRON, "rotations": 1e-9}  # of the target: where it is matters
    plain = gough.calibrate(built.drawn, q, X, noise=noise)
    moved = gough.calibrate(built.drawn, q, C @ X @ D, noise=noise)
    np.testing.assert_allclose(moved.residuals, plain.residuals, atol=0.05 * MICRON)
    np.testing.assert_allclose(moved.errors, plain.errors, atol=1e-3 * np.abs(plain.errors).max())
    order = np.array([3, 1, 5, 0, 2, 4])
    other = gough.calibrate(relabelled(built.drawn, order, leg_bodies={}, joint_axis=None), q[:, order], X, noise=noise)
    np.testing.assert_allclose(other.residuals, plain.residuals[:, order], atol=0.05 * MICRON)


@pytest.mark.parametrize("size", [1e-3, 1e3])
def test_a_machine_of_another_size_has_errors_of_that_size(size):
    """What is assumed of noise and of errors is part of the machine's size: no unit of length is hidden in it."""
    m, rng = gough.load("hexel"), np.random.default_rng(3)
    built = Built(m, rng, n=30, off=0.05)
    q = built.q + 20 * MICRON * rng.normal(size=built.q.shape)

    def found(k):
        scaled = gough.from_points(k * m.legs.a_B, k * m.b_P, home=gough.pose_matrix(k * m.X_home[:3, 3]))
        X = built.X.copy()
        X[:, :3, 3] *= k
        return gough.calibrate(scaled, k * q, X)

    one, other = found(1.0), found(size)
    np.testing.assert_allclose(other.errors / size, one.errors, atol=1e-6 * np.abs(one.errors).max())
    np.testing.assert_allclose(other.deviations / size, one.deviations, rtol=1e-6)
    assert other.undetermined == one.undetermined


def test_positions_relative_to_a_point_of_each_set_calibrate_a_hexaglide():
    """As Abtahi, Pendar, Alasty and Vossoughi (2010) measure: sets of poses about one position each, turned, of
    which differences of positions within the set are known alone."""
    rng, m = np.random.default_rng(7), gough.load("hexaglide")
    sets = np.repeat(np.arange(12), 10)
    centres = rng.uniform(-0.06, 0.06, (12, 3)) * m.size
    d = np.concatenate([centres[sets] + 2e-3 * rng.normal(size=(120, 3)), rng.uniform(-0.2, 0.2, (120, 3))], axis=1)
    X = displaced(np.tile(m.X_home, (120, 1, 1)), d)
    built = Built(m, rng, n=5, off=0.01)
    q = gough.inverse_kinematics(built.machine, X)
    tip = m.platform_centre + [0.05, 0.02, -0.1]
    place = X[:, :3, :3] @ tip + X[:, :3, 3]
    within = place - place[sets * 10]
    first = sets < 10
    found = gough.calibrate(m, q[first], positions=within[first], sessions=sets[first], points=tip)
    turned = gough.forward_kinematics(found.machine, q[~first], near=X[~first]).matrix
    seen = turned[:, :3, :3] @ tip + turned[:, :3, 3]
    seen, there = (each - each[sets[~first] * 10 - 100] for each in (seen, place[~first]))
    drawn = gough.forward_kinematics(m, q[~first], near=X[~first]).matrix
    plain = drawn[:, :3, :3] @ tip + drawn[:, :3, 3]
    plain = plain - plain[sets[~first] * 10 - 100]
    assert np.abs(distances(seen) - distances(there)).max() < 0.02 * np.abs(distances(plain) - distances(there)).max()


def distances(points):
    """Between all pairs of points: no frame counts."""
    return np.linalg.norm(points[:, None] - points[None], axis=-1)


PAIRS = [(kind, what) for k, kind in enumerate(KINDS) for w, what in enumerate(KNOWN) if (w - k) % 3 or w == k]
"""Each kind of measurement with two leg kinds: the chain is the same for all."""


SLOW = (("RUS", "three targets"), ("PUS", "three targets"))


@pytest.mark.parametrize(("kind", "what"), [*(pair for pair in PAIRS if pair not in SLOW), *thorough(*SLOW)])
def test_every_kind_of_measurement_finds_the_machine_as_far_as_it_sees_it(kind, what):
    """Predicted for poses that were not measured: what the device would see there is right."""
    rng = np.random.default_rng(21)
    built = Built(gough.load(KINDS[kind]), rng, n=80, off=0.05)
    how = measured(built, what, rng)
    most = {
        key: value if key in ("device", "points", "wire_points", "fixed_points") else value[:60]
        for key, value in how.items()
    }
    found = gough.calibrate(built.drawn, built.q[:60], **most)
    rest = {
        key: value[60:] for key, value in how.items() if key not in ("device", "points", "wire_points", "fixed_points")
    }
    given = measurements(built.q[60:], **rest)
    p = found.problem
    ahead = Problem(p.legs, p.setup, given, p.spread, np.tile(built.drawn.X_home, (len(given), 1, 1)))
    off = np.concatenate([each.r[each.is_there] for each in ahead.rows(found.fit.x)])
    assert np.abs(off).max() < 1e-6 * built.drawn.size
    assert not found.outliers
