"""The side of the spindle in part programs: who decides it, and where the tip and the legs then are."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import gough
from gough import motion
from gough.cli import main
from gough.description.parse import machine_text
from gough.motion.programs.program_path import spindle_side

INCH = 0.0254
ROUND_OFF = 1e-12
"""Of positions of the order of a metre."""
PROGRAM = "G20 G90 G94\nG1 X1 Y2 Z1 A5 B-3 C10 F60\nM2\n"
SKEW = [file for file in sorted(Path("tests/machines").glob("skew-*.toml")) if "stages" not in file.read_text()]


@pytest.fixture
def program(tmp_path):
    file = tmp_path / "turned.ngc"
    file.write_text(PROGRAM)
    return file


def planned(m, file, **how):
    start = motion.programs.program_start(m, **how)
    return motion.programs.program_path(m, motion.programs.read_program(str(file), start), **how)


def turned(a, b, c):
    """R = Rz(C) Ry(B) Rx(A), written out."""
    (sa, sb, sc), (ca, cb, cc) = np.sin(np.radians([a, b, c])), np.cos(np.radians([a, b, c]))
    return np.array(
        [
            [cc * cb, cc * sb * sa - sc * ca, cc * sb * ca + sc * sa],
            [sc * cb, sc * sb * sa + cc * ca, sc * sb * ca - cc * sa],
            [-sb, cb * sa, cb * ca],
        ]
    )


def test_linuxcnc_goes_where_genhexkins_goes(program):
    """Words X, Y, Z, A, B, C are added to home in base axes: legs are |p + R b - a|."""
    m = gough.load("linuxcnc")
    end = planned(m, program).path.end
    p, R = m.X_home[:3, 3] + INCH * np.array([1, 2, 1]), turned(5, -3, 10)
    assert np.allclose(end[:3, 3], p, rtol=0, atol=ROUND_OFF)
    assert np.allclose(end[:3, :3], R, rtol=0, atol=ROUND_OFF)
    legs = np.linalg.norm(p + m.b_P @ R.T - m.legs.rest(), axis=1)
    assert np.allclose(gough.inverse_kinematics(m, end), legs, rtol=0, atol=ROUND_OFF)


def test_the_option_precedes_the_file_which_precedes_the_joints(program):
    m = gough.load("linuxcnc")
    assert spindle_side(m).side == "+z"
    assert spindle_side(replace(m, tool_side="-z")).side == "-z"
    assert spindle_side(replace(m, tool_side="-z"), "+z").side == "+z"
    sunk = replace(m, X_PT=moved(-0.2 * m.size), tool_side=None)
    assert spindle_side(sunk).side == "+z"  # the joints are above the tip
    assert spindle_side(replace(m, X_PT=moved(0.2 * m.size))).side == "-z"


def moved(z):
    X = np.eye(4)
    X[2, 3] = z
    return X


def test_without_a_side_in_the_file_the_spindle_is_up():
    """Joints in the plane of the tool: a machine upside down has it at -z; without gravity, and lying, at +z."""
    m = gough.load("linuxcnc")
    assert spindle_side(replace(m, gravity=-m.gravity)).side == "-z"
    assert spindle_side(replace(m, gravity=np.zeros(3))).side == "+z"
    assert spindle_side(replace(m, gravity=np.array([9.81, 0, 0]))).side == "+z"
    for height in (0.01, -0.01):  # within the plane, whatever the sign of a few per cent
        assert spindle_side(replace(m, X_PT=moved(height * m.size))).side == "+z"


@pytest.mark.parametrize("file", SKEW, ids=lambda file: file.stem)
@pytest.mark.parametrize("side", ["+z", "-z"])
def test_frame_c_as_the_docs_define_it(file, side, program):
    """X_BP = X_BW X_WC X_PC^-1, with C the tool frame or that turned by half a turn about its x axis."""
    m = gough.load(str(file))
    X_PC = m.X_PT @ np.diag([1.0, -1, -1, 1] if side == "-z" else [1.0, 1, 1, 1])
    X_WC = np.eye(4)
    X_WC[:3, :3], X_WC[:3, 3] = turned(5, -3, 10), INCH * np.array([1, 2, 1])
    found = planned(m, program, spindle=side)
    assert np.allclose(found.path.end, m.X_home @ X_PC @ X_WC @ np.linalg.inv(X_PC), rtol=0, atol=1e3 * ROUND_OFF)
    assert np.allclose(found.spindle_record()["program_axes"], (m.X_home @ X_PC)[:3, :3].T, rtol=0, atol=ROUND_OFF)


def test_the_machine_file_has_the_side(program, tmp_path, capsys):
    text = machine_text("linuxcnc")[1]
    file = tmp_path / "sided.toml"
    file.write_text(f'{text}\n[tool]\nside = "-z"\n')
    m = gough.load(str(file))
    assert (m.tool_side, planned(m, program).spindle_side) == ("-z", "-z")
    file.write_text(f'{text}\n[tool]\nside = "up"\n')
    assert main(["check", str(file)]) == 2
    assert "side" in capsys.readouterr().err
