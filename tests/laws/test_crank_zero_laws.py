"""The zero of a crank is where its angle is counted from, and nothing else: moving it changes q only.

Both files state one machine; the ranges of four cranks end at half a turn in the first, where angles jump by a turn,
and none does in the second. What commands write of both must agree, but for joint coordinates and their ends.
"""

import io
import json
import re
import tomllib
from contextlib import redirect_stdout
from copy import deepcopy
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from scipy.spatial.transform import Rotation
from tests.cli.test_every_number import FILES
from tests.cli.test_every_number import SILENT as NO_NUMBERS
from tests.independent import machines
from tests.skew import SKEW_OF_KIND
from tests.thorough import thorough

import gough
import gough.cli
from gough.cli.app import app
from gough.description.write import toml

ROUNDED = 1e-6
"""Relative to the number or a hundredth: files hold turned vectors to 16 digits, and searches end at about 1e-7."""
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
OF_THE_ZERO = (
    "q",
    "joints",
    "bound",
    "value",
    "machine",
    "sentence",
    "sentences",
    "lower",
    "smallest_found",
    "upper",
    "lowest",
    "highest",
    "covariance",
)
"""Keys of joint coordinates, their limits and sentences about them, of names, and of the smallest margins that a proof
happened to find: rounding decides which boxes it has halved."""
OVER_TIME = re.compile("joint_[a-z]+")
"""Joint coordinates over time; their rates must agree."""


def differences(a, b, place=""):
    """Places at which two JSON documents differ."""
    if isinstance(a, dict) and isinstance(b, dict):
        keys = [key for key in a.keys() | b.keys() if key not in OF_THE_ZERO and not OVER_TIME.fullmatch(key)]
        return [found for key in keys for found in differences(a.get(key), b.get(key), f"{place}.{key}")]
    if isinstance(a, list) and isinstance(b, list) and len(a) == len(b):
        return [found for k, pair in enumerate(zip(a, b, strict=True)) for found in differences(*pair, f"{place}[{k}]")]
    if isinstance(a, float) and isinstance(b, float):
        return [] if abs(a - b) <= ROUNDED * max(abs(a), abs(b), 1e-2) else [(place, a, b)]
    return [] if a == b else [(place, a, b)]


def answer(command, path):
    out = io.StringIO()
    with redirect_stdout(out):
        assert gough.cli.main([command[0], path, *command[1:], "--json"]) in (0, 1)
    return json.loads(out.getvalue())


SLOW = ("volume", "workspace", "capacity", "accuracy", "frequencies", "singularity")


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


WALKED = {
    "travel": (),
    "margins": (),
    "corners": ("--strokes",),
    "corners rotation": ("--kind", "rotation"),
    "linear-map": (),
    "workspace": ("--samples", "5"),
    "workspace rays": ("--shape", "rays"),
    "nearest": ("--at", "-3.2,3.1,13.4", "--angles", "2263.7,4167.8,-6425.2", "--sequence", "XYX"),
    "inverse": (),
    "velocity": (),
    "stiffness": (),
    "forces": (),
    "conditioning": (),
    "path": ("path.csv", "--sequence", "XYX", "-o", "legs.csv", "--samples", "21"),
    "dynamics": ("--motion", "vertical", "--amplitude", "0.3"),
    "follow": ("motion.csv", "--sequence", "XYX"),
    "capacity": (),
    "frequencies": (),
    "accuracy": ("--tolerance", "0.01"),
    "singularity": (),
    "certify": ("--box", "0.13,0.11,0.07", "--cone", "1.1,0.7"),
    "volume": ("--rtol", "0.2", "--boxes", "2000", "--processes", "1"),
}
QUICK = ("travel", "margins", "path")
OF_JOINTS = {"forward", "playback", "modes", "calibrate", "place", *NO_NUMBERS}
"""Commands whose inputs are joint coordinates, which have a walk of their own, or that need another machine."""
BY_ROUNDING = {"simulate", "choose"}
"""Commands whose numbers are rounding, of a machine at rest, or which rounding leads to another of equal designs."""
ENDS = ("both", "joint_min", "joint_max", "none")
"""Which ends of the cranks' ranges a machine has."""


def restated(ends, turns):
    """The document of a skew machine with these ends, and the same with the zeros of its cranks turned (6,) [rad]."""
    one = tomllib.loads(Path(SKEW_OF_KIND["RUS"]).read_text("utf-8"))
    unit = np.pi / 180 / 60
    for key in ("joint_min", "joint_max"):
        if ends not in ("both", key):
            del one["limits"][key]
    other = deepcopy(one)
    n = np.array(one["legs"]["axis"])
    turn = Rotation.from_rotvec(turns[:, None] * n / np.linalg.norm(n, axis=1, keepdims=True))
    for table, key in ((other["legs"], "arm"), (other["legs"], "joint_axis"), (other["limits"]["base_cone"], "axis")):
        table[key] = turn.apply(table[key]).tolist()
    for key in ("joint_min", "joint_max"):
        if key in other["limits"]:
            other["limits"][key] = (np.array(one["limits"][key]) - turns / unit).tolist()
    return one, other


def turns_of(ends):
    """Turns of the zeros that put the lowest ends, or the highest ones alone, at half a turn."""
    limits = tomllib.loads(Path(SKEW_OF_KIND["RUS"]).read_text("utf-8"))["limits"]
    low, high = (np.array(limits[key]) * np.pi / 180 / 60 for key in ("joint_min", "joint_max"))
    return np.where(np.arange(6) % 2 == 0, low + np.pi, high - np.pi) if ends == "both" else (
        high - np.pi if ends == "joint_max" else low + np.pi)  # fmt: skip


def test_every_command_is_walked():
    names = {each.name or each.callback.__name__ for each in app().registered_commands}
    names |= {each.name for each in app().registered_groups}
    assert {name.split()[0] for name in WALKED} | OF_JOINTS | BY_ROUNDING >= names


@pytest.mark.parametrize(
    ("command", "ends"),
    [
        *product(QUICK, ENDS[1:3]),
        *thorough(*(pair for pair in product(WALKED, ENDS) if pair not in product(QUICK, ENDS[1:3]))),
    ],
)
def test_a_skew_machine_answers_alike_wherever_its_zeros_are(command, ends, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name, text in FILES.items():
        Path(name).write_text(text)
    answers = []
    for name, document in zip(("one", "other"), restated(ends, turns_of(ends)), strict=True):
        Path(f"{name}.toml").write_text(toml(document), "utf-8")
        answers.append(answer((command.split()[0], *WALKED[command]), f"{name}.toml"))
    assert not differences(*answers)


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
