"""gough corners and gough linear-map: the numbers of the library, with their units, as JSON, CSV and figures."""

import csv
import io
import json

import numpy as np
import pytest
from tests.thorough import thorough

import gough


@pytest.mark.parametrize(("kind", "size"), [("rotation", np.pi / 180), *thorough(("translation", 1e-3))])
def test_corners_are_those_of_the_library(run, kind, size):
    found = gough.regions.corners(gough.load("pitch-circle"), kind, strokes_only=True)
    answer = json.loads(run("corners", "pitch-circle", "--kind", kind, "--strokes", "--json").out)
    np.testing.assert_allclose(np.array(answer["points"]) * size, found.points, atol=1e-15)
    np.testing.assert_allclose(np.array(answer["sides"]) * size, found.sides, rtol=1e-14)
    assert answer["units"]["points"] == answer["units"]["sides"] == ("mm" if kind == "translation" else "deg")
    assert answer["limit"] == list(found.binding)


def test_corners_have_a_row_each_in_csv(run, tmp_path):
    run("corners", "hexel", "-o", str(tmp_path / "corners.csv"))
    rows = list(csv.DictReader(io.StringIO((tmp_path / "corners.csv").read_text())))
    found = gough.regions.corners(gough.load("hexel"), "translation")
    assert [row["corner"] for row in rows] == list("12345678")
    np.testing.assert_allclose([[float(row[f"{x}_mm"]) for x in "xyz"] for row in rows], 1e3 * found.points, rtol=1e-13)
    assert [row["limit"] for row in rows] == list(found.binding)


def test_the_map_is_that_of_the_library_at_any_pose(run, tmp_path):
    m, X = gough.load("servo"), gough.pose([0.001, 0.002, 0.13], [0.02, 0.01, -0.03], "XYZ")
    found = gough.kinematics.linear_map(m, X)
    where = ("--si", "--at", "0.001,0.002,0.13,0.02,0.01,-0.03", "--sequence", "XYZ")
    answer = json.loads(run("linear-map", "servo", *where, "--json").out)
    np.testing.assert_allclose(answer["T_inv"], found.T_inv, rtol=1e-13)
    np.testing.assert_allclose(np.array(answer["T"]) @ answer["T_inv"], np.eye(6), atol=1e-11)
    assert answer["units"]["T_inv"] == [["rad/m"] * 3 + ["rad/rad"] * 3] * 6
    ran = run("linear-map", "servo", *where, "-o", str(tmp_path / "map.csv"))
    assert ran.code == 0
    rows = list(csv.DictReader(io.StringIO((tmp_path / "map.csv").read_text())))
    np.testing.assert_allclose([float(row["T_inv_rz_rad_per_rad"]) for row in rows], found.T_inv[:, 5], rtol=1e-13)


@pytest.mark.thorough
@pytest.mark.parametrize("command", ["corners", "linear-map"])
def test_both_draw_their_figure_and_take_two_stages(run, tmp_path, command):
    ran = run(command, "double-hexapod", "--figure", str(tmp_path / "figure.html"))
    assert ran.code == 0, ran.err
    assert "Plotly.newPlot" in (tmp_path / "figure.html").read_text("utf-8")


def test_a_singular_pose_has_a_map_without_an_inverse(run):
    answer = json.loads(run("linear-map", "singular-home", "--json").out)
    assert np.isfinite(answer["T_inv"]).all()
    assert answer["T"] == [[None] * 6] * 6
