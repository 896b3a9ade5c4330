"""What once ended in a traceback, a warning or a wrong answer is refused in a sentence."""

import subprocess
import sys
import tomllib

import numpy as np
import pytest

import gough
from gough.cli import main
from gough.description.build import from_document
from gough.description.parse import machine_text
from gough.errors import MachineFileError


def document(name):
    return tomllib.loads(machine_text(name)[1])


def test_a_box_narrower_than_doubles_has_margins():
    far = document("hexel") | {"limits": {"box": {"x_min": 0, "x_max": 5e-324}}}
    far["home"] = {"translation": [1e16, 0, 1e16]}
    m = from_document(far, "far.toml")
    assert not gough.margins(m, m.home).is_allowed


def test_a_slider_at_its_turning_point_at_home():
    camera = document("rubin-camera")
    points = [[x, y, -121400] for x, y in ((472800, 512200), (-680000, 153300), (-207200, -665500))]
    camera["base"] = {"points": [p for x, y, z in points for p in ([x, y, z], [-x, y, z])]}
    camera["platform"] = {"points": [[x, y + 10 * k, -525000] for k, (x, y, _) in enumerate(camera["base"]["points"])]}
    camera["legs"] = {"kind": "PUS", "guide": [[1, 0, 0]] * 6}
    camera["limits"] = {}
    with pytest.raises(MachineFileError, match="leg 2 is at the turning point of its drive at home"):
        from_document(camera, "camera.toml")


@pytest.mark.parametrize(
    ("stream", "options", "told"), [("<&-", "--csv -", "standard input: it is closed"), (">&-", "", "standard output")]
)
def test_closed_streams(stream, options, told):
    command = f'"{sys.executable}" -W error -m gough inverse hexel {options} {stream}'
    done = subprocess.run(["/bin/sh", "-c", command], stderr=subprocess.PIPE, text=True, check=False, timeout=120)
    assert done.returncode == 2
    lines = [line for line in done.stderr.splitlines() if not line.startswith("working")]  # progress of a slow start
    assert len(lines) == 1
    assert lines[0].startswith("error: ")
    assert told in lines[0]


@pytest.mark.parametrize(
    "arguments",
    [
        "inverse hexel --at 1e308,1e308,1e308",
        "margins servo --at 0,0,0",
        "travel hexel --along 1e-320,0,0",
        "travel hexel --along 1e308,1e308,0,1e308,0,0",
        "forward hexel --joints 1e308,0,0,0,0,-1",
        "forward servo --joints 0,0,0,0,0,0 --near 1e300,0,0",
        f"inverse {'x' * 5000}.toml",
        f"inverse {'../' * 2000}",
    ],
)
def test_command_lines_at_the_edge_of_doubles_and_of_paths(arguments, capsys):
    code = main(arguments.split())
    said = capsys.readouterr()
    assert code in (0, 1, 2)
    assert (code != 0) == said.err.startswith("error: ")
    assert bool(said.out) == (code == 0)


@pytest.mark.parametrize("size", [1e12, 1e17, 1e154, 1e300])
@pytest.mark.parametrize("column", [0, 8], ids=("reading", "position"))
def test_measurements_of_impossible_sizes(capsys, tmp_path, column, size):
    m = gough.load("servo")
    rows = np.column_stack([gough.inverse_kinematics(m, X := m.X_home @ near(40)), X[:, :3, 3]])
    rows[3, column] = size
    text = "\n".join(
        [
            ",".join([*(f"q{k}_rad" for k in range(1, 7)), "x_m", "y_m", "z_m"]),
            *(",".join(map(repr, row)) for row in rows.tolist()),
        ]
    )
    (tmp_path / "m.csv").write_text(text)
    assert main(["calibrate", "servo", str(tmp_path / "m.csv")]) == 2
    assert "expected at most" in capsys.readouterr().err


def near(count):
    rng = np.random.default_rng(1)
    return gough.pose_matrix(rng.uniform(-0.005, 0.005, (count, 3)), rng.uniform(-0.1, 0.1, (count, 3)), "xyz")
