"""gough calibrate and gough choose from the command line, on files as people have them."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from scipy.spatial.transform import Rotation
from tests.calibration.built import KNOWN as KNOWN_KINDS
from tests.calibration.built import Built, measured
from tests.calibration.grids import Grid
from tests.thorough import thorough

import gough
from gough.description.write import written
from gough.machine_parts import Encoders

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


def as_csv(q, how):
    """Columns of readings and measurements, in metres and radians; empty cells for NaN."""
    columns = {f"q{i + 1}_m": q[:, i] for i in range(6)}
    if "positions" in how:
        p = how["positions"].reshape(len(q), -1, 3)
        columns |= {f"{axis}{k + 1}_m": p[:, k, i] for k in range(p.shape[1]) for i, axis in enumerate("xyz")}
    if "angles" in how:
        columns |= {f"level{k + 1}_rad": how["angles"][:, k] for k in range(2)}
    if "distances" in how:
        columns |= {f"d{k + 1}_m": v for k, v in enumerate(how["distances"].T)}
    if "relative" in how:
        X = how["relative"]
        turn = Rotation.from_matrix(X[:, :3, :3]).as_quat().T
        columns |= {f"{axis}_m": X[:, i, 3] for i, axis in enumerate("xyz")} | dict(zip(QUATERNION, turn, strict=True))
        columns["reference"] = np.maximum(np.arange(len(q)), 1.0)  # the first one's is itself, and says nothing
    rows = [",".join("" if v != v else repr(float(v)) for v in row) for row in zip(*columns.values(), strict=True)]
    return "\n".join([",".join(columns), *rows]) + "\n"


def drawn_and_measured(folder, drawn, grid, order=range(6)):
    """Files of a machine in metres and of readings of its legs, in an order, with the poses measured of a grid."""
    m = drawn.drawn
    points = f"[base]\npoints = {m.legs.a_B.tolist()}\n[platform]\npoints = {m.b_P.tolist()}\n"
    turn = Rotation.from_matrix(m.X_home[:3, :3]).as_euler("XYZ").tolist()
    (folder / "drawn.toml").write_text(
        f'name = "drawn"\n{points}[home]\ntranslation = {m.X_home[:3, 3].tolist()}\nangles = {turn}\nsequence = "XYZ"\n'
    )
    turns = Rotation.from_matrix(grid.measured[:, :3, :3]).as_quat()
    columns = np.concatenate([grid.q[:, list(order)], grid.measured[:, :3, 3], turns], axis=1)
    names = [*(f"q{leg}" for leg in range(1, 7)), *"xyz", *QUATERNION]
    rows = [",".join(map(repr, row)) for row in columns.tolist()]
    (folder / "measured.csv").write_text("\n".join([",".join(names), *rows]) + "\n")
    return "drawn.toml", "measured.csv"


def test_a_good_fit_exits_with_zero_and_is_saved(run, tmp_path):
    grid = Grid("UPS", 3)
    ran = run("calibrate", *drawn_and_measured(tmp_path, grid, grid), "--save", "built.toml", "--json")
    assert ran.code == 0
    assert json.loads(ran.out)["doubts"] == []
    assert (tmp_path / "built.toml").is_file()
    assert (tmp_path / "built.nc").is_file()


@pytest.mark.thorough
def test_a_fit_that_is_not_good_exits_with_one_and_is_saved_on_request_only(run, tmp_path):
    """Readings and poses of another machine than the one that is drawn."""
    files = drawn_and_measured(tmp_path, *(Grid("UPS", k, turn=0.2) for k in (0, 1000)))
    before = set(tmp_path.iterdir())
    assert run("calibrate", *files, "--save", "built.toml").code in (1, 2)
    ran = run("calibrate", *files, "--as-read", "--save", "built.toml")
    assert ran.code == 1
    assert ran.out.startswith("Not a good fit: ")
    assert "--save-doubtful" in ran.err
    assert set(tmp_path.iterdir()) == before
    done = run("calibrate", *files, "--as-read", "--save", "built.toml", "--save-doubtful", "--json")
    assert done.code == 1
    answer = json.loads(done.out)
    assert [*answer][:3] == ["machine", "units", "doubts"]
    assert answer["doubts"]
    assert {path.name for path in set(tmp_path.iterdir()) - before} == {"built.toml", "built.nc"}
    assert run("check", "built.toml").code == 0


def test_the_scale_of_the_device_is_estimated_on_request(run, tmp_path):
    grid = Grid("UPS", 30, turn=0.2, scale=1.01)
    files = drawn_and_measured(tmp_path, grid, grid)
    ran = run("calibrate", *files)
    assert ran.code == 1
    assert "--more scale" in ran.out.splitlines()[0]
    done = json.loads(run("calibrate", *files, "--more", "scale", "--json").out)
    assert done["doubts"] == []
    assert abs(done["scale"] - 1.01) < 5 * done["scale_deviation"] < 1e-3


@pytest.mark.thorough
def test_misread_data_are_refused_and_go_on_as_read(run, tmp_path):
    grid = Grid("UPS", 4, turn=0.2)
    files = drawn_and_measured(tmp_path, grid, grid, order=(1, 0, 2, 3, 4, 5))
    assert "legs 1 and 2 look swapped" in run("calibrate", *files).complaint
    ran = run("calibrate", *files, "--as-read")
    assert ran.code == 1
    assert ran.out.startswith("Not a good fit: ")


QUATERNION = ("qx", "qy", "qz", "qw")
KNOWN_POINTS = {"points", "wire_points", "fixed_points"}
"""Measurements that need these are read in Python."""


@pytest.mark.parametrize("what", [*KNOWN_KINDS][:4] + thorough(*[*KNOWN_KINDS][4:]))
def test_every_kind_of_measurement_has_columns(run, tmp_path, what):
    """What the command finds is what the function finds of the same numbers."""
    rng, m = np.random.default_rng(21), gough.load("hexel")
    built = Built(m, rng, n=40, off=0.05)
    how = measured(built, what, rng)
    how.pop("device", None)
    if what == "single coordinates of known targets":
        how["positions"][:, :, :2] = np.nan  # one gauge: x and y have empty columns
    if what == "wires":
        del how["fixed_points"]
    q = built.q + 1e-5 * rng.normal(size=built.q.shape)
    (tmp_path / "m.csv").write_text(as_csv(q, how))
    how = {name: value for name, value in how.items() if name not in KNOWN_POINTS}
    done = json.loads(run("calibrate", "hexel", str(tmp_path / "m.csv"), "--json").out)
    relative = {"relative_to": np.maximum(np.arange(40), 1) - 1} if "relative" in how else {}
    if relative:
        relative["relative_to"][0] = -1
    found = gough.calibrate(m, q, **how, **relative)
    np.testing.assert_allclose(np.array(done["errors"]) * 1e-3, found.errors, atol=1e-3 * found.deviations.min())
    assert done["undetermined"] == list(found.undetermined)


REFUSED = {
    "no readings": (("q1", "x_", "y_", "z_"), (), "columns missing: q2, q3, q4, q5, q6"),
    "nothing measured": (("q1", "q2", "q3", "q4", "q5", "q6"), (), "no measurements"),
    "a frame that is none": (("q", "x_", "y_", "z_"), ("--known", "table"), "'table' is not a frame"),
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


def test_what_inverse_writes_for_the_controller_forward_reads(run, tmp_path):
    """Drive gains, curvature and a wave: readings are not joint coordinates, and lead back to the pose alone."""
    saved = tmp_path / "built.toml"
    m = gough.load("jugglebot")
    encoders = Encoders(
        zero=np.linspace(-2e-3, 3e-3, 6), gain=np.full(6, 0.01), curvature=np.full(6, 0.02), sine=np.full(6, 2e-4),
        middle=np.full(6, 0.8), period=np.full(6, 0.07),
    )  # fmt: skip
    saved.write_text(written(replace(m, encoders=encoders), "jugglebot"))
    pose = ("--at", "10,-20,760,0.05,0,0.02,0.998548947")
    done = json.loads(run("inverse", str(saved), *pose, "--json").out)
    assert np.abs(np.subtract(done["joints"], done["readings"])).min() > 0.1
    (row,) = run("forward", str(saved), "--readings", ",".join(map(repr, done["readings"]))).rows
    place = [row[name] for name in ("x_mm", "y_mm", "z_mm")]
    np.testing.assert_allclose(place, [10, -20, 760], atol=1e-6)
    both = run("inverse", str(saved), *pose).out
    for keep in (("q", "r"), ("q",), ("r",)):
        (row,) = run("forward", str(saved), "--csv", "-", stdin=columns(both, keep)).rows
        np.testing.assert_allclose([row[name] for name in ("x_mm", "y_mm", "z_mm")], place, atol=1e-6)
    X = gough.forward_kinematics(gough.load(saved), encoders.coordinates(np.array(done["readings"]) * 1e-3)).matrix
    np.testing.assert_allclose(X[:3, 3] * 1e3, place, atol=1e-6)
    ran = run("forward", str(saved), "--readings", "1,2,3,4,5,6", "--joints", "1,2,3,4,5,6")
    assert "--readings, or many with --csv FILE" in ran.complaint


def test_histories_have_what_a_controller_commands_and_are_read_from_it(run, tmp_path):
    saved = tmp_path / "built.toml"
    m = gough.load("hexel")
    encoders = Encoders(zero=np.linspace(-2e-3, 3e-3, 6), gain=np.full(6, 0.01), middle=np.full(6, 0.6))
    saved.write_text(written(replace(m, encoders=encoders), "hexel"))
    poses = tmp_path / "poses.csv"
    z = 1e3 * m.X_home[2, 3]
    poses.write_text("time,x_mm,y_mm,z_mm\n" + "".join(f"{t / 10},{t / 10},0,{z + t / 5}\n" for t in range(41)))
    for command in ("path", "follow"):
        history = tmp_path / f"{command}.csv"
        run(command, str(saved), str(poses), "-o", str(history), *(("--fade", "0") if command == "follow" else ()))
        header, *rows = [line.split(",") for line in history.read_text().splitlines()]
        q, r = ([header.index(f"{letter}{leg}_mm") for leg in range(1, 7)] for letter in "qr")
        values = np.array([[float(cell or "nan") for cell in np.take(row, q + r)] for row in rows]) * 1e-3
        np.testing.assert_allclose(encoders.coordinates(values[:, 6:]), values[:, :6], atol=1e-12)
        assert np.abs(values[:, 6:] - values[:, :6]).max() > 1e-3
    played = [
        [[row[name] for name in ("x_mm", "y_mm", "z_mm")] for row in ran.rows]
        for ran in (
            run(
                "playback",
                str(saved),
                "-",
                stdin=columns(history.read_text(), ("time", *(f"{letter}{k}_" for k in range(1, 7)))),
            )
            for letter in "qr"
        )
    ]
    np.testing.assert_allclose(played[0], played[1], atol=1e-6)
    assert np.ptp(played[0], axis=0).max() > 1.0
