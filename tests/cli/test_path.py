"""gough path, gough report --path: what is asked of a path, answered in the machine's units."""

import json
import re

import numpy as np
import pytest
import xarray

import gough
from gough import motion

MM = 1e-3
ROWS, BETWEEN_ROWS = 1e-6, 0.1
"""Of the printed joint values, and by how much they exceed those of 300 rows between these [mm]."""
PROGRAM = """G21 G90 F600
G1 X20 I0.1 K1
G3 X0 Y20 I-20
G4 P1
G0 Z10"""


@pytest.fixture
def program(tmp_path):
    path = tmp_path / "part.ngc"
    path.write_text(PROGRAM)
    return str(path)


def answer(ran):
    assert ran.code == 0, ran.err
    return json.loads(ran.out)


def test_a_path_is_checked_with_an_uncertainty(run, program):
    sure, wide = (
        answer(run("path", "hexel", program, "--json", "--uncertainty", text)) for text in ("0.1,0.02", "400")
    )
    assert (sure["verdict"], wide["verdict"]) == ("proven", "refuted")
    assert run("path", "hexel", program, "--uncertainty", "-1").code == 2


def test_an_uncertainty_is_read_along_the_path(run, program, tmp_path):
    """Narrow on the first lines, wider than the machine on the last; of what is not known, in a sentence."""
    table = tmp_path / "near.csv"
    table.write_text("line,distance,angle_deg\n0,0.1,0.01\n4,0.1,0\n5,400,0\n6,400,0\n")
    found = answer(run("path", "hexel", program, "--json", "--uncertainty", str(table)))
    assert found["verdict"] == "refuted"
    assert all(place["first_line"] >= 3 for place in found["stretches"])
    for text, words in (
        ("line,distance\n0,1\n4,1\n", "the path from 0 to 6"),
        ("line,distance\n0,1\n0,1\n", "must increase from row to row"),
        ("line,angle\n0,1\n6,1\n", "no column 'distance'"),
        ("line,distance\n0,-1\n6,1\n", "zero or more"),
    ):
        table.write_text(text)
        ran = run("path", "hexel", program, "--uncertainty", str(table))
        assert ran.code == 2
        assert words in ran.err
    assert "no covariance next to its file" in run("path", "hexel", program, "--uncertainty", "calibration").err


def test_a_part_program_judged_and_timed(run, program, tmp_path):
    legs, netcdf = tmp_path / "legs.csv", tmp_path / "legs.nc"
    found = answer(run("path", "hexel", program, "--json", "-o", str(legs)))
    assert found["feasible"] is True
    assert found["verdict"] == "proven"
    assert found["times"]["rest"] == pytest.approx(1.0)
    assert sum(found["times"].values()) == pytest.approx(found["duration"])
    way = 20 + 10 * np.pi
    assert found["times"]["feed"] == pytest.approx(way / 10, rel=0.05)
    header, *lines = legs.read_text().splitlines()
    columns = dict(
        zip(header.split(","), np.array([list(map(float, line.split(","))) for line in lines]).T, strict=True)
    )
    m = gough.load("hexel")
    X = np.tile(np.eye(4), (len(lines), 1, 1))
    quaternion = np.stack([columns[f"q{axis}"] for axis in "xyzw"], axis=-1)
    from scipy.spatial.transform import Rotation

    X[:, :3, :3] = Rotation.from_quat(quaternion).as_matrix()
    X[:, :3, 3] = np.stack([columns[f"{axis}_mm"] for axis in "xyz"], axis=-1) * MM
    q = gough.inverse_kinematics(m, X) / MM
    assert np.stack([columns[f"q{leg}_mm"] for leg in range(1, 7)], axis=-1) == pytest.approx(q, abs=1e-8)
    assert set(columns["line"]) == {0, 2, 3, 5}
    # Not read off the rows: the highest is at least theirs, and exceeds it by the curvature between them.
    above = np.array(found["legs"]["highest"]) - q.max(axis=0)
    assert (above >= -ROWS).all()
    assert (above < BETWEEN_ROWS).all()
    run("path", "hexel", program, "-o", str(netcdf))
    with xarray.open_dataset(netcdf, engine="scipy") as data:
        assert data["joint"].to_numpy() / MM == pytest.approx(q, abs=1e-8)
        assert data["allowed"].to_numpy().all()


def test_for_people(run, program):
    told = run("path", "hexel", program, "--timing", "optimal", "--acceleration", "500").out
    assert "Feasible: every limit is kept along the whole path, proven" in told
    assert "\nroll about the tool  " in told
    assert re.search(r"\nhardest leg +\d, a travel of .* mm\n\nleg ", told)


def test_pages_and_strut_programs(run, program, tmp_path):
    page, struts = tmp_path / "moving.html", tmp_path / "struts.ngc"
    ran = run("path", "hexel", program, "--figure", str(page), "--strut-program", str(struts))
    assert ran.code == 0
    assert "Plotly.newPlot" in page.read_text("utf-8")
    assert struts.read_text().startswith("(hexel: joint coordinates of legs 1 to 6 as X, Y, Z, A, B, C in mm)")
    assert "points; straight joints leave the path by" in ran.err


def test_tables_of_poses(run, tmp_path):
    poses = "x,y,z\n0,0,800\n20,0,800\n20,30,790\n"
    found = answer(run("path", "hexel", "-", "--json", stdin=poses))
    assert found["feasible"] is True
    assert found["duration"] > 0
    slow = answer(run("path", "hexel", "-", "--json", "--feed", "5", stdin=poses))
    assert slow["duration"] > found["duration"]
    timed = "time,x,y,z\n0,0,0,800\n4,20,0,800\n8,20,30,790\n"
    assert answer(run("path", "hexel", "-", "--json", stdin=timed))["duration"] == pytest.approx(8.0)
    assert answer(run("path", "hexel", "-", "--json", "--timing", "optimal", stdin=timed))["duration"] < 8.0
    hasty = "time,x,y,z\n0,0,0,800\n0.1,20,0,800\n0.2,20,30,790\n"
    told = run("path", "hexel", "-", stdin=hasty).out
    assert "Not feasible:" in told
    assert "% of what is allowed" in told


def test_what_is_broken_is_named_by_line(run, tmp_path):
    path = tmp_path / "far.ngc"
    path.write_text("G0 Z10\nG1 X600 F600\nX0")
    found = answer(run("path", "hexel", str(path), "--json"))
    assert found["feasible"] is False
    assert found["stretches"][0]["first_line"] == 2
    assert found["stretches"][0]["verdict"] == "refuted"
    told = run("path", "hexel", str(path)).out
    assert "Not feasible:\n  lines 2 to 3: leg" in told


def test_what_cannot_be_read_is_refused(run, tmp_path):
    path = tmp_path / "bad.tap"
    path.write_text("G1 X1 F100\nG5 X3")
    assert run("path", "hexel", str(path)).complaint.startswith(f"{path}, line 2: unknown word G5")
    path.write_text("G1 X1 F100")
    assert run("path", "hexel", str(path), "--timing", "given").complaint.startswith("--timing given requires a table")
    assert run("path", "hexel", str(path), "--feed", "-1").complaint == "--feed: -1, expected above 0"
    toml = tmp_path / "path.toml"
    toml.write_text('[[segments]]\nkind = "line"\nto = [0, 0]')
    assert "segment 1 (line), to" in run("path", "hexel", str(toml)).complaint
    path.write_text("G1 X500 F100")
    refused = run("path", "servo", str(path), "-o", str(tmp_path / "legs.csv"))
    assert refused.complaint.startswith("--output: no motion to write: ")
    assert "cannot close" in refused.complaint
    assert not (tmp_path / "legs.csv").exists()


def test_a_section_of_the_datasheet():
    from gough.datasheet.model import Picture, Text
    from gough.datasheet.sections.motion import path as section
    from gough.datasheet.sheet import Datasheet

    m = gough.load("sinatra2009")
    start = motion.programs.program_start(m)
    program = motion.programs.parse_program("G1 X20 F600\nG0 X5000\nX20", start, where="here/part.ngc")
    kept = motion.programs.parse_program("G1 X20 F6000", start, where="here/part.ngc")
    assert section(Datasheet(m)) is None
    good, bad = (
        section(Datasheet(m, path=motion.path_report(motion.programs.program_path(m, each), joint_acceleration=1.0)))
        for each in (kept, program)
    )
    assert good.numbers["source"] == "part.ngc"
    assert good.numbers["hardest_leg"] == int(np.argmax(good.numbers["rms_power"])) + 1
    pictures = [block for block in good.blocks if isinstance(block, Picture)]
    assert len(pictures[1].figure.frames) > 10
    assert good.cards[0].detail == "part.ngc"
    assert bad.numbers["feasible"] is False
    assert any(isinstance(block, Text) and block.is_warning for block in bad.blocks)
