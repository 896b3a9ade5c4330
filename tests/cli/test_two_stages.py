"""Commands and machines of two stages: twelve joints where both are meant, one sentence where one is."""

import inspect
import json
from dataclasses import replace
from importlib import import_module

import numpy as np
import pytest
from tests.skew import SKEW_STACK

import gough
from gough import stages, statics
from gough.cli.app import app

NAME = "double-hexapod"
BOTH = (
    "machines", "warm", "check", "new", "schema", "report", "inverse", "forward", "view", "travel", "workspace",
    "stiffness", "margins", "forces", "simulate", "nearest", "capacity",
    "dynamics", "velocity", "frequencies", "conditioning", "corners", "linear_map",
)  # fmt: skip
"""Commands that take them, or no machine."""
MICROMETRE = 1e-6


def test_inverse_and_forward_undo_one_another(run):
    for choice in ("fixed", "margin"):
        answer = json.loads(run("inverse", NAME, "--at", "0.05,0.02,1.1", "--choice", choice, "--json").out)
        assert len(answer["joints"]) == 12
        assert answer["margin"] > 0
        assert answer["choice"] == choice
        joints = ",".join(map(str, answer["joints"]))
        back = json.loads(run("forward", NAME, "--joints", joints, "--json").out)
        np.testing.assert_allclose(back["position"], [0.05, 0.02, 1.1], atol=1e-3 * MICROMETRE)
        np.testing.assert_allclose(back["intermediate"]["position"], answer["intermediate"]["position"], atol=1e-9)
        assert back["converged"]


def test_tables_go_through_both_commands(run, tmp_path):
    tmp_path.joinpath("poses.csv").write_text("x,y,z\n0,0,1.05\n0.02,0,1.1\n")
    assert run("inverse", NAME, "--csv", "poses.csv", "--share", "0.3", "-o", "joints.csv").code == 0
    ran = run("forward", NAME, "--csv", "joints.csv")
    header, *rows = ran.out.splitlines()
    assert header.startswith("x_m,y_m,z_m,qx")
    assert [row.split(",")[2] for row in rows] == ["1.05", "1.1"]
    m = gough.load(NAME)
    X = m.X_home[1].copy()
    X[2, 3] = 1.05
    expected = stages.resolve_redundancy(m, X, share=0.3).matrix[0, 2, 3]
    place = header.split(",").index("mid_z_m")
    assert float(rows[0].split(",")[place]) == pytest.approx(expected, abs=1e-9)


def test_readings_of_two_stages_are_each_stages_own(run, tmp_path):
    """Encoders of the upper stage alone: the lower one reads joint coordinates."""
    encoders = "[stages.encoders]\nzero = [0.001, 0.002, 0.003, -0.001, 0, 0]\n"
    text = f'[[stages]]\nmachine = "dumitriu2017"\n[[stages]]\nmachine = "dumitriu2017"\n{encoders}'
    tmp_path.joinpath("two.toml").write_text(f'name = "two"\nsource = "made up"\n{text}')
    m = gough.load(str(tmp_path / "two.toml"))
    q = gough.inverse_kinematics(m, stages.resolve_redundancy(m, gough.pose([0.02, 0.01, 1.02])).matrix)
    readings = np.concatenate([q[:6], m.upper.encoders.readings(q[6:])])
    assert np.abs(readings - q).max() > 1e-4
    given = ",".join(map(repr, readings.tolist()))
    answer = json.loads(run("forward", "two.toml", "--readings", given, "--json").out)
    np.testing.assert_allclose(answer["position"], [0.02, 0.01, 1.02], atol=1e-9)


def test_a_pose_that_is_not_allowed_is_an_answer_with_a_note(run):
    ran = run("inverse", NAME, "--at", "0,0,2")
    assert ran.code == 0
    assert "note: with this choice the pose is not allowed: stage 1: leg 1 needs 1.00162 m, allowed" in ran.err


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("inverse", NAME, "--choice", "margins"), "'margins' is not known, expected 'fixed', 'margin', 'force'"),
        (("inverse", NAME, "--choice", "margin", "--share", "0.2"), "--share requires --choice fixed"),
        (("inverse", NAME, "--share", "2"), "share 2, expected a part from 0 to 1"),
        (("inverse", NAME, "--choice", "relative-force"), "specify limits.actuator_force in both stages"),
        (("inverse", "hexel", "--share", "0.2"), "--share requires a machine of two stages; 'hexel' has one"),
        (("forward", NAME, "--joints", "1,2,3"), "3 numbers in '1,2,3', expected 12"),
        (("forward", NAME, "--joints", "1", "--near", "0,0,1"), "--near requires a single machine"),
        (("forward", NAME), "specify the twelve joint coordinates"),
        (("travel", f"{NAME}:3"), "has 2 stages"),
        (("travel", "hexel", "--share", "0.2"), "--share requires a machine of two stages; 'hexel' has one"),
        (("travel", f"{NAME}:1", "--share", "0.2"), "--share requires a machine of two stages"),
        (("stiffness", NAME, "--weakest"), "has no leg stiffness"),
        (("stiffness", NAME), "has no leg stiffness"),
        (("simulate", NAME, "--duration", "1", "--force", "1,2,3,4,5,6"), "6 numbers"),
    ],
)
def test_wrong_requests_are_one_sentence(run, arguments, words):
    ran = run(*arguments)
    assert ran.code == 2
    assert words in ran.err
    assert len(ran.err.strip().splitlines()) == 1


OTHERS = {c.callback.__name__: c.callback for c in app().registered_commands if c.callback.__name__ not in BOTH}


@pytest.mark.parametrize("command", sorted(OTHERS))
def test_every_other_command_says_which_stage_to_take(run, command):
    parameters = inspect.signature(OTHERS[command]).parameters.values()
    required = [one.name for one in parameters if one.default is inspect.Parameter.empty]
    files = ["some.csv"] * len({*required} - {"context", "machine"})
    ran = run(command, NAME, *files)
    assert (ran.code, ran.out) == (2, "")
    assert f"use {NAME}:1 or {NAME}:2" in ran.err
    assert len(ran.err.strip().splitlines()) == 1


def test_travel_and_workspace_are_those_of_the_share(run):
    m = replace(gough.load(NAME), share=0.3)
    answer = json.loads(run("travel", NAME, "--along", "z", "--share", "0.3", "--json").out)
    found = gough.travel(m, [0, 0, 1, 0, 0, 0])
    assert answer["distance"] == pytest.approx(found.distance)
    assert answer["limits"] == found.binding_words
    for key, X in zip(("intermediate", "end"), found.matrix, strict=True):
        np.testing.assert_allclose(answer[key]["position"], X[:3, 3])
    told = run("travel", NAME, "--share", "0.3").out
    assert f"+{float(found.distance):.5f}" in told
    assert found.binding_words in told
    refused = run("travel", NAME, "--at", "0,0,2").out
    row = next(line for line in refused.splitlines() if line.startswith("stage 2 leg 1 longest"))
    assert "1.00162" in row
    assert row.endswith("refused")
    space = json.loads(run("workspace", NAME, "--share", "0.3", "--samples", "5", "--json").out)
    assert space["volume"] == pytest.approx(gough.workspace(m, samples=5).volume)


def test_a_file_says_the_share(run, tmp_path):
    text = '[[stages]]\nmachine = "dumitriu2017"\n'
    tmp_path.joinpath("two.toml").write_text(f'name = "two"\nsource = "made up"\nshare = 0.25\n{text}{text}')
    answer = json.loads(run("travel", "two.toml", "--along", "z", "--json").out)
    again = json.loads(run("travel", "two.toml", "--along", "z", "--share", "0.25", "--json").out)
    other = json.loads(run("travel", "two.toml", "--along", "z", "--share", "0.5", "--json").out)
    assert answer == again
    assert answer["distance"] < other["distance"]
    tmp_path.joinpath("two.toml").write_text(f'name = "two"\nsource = "made up"\nshare = 1.25\n{text}{text}')
    refused = run("check", "two.toml")
    assert refused.code == 2
    assert "share: 1.25" in refused.err


def test_stiffness_of_springs_in_series(run, tmp_path):
    text = "".join(f'[[stages]]\nmachine = "dumitriu2017"\n[stages.actuators]\nstiffness = {k}\n' for k in (4e6, 1e6))
    tmp_path.joinpath("two.toml").write_text(f'name = "two"\nsource = "made up"\n{text}')
    m, X = gough.load(str(tmp_path / "two.toml")), "0.03,0.02,1.02"
    posture = stages.resolve_redundancy(m, gough.pose([0.03, 0.02, 1.02])).matrix
    answer = json.loads(run("stiffness", "two.toml", "--at", X, "--wrench", "0,0,-100", "--loaded", "--json").out)
    force = statics.axial_forces(m, posture, [0, 0, -100, 0, 0, 0], point=m.point_of_interest, gravity=True)
    np.testing.assert_allclose(answer["axial_force"], force, rtol=1e-9)
    K = gough.stiffness(m, posture, point=m.point_of_interest, wrench=[0, 0, -100, 0, 0, 0], gravity=True)
    np.testing.assert_allclose(answer["matrix"], K, rtol=1e-9, atol=1e-6)
    assert run("stiffness", "two.toml", "--map", "--samples", "2", "-o", "map.csv").code == 0
    assert len(tmp_path.joinpath("map.csv").read_text().splitlines()) == 9


def test_margins_are_those_of_both_stages_at_the_postures_of_the_share(run):
    m, X = replace(gough.load(NAME), share=0.3), gough.pose([0.05, 0.02, 1.1])
    posture = stages.resolve_redundancy(m, X).matrix
    at = ("margins", NAME, "--share", "0.3", "--at", "0.05,0.02,1.1")
    answer, found = json.loads(run(*at, "--json").out), gough.margins(m, posture)
    assert answer["binding"] == found.binding
    np.testing.assert_allclose(answer["margins"], found.values, rtol=1e-9)
    np.testing.assert_allclose(answer["gradients"], gough.limits.margin_gradient(m, X).values, rtol=1e-9, atol=1e-9)
    words = run(*at).out.splitlines()
    assert "stage 2" in words[1]
    assert any(row.startswith("stage 1 leg 6 shortest") for row in words)
    table = run("margins", NAME, "--csv", "-", stdin="x,y,z\n0.05,0.02,1.1\n0,0,2\n0,0,1.1\n").rows
    assert [row["is_allowed"] for row in table] == ["yes", "no", "yes"]
    assert "back off" in run("margins", NAME, "--at", "0,0,1.6").out


@pytest.mark.thorough
def test_the_nearest_pose_is_one_of_both_platforms(run):
    m = replace(gough.load(NAME), share=0.4)
    found = gough.nearest_pose(m, gough.pose([0.05, 0.02, 2.5]))
    at = ("nearest", NAME, "--share", "0.4", "--at", "0.05,0.02,2.5")
    answer = json.loads(run(*at, "--json").out)
    assert answer["distance"] == pytest.approx(found.distance, rel=1e-9)
    np.testing.assert_allclose(answer["pose"]["position"], found.matrix[1, :3, 3], rtol=1e-9)
    np.testing.assert_allclose(answer["intermediate"]["position"], found.matrix[0, :3, 3], rtol=1e-9)
    assert answer["active_limits"] == list(found.active_limits)
    assert "limited by             all six legs longest of stage 2" in run(*at).out


def test_capacity_is_that_of_twelve_actuators(run):
    X = stages.resolve_redundancy(gough.load(NAME), gough.pose([0.05, 0.02, 1.1])).matrix
    at = ("capacity", NAME, "--at", "0.05,0.02,1.1", "--force", "400")
    answer = json.loads(run(*at, "--json").out)
    for row in statics.payload_table(gough.load(NAME), X, actuator_force=400.0):
        assert answer["payload"][row.mounting]["mass"] == pytest.approx(row.mass, rel=1e-9)
    for row in statics.capacity_table(gough.load(NAME), X, gravity=True, actuator_force=400.0):
        assert answer["load"][row.axis]["plus"] == pytest.approx(row.plus, rel=1e-9)
    words = run(*at).out
    assert "stage 2: included are the masses of platform" in words
    assert "all six legs" not in run("capacity", NAME, "--force", "400").out, "legs 1 to 6 are half of them"


def test_loads_of_a_motion_are_those_of_both_stages_as_the_share_says(run, tmp_path):
    m = replace(gough.load(NAME), share=0.3)
    at = ("dynamics", NAME, "--share", "0.3", "--motion", "horizontal", "--amplitude", "0.02", "--samples", "3")
    answer = json.loads(run(*at, "--json").out)
    found = gough.dynamics.motion_forces(m, gough.dynamics.named_motion(m, "horizontal", 0.02), [0, 1.5, 3])
    np.testing.assert_allclose(answer["force"], found.force, rtol=1e-9)
    np.testing.assert_allclose(answer["intermediate"]["position"], found.pose[:, 0, :3, 3], atol=1e-9)
    assert answer["peak_force"] == pytest.approx(list(found.peak_force), rel=1e-9)
    ran = run(*at, "--figure", "loads.html")
    assert [row.split()[:2] for row in ran.out.splitlines()[2:14:11]] == [["1", "1"], ["12", "2"]]
    page = tmp_path.joinpath("loads.html").read_text()
    assert "stage 2: force [N]" in page
    assert "leg 12" in page


def test_both_platforms_swing_in_twelve_modes(run):
    m = replace(gough.load(SKEW_STACK), share=0.3)
    found = gough.natural_frequencies(m, stages.resolve_redundancy(m, m.end_home).matrix)
    at = ("frequencies", SKEW_STACK, "--share", "0.3")
    answer = json.loads(run(*at, "--json").out)
    np.testing.assert_allclose(answer["frequency"], found.frequency, rtol=1e-9)
    np.testing.assert_allclose(answer["energy_share"], found.energy_shares, atol=1e-9)
    head, _, *rows = run(*at).out.splitlines()
    assert head.split("  ")[-1].strip() == "rz end [%]"
    assert [row.split()[0] for row in rows[:12]] == [str(k) for k in range(1, 13)]
    loaded = json.loads(run(*at, "--loaded", "--json").out)
    expected = gough.natural_frequencies(m, found.X, gravity=True)
    np.testing.assert_allclose(loaded["frequency"], expected.frequency, rtol=1e-9)
    assert loaded["is_stable"]


def test_least_values_are_those_of_the_end_platform(run):
    m = replace(gough.load(SKEW_STACK), share=0.3)
    at = (SKEW_STACK, "--share", "0.3", "--si", "--json", "--samples", "3")
    found = json.loads(run("stiffness", *at, "--weakest").out)["translation"]
    expected = statics.weakest_pose(m, samples=3)
    assert found["lowest"] == pytest.approx(expected.value, rel=1e-6)
    np.testing.assert_allclose(found["position"], expected.position, atol=1e-6)


def test_conditioning_is_that_of_the_least_of_twelve_rates(run):
    m = replace(gough.load(NAME), share=0.3)
    found = gough.singularity.conditioning(m, stages.resolve_redundancy(m, gough.pose([0.05, 0, 1.1])).matrix)
    answer = json.loads(run("conditioning", NAME, "--share", "0.3", "--at", "0.05,0,1.1", "--json").out)
    np.testing.assert_allclose(answer["singular_values"], found.singular_values, rtol=1e-9)
    assert answer["distance_to_singularity"] == pytest.approx(float(found.distance), rel=1e-9)


def test_top_speeds_are_those_of_twelve_joints(run):
    m = replace(gough.load(SKEW_STACK), share=0.3)
    e = gough.velocity_envelope(m, m.end_home)
    at = ("velocity", SKEW_STACK, "--share", "0.3", "--si")
    answer = json.loads(run(*at, "--json").out)
    np.testing.assert_allclose(answer["top_speed"], [e.speed(d) for d in np.eye(6)], rtol=1e-9)
    assert answer["every_direction"]["translation"] == pytest.approx(float(e.guaranteed()), rel=1e-9)
    rates = json.loads(run(*at, "--twist", "0.01,0,0,0,0.1,0", "--json").out)
    np.testing.assert_allclose(rates["joint_rates"], e.joint_rates([0.01, 0, 0, 0, 0.1, 0]), rtol=1e-9)


@pytest.mark.thorough
def test_rays_and_orientations_are_those_of_the_end_platform(run):
    m, X = replace(gough.load(NAME), share=0.3), gough.pose([0.05, 0, 1.1], [0.1, 0, 0], "XYZ")
    place = X.as_matrix()[:3, :3] @ m.point_of_interest + X.as_matrix()[:3, 3]
    at = ("--share", "0.3", "--at", "0.05,0,1.1,0.1,0,0", "--sequence", "XYZ", "--level", "0", "--json")
    rays = gough.workspaces.workspace_rays(m, X, centre=place, level=0)
    turns = gough.workspaces.orientation_workspace(m, place, reference=X, level=0)
    for shape, expected in (("rays", rays), ("orientations", turns)):
        answer = json.loads(run("workspace", NAME, "--shape", shape, *at).out)
        assert answer["volume"] == pytest.approx(expected.volume)
        assert answer["extent"]["x"] == pytest.approx([expected.extent.low[0], expected.extent.high[0]])


def test_forces_are_held_by_both_stages(run):
    m, places = gough.load(NAME), [[0.05, 0.02, 1.1], [0.0, 0.0, 1.05], [0.1, 0.0, 1.1]]
    X = gough.kinematics.inverse.postures(m, gough.pose_matrix(places, np.zeros(3), "XYZ"))
    table = "x,y,z\n" + "\n".join(",".join(map(str, row)) for row in places)
    load = ("--wrench", "20,-10,-100,1,2,3")
    ran = run("forces", NAME, *load, "--csv", "-", "--json", stdin=table)
    answer, both = json.loads(ran.out), np.array([np.zeros(6), [20, -10, -100, 1, 2, 3]])
    np.testing.assert_allclose(answer["actuator_force"], gough.leg_forces(m, X, both, gravity=True), rtol=1e-9)
    axial = statics.axial_forces(m, X, both[1], gravity=True)
    np.testing.assert_allclose(answer["axial_force"], axial, rtol=1e-9)
    head, _, *rows = run("forces", NAME, *load).out.splitlines()
    assert head.split() == ["leg", "stage", "actuator", "[N]", "rod", "[N]"]
    assert [row.split()[:2] for row in rows[:12]] == [[str(k), "1" if k < 7 else "2"] for k in range(1, 13)]
    assert rows[12].startswith("Stage 1: included are the masses of platform")


def test_controllers_follow_a_motion_of_the_end_platform(run):
    m = replace(gough.load(NAME), share=0.3)
    at = ("simulate", NAME, "--share", "0.3", "--motion", "horizontal", "--amplitude", "0.02", "--duration", "0.004")
    answer = json.loads(run(*at, "--samples", "2", "--controller", "pd", "--bandwidth", "5", "--json").out)
    motion = gough.dynamics.named_motion(m, "horizontal", 0.02)
    pd = gough.dynamics.LegPID.tuned(m, motion, 10 * np.pi, has_integral=False, holds_weight=True)
    X, V, _ = gough.dynamics.motions.states_of_all(m, motion(0.0))
    found = gough.simulate(m, X, V, pd, 0.004, times=[0, 0.004], rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(answer["joint_error"], found.joint_error, atol=1e-9)
    np.testing.assert_allclose(answer["force"], found.force, rtol=1e-6)
    said = run(*at, "--samples", "2").out
    assert "Largest error of a joint: stage 1: " in said


def test_both_stages_move_under_twelve_forces(run, tmp_path):
    m = replace(gough.load(NAME), share=0.4)
    X = stages.resolve_redundancy(m, gough.pose([0.02, 0.01, 1.05])).matrix
    force = [*(40.0 + k for k in range(6)), *(20.0 - k for k in range(6))]
    at = ("simulate", NAME, "--share", "0.4", "--at", "0.02,0.01,1.05", "--duration", "0.02", "--samples", "3")
    given = (*at, "--force", ",".join(map(str, force)))
    answer = json.loads(run(*given, "--json").out)
    found = gough.simulate(m, X, np.zeros((2, 6)), force, 0.02, times=[0, 0.01, 0.02], rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(answer["joint"], found.joint, rtol=1e-9)
    np.testing.assert_allclose(answer["position"], found.pose[:, 1, :3, 3], rtol=1e-9)
    np.testing.assert_allclose(answer["intermediate"]["position"], found.pose[:, 0, :3, 3], atol=1e-9)
    head, _, *rows = run(*at).out.splitlines()[2:]
    assert head.split()[:4] == ["leg", "stage", "peak", "force"]
    held = gough.leg_forces(m, X, gravity=True)
    assert [float(row.split()[2]) for row in rows[:12]] == pytest.approx(held, rel=5e-3)
    assert [row.split()[1] for row in rows[:12]] == ["1"] * 6 + ["2"] * 6
    assert run(*given, "-o", "both.csv").code == 0
    titles = tmp_path.joinpath("both.csv").read_text().splitlines()[0].split(",")
    assert {"z_m", "mid_z_m", "q12_m", "force7_N", "qd1_m_per_s"} <= set(titles)


def test_of_unlike_stages_each_leg_has_its_own_unit(run, tmp_path):
    text = "".join(f'[[stages]]\nmachine = "{one}"\n' for one in ("dumitriu2017", "servo"))
    tmp_path.joinpath("two.toml").write_text(f'name = "two"\nsource = "made up"\n{text}')
    head, *rows = run("forces", "two.toml", "--wrench", "0,0,-10", "-o", "f.csv").out.splitlines() or [""]
    titles = tmp_path.joinpath("f.csv").read_text().splitlines()[0].split(",")
    assert {"actuator_6_N", "actuator_7_N_m", "rod_12_N"} <= set(titles)
    ran = run("simulate", "two.toml", "--duration", "0.001", "--samples", "2", "-o", "s.csv")
    if ran.code == 0:
        titles = tmp_path.joinpath("s.csv").read_text().splitlines()[0].split(",")
        assert {"q6_m", "q7_rad", "qd12_rad_per_s", "force6_N", "force7_N_m"} <= set(titles)
    assert ran.code == 0, ran.err
    head, _, *rows = run("forces", "two.toml", "--wrench", "0,0,-10").out.splitlines()
    assert head.split() == ["leg", "stage", "actuator", "unit", "rod", "[N]"]
    assert rows[0].split()[3] == "N"
    assert rows[6].split()[3:5] == ["N", "m"]


@pytest.mark.parametrize("count", [2, 3])
def test_a_load_on_many_postures_is_that_of_each(run, tmp_path, count):
    text = '[[stages]]\nmachine = "dumitriu2017"\nactuators.stiffness = 1e6\nlimits.actuator_force = 30\n'
    tmp_path.joinpath("two.toml").write_text(f'name = "two"\nsource = "made up"\n{text}{text}')
    rows = "x,y,z\n" + "0,0,1.1\n" * count
    ran = run("stiffness", "two.toml", "--wrench", "0,0,-200", "--csv", "-", stdin=rows)
    assert ran.code == 0, ran.err
    one = run("forces", "two.toml", "--wrench", "0,0,-200", "--at", "0,0,1.1")
    told = [line for line in ran.err.splitlines() if "cannot hold" in line]
    assert told == [line for line in one.err.splitlines() if "cannot hold" in line] != []


def test_a_stage_is_a_machine_for_every_command(run):
    ran = run("travel", f"{NAME}:2", "--json")
    assert ran.code == 0
    assert json.loads(ran.out)["machine"] == f"{NAME}:2"
    assert f"machine '{NAME}:2'" in run("frequencies", f"{NAME}:2", "--at", "0,0,100").err


@pytest.mark.thorough
def test_the_report_has_both_stages_and_their_gain(run, tmp_path, monkeypatch):
    for name, few in {"STEPS": (45.0,), "SCANS": (7,), "CLIMBS": 1, "FINE": 1e-3}.items():  # of the corners' directions
        monkeypatch.setattr(import_module("gough.regions.corners"), name, few)
    ran = run("report", NAME, "--json", "-o", "double.html")
    numbers = json.loads(ran.out)
    m = gough.load(NAME)
    assert numbers["workspace"]["gain"] == pytest.approx(stages.workspace_gain(m).gain)
    np.testing.assert_allclose(numbers["forces"]["forces"], stages.force_balance(m, m.X_home).forces)
    assert numbers["redundancy"]["margin"]["margin"] >= numbers["redundancy"]["fixed"]["margin"] - 1e-9
    page = tmp_path.joinpath("double.html").read_text()
    assert numbers["travel"]["z"]["plus"] == pytest.approx(
        float(gough.travel(m, [0, 0, 1, 0, 0, 0]).distance) / m.units.metres
    )
    assert "The lower stage goes 50 % of each displacement" in page
    for title in ("Workspace gain", "Force balance at home", "Lower stage: travel", "Upper stage: masses"):
        assert title in page
