"""Kinds of cases: each makes a random input from `rng`, hands it to Gough in `folder`, and says what it was."""

import io
import json
import tomllib
from contextlib import redirect_stderr, redirect_stdout
from functools import cache
from pathlib import Path
from typing import get_args
from unittest.mock import patch

import numpy as np
from tests.fuzz.mutate import NUMBERS, OTHERS, document_text, mutated, spoilt_bytes, spoilt_text

import gough
from gough import motion
from gough.cli import main
from gough.cli.app import command
from gough.cli.clip_input import read_clip
from gough.description.describe import describe
from gough.description.load import load_with_files, machine_text
from gough.errors import GoughError
from gough.viewer.state import State, from_document, from_link

PATH = """moves = "tool"
sequence = "xyz"
blend = 1.0
feed = 5.0
start = [0, 0, 0]
[units]
length = "mm"
angle = "deg"
[[segments]]
kind = "line"
to = [5, 0, 0]
[[segments]]
kind = "arc"
through = [5, 5, 1]
to = [0, 5, 0]
[[segments]]
kind = "spline"
points = [[1, 1, 0], [2, 0, 0], [3, 1, 0]]
[[segments]]
kind = "rest"
duration = 0.5
"""
PROGRAM = "G21 G90 G64 P0.1\nG0 X0 Y0 Z5\nG1 Z0 F300\nG2 X5 Y5 I5 J0\nG91 G3 X-5 R8\nG4 P1\nM0 (stop)\nM2\n"
UNUSUAL = {"length": "in", "angle": "mrad", "mass": "lb"}
TABLES = (
    "x,y,z,a,b,c\n0,0,800,0,0,0\n1,2,810,1,0,2\n",
    "time_s;x_mm;y_mm;z_mm;qx;qy;qz;qw\n0;0;0;800;0;0;0;1\n1;1;1;801;0;0;0;1\n",
    "t,q1,q2,q3,q4,q5,q6\n0,830,830,830,830,830,830\n0.5,831,831,831,831,831,831\n",
    "time,q1,q2,q3,q4,q5,q6\n0,830,830,830,830,830,830\n1,831,831,831,831,831,831\n",
)


@cache
def documents(stages):
    """Built-in documents of so many stages, one of them in unusual units."""
    found = {info.name: tomllib.loads(machine_text(info.name)[1]) for info in gough.machines(stages=stages)}
    if stages == 1:
        found["unusual"] = {**found["hexel"], "units": UNUSUAL}
    return found


@cache
def hexel():
    """The machine that paths and motions are read for."""
    return gough.load("hexel")


def written(rng, folder, name, text):
    """A file with this text, spoilt now and then."""
    path = folder / name
    path.write_bytes(spoilt_bytes(rng, spoilt_text(rng, text) if rng.random() < 0.3 else text))
    return path


def machine_file(rng, folder):
    """A machine file: built, drawn and described, with a home where every leg closes; or refused."""
    found = documents(1)
    path = written(rng, folder, "m.toml", document_text(mutated(rng, found[rng.choice(sorted(found))])))
    yield path.read_bytes()
    machine, files = load_with_files(path)
    if isinstance(machine, gough.Machine):
        assert np.isfinite(gough.inverse_kinematics(machine, machine.home)).all(), "home is NaN"
        assert 0 < machine.size < np.inf
        assert describe(machine, files[0]).sections
        gough.margins(machine, machine.home)


def stack_file(rng, folder):
    """A machine of two stages."""
    document = documents(2)["double-hexapod"]
    if rng.random() < 0.5:
        document = {
            "name": "two",
            "stages": [{"machine": "hexel"}, {"machine": "hexel", "mount": {"translation": [0, 0, 1]}}],
        }
    path = written(rng, folder, "s.toml", document_text(mutated(rng, document)))
    yield path.read_bytes()
    machine, _ = load_with_files(path)
    assert machine.size > 0


def path_file(rng, folder):
    """A path file, and its plan."""
    path = written(rng, folder, "p.path.toml", document_text(mutated(rng, tomllib.loads(PATH))))
    yield path.read_bytes()
    motion.programs.path_from_file(hexel(), motion.programs.read_path_file(path))


def part_program(rng, folder):
    """A part program, and its plan."""
    path = folder / "p.ngc"
    path.write_bytes(spoilt_bytes(rng, spoilt_text(rng, PROGRAM)))
    yield path.read_bytes()
    program = motion.programs.read_program(path)
    motion.programs.program_path(hexel(), program)


def view_link(rng, folder):
    """A saved view, or the link to one."""
    m = hexel()
    state = State("hexel", [m.X_home.tolist()], camera={"position": [1.0, 0.0, 0.0]}, switches={"frames": True})
    text = json.dumps(mutated(rng, {"gough_view": 1, **json.loads(state.document())}), default=str)
    kind = rng.randrange(4)
    if kind == 0:
        yield (link := spoilt_text(rng, state.link()))
        from_link(link)
        return
    if kind == 1:
        text = "[" * 200_000 if rng.random() < 0.1 else spoilt_text(rng, text)
    yield text[:2000]
    from_document(text, "the link")


def table(rng, folder):
    """Poses or a recorded motion in CSV, read by a command and by the viewer."""
    text = rng.choice(TABLES)
    cells = text.replace("\n", ",\n").split(",")
    for _ in range(rng.randint(0, 3)):
        cells[rng.randrange(len(cells))] = str(rng.choice([*NUMBERS[:-1], "x", "", "q9", "nan", '"', "1,2", "1e999"]))
    path = written(rng, folder, "t.csv", ",".join(cells).replace(",\n", "\n"))
    yield path.read_bytes()
    if rng.random() < 0.5:
        read_clip(path, hexel(), "xyz-fixed")
    else:
        ran([rng.choice(["inverse", "margins", "forward", "travel"]), "hexel", "--csv", "-"], path.read_bytes(), folder)


SLOW = ("view", "report", "workspace", "modes", "singularity", "follow", "simulate", "conditioning", "velocity")
SLOW += ("playback", "dynamics", "path", "nearest", "stiffness", "accuracy")
"""Commands that start a page or work for seconds: they get an option they have not."""
FILES = ["o.csv", "o.nc", "o.json", "nowhere/o.csv", ".", ""]


def command_line(rng, folder):
    """Random options of a random command, from the table of options that the command has."""
    commands = command().commands
    name = rng.choice(sorted(commands))
    arguments = [name, *(["mjcf"] if name == "export" else [])]
    found = commands[name].commands["mjcf"] if name == "export" else commands[name]
    for parameter in found.params:
        if parameter.param_type_name == "argument":
            arguments += [
                text(rng) if rng.random() < 0.1 or name == "new" else rng.choice(["hexel", "servo", "sinatra2009"])
            ]
        elif rng.random() < 0.15:
            arguments.append(rng.choice(parameter.opts))
            if not parameter.is_flag:
                is_file = any(word in parameter.name for word in ("output", "file", "stl", "mesh"))
                arguments.append(rng.choice(FILES) if is_file else option(rng, parameter))
    if name in SLOW:
        arguments.append("--no-such-option")
    yield arguments
    ran(arguments, b"x,y,z\n0,0,800\n", folder)


def option(rng, parameter):
    """A value of an option: one of its choices, numbers, or anything."""
    kind = getattr(parameter, "type_descriptor", None) or parameter.type  # as Typer's versions have it
    choices = getattr(kind, "choices", None) or get_args(getattr(kind, "annotation", None))
    choices = [choice for choice in choices if isinstance(choice, str)]
    if choices and rng.random() < 0.7:
        return rng.choice(choices)
    count = rng.choice([1, 1, 3, 3, 6, 7, 16])
    numbers = ",".join(str(rng.choice([0, 1, 800, rng.uniform(-900, 900), *NUMBERS[:-1]])) for _ in range(count))
    return numbers if rng.random() < 0.7 else text(rng)


def text(rng):
    """Something typed: no path out of the folder."""
    odd = repr(rng.choice([*NUMBERS[:-1], *OTHERS]))
    return rng.choice(["xyz", "ZXZ", "hexl", "-", "-z", "rx", "pi", "é", "", "a b", "x" * 300, odd])


def ran(arguments, stdin, folder):
    """Run a command: an answer, or a refusal that is a sentence and writes nothing."""
    out, err, before = io.StringIO(), io.StringIO(), sorted(path.name for path in Path(folder).rglob("*"))
    with redirect_stdout(out), redirect_stderr(err), patch("sys.stdin", io.TextIOWrapper(io.BytesIO(stdin))):
        code = main(arguments)
    assert code in (0, 1, 2), f"exit code {code}"
    assert "Traceback" not in err.getvalue()
    if code == 2:
        assert err.getvalue().startswith("error: "), err.getvalue()
        assert sorted(path.name for path in Path(folder).rglob("*")) == before, "a refused command wrote a file"


KINDS = {
    machine_file: 40,
    stack_file: 8,
    path_file: 12,
    part_program: 12,
    view_link: 8,
    table: 8,
    command_line: 12,
}
"""How often each kind comes, in a hundred."""
REFUSAL = GoughError
