"""gough velocity, stiffness, forces, accuracy, capacity: the library's numbers in the machine's units."""

import json
import re

import numpy as np
import pytest
from scipy.spatial.transform import Rotation
from tests.skew import SKEW

import gough
from gough.present.show import significant

PRINTED = 1e-14
"""Relative; fifteen digits."""
DEG, MM = np.pi / 180, 1e-3
POSES = "x,y,z\n0,0,700\n10,-20,800\n"
STARTS = [[0, 0, 0.7], [0.01, -0.02, 0.8]]


def answer(ran):
    assert ran.code == 0, ran.err
    return json.loads(ran.out)


def test_velocity_answers_the_envelope_of_a_pose(run):
    m = gough.load("hexel")
    e = gough.velocity_envelope(m, gough.pose([0.01, 0, 0.7]))
    found = answer(run("velocity", "hexel", "--at", "10,0,700", "--json"))
    size = np.array([MM] * 3 + [DEG] * 3)
    np.testing.assert_allclose(found["top_speed"] * size, e.speed(np.eye(6)), rtol=PRINTED)
    assert found["leg"] == e.limiting_leg(np.eye(6)).tolist()
    assert found["axis_units"] == ["mm/s"] * 3 + ["deg/s"] * 3
    for motion, unit in (("translation", MM), ("rotation", DEG)):
        assert found["every_direction"][motion] * unit == pytest.approx(float(e.guaranteed(motion)))
        assert found["fastest"][motion] * unit == pytest.approx(float(e.fastest(motion)))
        np.testing.assert_allclose(np.array(found["vertices"][motion]) * unit, e.vertices(motion), rtol=0, atol=1e-12)


def test_velocity_along_a_direction_and_of_a_motion(run):
    m = gough.load("servo")
    e = gough.velocity_envelope(m, m.home)
    along = answer(run("velocity", "servo", "--along", "1,0,1", "--json"))
    assert along["top_speed"] * MM == pytest.approx(float(e.speed([1, 0, 1])))
    V = np.array([1e-3, 2e-3, 0, 0, 0, DEG])
    twist = answer(run("velocity", "servo", "--twist", "1,2,0,0,0,1", "--json"))
    np.testing.assert_allclose(np.array(twist["joint_rates"]) * DEG, e.joint_rates(V), rtol=1e-12)
    np.testing.assert_allclose(twist["used"], np.abs(e.joint_rates(V)) / e.joint_speed, rtol=1e-12)
    assert twist["is_possible"]
    assert twist["units"]["joint_rates"] == "deg/s"


def test_stiffness_and_what_a_load_does(run):
    m = gough.load("pitch-circle")
    F, p = np.array([10.0, 0, -50, 0, 0, 0]), m.point_of_interest
    K = gough.stiffness(m, m.home, point=p)
    found = answer(run("stiffness", "pitch-circle", "--wrench", "10,0,-50", "--json"))
    np.testing.assert_allclose(found["matrix"], K, rtol=PRINTED)
    np.testing.assert_allclose(found["translation"], gough.statics.principal_stiffness(K).translation, rtol=PRINTED)
    V = gough.statics.deflection(m, m.home, F, point=p)
    np.testing.assert_allclose(np.array(found["displacement"]) * MM, V[:3], rtol=1e-12)
    np.testing.assert_allclose(found["axial_force"], gough.statics.axial_forces(m, m.home, F, point=p), rtol=1e-12)
    loaded = answer(run("stiffness", "pitch-circle", "--wrench", "10,0,-50", "--loaded", "--json"))
    K = gough.stiffness(m, m.home, point=p, wrench=F, gravity=True)
    np.testing.assert_allclose(loaded["matrix"], K, rtol=1e-12, atol=1e-12 * np.abs(K).max())
    moved = np.append(np.array(loaded["displacement"]) * MM, np.radians(loaded["turn"]))
    np.testing.assert_allclose(K @ moved, F, rtol=0, atol=1e-9)
    rows = run("stiffness", "hexel", "--csv", "-", "--wrench", "0,0,1", stdin=POSES).rows
    hexel = gough.load("hexel")
    moved = gough.statics.deflection(hexel, gough.pose(STARTS), [0, 0, 1, 0, 0, 0])
    np.testing.assert_allclose([r["dz_mm"] * MM for r in rows], moved[:, 2], rtol=1e-12)


def test_forces_hold_weight_and_load(run):
    m = gough.load("pitch-circle")
    r = m.X_home[:3, :3] @ m.point_of_interest
    F = np.array([1.0, 2, 3, *np.cross(r, [1, 2, 3])])
    found = answer(run("forces", "pitch-circle", "--wrench", "1,2,3", "--json"))
    expected = gough.leg_forces(m, m.home, F, gravity=True)
    np.testing.assert_allclose(found["actuator_force"], expected, rtol=1e-10)
    np.testing.assert_allclose(found["used"], np.abs(expected) / m.limits.actuator_force, rtol=1e-10)
    bare = answer(run("forces", "pitch-circle", "--wrench", "1,2,3", "--no-weight", "--json"))
    np.testing.assert_allclose(bare["actuator_force"], gough.leg_forces(m, m.home, F), rtol=1e-10, atol=1e-12)
    rows = run("forces", "servo", "--csv", "-", "--wrench", "0,0,-1", "--no-weight", stdin="x,y,z\n0,0,130\n").rows
    torque = gough.leg_forces(gough.load("servo"), gough.pose([0, 0, 0.13]), [0, 0, -1, 0, 0, 0])
    np.testing.assert_allclose([rows[0][f"actuator_{i}_N_m"] for i in range(1, 7)], torque, rtol=1e-12)


def test_accuracy_tells_resolution_errors_and_every_parameter(run):
    m = gough.load("hexaglide")
    found = answer(run("accuracy", "hexaglide", "--tolerance", "0.01", "--json"))
    size = np.array([MM] * 3 + [DEG] * 3)
    r, error = gough.accuracy.resolution(m, m.home), gough.accuracy.pose_error(m, m.home, 1e-5)
    np.testing.assert_allclose(found["resolution"]["worst_case"] * size, r.worst_case, rtol=1e-12)
    np.testing.assert_allclose(found["error"]["rms"] * size, error.rms, rtol=1e-12)
    G = gough.accuracy.parameter_sensitivity(m, m.home)
    rows = run("accuracy", "hexaglide", "--parameters").rows
    assert len(rows) == 42
    assert rows[20]["parameter"] == "platform_point_1_z"
    assert rows[20]["x_mm_per_mm"] == pytest.approx(G[0, 20], rel=1e-12)
    assert rows[20]["rz_deg_per_mm"] * DEG / MM == pytest.approx(G[5, 20], rel=1e-9, abs=1e-12)


def test_accuracy_without_a_resolution_says_how_to_give_one(run):
    ran = run("accuracy", "hexel")
    assert "--step" in ran.err
    with_step = answer(run("accuracy", "hexel", "--step", "0.001", "--json"))
    m = gough.load("hexel")
    expected = gough.accuracy.resolution(m, m.home, joint_step=1e-6).worst_case[:3]
    np.testing.assert_allclose(np.array(with_step["resolution"]["worst_case"][:3]) * MM, expected, rtol=1e-12)


def test_capacity_tells_every_mounting_and_axis(run):
    m = gough.load("servo")
    found = answer(run("capacity", "servo", "--centre", "0,0,10", "--json"))
    for row in gough.statics.payload_table(m, m.home, mass_centre=[0, 0, 0.01]):
        assert found["payload"][row.mounting]["mass"] == pytest.approx(row.mass)
        assert found["payload"][row.mounting]["leg"] == row.leg
    for row in gough.statics.capacity_table(m, m.home, gravity=True):
        assert found["load"][row.axis]["plus"] == pytest.approx(row.plus)
    assert found["every_direction"]["force"] == pytest.approx(
        float(gough.statics.guaranteed_wrench(m, m.home, gravity=True))
    )
    rows = run("capacity", "hexel", "--force", "1000", "--csv", "-", stdin=POSES).rows
    mass = [
        gough.statics.payload_table(gough.load("hexel"), gough.pose(p), actuator_force=1000)[3].mass for p in STARTS
    ]
    np.testing.assert_allclose([row["payload_any_kg"] for row in rows], mass, rtol=1e-12)


def test_maps_are_written_as_netcdf_in_si_and_as_csv_in_the_machines_units(run, tmp_path):
    import xarray

    grid = ("--map", "--samples", "5")
    assert run("velocity", "hexel", *grid, "-o", "v.nc").code == 0
    expected = gough.workspaces.velocity_map(gough.load("hexel"), samples=5)
    with xarray.open_dataset(tmp_path / "v.nc", engine="scipy") as found:
        np.testing.assert_array_equal(found.speed_along, expected.speed_along)
        assert found.speed_along.attrs["units"] == "m/s"
    rows = run("velocity", "hexel", *grid, "--z", "800").rows
    expected = gough.workspaces.velocity_map(gough.load("hexel"), z=0.8, samples=5)
    assert len(rows) == 25
    found = [row["speed_along_x_mm_per_s"] * MM for row in rows]
    np.testing.assert_allclose(found, expected.speed_along[..., 0].values.ravel(), rtol=PRINTED)
    assert {row["z_mm"] for row in rows} == {800.0}
    document = answer(run("stiffness", "hexel", *grid, "--wrench", "0,0,1", "--json"))
    assert document["units"]["translation"] == "N/m"
    assert document["units"]["displacement"] == "mm"
    assert np.shape(document["turn"]) == (5, 5, 5, 3)


def test_the_weakest_and_the_slowest_pose_are_found(run):
    m = gough.load("hexel")
    places = ("--samples", "5")
    found = answer(run("stiffness", "hexel", "--weakest", *places, "--json"))
    expected = gough.statics.weakest_pose(m, samples=5)
    assert found["translation"]["lowest"] == pytest.approx(expected.value)
    assert found["translation"]["active_limits"] == list(expected.active_limits)
    out = run("velocity", "hexel", "--slowest", *places).out
    slowest = gough.workspaces.slowest_pose(m, motion="rotation", samples=5)
    assert significant(slowest.value / DEG) in out
    assert (slowest.unit, expected.unit) == ("rad/s", "N/m")
    (row,) = (line for line in out.splitlines() if line.startswith("rotation"))
    assert row.endswith(slowest.limited_by)
    assert row.split()[2] == "deg/s"


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("velocity", "dehaeze"), "no joint speed limits"),
        (("velocity", "dehaeze", "--map"), "no joint speed limits"),
        (("stiffness", "servo"), "no leg stiffness"),
        (("stiffness", "servo", "--weakest"), "no leg stiffness"),
        (("forces", "hexel"), "has no load"),
        (("capacity", "hexel"), "no actuator force limits"),
        (("velocity", "hexel", "--map", "--slowest"), "are mutually exclusive"),
        (("stiffness", "hexel", "--loaded", "--map"), "--loaded are mutually exclusive"),
        (("velocity", "hexel", "--map", "--csv", "-"), "a single orientation"),
        (("velocity", "hexel", "--map", "--samples", "3", "--json", "-o", "v.nc"), "netCDF"),
        (("velocity", "hexel", "--map", "--z", "800,700"), "ascending"),
        (("stiffness", "hexel", "--loaded"), "has no load: specify --wrench"),
        (("stiffness", "hexel", "--wrench", "1,2"), "expected 3 or 6"),
        (("accuracy", "hexel", "--tolerance", "-1"), "above zero"),
        (("accuracy", "hexel", "--parameters", "--csv", "-"), "--parameters and --csv are mutually exclusive"),
        (("accuracy", "hexel", "--points", "1", "--tolerance", "1"), "--points and --tolerance are mutually exclusive"),
        (("accuracy", "hexel", "--points", "-1"), "--points: -1 is not at least 0"),
        (("capacity", "servo", "--force", "0"), "above zero"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else "",
)
def test_what_cannot_be_answered_is_refused_in_one_sentence(run, arguments, words):
    assert words in run(*arguments, stdin=POSES).complaint


@pytest.mark.parametrize("given", [("--points", "0"), ("--encoder", "0.1", "--lengths", "0", "--points", "0")])
def test_groups_of_errors_that_are_given_are_shown_even_where_they_are_zero(run, given):
    told = run("accuracy", "hexel", *given)
    assert told.code == 0
    of = [line.split(",")[0] for line in told.out.splitlines() if "worst case" in line]
    words = {"--points": "joint positions", "--lengths": "leg length offsets", "--encoder": "encoders"}
    shown = {words[each] for each in given if each in words}
    assert set(of) == (shown | {"together"} if len(shown) == len(words) else shown)


# Counted in angles

TILTED = ("--at", "20,-10,780,6,-5,11", "--convention", "hexel")
DIFFERENCE = 1e-6
"""Of a second, in which a pose moves at its rates."""


def test_rates_of_angles_move_the_joints_as_differences_of_the_typed_numbers_do(run):
    m = gough.load("hexel")
    numbers, rates = np.array([20.0, -10, 780, 6, -5, 11]), np.array([3.0, -2, 5, 0.6, -0.4, 0.9])
    moved = [
        gough.inverse_kinematics(m, gough.from_convention("hexel", MM * one[:3], one[3:]))
        for one in (numbers - DIFFERENCE * rates, numbers + DIFFERENCE * rates)
    ]
    found = answer(run("velocity", "hexel", *TILTED, "--rates", ",".join(map(str, rates)), "--json"))
    expected = (moved[1] - moved[0]) / (2 * DIFFERENCE) / MM
    np.testing.assert_allclose(found["joint_rates"], expected, atol=1e-6)
    again = answer(run("velocity", "hexel", *TILTED, "--twist", ",".join(map(repr, found["twist"])), "--json"))
    np.testing.assert_allclose(again["joint_rates"], expected, atol=1e-6)


def test_rates_mean_the_angles_that_were_typed(run):
    """The pose of (170, 130, -170) deg has other angles too, (-10, 50, 10), whose middle one turns the other way."""
    m, typed, rate = gough.load("hexel"), np.array([170.0, 130, -170]), 0.7
    at = ("--at", "0,0,780", "--sequence", "XYZ", "--rates", f"0,0,0,0,{rate},0", "--json")
    turned = [
        gough.inverse_kinematics(m, gough.pose([0, 0, 0.78], typed + [0, h, 0], "XYZ", degrees=True))
        for h in (-DIFFERENCE, DIFFERENCE)
    ]
    expected = rate * (turned[1] - turned[0]) / (2 * DIFFERENCE) / MM
    one = answer(run("velocity", "hexel", "--angles", "170,130,-170", *at))
    np.testing.assert_allclose(one["joint_rates"], expected, atol=1e-5)
    table = "x,y,z,a,b,c\n0,0,780,170,130,-170\n0,0,780,-10,50,10\n"
    many = answer(run("velocity", "hexel", "--csv", "-", *at[2:], stdin=table))
    np.testing.assert_allclose(many["joint_rates"], [expected, -expected], atol=1e-5)


def test_stiffness_and_forces_of_a_generalized_force(run):
    m = gough.load("hexel")
    Q = np.array([200.0, 0, 1000, 30, -20, 10])
    X = gough.from_convention("hexel", [0.02, -0.01, 0.78], [6, -5, 11])
    J, typed = gough.jacobian(m, X, sequence="hexel"), ",".join(map(str, Q))
    found = answer(run("forces", "hexel", *TILTED, "--generalized-force", typed, "--json"))
    np.testing.assert_allclose(found["actuator_force"], -np.linalg.solve(J.T, Q), rtol=1e-10)
    found = answer(run("stiffness", "hexel", *TILTED, "--generalized-force", typed, "--json"))
    K = gough.stiffness(m, X, sequence="hexel")
    np.testing.assert_allclose(found["matrix_of_angles"], K, rtol=1e-12)
    x = np.linalg.solve(K, Q)
    np.testing.assert_allclose(np.array(found["displacement"]) * MM, x[:3], rtol=1e-10)
    np.testing.assert_allclose(np.array(found["angle_change"]) * DEG, x[3:], rtol=1e-10)


@pytest.mark.parametrize("words", [
    ("velocity", "hexel", "--rates", "1,2,3,4,5,6"),
    ("velocity", "hexel", "--at", "0,0,780", "--sequence", "ZYZ", "--rates", "1,2,3,4,5,6"),
    ("forces", "hexel", "--generalized-force", "1,2,3,4,5,6"),
    ("forces", "hexel", "--sequence", "ZYZ", "--generalized-force", "1,2,3,4,5,6"),
    ("stiffness", "hexel", *TILTED, "--generalized-force", "1,2,3,4,5,6", "--wrench", "1,2,3"),
])  # fmt: skip
def test_angles_without_a_meaning_and_gimbal_lock_are_refused(run, words):
    ran = run(*words)
    assert ran.code == 2
    assert not ran.out
    assert re.search(r"--sequence|gimbal lock|specify either", ran.err)


def test_a_pose_near_gimbal_lock_is_noted(run):
    ran = run(
        "velocity", "hexel", "--at", "0,0,780", "--angles", "0,2,0", "--sequence", "ZYZ", "--rates", "1,0,0,0,1,0"
    )
    assert "2 deg from gimbal lock" in ran.err
    assert ran.code == 0


# Passive joints


@pytest.mark.parametrize("file", SKEW)
def test_angles_and_rates_of_passive_joints(run, file):
    m = gough.load(file)
    size = m.units.radians
    X = m.X_home.copy()
    X[:3, 3] += 0.02 * m.size
    pose = [*X[:3, 3] / m.units.metres, *Rotation.from_matrix(X[:3, :3]).as_quat()]
    at = ("--at", ",".join(map(repr, map(float, pose))))
    V = np.array([0.01, -0.02, 0.03, 0.1, -0.2, 0.15])  # of the point of interest
    arm = X[:3, :3] @ m.point_of_interest
    at_origin = np.concatenate([V[:3] - np.cross(V[3:], arm), V[3:]])
    expected = gough.dynamics.passive_joints(m, X, at_origin)
    typed = np.concatenate([V[:3] / m.units.metres, V[3:] / size])
    angles = answer(run("inverse", file, *at, "--passive", "--json"))["passive"]
    rates = answer(run("velocity", file, *at, "--twist", ",".join(map(repr, typed.tolist())), "--passive", "--json"))[
        "passive"
    ]
    for k, name in enumerate(("first", "second")):
        np.testing.assert_allclose(np.array(angles[name]) * size, expected.universal[:, k], atol=1e-12)
        np.testing.assert_allclose(np.array(rates[f"{name}_rate"]) * size, expected.universal_rate[:, k], atol=1e-12)
    np.testing.assert_allclose(np.array(angles["ball"]) * size, expected.ball_angle, atol=1e-12)
    np.testing.assert_allclose(np.array(rates["ball_rate"]) * size, expected.ball_speed, atol=1e-12)


def test_passive_joints_without_axes_or_a_motion_are_refused(run):
    for words in (("inverse", "hexel", "--passive"), ("velocity", "linuxcnc", "--passive")):
        ran = run(*words)
        assert ran.code == 2
        assert re.search(r"legs\.joint_axis|--twist", ran.err)
