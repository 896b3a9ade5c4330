"""The zero of a crank is where its angle is counted from, and nothing else: moving it changes q only.

Both files state one machine; the ranges of four cranks end at half a turn in the first, where angles jump by a turn,
and none does in the second. What commands write of both must agree, but for joint coordinates and their ends.
"""

import io
import json
from contextlib import redirect_stdout

import numpy as np
import pytest
from tests.independent import machines
from tests.thorough import thorough

import gough
import gough.cli

ROUNDED = 1e-6
"""Relative to the number or a thousandth: files hold turned vectors to 16 digits, and searches end at about 1e-7."""
COMMANDS = (
    ("travel",),
    ("margins",),
    ("margins", "--at", "-6,11.6,36"),
    ("workspace", "--samples", "9"),
    ("workspace", "--shape", "rays"),
    ("certify", "--box", "0.05,0.05,0.05", "--turn", "0.2"),
    ("volume", "--rtol", "0.2", "--boxes", "2000", "--processes", "1"),
    ("nearest", "--at", "-6,11.6,36"),
    ("singularity",),
    ("conditioning",),
    ("velocity",),
    ("stiffness",),
    ("forces",),
    ("capacity",),
    ("frequencies",),
    ("accuracy", "--tolerance", "0.01"),
)
OF_THE_ZERO = ("q", "joints", "bound", "value", "machine", "sentence", "upper")
"""Keys of joint coordinates, their limits and sentences about them, of names, and of the smallest margins that a proof
happened to find: rounding decides which boxes it has halved."""


def differences(a, b, place=""):
    """Places at which two JSON documents differ."""
    if isinstance(a, dict) and isinstance(b, dict):
        keys = [key for key in a.keys() | b.keys() if key not in OF_THE_ZERO]
        return [found for key in keys for found in differences(a.get(key), b.get(key), f"{place}.{key}")]
    if isinstance(a, list) and isinstance(b, list) and len(a) == len(b):
        return [found for k, pair in enumerate(zip(a, b, strict=True)) for found in differences(*pair, f"{place}[{k}]")]
    if isinstance(a, float) and isinstance(b, float):
        return [] if abs(a - b) <= ROUNDED * max(abs(a), abs(b), 1e-3) else [(place, a, b)]
    return [] if a == b else [(place, a, b)]


def answer(command, path):
    out = io.StringIO()
    with redirect_stdout(out):
        assert gough.cli.main([command[0], path, *command[1:], "--json"]) in (0, 1)
    return json.loads(out.getvalue())


SLOW = ("volume", "capacity", "accuracy", "frequencies", "singularity")


@pytest.mark.parametrize(
    "command",
    [*(c for c in COMMANDS if c[0] not in SLOW), *thorough(*((c,) for c in COMMANDS if c[0] in SLOW))],
    ids=" ".join,
)
def test_a_command_answers_alike_wherever_the_zeros_are(command):
    assert not differences(answer(command, machines.CRANKS_AT_180), answer(command, machines.CRANKS_TURNED_ZERO))


def test_joint_coordinates_differ_by_a_constant(rng):
    pair = [gough.load(path) for path in (machines.CRANKS_AT_180, machines.CRANKS_TURNED_ZERO)]
    X = gough.pose_matrix(np.zeros((300, 3)))
    X[:, :3, :3] = pair[0].X_home[:3, :3]
    X[:, :3, 3] = pair[0].X_home[:3, 3] + rng.uniform(-0.05, 0.05, (300, 3))
    q, turned = (gough.inverse_kinematics(m, X) for m in pair)
    off = q - turned
    known = np.isfinite(off).all(axis=1)
    assert known.sum() > 50
    np.testing.assert_allclose(off[known], np.broadcast_to(off[known][0], off[known].shape), atol=1e-9)


@pytest.mark.parametrize(("path", "low", "high"), [(machines.CRANKS_AT_180, 132.0, 180.0)])
def test_beyond_an_end_at_half_a_turn_the_other_end_is_far(path, low, high):
    """The first crank turned on past 180 deg violates its highest limit by little, and says so."""
    m = gough.load(path)
    steps = np.linspace(0, 0.1, 400)
    e = np.eye(3)
    for direction in (*e, *-e):
        X = np.tile(m.X_home, (len(steps), 1, 1))
        X[:, :3, 3] += steps[:, None] * direction
        q = np.rad2deg(gough.inverse_kinematics(m, X)[:, 0])
        beyond = np.flatnonzero((q > high) & (q < high + 10))
        if len(beyond):
            found = gough.margins(m, X[beyond[0]])
            names = [column.name for column in found.columns]
            assert found.values[names.index("leg 1 highest")] == pytest.approx(np.deg2rad(high - q[beyond[0]]))
            assert found.values[names.index("leg 1 lowest")] == pytest.approx(np.deg2rad(q[beyond[0]] - low))
            return
    raise AssertionError("no direction takes the crank past its end")
