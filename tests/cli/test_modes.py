"""gough modes: every pose of joint coordinates."""

import json
from pathlib import Path

import numpy as np
import pytest
import xarray

import gough

SOLVED = 1e-7
"""Of what two ways of finding a pose give [mm]."""


@pytest.fixture(scope="module")
def hexel():
    m = gough.load("hexel")
    return m, gough.assembly_modes(m, gough.inverse_kinematics(m, m.home))


def test_the_table_tells_every_mode_and_what_it_means(run, hexel):
    _, modes = hexel
    ran = run("modes", "hexel")
    assert ran.code == 0
    lines = ran.out.splitlines()
    assert lines[0].split()[0] == "mode"
    assert "x [mm]" in lines[0]
    assert len([line for line in lines if "proven" in line]) == len(modes)
    assert lines[2].split()[1:4] == ["0.00", "0.00", "800.00"]
    assert lines[2].split()[-2:] == ["proven", "allowed"]
    assert lines[-1] == f"{modes.sentence()}."
    assert modes.sentence().startswith(f"{len(modes)} real of {modes.finite_count} finite complex poses, 1 of them")
    assert modes.sentence().endswith("; these are all")


def test_several_allowed_modes_are_told(run):
    assert "joint coordinates alone do not determine" in run("modes", "tsai2000").out


def test_self_motions_are_told(run):
    out = run("modes", "sinatra2009").out
    assert "moves freely" in out
    assert "The machine has a self-motion" in out
    assert "these are all" not in out.splitlines()[-1]


def test_joint_coordinates_and_the_pose_they_come_from_have_the_same_modes(run):
    m = gough.load("hexel")
    q = gough.inverse_kinematics(m, gough.pose([0.03, 0.01, 0.75], [5, 0, 3], "XYZ", degrees=True)) * 1e3
    by_pose = run("modes", "hexel", "--at", "30,10,750,5,0,3", "--sequence", "XYZ", "--json")
    by_joints = run("modes", "hexel", "--joints", ",".join(map(repr, q.tolist())), "--sequence", "XYZ", "--json")
    here, there = json.loads(by_pose.out), json.loads(by_joints.out)
    np.testing.assert_allclose(here["position"], there["position"], atol=SOLVED)
    assert min(np.abs(np.array(here["position"]) - [30, 10, 750]).max(axis=1)) < SOLVED


def test_json_says_all(run, hexel):
    _, modes = hexel
    answer = json.loads(run("modes", "hexel", "--json").out)
    assert answer["machine"] == "hexel"
    assert answer["units"]["length"] == "mm"
    np.testing.assert_allclose(answer["position"], 1e3 * modes.matrix[:, :3, 3], atol=SOLVED)
    np.testing.assert_allclose(answer["joints"], modes.q * 1e3, atol=SOLVED)
    for key in ("side", "within_limits", "certified", "singular", "moves_freely"):
        assert len(answer[key]) == len(modes)
    assert answer["side"] == modes.side.tolist()
    assert answer["within_limits"] == modes.within_limits.tolist()
    assert (answer["finite_count"], answer["complete"]) == (16, True)
    in_metres = json.loads(run("modes", "hexel", "--si", "--json").out)
    np.testing.assert_allclose(in_metres["position"], modes.matrix[:, :3, 3], atol=1e-3 * SOLVED)


def test_many_joint_coordinates_from_a_table(run, hexel):
    m, modes = hexel
    q = gough.inverse_kinematics(m, gough.pose([[0, 0, 0.8], [0.02, 0, 0.78]])) * 1e3
    table = "q1,q2,q3,q4,q5,q6\n" + "\n".join(",".join(map(repr, row)) for row in q.tolist()) + "\n"
    ran = run("modes", "hexel", "--csv", "-", stdin=table)
    assert ran.code == 0
    rows = ran.rows
    assert [row["mode"] for row in rows if row["row"] == 1] == list(range(1, len(modes) + 1))
    second = next(row for row in rows if row["row"] == 2)
    np.testing.assert_allclose([second["x_mm"], second["y_mm"], second["z_mm"]], [20, 0, 780], atol=SOLVED)
    answer = json.loads(run("modes", "hexel", "--csv", "-", "--json", stdin=table).out)
    assert len(answer["rows"]) == 2


def test_a_table_is_written_to_a_file(run, tmp_path):
    ran = run("modes", "hexel", "-o", "modes.csv")
    assert (ran.code, ran.out) == (0, "")
    lines = (tmp_path / "modes.csv").read_text().splitlines()
    assert lines[0].startswith("row,mode,x_mm")
    assert len(lines) == 17


def test_joint_coordinates_that_fit_nothing_have_no_modes(run):
    ran = run("modes", "hexel", "--joints", "100,5000,100,5000,100,5000")
    assert ran.code == 0
    assert ran.out.splitlines()[-1].startswith("0 real of ")


def test_a_map_of_ambiguity_is_written(run, tmp_path):
    ran = run("modes", "tsai2000", "--map", "--samples", "3", "-o", "map.nc")
    assert ran.code == 0, ran.err
    with xarray.open_dataset(tmp_path / "map.nc") as found:
        assert found.modes_within_limits.max() > 1
        assert set(found.sizes) == {"x", "y", "z"}
        assert found.attrs


def test_a_map_as_a_table_says_yes_and_no(run):
    arguments = ["modes", "tsai2000", "--map", "--samples", "3"]
    rows = run(*arguments).rows
    said = {row["complete"] for row in rows if row["modes"] > 0}
    assert said == {"yes"}
    flags = np.ravel(json.loads(run(*arguments, "--json").out)["complete"]).tolist()
    assert flags == [True if row["complete"] == "yes" else None for row in rows]


def test_the_way_between_two_modes_tells_its_singularities(run, hexel):
    _, modes = hexel
    other = int(np.flatnonzero(modes.side != modes.side[0])[0]) + 1
    ran = run("modes", "hexel", "--between", f"1,{other}", "--sequence", "XYZ")
    assert ran.code == 0
    rows = ran.rows
    for row, k in ((rows[0], 0), (rows[-1], other - 1)):
        np.testing.assert_allclose(
            [row["x_mm"], row["y_mm"], row["z_mm"]], 1e3 * modes.matrix[k, :3, 3], atol=1e3 * SOLVED
        )
        assert abs(row["q1_mm"] - 1e3 * modes.q[0]) < 1e3 * SOLVED
    assert [row["s"] for row in rows] == sorted(row["s"] for row in rows)
    singular = [row for row in rows if row["singular"] == "yes"]
    assert singular, "modes of different side"
    assert "singularit" in ran.err
    answer = json.loads(run("modes", "hexel", "--between", f"1,{other}", "--json").out)
    np.testing.assert_allclose(answer["crossings"], [row["s"] for row in singular])
    assert len(answer["joints"]) == len(rows)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--between", "1,17"], "two different modes of 1 to 16"),
        (["--between", "2,2"], "two different modes"),
        (["--between", "1"], "1 numbers"),
        (["--between", "1,2", "--map", "-o", "a.nc"], "--map"),
        (["--joints", "1,2,3"], "6"),
        (["--joints", "1,1,1,1,1,-1"], "leg 6 cannot be -1 mm"),
        (["--joints", "1,1,1,1,1,1", "--at", "0,0,800"], "--joints and --at are mutually exclusive"),
        (["--joints", "1,1,1,1,1,1", "--map", "-o", "a.nc"], "--joints and --map are mutually exclusive"),
        (["--joints", "a,b,c,d,e,f"], "a"),
        (["--csv", "absent.csv"], "absent.csv"),
        (["--joints", "700,700,700,700,700,700", "-o", "nowhere/modes.csv"], "nowhere"),
    ],
)
def test_a_wrong_request_is_refused_with_a_sentence(run, arguments, words):
    assert words in run("modes", "hexel", *arguments).complaint


def test_a_pose_that_no_leg_reaches_is_refused(run):
    assert "a leg cannot close" in run("modes", "servo", "--at", "0,0,5000").complaint


@pytest.mark.parametrize("words", [["modes", "hexel"], ["velocity", "hexel"], ["travel", "hexel", "--along", "z"]])
def test_a_file_with_the_name_of_json_gets_json(run, words):
    printed = run(*words, "--json")
    assert run(*words, "-o", "answer.JSON").out == ""
    assert Path("answer.JSON").read_text("utf-8") == printed.out


def test_the_history_of_a_path_is_json_in_a_file_of_that_name(run):
    Path("path.csv").write_text("x,y,z\n0,0,800\n0,0,810\n", "utf-8")
    assert run("path", "hexel", "path.csv", "-o", "history.json").code == 0
    assert len(json.loads(Path("history.json").read_text("utf-8"))["time"]) == 2001
