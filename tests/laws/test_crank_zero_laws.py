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
from tests.cli.test_every_number import FILES, JOINTS
from tests.cli.test_every_number import SILENT as NO_NUMBERS
from tests.independent import machines
from tests.independent.product import numbers
from tests.skew import SKEW_OF_KIND
from tests.thorough import thorough

import gough
import gough.cli
from gough.cli.app import app
from gough.description.write import toml
from gough.loading import machine_text

ROUNDED, SMALL = 1e-9, 1e-3
"""Relative to a number, or to this part of the largest of its list: files hold turned vectors to 16 digits, of which
differences of nearly equal numbers lose up to seven."""
SEARCHED = 1e-5
"""Of gradients by differences, and of searches: values change with the square of the distance from the best place."""
HALVED = 1e-5
"""Of bounds that are arc cosines of numbers close to 1, which have half of their digits."""
TOLERANCES = {
    "margins": SEARCHED,
    "nearest": SEARCHED,
    "choose": SEARCHED,
    "certify": HALVED,
    "calibrate": SEARCHED,
    "corners": SEARCHED,
}
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
OF_THE_ZERO = ("q", "joints", "machine", "sentence", "sentences", "lowest", "highest", "residual", "error_position",
               "error_rotation")  # fmt: skip
"""Keys of joint coordinates and their extremes, sentences about them, of names, and of rounding errors and their
bounds."""
ENDS_OF_RANGES = ("lowest", "highest")
"""Names of limits whose value is a joint coordinate."""
OF_THE_SHEET = (".legs.home", ".geometry.crank_arm_at_zero", ".source")
"""Keys of the datasheet that are of the zero: joint angles at home, arms at zero, and the file itself."""
NOTHING = 1e-13
"""Numbers that differ by less are rounding, in any unit."""
OVER_TIME = (".joint", ".joint_reference")
"""Joint coordinates over time; their rates must agree."""


def without_ends(table):
    """A table of limits, columns by key, without the values and bounds of limits that are joint coordinates."""
    if not isinstance(table.get("name"), list):
        return table
    others = [k for k, name in enumerate(table["name"]) if not str(name).endswith(ENDS_OF_RANGES)]
    return {key: [column[k] for k in others] if key in ("bound", "value") else column for key, column in table.items()}


def largest(value):
    """The largest number of a list of lists."""
    if isinstance(value, list):
        return max(map(largest, value), default=0.0)
    return abs(value) if isinstance(value, float) else 0.0


def differences(a, b, tolerance=ROUNDED, place="", least=0.0):
    """Places at which two JSON documents differ; numbers of a list count from a part of its largest."""
    if isinstance(a, dict) and isinstance(b, dict):
        a, b = without_ends(a), without_ends(b)
        left_out = {*OF_THE_ZERO, *(("bound", "value") if str(a.get("name")).endswith(ENDS_OF_RANGES) else ())}
        keys = [key for key in a.keys() | b.keys() if key not in left_out]
        keys = [key for key in keys if f"{place}.{key}" not in (*OF_THE_SHEET, *OVER_TIME)]
        return [each for key in keys for each in differences(a.get(key), b.get(key), tolerance, f"{place}.{key}")]
    if isinstance(a, list) and isinstance(b, list) and len(a) == len(b):
        least = max(least, SMALL * largest(a))
        pairs = enumerate(zip(a, b, strict=True))
        return [each for k, pair in pairs for each in differences(*pair, tolerance, f"{place}[{k}]", least)]
    if isinstance(a, float) and isinstance(b, float):
        off = tolerance * max(abs(a), abs(b), least) + NOTHING
        return [] if abs(a - b) <= off else [(place, a, b)]
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
    both = (answer(command, path) for path in (machines.CRANKS_AT_180, machines.CRANKS_TURNED_ZERO))
    assert not differences(*both, TOLERANCES.get(command[0], ROUNDED))


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
    "nearest": ("--at", "-3.2,3.1,13.4,2263.7,4167.8,-6425.2", "--sequence", "XYX"),
    "inverse": (),
    "velocity": (),
    "stiffness": (),
    "forces": (),
    "conditioning": (),
    "path": ("path.csv", "--sequence", "XYX", "-o", "legs.csv"),
    "dynamics": ("--motion", "vertical", "--amplitude", "0.3"),
    "follow": ("motion.csv", "--sequence", "XYX"),
    "capacity": (),
    "frequencies": (),
    "accuracy": ("--tolerance", "0.01"),
    "singularity": (),
    "certify": ("--box", "0.13,0.11,0.07", "--cone", "1.1,0.7"),
    "volume": ("--rtol", "0.2", "--boxes", "2000", "--processes", "1"),
    "forward": ("--joints", JOINTS, "--sequence", "XYX"),
    "playback": ("legs.csv", "--sequence", "XYX"),
    "modes": (),
    "calibrate": ("measured.csv", "--sequence", "XYX", "--parameters", "joint_zeros", "--known", "device,target"),
    "choose": ("--count", "3", "--sequence", "XYX"),
    "simulate": ("--duration", "0.02", "--force", "20"),
    "place": ("--at", "-3.9,3.4,9.1", "--axis", "0.2,-0.1,-1", "--sequence", "XYX"),
}
QUICK = ("travel", "margins", "path", "forward", "playback")
HEAD = {
    "convention": "modified",
    "joints": [
        {"name": "swivel", "d": 1.0, "min": -10800, "max": 10800, "speed": 1e6},
        {"name": "tilt", "alpha": -5400, "min": -5700, "max": 5700, "speed": 1e6},
        {"name": "tip", "kind": "fixed", "alpha": 5400, "d": 2.0},
    ],
}
"""A head for `gough place`, in the units of the skew machine."""
ARCMIN = np.pi / 180 / 60
ENDS = ("both", "joint_min", "joint_max", "none")
"""Which ends of the cranks' ranges a machine has."""


def restated(ends, turns):
    """The document of a skew machine with these ends, and the same with the zeros of its cranks turned (6,) [rad]."""
    one = tomllib.loads(Path(SKEW_OF_KIND["RUS"]).read_text("utf-8"))
    for key in ("joint_min", "joint_max"):
        if ends not in ("both", key):
            del one["limits"][key]
    return one, with_zeros_turned(one, turns, ARCMIN)


def with_zeros_turned(document, turns, unit):
    """The document of the same machine whose cranks are at zero where they were at `turns` (6,) [rad]."""
    other = deepcopy(document)
    n = np.broadcast_to(np.array(document["legs"]["axis"], dtype=float), (6, 3))
    turn = Rotation.from_rotvec(turns[:, None] * n / np.linalg.norm(n, axis=1, keepdims=True))
    for table, key in (
        (other["legs"], "arm"),
        (other["legs"], "joint_axis"),
        (other["limits"].get("base_cone", {}), "axis"),
    ):
        if key in table:
            table[key] = turn.apply(table[key]).tolist()
    for key in ("joint_min", "joint_max"):
        if key in other["limits"]:
            other["limits"][key] = (np.array(document["limits"][key]) - turns / unit).tolist()
    return other


def with_joints_counted_from(text, turns):
    """Text of CSV whose columns q1 to q6 [arcmin] are counted from other zeros (6,) [rad]."""
    header, *rows = (line.split(",") for line in text.splitlines())
    first = header.index("q1")
    for row in rows:
        row[first : first + 6] = [
            repr(float(x) - float(turn) / ARCMIN) for x, turn in zip(row[first:], turns, strict=False)
        ]
    return "\n".join(map(",".join, [header, *rows])) + "\n"


def turns_of(ends):
    """Turns of the zeros that put the lowest ends, or the highest ones alone, at half a turn."""
    limits = tomllib.loads(Path(SKEW_OF_KIND["RUS"]).read_text("utf-8"))["limits"]
    low, high = (np.array(limits[key]) * np.pi / 180 / 60 for key in ("joint_min", "joint_max"))
    return np.where(np.arange(6) % 2 == 0, low + np.pi, high - np.pi) if ends == "both" else (
        high - np.pi if ends == "joint_max" else low + np.pi)  # fmt: skip


def test_every_command_is_walked():
    names = {each.name or each.callback.__name__ for each in app().registered_commands}
    names |= {each.name for each in app().registered_groups}
    assert {name.split()[0] for name in WALKED} | set(NO_NUMBERS) >= names


@pytest.mark.parametrize(
    ("command", "ends"),
    [
        *product(QUICK, ENDS[1:3]),
        *thorough(*((command, ENDS[k % len(ENDS)]) for k, command in enumerate(WALKED))),
    ],
)
def test_a_skew_machine_answers_alike_wherever_its_zeros_are(command, ends, tmp_path, monkeypatch):
    answers, name, turns = [], command.split()[0], turns_of(ends)
    for by, document in zip((np.zeros(6), turns), restated(ends, turns), strict=True):
        folder = tmp_path / str(len(answers))
        folder.mkdir()
        monkeypatch.chdir(folder)
        for file, text in FILES.items():
            Path(file).write_text(with_joints_counted_from(text, by) if "q1" in text else text)
        if name == "place":
            document["head"] = HEAD
        Path("m.toml").write_text(toml(document), "utf-8")
        joints = ",".join(repr(float(x) - float(turn) / ARCMIN) for x, turn in zip(JOINTS.split(","), by, strict=True))
        answers.append(answer((name, *(joints if each == JOINTS else each for each in WALKED[command])), "m.toml"))
    assert not differences(*answers, TOLERANCES.get(name, ROUNDED))


OF_BUILT_IN = {"travel": (), "margins": (), "modes": (), "forces": (), "certify": ("--box", "2,2,2", "--turn", "2")}


@pytest.mark.parametrize("command", ["margins", *thorough("travel", "certify")])
@pytest.mark.parametrize("name", ["servo", "rotopod"])
def test_a_built_in_machine_answers_alike_wherever_its_zeros_are(name, command, rng, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    one = tomllib.loads(machine_text(name)[1])
    if name == "rotopod":  # whose ring is endless: the ends of the range are those of the way to count
        del one["limits"]["joint_min"], one["limits"]["joint_max"]
    one["legs"]["branch"] = gough.load(name).legs.branch.tolist()
    other = with_zeros_turned(one, np.deg2rad(rng.uniform(-80, 80, 6)), np.pi / 180)
    Path("one.toml").write_text(toml(one), "utf-8")
    Path("other.toml").write_text(toml(other), "utf-8")
    both = [answer((command, *OF_BUILT_IN[command]), path) for path in ("one.toml", "other.toml")]
    assert not differences(*both, TOLERANCES.get(command, ROUNDED))


def test_arms_that_point_alike_at_zero_only_keep_the_clearance_of_their_legs(tmp_path):
    """All six arms of a ring about one axis point along x at zero: their feet meet there, but not at home."""
    m = gough.load("rotopod")
    one = tomllib.loads(machine_text("rotopod")[1])
    del one["limits"]["joint_min"], one["limits"]["joint_max"]
    one["legs"]["branch"] = m.legs.branch.tolist()
    arms = np.array(one["legs"]["arm"])
    path = tmp_path / "m.toml"
    path.write_text(toml(with_zeros_turned(one, -np.arctan2(*arms.T[1::-1]), np.pi / 180)), "utf-8")
    other = gough.load(path)
    assert np.ptp(other.legs.r_B, axis=0).max() < 1e-9
    assert sum(name.endswith("clearance") for name in gough.margins(other, other.X_home).names) == 15


@pytest.mark.thorough
@pytest.mark.parametrize("ends", ENDS)
def test_the_datasheet_says_the_same_wherever_the_zeros_are(ends, tmp_path):
    sheets = []
    for name, document in zip(("one", "other"), restated(ends, turns_of(ends)), strict=True):
        path = tmp_path / f"{name}.toml"
        path.write_text(toml(document), "utf-8")
        sheets.append(json.loads(json.dumps(numbers(path), default=np.ndarray.tolist)))
    assert not differences(*sheets, SEARCHED)


RANGE = re.compile(r"(?:needs|at) (-?[\d.]+) deg, allowed (at least |at most |)(-?[\d.]+)(?: to (-?[\d.]+))? deg")
PRINTED = 2e-3
"""Degrees: two numbers of three decimals."""


def test_sentences_name_the_same_ends_wherever_the_zeros_are(rng):
    """What a crank needs is as far from the ends that are allowed, and at the same side of them."""
    pair = [gough.load(path) for path in (machines.CRANKS_AT_180, machines.CRANKS_TURNED_ZERO)]
    X = np.tile(pair[0].X_home, (60, 1, 1))
    X[:, :3, 3] += rng.uniform(-0.06, 0.06, (60, 3))
    seen = set()
    for pose in X:
        one, other = (" | ".join(gough.margins(m, pose).sentences()) for m in pair)
        assert RANGE.sub("", one) == RANGE.sub("", other)
        for ours, theirs in zip(RANGE.findall(one), RANGE.findall(other), strict=True):
            assert ours[1] == theirs[1]
            off = [np.array([float(end) - float(each[0]) for end in each[2:] if end]) for each in (ours, theirs)]
            np.testing.assert_allclose(*off, atol=PRINTED)
            seen.add(np.sign(off[0]).min())
    assert seen == {-1.0, 1.0}  # below the lowest, and above the highest


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
