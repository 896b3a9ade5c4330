"""`gough workspace`: the numbers of the analysis, in every form it can be written."""

import json

import numpy as np
import pytest

import gough

HEXEL_MM = 1e3
CUBIC_DECIMETRE = 1e-3
"""[m3]."""


@pytest.fixture(scope="module")
def hexel():
    return gough.load("hexel")


def test_the_summary_says_volume_extents_and_what_binds(run, hexel):
    ran = run("workspace", "hexel", "--samples", "17")
    w = gough.workspace(hexel, samples=17)
    assert ran.code == 0
    first, second, *_ = ran.out.splitlines()
    assert float(first.split()[1]) == pytest.approx(w.volume / CUBIC_DECIMETRE, abs=w.volume_error / CUBIC_DECIMETRE)
    assert first.split()[-1] == "dm³"
    assert second == f"columns {np.count_nonzero(w.count)} of 289 are inside somewhere"
    assert str(w) == f"{first.replace('  ', ' ')}; {second}"
    for name, share in w.boundary_share.items():
        line = next(line for line in ran.out.splitlines() if line.startswith(name))
        value, error = (float(word) for word in line.removeprefix(name).split(" ± "))
        assert abs(value - 100 * share.value) <= error
    spans = {line.split()[0]: line.split() for line in ran.out.splitlines() if line[:2] in ("x ", "y ", "z ")}
    for axis, low, high in zip("xyz", w.extent.low, w.extent.high, strict=True):
        assert [float(end) for end in spans[axis][1:3]] == pytest.approx(
            [low * HEXEL_MM, high * HEXEL_MM], rel=0, abs=0.00501
        )


def test_json_is_the_analysis_in_the_units_of_the_file(run, hexel):
    document = json.loads(run("workspace", "hexel", "--samples", "9", "--json").out)
    w = gough.workspace(hexel, samples=9)
    np.testing.assert_allclose(document["x"], w.x * HEXEL_MM)
    ends = np.array(document["intervals"], dtype=float)
    np.testing.assert_allclose(ends, w.ends * HEXEL_MM)
    assert document["limits"] == list(w.names)
    assert document["volume"] == pytest.approx(w.volume * 1e9)
    assert sum(document["boundary_share"].values()) == pytest.approx(1)


def test_csv_has_a_row_for_each_interval(run, hexel, tmp_path, monkeypatch):
    for unused in ("boundary_share", "extent", "mesh"):
        monkeypatch.setattr(gough.workspaces.Workspace, unused, None)
    assert run("workspace", "hexel", "--samples", "9", "-o", "w.csv").code == 0
    header, *rows = (tmp_path / "w.csv").read_text().splitlines()
    w = gough.workspace(hexel, samples=9)
    assert header == "x_mm,y_mm,lower_mm,upper_mm,lower_limit,upper_limit"
    assert len(rows) == w.count.sum()
    x, y, low, high, low_limit, high_limit = rows[0].split(",")
    i, j = np.argwhere(w.count)[0]
    np.testing.assert_allclose(
        [float(v) for v in (x, y, low, high)], 1e3 * np.array([w.x[i], w.y[j], *w.ends[i, j, 0]])
    )
    assert (low_limit, high_limit) == (w.names[w.binding[i, j, 0, 0]], w.names[w.binding[i, j, 0, 1]])


@pytest.mark.thorough
@pytest.mark.parametrize("shape", ["columns", "rays", "orientations", "dexterous"])
def test_every_shape_goes_into_every_file(run, tmp_path, shape):
    import xarray

    cone = ("--tilt", "5") if shape == "dexterous" else ()
    fine = {"columns": ("--samples", "7"), "dexterous": ("--samples", "5")}.get(shape, ("--level", "1"))
    for ending in ("csv", "nc", "stl", "ply"):
        ran = run("workspace", "hexel", "--shape", shape, *fine, *cone, "-o", f"w.{ending}")
        assert (ran.code, ran.out, ran.err) == (0, "", "")
        assert (tmp_path / f"w.{ending}").stat().st_size > 300
    with xarray.open_dataset(tmp_path / "w.nc", engine="scipy") as dataset:
        assert dataset["count"].max() >= 1
        assert dataset["ends"].attrs["units"] == ("rad" if shape == "orientations" else "m")
    assert len(list(tmp_path.iterdir())) == 4
    document = json.loads(run("workspace", "hexel", "--shape", shape, *fine, *cone, "--json").out)
    assert document["volume"] > 0


def test_a_pose_gives_the_orientation_and_the_place(run, hexel):
    given = ("--at", "20,0,800,8,0,0", "--sequence", "XYZ")
    X = gough.pose([0, 0, 0.8], [8, 0, 0], "XYZ", degrees=True)
    columns = json.loads(run("workspace", "hexel", "--samples", "7", "--json", *given).out)
    assert columns["volume"] == pytest.approx(1e9 * gough.workspace(hexel, X, samples=7).volume)
    rays = ("workspace", "hexel", "--shape", "rays", "--level", "1", "--json", *given)
    expected = gough.workspaces.workspace_rays(hexel, X, centre=[0.02, 0, 0.8], level=1).volume
    assert json.loads(run(*rays).out)["volume"] == pytest.approx(1e9 * expected)
    turns = ("workspace", "hexel", "--shape", "orientations", "--level", "1", "--json", "--at", "20,0,800")
    expected = gough.workspaces.orientation_workspace(hexel, [0.02, 0, 0.8], reference=np.eye(4), level=1).share
    assert json.loads(run(*turns).out)["share_of_all_orientations"] == pytest.approx(expected)


def test_an_empty_workspace_says_so(run, tmp_path):
    away = ("workspace", "hexel", "--at", "0,0,800,0,180,0", "--sequence", "XYZ", "--samples", "9")
    ran = run(*away)
    assert ran.code == 0
    assert ran.out == "Empty: no position is allowed at this orientation.\n"
    assert "no position is allowed at this orientation: the boundary is empty" in run(*away, "-o", "w.stl").complaint
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("-o", "w.obj"), "w.obj ends in .obj; specify a name"),
        (("--json", "-o", "w.stl"), "w.stl is a name for another format"),
        (("--tilt", "5"), "--tilt requires --shape dexterous"),
        (("--shape", "dexterous"), "specify --tilt ANGLE"),
        (("--shape", "dexterous", "--tilt", "-5"), "expected 0 to pi"),
        (("--shape", "rays", "--samples", "5"), "--samples requires --shape columns or dexterous"),
        (("--shape", "orientations", "--at", "0,0,nan"), "not a finite number"),
    ],
)
def test_what_cannot_be_meant_is_one_sentence(run, tmp_path, arguments, sentence):
    assert sentence in run("workspace", "hexel", *arguments).complaint
    assert list(tmp_path.iterdir()) == []


def test_ctrl_c_leaves_nothing_behind(run, tmp_path, monkeypatch):
    def stopped(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr("gough.limits.interval_search.run_batch", stopped)
    ran = run("workspace", "hexel", "-o", "w.csv")
    assert (ran.code, ran.out, ran.err) == (130, "", "stopped\n")
    assert list(tmp_path.iterdir()) == []
