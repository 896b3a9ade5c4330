"""Data that no such machine gives are named, bad rows are left out, and nothing wrong is found with confidence."""

import re
from functools import cache

import numpy as np
import pytest
from scipy.spatial.transform import Rotation
from tests.calibration.built import KINDS, KNOWN, MICRON, Built, measured
from tests.thorough import thorough

import gough
from gough.errors import InputError

NOISE = 20 * MICRON


@cache
def built(kind="UPS"):
    made = Built(gough.load(KINDS[kind]), np.random.default_rng(2), n=40, reach=0.1, turn=0.25, off=0.05)
    rng = np.random.default_rng(3)
    return made, made.q + NOISE * rng.normal(size=made.q.shape)


def refused(q, X, kind="UPS", **how):
    with pytest.raises(InputError) as error:
        gough.calibrate(built(kind)[0].drawn, q, X, **how)
    return str(error.value)


def seen(made):
    """Three targets on the platform (n, 3, 3)."""
    m = made.drawn
    points = m.platform_centre + 0.2 * m.size * np.random.default_rng(9).normal(size=(3, 3))
    return np.einsum("nij,kj->nki", made.X[:, :3, :3], points) + made.X[:, None, :3, 3]


def placed(X, change):
    """Poses with other positions."""
    changed = X.copy()
    changed[:, :3, 3] = change(X[:, :3, 3])
    return changed


def turned(X, change):
    """Poses with other rotations: a function of SciPy's."""
    changed = X.copy()
    changed[:, :3, :3] = change(Rotation.from_matrix(X[:, :3, :3])).as_matrix()
    return changed


def scaled(factor):
    """Angles in another unit than they are taken for."""
    return lambda R: Rotation.from_euler("xyz", factor * R.as_euler("xyz"))


def rolled(by):
    return lambda R: Rotation.from_quat(np.roll(R.as_quat(), by, axis=1))


UNITS = {
    "millimetres taken for metres": 1e3, "inches taken for millimetres": 1 / 25.4, "millimetres taken for inches": 25.4,
    "metres taken for inches": 0.0254, "centimetres taken for metres": 100.0,
}  # fmt: skip
POSES = {
    "x and y of the positions look swapped": lambda X: placed(X, lambda p: p[:, [1, 0, 2]]),
    "z of the positions seems to have the other sign": lambda X: placed(X, lambda p: p * [1, 1, -1]),
    "the quaternions look given with w first": lambda X: turned(X, rolled(1)),
    "the quaternions look given with w last": lambda X: turned(X, rolled(-1)),
    "the rotations look inverted": lambda X: turned(X, Rotation.inv),
    "the poses look inverted": np.linalg.inv,
    "the angles look like degrees taken for radians": lambda X: turned(X, scaled(180 / np.pi)),
    "the angles look like radians taken for degrees": lambda X: turned(X, scaled(np.pi / 180)),
    "check the order of quaternions, the sequence": lambda X: turned(
        X, lambda R: Rotation.from_euler("ZYX", R.as_euler("xyz"))
    ),
    "they are the same in all rows": lambda X: turned(X, lambda R: Rotation.from_matrix([R[0].as_matrix()] * len(R))),
    "x of the poses is the same": lambda X: placed(X, lambda p: np.where(np.arange(3) == 0, p[0], p)),
}


TWICE = [(list(KINDS)[k % 3], words) for k, words in enumerate(POSES)]


@pytest.mark.parametrize(
    ("kind", "words"), [*TWICE[: len(POSES) : 3], *thorough(*TWICE[1 : len(POSES) : 3], *TWICE[2 : len(POSES) : 3])]
)
def test_poses_read_otherwise_than_they_were_written_are_named(kind, words):
    made, q = built(kind)
    assert words in refused(q, POSES[words](made.X), kind)


def test_readings_of_cranks_in_another_unit_are_named():
    made, q = built("RUS")
    assert "the readings look like degrees taken for radians" in refused(180 / np.pi * q, made.X, "RUS")


OF_POSES = [(words, k % 2 == 0) for k, words in enumerate(UNITS)]


@pytest.mark.parametrize(("words", "is_pose"), [*OF_POSES[:2], *thorough(*OF_POSES[2:])])
def test_positions_in_another_unit_are_named(words, is_pose):
    kind, factor = list(KINDS)[(list(UNITS).index(words) + is_pose) % 3], UNITS[words]
    made, q = built(kind)
    X, how = (placed(made.X, lambda p: factor * p), {}) if is_pose else (None, {"positions": factor * seen(made)})
    assert f"the positions look like {words}" in refused(q, X, kind, **how)


@pytest.mark.parametrize(("kind", "what"), [("PUS", "poses"), *thorough(("RUS", "positions"))])
def test_readings_of_other_legs_directions_or_units_are_named(kind, what):
    made, q = built(kind)
    how = {"poses": {"X": made.X}, "positions": {"X": None, "positions": seen(made)}}[what]
    assert "legs 2 and 5 look swapped" in refused(q[:, [0, 4, 2, 3, 1, 5]], kind=kind, **how)
    assert "the legs look numbered from 2" in refused(q[:, [1, 2, 3, 4, 5, 0]], kind=kind, **how)
    assert "the readings of leg 4 seem to have the other sign" in refused(q * [1, 1, 1, -1, 1, 1], kind=kind, **how)
    other, factor = ("degrees taken for radians", 180 / np.pi) if kind == "RUS" else ("millimetres taken for", 1e3)
    assert f"the readings look like {other}" in refused(factor * q, kind=kind, **how)
    words = refused(q[:, [1, 2, 0, 3, 4, 5]], kind=kind, **how)
    assert "do not fit machine" in words, "an order that is not tried: nothing wrong is named"


@pytest.mark.parametrize(("what", "spare"), [("poses", 0), ("poses", 2), ("positions", 0)])
@pytest.mark.parametrize("kind", ["UPS", *thorough("PUS", "RUS")])
def test_few_rows_do_not_make_a_machine_look_well_known(kind, what, spare):
    """Through as many numbers as unknowns everything fits: that says nothing of the noise."""
    made, q = built(kind)
    count = made.legs.count + spare
    how = {"poses": made.X[:count]} if what == "poses" else {"positions": seen(made)[:count]}
    found = gough.calibrate(made.drawn, q[:count], **how)
    off = (found.errors - made.errors) / found.spread
    known = found.information
    weighted = known.directions @ off
    assert np.mean((1.0 + known.values**2) * weighted**2) < 3.0
    # The few degrees of freedom are said, unless spreads that follow from the errors leave enough of them.
    assert "degrees of freedom" in str(found) or found.noise["joints"] > 0.5 * NOISE


@pytest.mark.parametrize(
    ("kind", "what"),
    [
        *(("UPS", "positions"), ("PUS", "poses")),
        *thorough(("RUS", "positions")),
    ],
)
def test_noise_of_the_readings_is_found_whatever_the_device_measures(kind, what):
    """Targets that are rigid to one another say nothing of the joints."""
    made, rng = built(kind)[0], np.random.default_rng(31)
    found = []
    for _ in range(4):
        q = made.q + NOISE * rng.normal(size=made.q.shape)
        how = {"poses": made.X} if what == "poses" else {"positions": seen(made)}
        found.append(gough.calibrate(made.drawn, q, **how).noise["joints"])
    assert np.mean(found) == pytest.approx(NOISE, rel=0.1)


def test_a_stuck_reading_and_a_constant_coordinate_are_named():
    made, q = built()
    stuck = q.copy()
    stuck[:, 3] = stuck[0, 3]
    assert "q4 is" in refused(stuck, made.X)
    places = made.X[:, :3, 3].copy()
    places[:, 1] = 0.3
    with pytest.raises(InputError, match="y of target 1 is the same"):
        gough.calibrate(made.drawn, q, positions=places)


@pytest.mark.parametrize("kind", ["UPS", *thorough("PUS", "RUS")])
def test_rows_off_by_20_millimetres_are_found_and_cost_little(kind):
    """One row in twenty: named, all of them and no other, and what is left is as good as without them."""
    made, q = built(kind)
    X, rng = made.X.copy(), np.random.default_rng(4)
    bad = rng.choice(len(X), size=max(2, len(X) // 20), replace=False)
    X[bad, :3, 3] += 0.02 * np.eye(3)[rng.integers(0, 3, len(bad))]
    noise = {"joints": NOISE, "positions": NOISE, "rotations": NOISE}
    clean, found = (gough.calibrate(made.drawn, q, poses, noise=noise) for poses in (made.X, X))
    assert sorted(one.row for one in found.outliers) == sorted(bad)
    assert all(0.015 < one.off < 0.03 for one in found.outliers)

    def off(one):
        return np.sqrt(
            np.mean(
                (gough.inverse_kinematics(one.machine, made.X) - gough.inverse_kinematics(made.machine, made.X)) ** 2
            )
        )

    assert off(found) < 1.1 * off(clean) + 0.1 * NOISE


SAME = 5e-3
"""Of the standard deviations: errors from the same rows, from frames that begin elsewhere."""
FARTHER = {"length": 0.02, "angle": 1.0}
"""What a wrong reading is off [m, rad]: a slipped drive, 57 degrees."""


@pytest.mark.parametrize(("kind", "row"), [*zip(KINDS, (0, 12, 23), strict=True)])
def test_one_wildly_wrong_reading_of_24_rows_is_named_with_its_leg(kind, row):
    """The middle row too, from which nothing may be counted."""
    made, q = built(kind)
    m, wrong = made.drawn, q[:24].copy()
    off = FARTHER[m.legs.joint]
    wrong[row, 4] += off
    found = gough.calibrate(m, wrong, made.X[:24])
    (one,) = found.outliers
    assert one.row == row
    said = re.fullmatch(r"row (\d+) is off by .*: q5 alone reads (\S+) (\S+) too much", str(one))
    assert said.group(1, 3) == (str(row + 1), m.displayed_joint_unit)
    assert float(said[2]) == pytest.approx(off / m.displayed_joint_size, rel=0.01)
    rest = np.delete(np.arange(24), row)
    plain = gough.calibrate(m, q[rest], made.X[rest])
    assert found.rms_before == pytest.approx(plain.rms_before, rel=1e-3)
    assert np.abs((found.errors - plain.errors) / plain.deviations).max() < SAME


NOT_A_ROW = ("device", "points", "wire_points", "fixed_points")


@pytest.mark.parametrize("what", KNOWN)
@pytest.mark.parametrize("kind", ["UPS", *thorough("PUS", "RUS")])
def test_bad_rows_and_holes_in_every_kind_of_measurement_leave_the_result_of_the_others(kind, what):
    """Two of 40 rows 20 mm off, readings and measurements missing, single numbers missing: named, or not there."""
    rng = np.random.default_rng(22)
    made = Built(gough.load(KINDS[kind]), rng, n=40, off=0.05)
    how = measured(made, what, rng)
    if what == "three targets":  # points have noise, as those of any device
        how["positions"] = how["positions"] + NOISE * rng.normal(size=how["positions"].shape)
    q = made.q + NOISE * rng.normal(size=made.q.shape)
    bad, holes = rng.choice(np.arange(1, 36, 2), 2, replace=False), [6, 20]
    q[holes[0], 2] = np.nan
    clean = {}
    for key, values in how.items():
        clean[key] = values
        if key in NOT_A_ROW:
            continue
        clean[key] = values.copy()
        clean[key][holes[1]] = np.nan
        if key in ("positions", "distances"):
            clean[key][30, ..., 0] = np.nan
        how[key] = clean[key].copy()
        if key == "relative":
            how[key][bad, :3, 3] += 0.02
        elif key != "angles":
            how[key][bad] += 0.02
    rest = q.copy()
    rest[bad] = np.nan
    noise = {"joints": NOISE}
    found, plain = (gough.calibrate(made.drawn, a, noise=noise, **b) for a, b in ((q, how), (rest, clean)))
    assert sorted(one.row for one in found.outliers) == sorted(bad)
    assert not plain.outliers
    assert np.abs((found.errors - plain.errors) / plain.deviations).max() < SAME
