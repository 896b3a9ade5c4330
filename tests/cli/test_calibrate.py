"""gough calibrate and gough choose from the command line, on files as people have them."""

import json
from pathlib import Path

import numpy as np
import pytest

import gough

DATA = Path(__file__).parents[2] / "examples" / "data" / "jugglebot_108.csv"
KNOWN = ("--known", "device,target")
TURNS = ("--zero", "665.7", "--more", "gains,curvatures")


def columns(text, keep, rows=None):
    """Some columns of a CSV file, by the beginning of their names, and its first rows."""
    header, *body = [line.split(",") for line in text.strip().splitlines()]
    chosen = [k for k, name in enumerate(header) if name.startswith(keep)]
    return "\n".join(",".join(line[k] for k in chosen) for line in [header, *body[:rows]]) + "\n"


def test_a_machine_is_calibrated_and_driven_by_its_file(run, tmp_path):
    saved = tmp_path / "built.toml"
    done = json.loads(run("calibrate", "jugglebot", str(DATA), *TURNS, *KNOWN, "--json", "--save", str(saved)).out)
    assert done["rms"] < 0.31
    assert done["rms_of_rows_kept_out"] < 0.35
    assert done["undetermined"] == []
    assert len(done["errors"]) == len(done["deviations"]) == len(done["units"]["errors"]) == 54
    row = run("inverse", str(saved), "--at", "5.7,-2.4,751.5", "--quaternion", "0.0722,-0.0136,0.006,0.99728")
    names, values = (line.split(",") for line in row.out.strip().splitlines())
    reading = float(values[names.index("r1_mm")])
    assert (reading - 665.7) / 75.692 == pytest.approx(1.677, abs=0.03), "what the motor read there, in turns"


def test_cells_may_be_empty_and_positions_alone_will_do(run, tmp_path):
    lines = columns(DATA.read_text(), ("q1", "q2", "q3", "q4", "q5", "q6", "x_", "y_", "z_")).splitlines()
    lines[3] = ",".join(lines[3].split(",")[:6] + ["", "", ""])
    (tmp_path / "m.csv").write_text("\n".join(lines) + "\n")
    done = json.loads(run("calibrate", "jugglebot", str(tmp_path / "m.csv"), *TURNS, "--json").out)
    assert done["rows"] <= 107
    assert done["undetermined"]


REFUSED = {
    "no readings": (("q1", "x_", "y_", "z_"), (), "columns missing: q2, q3, q4, q5, q6"),
    "nothing measured": (("q1", "q2", "q3", "q4", "q5", "q6"), (), "nothing is measured"),
    "a frame that is none": (("q", "x_", "y_", "z_"), ("--known", "table"), "'table' is no frame"),
    "errors that are none": (("q", "x_", "y_", "z_"), ("--parameters", "arms"), "UPS legs have no 'arms'"),
    "noise of nothing": (("q", "x_", "y_", "z_"), ("--noise", "places=1"), "expected NAME=NUMBER"),
}


@pytest.mark.parametrize(("keep", "more", "words"), REFUSED.values(), ids=REFUSED)
def test_bad_requests_get_a_sentence(run, tmp_path, keep, more, words):
    (tmp_path / "m.csv").write_text(columns(DATA.read_text(), keep, 8))
    ran = run("calibrate", "jugglebot", str(tmp_path / "m.csv"), "--zero", "665.7", *more)
    assert words in ran.complaint


def test_poses_are_chosen_out_of_a_file(run, tmp_path):
    m = gough.load("pitch-circle")
    rng = np.random.default_rng(0)
    places = m.X_home[:3, 3] + rng.uniform(-0.004, 0.004, (30, 3))
    (tmp_path / "p.csv").write_text("x_m,y_m,z_m\n" + "".join(f"{x},{y},{z}\n" for x, y, z in places))
    ran = run("choose", "pitch-circle", "--csv", str(tmp_path / "p.csv"), "--count", "5")
    header, *rows = ran.out.strip().splitlines()
    assert header.startswith("number,")
    assert len({row.split(",")[0] for row in rows}) == 5
    assert "expected after measuring" in ran.err
