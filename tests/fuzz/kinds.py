"""Kinds of cases: each makes a random input from `rng`, hands it to Gough in `folder`, and says what it was."""

import json
import re
import tomllib
from contextlib import ExitStack
from functools import cache
from unittest.mock import patch

import numpy as np
from tests.fuzz.commands import command_line, ran
from tests.fuzz.mutate import NUMBERS, anything, document_text, mutated, points_anywhere, spoilt_bytes, spoilt_text

import gough
from gough import motion
from gough.cli.clip_input import read_clip
from gough.description.describe_machine import describe
from gough.description.parse import machine_text
from gough.errors import GoughError
from gough.loading import load_with_files
from gough.viewer.saved_view import SavedView, from_document, from_link

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
ROWS = "x,y,z,a,b,c\n0,0,800,0,0,0\n1,2,810,1,0,2\n"
LEGS = "q1,q2,q3,q4,q5,q6\n830,830,830,830,830,830\n831,831,831,831,831,831\n"
TIMED = (
    "time_s;x_mm;y_mm;z_mm;qx;qy;qz;qw\n0;0;0;800;0;0;0;1\n1;1;1;801;0;0;0;1\n",
    "time,x,y,z,a,b,c\n0,0,0,800,0,0,0\n0.5,1,2,810,1,0,2\n",
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


def written(rng, folder, name, text, spoilt=0.1):
    """A file with this text, spoilt now and then."""
    path = folder / name
    path.write_bytes(spoilt_bytes(rng, spoilt_text(rng, text)) if rng.random() < spoilt else text.encode("utf-8"))
    return path


def machine_file(rng, folder):
    """A machine file: built, drawn and described, with a home where every leg closes; or refused."""
    found, kind = documents(1), rng.randrange(20)
    document = mutated(rng, found[rng.choice(sorted(found))]) if kind > 1 else [anything, points_anywhere][kind](rng)
    path = written(rng, folder, "m.toml", document_text(document))
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
    path = written(rng, folder, "p.ngc", PROGRAM, spoilt=0.6)
    yield path.read_bytes()
    program = motion.programs.read_program(path)
    motion.programs.program_path(hexel(), program)


def view_link(rng, folder):
    """A saved view, or the link to one."""
    m = hexel()
    state = SavedView("hexel", [m.X_home.tolist()], camera={"position": [1.0, 0.0, 0.0]}, switches={"frames": True})
    text = json.dumps({"gough_view": 1, **mutated(rng, json.loads(state.document()))}, default=str)
    kind = rng.randrange(8)
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
    name = rng.choice(["clip", "inverse", "margins", "travel", "forward"])
    text = rng.choice(TIMED) if name == "clip" else LEGS if name == "forward" else ROWS
    header, *rows = text.splitlines()
    cells = re.split("([,;\n])", "\n".join(rows))
    for _ in range(rng.choice([0, 1, 1, 1, 2])):
        bad = rng.choice([*NUMBERS[:-1], "x", "", "q9", "nan", '"', "1,2", "1e999"])
        cells[2 * rng.randrange((len(cells) + 1) // 2)] = str(bad if rng.random() < 0.4 else rng.uniform(0, 900))
    header = header if rng.random() < 0.9 else header.replace(rng.choice("xqb6"), rng.choice("xq9_"))
    path = written(rng, folder, "t.csv", header + "\n" + "".join(cells))
    yield path.read_bytes()
    if name == "clip":
        read_clip(path, hexel(), "hexel")
        return
    options = ["--sequence", "xyz"] if text == ROWS else []
    code = ran([name, "hexel", "--csv", "-", *options], path.read_bytes(), folder)
    yield "refused" if code == 2 else "answered"


def finite_rows(rng, folder):
    """Any finite numbers are poses or leg values: they are answered, a row each."""
    name = rng.choice(["inverse", "forward", "margins", "travel"])
    header = "q1,q2,q3,q4,q5,q6" if name == "forward" else "x,y,z,a,b,c"
    some = [number for number in NUMBERS[:-1] if abs(number) < 1e300]
    rows = [
        [rng.choice([rng.uniform(-900, 900), rng.choice(some)]) for _ in range(6)] for _ in range(rng.randint(1, 4))
    ]
    arguments = [name, rng.choice(["hexel", "servo", "sinatra2009"]), "--csv", "-", "-o", "answer.csv"]
    yield arguments, rows
    stdin = "\n".join([header, *(",".join(map(repr, row)) for row in rows)]).encode()
    code = ran([*arguments, "--sequence", rng.choice(["XYZ", "zyx", "ZXZ"])], stdin, folder)
    assert code in ((0, 1) if name == "forward" else (0,))
    assert len((folder / "answer.csv").read_text().splitlines()) == 1 + len(rows)


def report_page(rng, folder):
    """The page of a machine that differs a little from a built-in one, coarse enough for a second."""
    found = documents(1)
    path = written(rng, folder, "r.toml", document_text(mutated(rng, found[rng.choice(sorted(found))])), spoilt=0.0)
    arguments = ["report", path.name, "-o", "page.html", *rng.choice([[], ["--json"]])]
    yield [*arguments, path.read_text(encoding="utf-8")]
    with ExitStack() as coarse:
        for what, count in COARSE.items():
            coarse.enter_context(patch(f"gough.datasheet.{what}", count))
        code = ran(arguments, b"", folder)
    assert (folder / "page.html").exists() == (code == 0)
    yield "refused" if code == 2 else "answered"


COARSE = {"datasheet.GRID": 3, "datasheet.MOST_BOXES": 200, "datasheet.WORKSPACE_SAMPLES": 5}
COARSE |= {"datasheet.CONE_SAMPLES": 5, "sections.stiffness.MAP": 5}
"""What reports look at, for `report_page`."""
KINDS = {
    machine_file: 41.9,
    report_page: 0.1,
    stack_file: 8,
    path_file: 12,
    part_program: 12,
    view_link: 8,
    table: 9,
    finite_rows: 3,
    command_line: 6,
}
"""How often each kind comes, in a hundred."""
REFUSAL = GoughError
