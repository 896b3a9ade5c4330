"""Programs of joint coordinates: what a controller that interpolates the joints straight makes of them."""

from dataclasses import replace

import numpy as np
import pytest
from tests.skew import SKEW

import gough
from gough import motion
from gough.machine_parts import Encoders
from gough.motion.programs.reader import _without_comments, _words

TOLERANCE = 1e-5
"""Of the tool's way [m]."""
BRUTE = 1e-4
"""Of departures at 100,000 times within a knock."""
ONE_DIGIT = 1e-7
"""Time is written with eight digits."""


def departures(m, motion_, program, t):
    """Distances of the tip from a motion [m], and angles [rad], at times between the points of a program."""
    linear = np.stack([np.interp(t, program.time, column) for column in program.q.T], axis=-1)
    X = motion_(t)[0]
    found = gough.forward_kinematics(m, linear, near=X).matrix
    off = np.linalg.norm((found @ m.X_PT - X @ m.X_PT)[:, :3, 3], axis=1)
    return off, np.linalg.norm(found[:, :3, :3] - X[:, :3, :3], axis=(1, 2)) / np.sqrt(2)


class Rested:
    """A motion that stands still in its middle third."""

    def __init__(self, inner):
        self.inner = inner
        self.span = (0.0, 3 * inner.span[1])
        self.breaks = (inner.span[1], 2 * inner.span[1])

    def __call__(self, time):
        t, one = np.asarray(time, dtype=float), self.inner.span[1]
        return self.inner(np.where(t < one, t, np.where(t < 2 * one, one, t - one)))


def replayed(text, letters):
    """Times and joint coordinates of a program, as a controller reads it."""
    time, q, now = [0.0], [], 0.0
    for line in text.splitlines():
        block = list(_words("".join(_without_comments(line).split())))
        words = {word.letter: word.value for word in block if word.letter != "G"}
        codes = [word.code for word in block if word.letter == "G"]
        if "G4" in codes:
            now += words["P"]
            time.append(now)
            q.append(q[-1])
        elif codes in (["G0"], ["G1"]):
            q.append([words[letter] for letter in letters])
            if codes == ["G1"]:
                now += 60 / words["F"]
                time.append(now)
    return np.array(time), np.array(q)


@pytest.mark.parametrize(("letters", "unit"), [("XYZABC", 1e-3), ("UVWXYZ", 1e-3)])
def test_straight_joints_keep_the_tolerance(letters, unit):
    m = gough.load("hexel")
    wanted = Rested(gough.dynamics.named_motion(m, "rotation", 0.05, 1.0, 1.0))
    program = motion.programs.joint_program(m, wanted, tolerance=TOLERANCE, letters=letters)
    time, q = replayed(program.text, letters)
    assert time[-1] == pytest.approx(wanted.span[1], rel=ONE_DIGIT)
    t = np.linspace(0, time[-1] * (1 - ONE_DIGIT), 2000)
    between = np.stack([np.interp(t, time, column * unit) for column in q.T], axis=-1)
    X = wanted(t)[0]
    found = gough.forward_kinematics(m, between, near=X).matrix
    off = np.linalg.norm((found @ m.X_PT - X @ m.X_PT)[:, :3, 3], axis=1).max()
    turn = np.linalg.norm(found[:, :3, :3] - X[:, :3, :3], axis=(1, 2)).max() / np.sqrt(2)
    assert off < TOLERANCE
    assert turn * m.characteristic_length < TOLERANCE
    assert program.turn * m.characteristic_length > TOLERANCE / 20  # no more lines than it takes
    assert "G4 P1.000000" in program.text
    assert f"coordinates={letters}" in program.text


@pytest.mark.parametrize("name", SKEW)
def test_a_knock_within_minutes_of_rest_is_followed(name):
    """Every departure is stated and within the tolerance: brute force about the knock, and all over the rest."""
    m = gough.load(name)
    t = np.union1d(np.arange(0.0, 600.0, 2.0), np.linspace(300.1, 300.3, 41))
    shift = np.zeros((len(t), 3))
    shift[:, 2] = 0.01 * m.size * np.exp(-(((t - 300.2) / 0.02) ** 2))
    wanted = gough.dynamics.SplineMotion(t, gough.frames.displaced(m, gough.pose(shift)).as_matrix())
    tolerance = 1e-5 * m.size
    program = motion.programs.joint_program(m, wanted, tolerance=tolerance)
    dense = np.union1d(np.linspace(300.0, 300.4, 100_001), np.linspace(0.0, 598.0, 10_001))
    off, turn = departures(m, wanted, program, dense)
    assert program.deviation == pytest.approx(off.max(), rel=BRUTE)
    assert program.turn == pytest.approx(turn.max(), rel=BRUTE)
    assert tolerance / 20 < off.max() < tolerance / 2
    assert len(program) < 1000, "rests are not divided"


def test_a_calibrated_machine_is_given_what_its_controller_commands():
    """Gain, curvature and a wave of every turn: straight readings are no straight joints."""
    m = gough.load("hexel")
    encoders = Encoders(
        zero=np.linspace(-2e-3, 3e-3, 6), gain=np.full(6, 0.02), curvature=np.full(6, 0.05), sine=np.full(6, 2e-5),
        middle=np.full(6, 0.6), period=np.full(6, 0.005),
    )  # fmt: skip
    built, wanted = replace(m, encoders=encoders), gough.dynamics.named_motion(m, "vertical", 0.02, 1.0)
    program = motion.programs.joint_program(built, wanted, tolerance=TOLERANCE)
    time, r = replayed(program.text, "XYZABC")
    assert "readings of the encoders of legs 1 to 6" in program.text
    t = np.linspace(0, time[-1] * (1 - ONE_DIGIT), 5000)
    between = np.stack([np.interp(t, time, column * 1e-3) for column in r.T], axis=-1)
    X = wanted(t)[0]
    found = gough.forward_kinematics(m, encoders.coordinates(between), near=X).matrix
    off = np.linalg.norm((found @ m.X_PT - X @ m.X_PT)[:, :3, 3], axis=1).max()
    assert program.deviation / 2 < off < TOLERANCE
    assert len(program) > len(motion.programs.joint_program(m, wanted, tolerance=TOLERANCE)), "the wave is followed"


def test_what_cannot_be_written_is_refused():
    m = gough.load("servo")
    far = gough.dynamics.named_motion(m, "vertical", 0.5, 1.0)
    with pytest.raises(gough.errors.InputError, match=r"cannot be carried out, at .* s: leg \d cannot close"):
        motion.programs.joint_program(m, far)
    with pytest.raises(gough.errors.InputError, match="six different"):
        motion.programs.joint_program(m, far, letters="XYZABX")
    with pytest.raises(gough.errors.InputError, match="expected above 0 m"):
        motion.programs.joint_program(m, far, tolerance=0.0)
