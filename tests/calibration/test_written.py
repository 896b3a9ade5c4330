"""What is written is the calibrated machine: its file, the covariance beside it, and what its controller reads."""

import hashlib
import tomllib
from dataclasses import replace

import numpy as np
import pytest
import xarray
from tests.calibration.built import KINDS, MICRON, Built, same_kinematics
from tests.calibration.grids import Grid

import gough
from gough.calibration import pose_covariance, remaining_error, write
from gough.calibration.legs import DRIVE, LegErrors, groups_of
from gough.calibration.remaining import SPAN, _frames
from gough.description.write import toml, written
from gough.displacements import displaced, rotation_vectors
from gough.errors import InputError
from gough.machine_parts import Encoders

LAST_DIGITS = 1e-12
"""Of the machine's size: a file's units and back."""


@pytest.mark.parametrize("kind", KINDS)
def test_the_file_is_the_calibrated_machine(kind, tmp_path):
    m = gough.load(KINDS[kind])
    built = Built(m, np.random.default_rng(4), n=40, parameters=(*groups_of(m, None), *DRIVE[:2]), off=0.05)
    found = gough.calibrate(m, built.q, built.X, parameters=built.legs.groups)
    data = tmp_path / "measured.csv"
    data.write_text("q1\n1\n")
    beside = write(found, tmp_path / "built.toml", like=KINDS[kind], data=data)
    again = gough.load(tmp_path / "built.toml")
    assert same_kinematics(again, found.machine, built.X) < LAST_DIGITS * m.size
    q = gough.inverse_kinematics(again, built.X)
    np.testing.assert_allclose(
        again.encoders.readings(q), found.machine.encoders.readings(q), atol=LAST_DIGITS * m.size
    )
    np.testing.assert_allclose(again.limits.joint_max, found.machine.limits.joint_max, rtol=1e-12)
    history = tomllib.loads((tmp_path / "built.toml").read_text())["calibration"]
    assert history["sha256"] == hashlib.sha256(data.read_bytes()).hexdigest()
    assert again.calibration["rms"] == pytest.approx(found.rms)
    assert tuple(again.calibration["undetermined"]) == found.undetermined
    covariance = xarray.load_dataset(beside, engine="scipy")
    np.testing.assert_allclose(covariance["covariance"], found.covariance)
    assert list(covariance["parameter"].values) == list(found.names)
    for when, residuals in (("before", found.before), ("after", found.residuals)):
        of_legs = np.sqrt(np.nanmean(residuals**2, axis=0))
        np.testing.assert_allclose(covariance[f"rms_by_leg_{when}"], of_legs, err_msg=when)


def test_the_covariance_of_one_machine_is_refused_for_another(tmp_path):
    """Two machines built to one drawing, the file of one laid over that of the other; in other units it is the same."""
    m = gough.load(KINDS["PUS"])
    for seed, name in enumerate(("first", "second")):
        built = Built(m, np.random.default_rng(seed), n=40, off=0.02)
        write(gough.calibrate(m, built.q, built.X), tmp_path / f"{name}.toml", like=KINDS["PUS"])
    first = gough.load(tmp_path / "first.toml")
    assert np.isfinite(remaining_error(first, built.X).position).all()
    (tmp_path / "first.nc").write_bytes((tmp_path / "second.nc").read_bytes())
    for function in (remaining_error, pose_covariance):
        with pytest.raises(InputError, match="covariance of a different machine"):
            function(first, built.X)


def test_the_calibrated_machine_reaches_poses_as_well_as_it_was_measured():
    """Of joints read with noise: its joint coordinates are off by part of that noise, and nowhere by much more."""
    m, rng = gough.load(KINDS["UPS"]), np.random.default_rng(9)
    built = Built(m, rng, n=40, off=0.02)
    noisy = built.q + 20 * MICRON * rng.normal(size=built.q.shape)
    found = gough.calibrate(m, noisy, built.X, noise={"joints": 20 * MICRON}, device=np.eye(4), target=np.eye(4))
    a, b = (one.encoders.readings(gough.inverse_kinematics(one, built.X)) for one in (found.machine, built.machine))
    assert np.sqrt(np.mean((a - b) ** 2)) < 15 * MICRON


def test_what_is_left_is_smaller_after_more_poses(tmp_path):
    m, rng = gough.load(KINDS["PUS"]), np.random.default_rng(9)
    built = Built(m, rng, n=60, off=0.02)
    left = []
    for count in (30, 60):
        found = gough.calibrate(m, built.q[:count], built.X[:count], noise={"joints": 20 * MICRON})
        write(found, tmp_path / f"{count}.toml", like=KINDS["PUS"])
        left.append(remaining_error(gough.load(tmp_path / f"{count}.toml"), built.X).position)
    away = built.X[:3] @ gough.pose_matrix([0.0, 0.0, 9.0 * m.size])
    mixed = remaining_error(gough.load(tmp_path / "60.toml"), np.concatenate([away, built.X]))
    for error in (mixed.position, mixed.rotation, pose_covariance(found, np.concatenate([away, built.X]))[:, 0, 0]):
        np.testing.assert_array_equal(np.isnan(error), np.arange(len(error)) < 3)
    assert (left[1] < left[0]).all()
    assert left[1].max() < 200 * MICRON


def test_a_calibrated_machine_is_calibrated_again_from_its_own_numbers():
    """With what its controller reads; nothing is left to be found."""
    m = gough.load(KINDS["UPS"])
    built = Built(m, np.random.default_rng(4), n=40, parameters=(*groups_of(m, None), *DRIVE[:2]), off=0.05)
    again = gough.calibrate(built.machine, built.q, built.X, parameters=built.legs.groups)
    assert again.rms < 1e-9
    assert same_kinematics(again.machine, built.machine, built.X) < 1e-8


def test_tolerances_of_the_file_hold_what_the_data_leave_open():
    m = gough.load(KINDS["UPS"])
    built = Built(m, np.random.default_rng(4), n=40, off=0.01)
    tight = replace(m, tolerances={"platform_points": 1e-6})
    found = gough.calibrate(tight, built.q, built.X, noise={"joints": 20 * MICRON})
    moved = found.errors.reshape(6, -1)[:, found.problem.legs.places["platform_points"]]
    assert np.abs(moved).max() < 10 * MICRON


def test_readings_and_joint_coordinates_are_inverse():
    rng = np.random.default_rng(0)
    e = Encoders(
        zero=0.01 * rng.normal(size=6), gain=0.05 * rng.normal(size=6), curvature=0.1 * rng.normal(size=6),
        sine=1e-4 * rng.normal(size=6), cosine=1e-4 * rng.normal(size=6), middle=rng.uniform(0.4, 0.6, 6),
        period=np.full(6, 0.01),
    )  # fmt: skip
    r = rng.uniform(0.3, 0.7, (20, 6))
    np.testing.assert_allclose(e.readings(e.coordinates(r)), r, atol=1e-14)
    step = 1e-6
    np.testing.assert_allclose((e.coordinates(r + step) - e.coordinates(r - step)) / (2 * step), e.rates(r), atol=1e-6)
    assert np.isnan(e.readings(np.full(6, np.nan))).all()


def test_weight_that_bends_legs_is_not_taken_for_geometry():
    """Poses are measured with the legs as they give under weight; with `sag` the machine comes back as drawn."""
    m = gough.load("pitch-circle")
    rng = np.random.default_rng(3)
    X = Built(m, rng, n=40, off=0.0, reach=0.02, turn=0.05).X
    from gough.calibration.start import extension_by_weight

    longer = extension_by_weight(m, X)
    assert np.abs(longer).max() > 1e-9
    q = gough.inverse_kinematics(m, X) - longer
    plain, counted = (gough.calibrate(m, q, X, device=np.eye(4), target=np.eye(4), sag=sag) for sag in (False, True))
    assert np.abs(counted.errors).max() < 0.1 * np.abs(plain.errors).max()


@pytest.mark.parametrize("name", ["hexel", "hexaglide", "servo", "rotopod", "linapod", *KINDS.values()])
def test_a_machine_is_written_back_as_it_is(name, tmp_path):
    m = gough.load(name)
    (tmp_path / "m.toml").write_text(written(m, name))
    again = gough.load(tmp_path / "m.toml")
    np.testing.assert_allclose(again.table, m.table, rtol=1e-12, atol=1e-14)
    np.testing.assert_allclose(again.X_home, m.X_home, atol=1e-13)


def test_the_covariance_of_poses_is_that_of_displacements_by_errors_drawn(tmp_path):
    """Of one combination of errors: the displacements of the poses reached, by forward kinematics, but for frames."""
    m, rng = replace(gough.load(KINDS["UPS"]), point_of_interest=np.array([0.1, -0.2, 0.3])), np.random.default_rng(3)
    built = Built(m, rng, n=40, off=0.02)
    found = gough.calibrate(m, built.q, built.X, noise={"joints": 20 * MICRON})
    e, has = (
        1e-7 * rng.normal(size=len(found.errors)) * found.problem.spread / found.problem.spread.max(),
        found.machine.encoders,
    )
    other = LegErrors(found.machine, found.problem.legs.groups, has.middle, has.period).machine_with(e.reshape(6, -1))
    about = displaced(found.machine.X_home, SPAN * [*[m.size] * 3, 2, 2, 2])
    readings = has.readings(gough.inverse_kinematics(found.machine, about))
    reached = gough.forward_kinematics(other, other.encoders.coordinates(readings)).matrix
    turn = rotation_vectors(reached[:, :3, :3] @ np.swapaxes(about[:, :3, :3], 1, 2))
    size = m.characteristic_length
    d, S = np.concatenate([reached[:, :3, 3] - about[:, :3, 3], size * turn], axis=1), _frames(about, size)
    frames = np.linalg.lstsq(S.reshape(-1, 12), d.ravel(), rcond=1e-9)[0]
    d = d - S @ frames
    d[:, 3:] /= size
    d[:, :3] += np.cross(d[:, 3:], about[:, :3, :3] @ m.point_of_interest)
    C = pose_covariance(replace(found, covariance=np.outer(e, e)), about)
    scale = np.abs(d).max(axis=0)
    np.testing.assert_allclose(
        C / scale / scale[:, None], d[:, :, None] * d[:, None] / scale / scale[:, None], atol=1e-3
    )
    write(found, tmp_path / "built.toml", like=KINDS["UPS"])
    again = gough.load(tmp_path / "built.toml")
    about = displaced(again.X_home, SPAN * [*[again.size] * 3, 2, 2, 2])
    rotation = np.sqrt(np.trace(pose_covariance(again, about)[:, 3:, 3:], axis1=1, axis2=2))
    np.testing.assert_allclose(rotation, remaining_error(again, about).rotation, rtol=1e-6)


def test_a_fit_that_is_not_good_is_written_on_request_only(tmp_path):
    one, other = (Grid("UPS", k, turn=0.2) for k in (0, 1000))
    found = gough.calibrate(one.drawn, other.q, other.measured, as_read=True)
    assert found.doubts
    with pytest.raises(InputError, match="not a good fit"):
        write(found, tmp_path / "built.toml", like="hexel")
    assert not list(tmp_path.iterdir())
    assert write(found, tmp_path / "built.toml", like="hexel", doubtful=True).is_file()


def test_text_of_any_kind_survives_toml():
    document = {
        "name": 'a "b" \\ c\n\t\x01 µ',
        "t": {"x y": [1, 2.5, -1e-9], "e": [[1, 2], [3, 4]], "k": [{"a": True}]},
    }
    assert tomllib.loads(toml(document)) == document
