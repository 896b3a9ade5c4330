"""gough travel: distances, and what ends them."""

import json

import numpy as np
import pytest

import gough

FIFTEEN_DIGITS = 1e-14
TIED_IN_MM = 0.01
"""1e-5 of the longest leg of hexel: the first of legs that tie is named."""
NANOMETRE_IN_MM = 1e-6


def test_without_a_direction_it_tells_all_axes_both_ways(run):
    lines = run("travel", "hexel").out.splitlines()[2:]
    for line, row in zip(lines, gough.travel_table(gough.load("hexel")), strict=True):
        size, last = (np.pi / 180, 1e-3) if row.axis.startswith("r") else (1e-3, 1e-2)
        axis, minus, plus, unit, *_ = line.split()
        assert (axis, unit) == (row.axis, "deg" if row.axis.startswith("r") else "mm")
        assert float(minus) == pytest.approx(row.minus / size, rel=0, abs=0.5001 * last)
        assert float(plus) == pytest.approx(row.plus / size, rel=0, abs=0.5001 * last)
        assert row.minus_words in line
        assert row.plus_words in line


@pytest.mark.parametrize(
    ("text", "direction"),
    [
        ("x", [1, 0, 0, 0, 0, 0]),
        ("+ry", [0, 0, 0, 0, 1, 0]),
        ("-rz", [0, 0, 0, 0, 0, -1]),
        ("1,-2,0.5", [1, -2, 0.5, 0, 0, 0]),
        ("0 0 0 1 2 3", [0, 0, 0, 1, 2, 3]),
        ("1,0,0,0,0,0.1", [1, 0, 0, 0, 0, np.deg2rad(0.1) / 1e-3]),  # 0.1 deg in each mm
    ],
)
def test_along_a_direction_it_tells_distance_limit_and_end(run, text, direction):
    m = gough.load("hexel")
    found = gough.travel(m, direction, gough.pose([0.01, 0, 0.7]))
    answer = json.loads(run("travel", "hexel", "--along", text, "--at", "10,0,700", "--json").out)
    turns = not any(direction[:3])
    size = np.pi / 180 if turns else 1e-3
    assert answer["units"]["distance"] == ("deg" if turns else "mm")
    assert answer["distance"] * size == pytest.approx(float(found.distance), rel=1e-12)
    assert answer["limit"] == found.binding
    np.testing.assert_allclose(answer["end"]["position"], found.matrix[:3, 3] * 1e3, atol=1e-9)


def test_one_direction_is_told_in_a_sentence(run):
    found = gough.travel(gough.load("hexel"), [0, 0, 1, 0, 0, 0])
    assert run("travel", "hexel", "--along", "z").out == f"{found.sentence()}\n"


def test_many_starts_give_a_row_each(run):
    m = gough.load("hexel")
    starts = gough.pose([[0, 0, 0.7], [0.01, 0, 0.8]])
    table = "x,y,z\n0,0,700\n10,0,800\n"
    ran = run("travel", "hexel", "--along", "y", "--csv", "-", "--sequence", "XYZ", stdin=table)
    found = gough.travel(m, [0, 1, 0, 0, 0, 0], starts)
    np.testing.assert_allclose([row["distance_mm"] for row in ran.rows], found.distance * 1e3, rtol=FIFTEEN_DIGITS)
    assert [row["limit"] for row in ran.rows] == list(found.binding)
    pose = ["x_mm", "y_mm", "z_mm", "a_deg", "b_deg", "c_deg"]
    assert list(ran.rows[0]) == ["distance_mm", "limit", *pose, "start_allowed"]
    ran = run("travel", "hexel", "--csv", "-", stdin=table)
    for row, start in zip(ran.rows, starts, strict=True):
        for told in gough.travel_table(m, start):
            unit, size = ("deg", np.pi / 180) if told.axis.startswith("r") else ("mm", 1e-3)
            assert row[f"{told.axis}_minus_{unit}"] * size == pytest.approx(told.minus, rel=1e-12)
            assert row[f"{told.axis}_plus_{unit}"] * size == pytest.approx(told.plus, rel=1e-12)
            assert row[f"{told.axis}_plus_limit"] == told.plus_binding


def test_its_ends_are_a_table_of_poses_on_a_limit(run):
    ends = run("travel", "hexel", "--along", "z", "--csv", "-", stdin="x,y,z\n0,0,700\n10,0,800\n")
    margins = run("margins", "hexel", "--csv", "-", stdin=ends.out)
    for end, margin in zip(ends.rows, margins.rows, strict=True):
        named = abs(margin[f"{end['limit'].replace(' ', '_')}_mm"])
        at_end = min(abs(value) for title, value in margin.items() if title.endswith("longest_mm"))
        assert at_end < NANOMETRE_IN_MM
        assert named < TIED_IN_MM


def test_a_travel_without_an_end_is_inf_and_null(run, free_machine, tmp_path):
    answer = json.loads(run("travel", free_machine, "--along", "z", "--json").out)
    assert answer["distance"] is None
    assert answer["limit"] == "none"
    assert run("travel", free_machine, "--along", "z", "-o", "free.csv").code == 0
    assert tmp_path.joinpath("free.csv").read_text().splitlines()[1].startswith("inf,none,nan,")


def test_a_start_that_is_refused_is_told_with_its_reason(run):
    m = gough.load("hexel")
    X = gough.pose([0, 0, 1.5])
    found = gough.margins(m, X)
    why = [name for name, value in zip(found.names, found.values, strict=True) if value < 0]
    told = run("travel", "hexel", "--at", "0,0,1500").out
    assert told.startswith("The start violates limits, so travel is undefined:")
    assert [line.partition("  ")[0] for line in told.splitlines() if line.endswith("refused")] == why
    assert "ended by" not in told
    one = run("travel", "hexel", "--at", "0,0,1500", "--along", "x").out
    assert one.startswith("the start is not allowed: ")
    assert found.sentences()[0] in one
    found = json.loads(run("travel", "hexel", "--at", "0,0,1500", "--json").out)
    assert found["start_allowed"] is False
    assert json.loads(run("travel", "hexel", "--along", "x", "--json").out)["start_allowed"] is True
    rows = run("travel", "hexel", "--along", "x", "--csv", "-", stdin="x,y,z\n0,0,1500\n0,0,800\n").rows
    assert [row["start_allowed"] for row in rows] == ["no", "yes"]
