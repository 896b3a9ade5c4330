"""gough margins: distances to limits, in words, as CSV and as JSON."""

import json
import re

import numpy as np
import pytest
from tests.extremes import MACHINES

import gough

FIFTEEN_DIGITS = 1e-14


def test_an_allowed_pose_is_told_with_its_nearest_limit(run):
    m = gough.load("hexel")
    ran = run("margins", "hexel", "--at", "0,0,700")
    lines = ran.out.splitlines()
    assert ran.code == 0
    assert lines[0] == "Allowed. Nearest to its limit:"
    assert lines[1].strip() == gough.margins(m, gough.pose([0, 0, 0.7])).sentence()


def test_a_refused_pose_is_told_with_every_broken_limit(run):
    m = gough.load("hexel")
    broken = gough.margins(m, gough.pose([0, 0, 1.3])).sentences()
    lines = run("margins", "hexel", "--at", "0,0,1300").out.splitlines()
    assert len(broken) == 6
    assert lines[0] == "Not allowed:"
    assert [line.strip() for line in lines[1:7]] == broken


@pytest.mark.parametrize("z", [700, 1250])
def test_the_table_has_every_limit_in_the_units_of_the_file_and_says_which_are_refused(run, z):
    """What the pose has and what is allowed lie as far apart as the margin says."""
    m = gough.load("hexel")
    found = gough.margins(m, gough.pose([0, 0, z * 1e-3]))
    out = run("margins", "hexel", "--at", f"0,0,{z}").out.splitlines()
    table = out[next(k for k, line in enumerate(out) if line.startswith("limit ")) + 2 :]
    row = re.compile(r"(.+?) +(\S+) +(mm|deg|1) +(\S+) +at (least|most) (\S+) *(refused)?")
    for line, name, value, si in zip(table, found.names, found.values, found.units, strict=True):
        limit, margin, unit, now, side, bound, refused = row.fullmatch(line).groups()
        size, last = {"mm": (1e-3, 2), "deg": (np.pi / 180, 3), "1": (1.0, 4)}[unit]
        assert (limit, {"mm": "m", "deg": "rad", "1": "1"}[unit]) == (name, si)
        assert float(margin) == pytest.approx(value / size, rel=0, abs=0.5001 * 10**-last)
        apart = float(now) - float(bound) if side == "least" else float(bound) - float(now)
        assert apart == pytest.approx(float(margin), rel=0, abs=1.6 * 10**-last)
        assert (refused == "refused") == (value < 0)
    told = run("travel", "hexel", "--at", f"0,0,{z}").out
    assert (told.count("refused") == int((found.values < 0).sum())) or z == 700
    assert ("travel is undefined" in told) == (z == 1250)


def test_many_poses_are_csv_with_a_column_for_each_limit(run):
    m = gough.load("hexel")
    ran = run("margins", "hexel", "--csv", "-", stdin="x,y,z\n0,0,700\n0,0,1300\n")
    found = gough.margins(m, gough.pose([[0, 0, 0.7], [0, 0, 1.3]]))
    assert [row["is_allowed"] for row in ran.rows] == ["yes", "no"]
    assert [row["binding"] for row in ran.rows] == list(found.binding)
    longest = found.values[:, found.names.index("leg 4 longest")] * 1e3
    np.testing.assert_allclose([row["leg_4_longest_mm"] for row in ran.rows], longest, rtol=FIFTEEN_DIGITS)
    assert len(ran.rows[0]) == 2 + len(found.names)


def test_si_speaks_metres_also_in_words(run):
    ran = run("margins", "hexel", "--si", "--at", "0,0,1.3")
    assert " m, allowed " in ran.out
    assert "mm" not in ran.out
    assert "leg_4_longest_m," in run("margins", "hexel", "--si", "--csv", "-", stdin="x,y,z\n0,0,1\n").out


def test_json_has_the_limits_the_margins_and_the_sentences(run):
    m = gough.load("hexel")
    answer = json.loads(run("margins", "hexel", "--at", "0,0,1300", "--json").out)
    found = gough.margins(m, gough.pose([0, 0, 1.3]))
    assert answer["is_allowed"] is False
    assert answer["binding"] == found.binding
    assert answer["sentences"] == found.sentences()
    assert [limit["name"] for limit in answer["limits"]] == list(found.names)
    assert answer["limits"][found.names.index("leg 4 longest")] == {
        "name": "leg 4 longest",
        "legs": [4],
        "unit": "mm",
    }
    many = json.loads(run("margins", "hexel", "--json", "--csv", "-", stdin="x,y,z\n0,0,700\n0,0,1300\n").out)
    assert many["is_allowed"] == [True, False]
    assert np.shape(many["margins"]) == (2, len(found.names))


def test_output_of_one_pose_is_csv(run, tmp_path):
    assert run("margins", "hexel", "-o", "margins.csv").out == ""
    header, row = tmp_path.joinpath("margins.csv").read_text().splitlines()
    assert header.startswith("is_allowed,binding,leg_1_longest_mm,")
    assert row.startswith("yes,")


@pytest.mark.parametrize("title", ["singular home", "sliders singular at home"])
def test_a_singular_home_is_said_by_every_command(run, tmp_path, title):
    path = tmp_path / "singular.toml"
    path.write_text(MACHINES[title])
    for command in ("check", "margins"):
        found = run(command, path)
        assert (found.code, found.err) == (0, "")
        assert "singular at home: det J = 0" in found.out
        assert "choose another home pose or other joint points" in found.out
        assert "Allowed" not in found.out
    document = json.loads(run("margins", path, "--json").out)
    assert document["is_singular"]
    assert "singular at home" in document["sentences"][-1]


def test_a_usual_home_is_not_called_singular(run):
    for name in ("hexel", "sinatra2009", "servo"):
        assert "singular at home" not in run("check", name).out
        assert not json.loads(run("margins", name, "--json").out)["is_singular"]
