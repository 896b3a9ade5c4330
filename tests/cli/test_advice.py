"""Advice in messages can be followed: the options and keys that it names exist, and with them the command succeeds."""

import ast
import json
import re
from pathlib import Path
from typing import get_args

import pytest
from tests.skew import SKEW
from typer.main import get_command

import gough
from gough.cli.app import app
from gough.description.schema import MachineFile

OPTION = re.compile(r"(?<![\w-])--[a-z][a-z-]+")
COMMANDS = get_command(app()).commands
FOREIGN = {"--mjcf"}
"""Options of MuJoCo's viewer."""


def options_of(command):
    """All options of a command and of the commands under it."""
    own = {name for each in command.params for name in (*each.opts, *each.secondary_opts)} | {"--help"}
    return own.union(*(options_of(each) for each in getattr(command, "commands", {}).values()))


def keys_of(model, above=()):
    """Dotted names of all keys of a machine file."""
    for name, field in model.model_fields.items():
        yield ".".join((*above, name))
        kinds = [field.annotation]
        while kinds:
            kind = kinds.pop()
            if hasattr(kind, "model_fields"):
                yield from keys_of(kind, (*above, name))
            else:
                kinds += get_args(kind)


KEYS = set(keys_of(MachineFile))
KEY = re.compile(rf"(?<![\w./])(?:{'|'.join(key for key in KEYS if '.' not in key)})(?:\.[a-z_]+)+\b(?!\()")


def texts(path):
    """Strings of a module that may be shown, without its docstrings."""
    tree = ast.parse(path.read_text())
    documented = (ast.Module, ast.ClassDef, ast.FunctionDef)
    docs = {ast.get_docstring(each, clean=False) for each in ast.walk(tree) if isinstance(each, documented)}
    for each in ast.walk(tree):
        if isinstance(each, ast.Constant) and isinstance(each.value, str) and each.value not in docs:
            yield each.value


def test_every_key_and_option_in_a_text_exists():
    everywhere = {"--version"}.union(*map(options_of, COMMANDS.values()))
    root, missing = Path(gough.__file__).parent, []
    for path in root.rglob("*.py"):
        room = path.relative_to(root).parts[0]
        if str(path.relative_to(root)) in ("datasheet/pages.py", "cli/app.py") or room == "viewer":
            continue
        for text in texts(path):
            missing += [(path.name, name) for name in OPTION.findall(text) if name not in everywhere | FOREIGN]
            missing += [(path.name, name) for name in KEY.findall(text) if name not in KEYS | {text}]  # JSON's own
    assert missing == []


BARE = """
name = "bare"
[units]
length = "mm"
angle = "deg"
[base]
pitch_circle = { radius = 200, pair_angle = 20 }
[platform]
pitch_circle = { radius = 120, pair_angle = 100 }
[home]
translation = [0, 0, 300]
"""
"""A machine without limits, masses, stiffness and resolution."""
VALUES = {
    "limits.joint_min": "250",
    "limits.joint_max": "400",
    "limits.joint_speed": "20",
    "limits.joint_acceleration": "100",
    "limits.actuator_force": "1000",
    "actuators.stiffness": "1e7",
    "actuators.resolution": "0.001",
    "platform.mass": "3\nplatform.mass_centre = [0, 0, 10]\n"
    "platform.inertia = {xx = 0.02, yy = 0.02, zz = 0.03}\nplatform.inertia_about = 'mass_centre'",
}
"""Of keys that messages name."""
POSES = "x,y,z\n0,0,300\n5,0,300\n0,5,310\n"
NEEDS_KEYS = {
    "speeds": ("velocity",),
    "forces": ("capacity",),
    "stiffness": ("stiffness",),
    "frequencies": ("frequencies",),
    "dynamics": ("dynamics", "--motion", "vertical", "--amplitude", "2"),
    "simulation": ("simulate", "--duration", "0.01"),
    "time-optimal": ("path", "poses.csv", "--timing", "optimal"),
    "steps": ("accuracy",),
    "mujoco": ("export", "mjcf"),
}
"""Commands that the bare machine lacks something for."""


def with_keys(document, keys):
    """A machine file's text with more keys, dotted ones before the first table that would hold them."""
    lines = [f"{key} = {VALUES[key]}" for key in keys]
    tables = re.sub(r"\[(platform)\]\npitch_circle = (.*)", r"", document)
    circle = re.search(r"\[platform\]\npitch_circle = (.*)", document)[1]
    return "\n".join(["", f"platform.pitch_circle = {circle}", *lines, tables])


@pytest.mark.parametrize("case", NEEDS_KEYS)
def test_keys_that_messages_name_suffice(run, tmp_path, case):
    name, *rest = NEEDS_KEYS[case]
    path = tmp_path / "bare.toml"
    (tmp_path / "poses.csv").write_text(POSES)
    command = (name, rest[0], path, *rest[1:]) if name == "export" else (name, path, *rest)
    keys = []
    for _ in range(3):  # the next message may name another key
        path.write_text(with_keys(BARE, keys))
        told = run(*command)
        unknown = set(OPTION.findall(told.err)) - options_of(COMMANDS[name]) - FOREIGN
        assert unknown == set(), told.err
        named = [key for key in KEY.findall(told.out + told.err) if key in VALUES and key not in keys]
        if told.code == 0 and not named:
            break
        assert named, told
        keys += named
    assert keys
    assert told.code == 0


FOLLOWED = {
    "load": (("forces",), "--wrench", ("--wrench", "0,0,-10")),
    "payload": (("forces", "--payload", "1"), "--centre", ("--centre", "0,0,5")),
    "loaded": (("stiffness", "--loaded"), "--wrench", None),
    "step": (("accuracy",), "--step", ("--step", "0.001")),
    "force": (("capacity",), "a force", ("--force", "100")),
    "together": (("accuracy", "--points", "0.01"), "--lengths", ("--lengths", "0.01", "--encoder", "0.01")),
    "position": (("inverse", "--sequence", "XYZ", "--angles", "1,2,3"), "--at", ("--at", "0,0,300")),
    "joints": (("forward",), "--joints", ("--joints", "300,300,300,300,300,300")),
    "feed": (("path", "poses.csv", "--timing", "optimal"), "feed", ("--feed", "10")),
    "map": (("conditioning", "--map", "--samples", "2"), "x", ("--x=0", "--y=0", "--z=300")),
    "region": (("certify",), "--box", ("--box", "1,1,1", "--cone", "1")),
    "angles": (("margins", "--at", "0,0,300,1,2,3"), "--sequence", ("--sequence", "XYZ")),
    "motion": (("dynamics",), "--motion", None),
    "pose": (("margins", "--pose", "0,0,300"), "--at", None),
}
"""Commands, an option that their message names, and what to add then; None where only the name is compared."""


@pytest.mark.parametrize("case", FOLLOWED)
def test_options_that_messages_name_suffice(run, tmp_path, case):
    (name, *rest), advised, more = FOLLOWED[case]
    path = tmp_path / "bare.toml"
    path.write_text(BARE)
    (tmp_path / "poses.csv").write_text(POSES)
    told = run(name, path, *rest)
    assert advised in told.out + told.err
    assert set(OPTION.findall(told.err)) <= options_of(COMMANDS[name]) | {f"--{name}" for name in ("pose",)}
    if more is not None:
        assert run(name, path, *rest, *more).err == ""


@pytest.mark.parametrize("machine", ["hexel", "linapod", *SKEW[:2]])  # small cranks reach poses whatever their angles
def test_the_search_for_all_poses_proves_that_joint_values_have_none(run, machine, rng):
    m, refused = gough.load(machine), 0
    for k in range(1, 6):
        q = gough.inverse_kinematics(m, m.X_home) + 0.2 * k * m.size * rng.uniform(-1, 1, 6)
        values = ",".join(f"{value!r}" for value in (q / m.displayed_joint_size).tolist())
        told = run("forward", machine, f"--joints={values}")
        if told.code == 1:
            refused += 1
            assert "gough modes" in told.err
            assert json.loads(run("modes", machine, f"--joints={values}", "--json").out)["position"] == []
    assert refused
