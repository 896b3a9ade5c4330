"""gough dynamics, gough simulate: the library's numbers in the machine's units; what they refuse."""

import json

import numpy as np
import pytest

import gough

PRINTED = 1e-12
ROUND_OFF, BETWEEN_ROWS = 1e-12, 1e-4
"""Of peaks, as part of them: rounding, and by how much they exceed those of 300 rows."""
FOUR_DIGITS = 5.001e-4
MM, DEG = 1e-3, np.pi / 180
STILL = np.zeros(6)


def answer(ran):
    assert ran.code == 0, ran.err
    return json.loads(ran.out)


@pytest.mark.parametrize("name", ["vertical", "horizontal", "rotation"])
def test_sinatras_motions_by_name(run, name):
    m = gough.load("sinatra2009")
    expected = gough.dynamics.motion_forces(m, gough.dynamics.named_motion(m, name))
    found = answer(run("dynamics", "sinatra2009", "--motion", name, "--json"))
    np.testing.assert_allclose(found["force"], expected.force, rtol=0, atol=PRINTED)
    np.testing.assert_allclose(found["peak_power"], expected.attrs["peak_power"])
    np.testing.assert_allclose(found["rms_force"], expected.attrs["rms_force"])
    told = run("dynamics", "sinatra2009", "--motion", name).out.splitlines()
    header = "leg peak force [N] RMS force [N] peak power [W] RMS power [W] peak speed [m/s] peak acceleration [m/s2]"
    assert told[0].split() == header.split()
    assert float(told[2].split()[1]) == pytest.approx(expected.attrs["peak_force"][0], rel=FOUR_DIGITS)


def test_passive_joints_of_a_motion_in_every_format(run, tmp_path):
    """Rates and accelerations are derivatives of the angles over the rows."""
    import xarray

    motion = ("dynamics", "sinatra2009", "--motion", "rotation", "--samples", "601", "--passive")
    found = answer(run(*motion, "--json"))["passive"]
    for joint in ("first", "second"):
        angle = np.array(found[joint])
        change = found[f"{joint}_rate"], found[f"{joint}_acceleration"]
        for k, known in enumerate(change, 1):
            steps = np.diff(angle, k, axis=0) / 0.005**k  # central differences at the middle of their rows
            middle = np.array(known)[1:-1] if k == 2 else (np.array(known)[1:] + np.array(known)[:-1]) / 2
            np.testing.assert_allclose(middle, steps, atol=1e-4)
    assert np.shape(found["ball_rate"]) == (601, 6)
    run(*motion, "-o", "m.nc")
    with xarray.open_dataset(tmp_path / "m.nc", engine="scipy") as data:
        np.testing.assert_array_equal(data.universal_acceleration[:, :, 0], found["first_acceleration"])
        np.testing.assert_allclose(np.linalg.norm(data.ball_rate, axis=-1), found["ball_rate"], atol=PRINTED)
        assert data.force.shape == (601, 6)
    run(*motion, "-o", "m.csv")
    assert "second_acceleration_6_rad_per_s2" in (tmp_path / "m.csv").read_text().splitlines()[0].split(",")
    refused = run("dynamics", "sinatra2009", "--motion", "rotation", "--passive")
    assert refused.code == 2
    assert "--json or --output" in refused.err


def test_a_motion_in_a_file_of_times_and_poses(run):
    m = gough.load("servo")
    t, z = np.linspace(0, 0.2, 9), 133 + 5 * np.linspace(0, 1, 9) ** 2
    rows = "\n".join(f"{1e3 * a},0,0,{b},0,0,{a}" for a, b in zip(t, z, strict=True))
    poses = gough.pose_matrix(np.outer(z * MM, [0, 0, 1]), np.outer(t * DEG, [0, 0, 1]), "XYZ")
    expected = gough.dynamics.motion_forces(m, gough.dynamics.SplineMotion(t, poses), np.linspace(0, 0.2, 5))
    arguments = ("dynamics", "servo", "--motion", "-", "--sequence", "XYZ", "--samples", "5")
    found = answer(run(*arguments, "--json", stdin=f"time_ms,x,y,z,a,b,c\n{rows}\n"))
    np.testing.assert_allclose(found["force"], expected.force, rtol=1e-9)
    np.testing.assert_allclose(np.array(found["joint"]) * DEG, expected.joint, rtol=1e-12)


def test_the_history_goes_to_csv_and_netcdf(run, tmp_path):
    import xarray

    run("dynamics", "sinatra2009", "--motion", "rotation", "--samples", "4", "-o", "m.csv")
    header, *rows = (tmp_path / "m.csv").read_text().splitlines()
    assert header.startswith("time_s,x_m,y_m,z_m,qx,qy,qz,qw,q1_m,")
    assert {"force6_N", "power1_W", "qd3_m_per_s", "energy_J"} <= set(header.split(","))
    assert len(rows) == 4
    run("dynamics", "sinatra2009", "--motion", "rotation", "--samples", "4", "-o", "m.nc")
    with xarray.open_dataset(tmp_path / "m.nc", engine="scipy") as data:
        assert data.force.shape == (4, 6)


def test_a_motion_beyond_the_limits_is_told_beside_the_answer(run):
    ran = run("dynamics", "dumitriu2017", "--motion", "vertical", "--amplitude", "0.2")
    assert ran.code == 0
    assert ran.err.startswith("note: the motion leaves the machine's limits: leg ")
    assert "allowed 0.42 to 0.78 m" in ran.err


def test_the_thirteen_solids_let_go(run):
    m = gough.load("dumitriu2017")
    force = "9.5,9.5,8.5105,8.5105,8.5105,8.5105"
    found = answer(run("simulate", "dumitriu2017", "--force", force, "--duration", "0.3", "--samples", "4", "--json"))
    expected = gough.simulate(m, m.home, STILL, np.array(force.split(","), dtype=float), 0.3, times=[0, 0.1, 0.2, 0.3])
    np.testing.assert_allclose(found["joint"], expected.joint, rtol=1e-9)
    assert found["stopped_by"] == ""
    ended = run("simulate", "dumitriu2017", "--force", force, "--duration", "3").out
    assert ended.startswith("Stopped at 0.500499 s: a limit is reached: leg ")
    assert "needs 0.78 m, allowed 0.42 to 0.78 m." in ended
    brief = run("simulate", "dumitriu2017", "--force", force, "--duration", "3", "--json")
    assert brief.err.startswith("note: stopped at 0.500499 s: a limit is reached")


def test_without_forces_the_weight_is_held(run):
    told = run("simulate", "servo", "--duration", "0.05").out.splitlines()
    assert told[0] == "Ran to its end at 0.05 s."
    assert told[1].startswith("The platform is at (0.000, 0.000, 132.944) mm, the joints at (")


@pytest.mark.parametrize(("name", "duration"), [("servo", "0.2"), ("servo", "1")])
def test_what_the_integrator_does_not_resolve_is_zero(run, name, duration):
    """A machine at rest has no acceleration: what rounding makes of it is far below the tolerance of the steps."""
    said = run("simulate", name, "--duration", duration).out
    lines = [line.split() for line in said.splitlines()]
    legs = [line for line in lines if len(line) in (8, 9) and line[0] in "123456"]
    assert [line[3:8] for line in legs] == [["0"] * 5] * 6
    assert all(float(line[1]) > 0.009 for line in legs)


@pytest.mark.parametrize("controller", ["computed-torque", "pid", "pd"])
def test_a_motion_is_followed(run, controller):
    command = ("simulate", "servo", "--motion", "vertical", "--amplitude", "4", "--half-period", "0.3")
    found = answer(run(*command, "--controller", controller, "--json"))
    error = np.abs(found["joint_error"]).max()
    assert error < 1e-3 if controller == "computed-torque" else 0.01 < error < 3
    assert found["time"][-1] == pytest.approx(0.3)


BACK = "time,x,y,z\n0,0,0,133\n2,0,0,134\n1,0,0,133\n"


@pytest.mark.parametrize(
    ("arguments", "stdin", "sentence"),
    [
        (
            ("dynamics", "servo"),
            None,
            "no motion defined: specify --motion vertical, horizontal",
        ),
        (("dynamics", "hexel", "--motion", "vertical"), None, "machine 'hexel' has no masses"),
        (("dynamics", "servo", "--motion", "vertical"), None, "the motion cannot be carried out, at 0.46 s: leg "),
        (
            ("dynamics", "servo", "--motion", "up"),
            None,
            "neither a file nor a named motion: vertical, horizontal, rotation",
        ),
        (
            ("dynamics", "servo", "--motion", "-"),
            BACK,
            "standard input, row 4 (the header is row 1): time 1 s comes after 2 s; times must increase",
        ),
        (("dynamics", "servo", "--motion", "-"), "x,y,z\n0,0,133\n", "standard input: missing time"),
        (("dynamics", "servo", "--motion", "-"), "time,x,y,z\n0,0,0,133\n", "a motion needs at least two poses"),
        (("dynamics", "servo", "--motion", "-"), "time_h,x,y,z\n0,0,0,133\n", "unit 'h' of column 'time_h'"),
        (
            ("dynamics", "servo", "--motion", "-", "--amplitude", "1"),
            BACK,
            "--amplitude applies only to the named motions",
        ),
        (
            ("dynamics", "servo", "--motion", "vertical", "--half-period", "0"),
            None,
            "half_period: 0 s, expected above 0 s",
        ),
        (("simulate", "servo"), None, "duration [s] is required"),
        (("simulate", "servo", "--duration", "-1"), None, "duration: -1 s, expected above 0 s"),
        (("simulate", "hexel", "--duration", "1"), None, "has no masses"),
        (("simulate", "servo", "--duration", "1", "--force", "1,2"), None, "--force: 2 numbers in '1,2'"),
        (
            ("simulate", "servo", "--motion", "vertical", "--amplitude", "5", "--force", "1"),
            None,
            "--force and --motion are mutually exclusive",
        ),
        (
            ("simulate", "servo", "--at", "0,0,900", "--duration", "1", "--force", "0"),
            None,
            "cannot move from the start",
        ),
        (
            ("simulate", "servo", "--motion", "vertical", "--amplitude", "5", "--bandwidth", "-1"),
            None,
            "bandwidth: -6.28319, expected above 0",
        ),
    ],
)
def test_bad_input_gets_its_sentence(run, arguments, stdin, sentence):
    assert sentence in run(*arguments, stdin=stdin).complaint


def test_netcdf_and_json_do_not_go_together(run):
    command = ("dynamics", "sinatra2009", "--motion", "vertical", "--json", "-o", "m.nc")
    assert "m.nc is a name for netCDF" in run(*command).complaint


def test_what_a_motion_asks_beyond_the_drives_is_told(run, tmp_path):
    """Ten times as quick is ten times the speed: what is used follows from the joints' rates alone."""
    command = ("dynamics", "servo", "--motion", "vertical", "--amplitude", "3")
    slow = answer(run(*command, "--half-period", "1", "--json"))
    quick = run(*command, "--half-period", "0.05", "--json")
    used = np.array(answer(quick)["used_speed"])
    np.testing.assert_allclose(used, 20 * np.array(slow["used_speed"]), rtol=1e-9)
    rates = np.abs(answer(quick)["joint_rate"]).max(axis=0)
    assert (used >= rates / 400 * (1 - ROUND_OFF)).all()
    np.testing.assert_allclose(used, rates / 400, rtol=BETWEEN_ROWS)
    assert slow["drives_exceeded"] == ""
    assert (used > 1).all()
    assert "needs more of the drives than they allow" in quick.err
    assert f"{rates.max():.4g} deg/s" in quick.err
    assert "speed used [%]" in run(*command).out


def test_a_saturated_controller_gives_the_reason_of_its_error(run):
    command = ("simulate", "servo", "--motion", "vertical", "--amplitude", "6", "--controller", "pid")
    quick = run(*command, "--half-period", "0.05")
    assert "the controller is saturated: the speed demand of " in quick.err
    slow = run(*command, "--half-period", "1")
    assert "saturated" not in slow.err
