"""Every number that commands write, in tables, sentences, CSV and JSON, in the unit that it names, and every vector of
JSON with its frame: one walk over all.

The machine is in rare units. What is written, times the size of the unit beside it by CODATA, must be a number that the
library answered in SI while the command ran: to rounding in CSV and JSON, to its digits in tables and sentences. The
walk knows neither what a command computes nor what a number is called.
"""

import ast
import json
import re
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from tests import schemas
from tests.recorded import Recorder, has
from tests.rendered import NUMBER, unit_of, vectors, written
from tests.skew import SKEW_OF_KIND
from tests.thorough import thorough

import gough
from gough.cli.app import app
from gough.cli.request import Request
from gough.present.answer import Table

MACHINE = SKEW_OF_KIND["RUS"]
WRENCH = "11.5,-7.25,23.5,1.3,-0.7,2.1"
JOINTS = "9600.31,-8999.92,9119.85,1199.87,-9300.25,5999.55"
COMMANDS = {
    "inverse": (),
    "inverse passive": ("--passive",),
    "forward": ("--joints", JOINTS, "--sequence", "xyz"),
    "linear-map": (),
    "margins": (),
    "margins words": (),
    "modes": (),
    "nearest": ("--at", "-3.2,3.1,13.4,2263.7,4167.8,-6425.2", "--sequence", "XYX"),
    "travel": (),
    "travel words": (),
    "travel along": ("--along", "1,2,0.5"),
    "corners": ("--strokes",),
    "corners rotation": ("--kind", "rotation"),
    "workspace": ("--samples", "5"),
    "velocity": (),
    "velocity twist": ("--twist", "1,-2,3,40,-50,60"),
    "velocity passive": ("--twist", "1,-2,3,40,-50,60", "--passive"),
    "velocity rates": ("--rates", "1,-2,3,40,-50,60", "--sequence", "XYX"),
    "velocity along": ("--along", "rx"),
    "velocity slowest": ("--slowest", "--samples", "3"),
    "stiffness": ("--wrench", WRENCH),
    "stiffness of angles": ("--generalized-force", WRENCH, "--sequence", "XYX"),
    "forces": ("--wrench", WRENCH),
    "forces of angles": ("--generalized-force", WRENCH, "--sequence", "XYX"),
    "accuracy": ("--tolerance", "0.01"),
    "accuracy words": ("--tolerance", "0.01"),
    "accuracy parameters": ("--parameters", "--tolerance", "0.01"),
    "calibrate": ("measured.csv", "--sequence", "XYX", "--parameters", "joint_zeros", "--known", "device,target"),
    "calibrate words": ("measured.csv", "--sequence", "XYX", "--parameters", "joint_zeros", "--known", "device,target"),
    "choose": ("--count", "3", "--sequence", "XYX"),
    "capacity": (),
    "volume": ("--rtol", "0.2", "--boxes", "2000", "--processes", "1"),
    "certify": ("--box", "0.13,0.11,0.07", "--cone", "1.1,0.7"),
    "singularity": (),
    "conditioning": (),
    "conditioning map": ("--map", "--samples", "2"),
    "frequencies": (),
    "dynamics": ("--motion", "vertical", "--amplitude", "0.3"),
    "dynamics passive": ("--motion", "vertical", "--amplitude", "0.3", "--passive"),
    "simulate": ("--duration", "0.02"),
    "simulate words": ("--duration", "0.02"),
    "path": ("path.csv", "--sequence", "XYX", "-o", "legs-over-time.csv"),
    "playback": ("legs.csv", "--sequence", "xyz"),
    "follow": ("motion.csv", "--sequence", "XYX"),
    "follow words": ("motion.csv", "--sequence", "XYX"),
    "follow compensate": ("swell.csv", "--sequence", "xyz", "--compensate", "--fade", "0.5"),
    "follow compensate words": ("swell.csv", "--sequence", "xyz", "--compensate", "--fade", "0.5"),
    "place": ("--at", "0,0,850", "--axis", "1,0,0.5", "--sequence", "XYZ"),
}
MACHINES = {"place": "hexel-head", "velocity slowest": "hexel"}
SILENT = {"machines", "warm", "new", "schema", "view", "export", "report", "check"}
"""Commands that compute no number; those whose walks are with the datasheet, the viewer and machine files."""
SWELL = (0, 1, 3, 2, -1, -2, 0, 1, 0)
FILES = {
    "path.csv": "x,y,z,a,b,c\n-3.9147,3.4045,15.27,2263.7,4167.8,-6425.2\n-3.9,3.41,15.3,2264,4168,-6425\n",
    "motion.csv": "time,x,y,z,a,b,c\n"
    + "".join(
        f"{0.25 * k},{-3.9147 + 0.01 * s},3.4045,{15.27 + 0.02 * s},{2263.7 + 3 * s},4167.8,-6425.2\n"
        for k, s in enumerate(SWELL)
    ),
    "swell.csv": "time,x,y,z,a,b,c\n"
    + "".join(f"{0.25 * k},{0.4 * s},{0.6 * s},{-0.3 * s},{90 * s},{-70 * s},{150 * s}\n" for k, s in enumerate(SWELL)),
    "measured.csv": "q1,q2,q3,q4,q5,q6,x,y,z,a,b,c\n"
    "9565.3011,-8924.3516,9171.8190,929.3385,-9360.6794,6065.5757,-3.745457,3.575373,15.278504,2243.7303,4109.3998,-6451.6398\n"
    "9807.1748,-9320.0893,9233.4675,1131.5587,-9111.4393,5678.4852,-3.965487,3.152179,15.019611,2316.6978,4161.7108,-6380.7095\n"
    "9354.3065,-8725.9680,8973.9637,1340.8617,-9573.3435,6162.9995,-3.950797,3.667620,15.490667,2314.1933,4155.5723,-6434.1597\n"
    "9667.2761,-9285.5402,9141.1429,1195.4962,-9330.1123,6096.4558,-3.816657,3.160795,15.300850,2202.6338,4173.1263,-6340.5458\n"
    "9502.8260,-9021.0363,9346.3401,1017.8164,-9404.1657,5954.4748,-3.815274,3.609858,15.118692,2286.7260,4167.4852,-6335.8364\n"
    "9809.5219,-9262.8245,9082.2256,1094.3352,-9254.9281,5960.3452,-3.799563,3.127722,15.271867,2257.2421,4120.7902,-6431.5022\n",
    "legs.csv": f"time,q1,q2,q3,q4,q5,q6\n0,{JOINTS}\n0.1,9610.31,-8999.92,9119.85,1199.87,-9300.25,5999.55\n",
}
"""Of home and a pose or joint coordinates close to it."""


def of_json(value, unit, where=""):
    """Place, number and unit of the numbers in a JSON value; units are a name, or a list of them."""
    if isinstance(value, dict):
        for key, part in value.items():
            yield from of_json(part, unit_at_end(key) or unit, f"{where}.{key}")
    elif isinstance(value, list):
        for part, named in zip(value, units_of_rows(value, unit), strict=True):
            yield from of_json(part, named, where)
    elif isinstance(value, int | float) and not isinstance(value, bool):
        yield where, value, unit


@cache
def unit_at_end(name):
    """The unit at the end of a name, as of "force_N_m"; None where there is none."""
    words = name.split("_")
    ends = ("_".join(words[k:]) for k in range(1, len(words)))
    return next((end for end in ends if unit_of(end) is not None and not end.isdigit()), None)


def units_of_rows(rows, unit):
    """The unit of each row of a list: units are those of the last axis, or of the last two."""
    is_for_rows = not isinstance(unit, str) and np.ndim(unit) == np.ndim(rows)
    return unit if is_for_rows else [unit] * len(rows)


def keys_of(document, units, path="", unit="1"):
    """Place, number and unit of all numbers of a command's JSON."""
    for key, value in document.items():
        place = f"{path}{key}"
        if place in units or not isinstance(value, dict):
            yield from of_json({key: value}, units.get(place, unit), path)
        else:
            yield from keys_of(value, units, f"{place}.", unit_at_end(key) or unit)


def of_csv(text):
    """Title, number and unit of all numbers of CSV: the unit ends the title."""
    header, *rows = (line.split(",") for line in text.splitlines())
    beside = header.index("unit") if "unit" in header else None
    for k, title in enumerate(header):
        unit = unit_at_end(title)
        for row in rows:
            if NUMBER.fullmatch(row[k]):
                yield title, float(row[k]), unit or ("1" if beside is None else row[beside] or "1")


def of_words(words):
    """Place and numbers as they are written in tables and sentences; counts without a unit left out."""
    for each in words:
        if isinstance(each, Table):
            for row in each.rows:
                for k, text in enumerate(row):
                    if each.header[k] in ("what", "unit"):
                        continue
                    found = written(text, unit_in_table(each.header, row, k))
                    yield from ((each.header[k], one) for one in found if one.unit or not one.value.is_integer())
        else:
            yield from ((each, one) for one in written(each) if one.unit or not one.value.is_integer())


def unit_in_table(header, row, k):
    """The unit of a cell: in brackets in its head, at the end of the head, or in the column of units."""
    bracket = re.search(r"\[(.+)\]$", header[k])
    if bracket or "unit" not in header:
        ending = header[k].rpartition("_")[2]
        return bracket[1] if bracket else ending if "_" in header[k] and unit_of(ending) else ""
    return "" if header[k].startswith("axis ") else row[header.index("unit")]


def wrong(answers, recorder):
    """What is written that is no number of the library in the unit beside it."""
    exact, few, found = recorder.all(), recorder.few(), []
    for as_json, as_csv, words in answers:
        units = as_json.pop("units")
        for place, value, name in [*keys_of(as_json, units), *of_csv(as_csv)]:
            unit = unit_of(name)
            if unit is None or not ((name == "1" and float(value).is_integer()) or has(exact, value * unit.size)):
                found.append((place, value, name))
        for place, one in of_words(words):
            unit = unit_of(one.unit)
            # Bounds go outwards, guaranteed numbers down.
            is_directed = "proven" in place or place.startswith(("distance", "payload"))
            digit = (2.02 if is_directed else 1.01) * one.half
            if unit is None or not has(few, one.value * unit.size, digit * unit.size):
                found.append((place, one))
    return found


def test_every_command_is_walked():
    names = {each.name or each.callback.__name__ for each in app().registered_commands}
    names |= {each.name for each in app().registered_groups}
    assert {name.split()[0] for name in COMMANDS} | SILENT == names


def keep(answers, request, answer):
    """JSON, CSV and words of one answer."""
    csv = request._text(answer, as_json=False) if any(field.is_csv for field in answer.fields) else "\n"
    words = [] if answer.words is None else list(answer.words())
    document = json.loads(request._text(answer, as_json=True))
    schemas.check(request.context.command_path.removeprefix("gough "), document, answer.fields)
    answers.append((document, csv, words))


def written_by(run, monkeypatch, machine, command, *options):
    """What a command writes, and the numbers that the library answered meanwhile, with those given to it."""
    answers, recorder, m = [], Recorder(), gough.load(machine)
    for name in ("print", "write_file"):
        monkeypatch.setattr(Request, name, lambda request, answer, **_: keep(answers, request, answer))
    with recorder:
        ran = run(command, machine, *options)
    assert ran.code == 0, ran.err
    given = np.array([float(x) for option in options for x in NUMBER.findall(option)])
    recorder.keep(np.concatenate([given, given * m.units.metres, given * m.units.radians]))
    recorder.keep_uses(m)
    return answers, recorder


def test_commands_that_answer_people_otherwise_are_walked_so():
    """Functions of a command stand behind it."""
    names, commands = set(), {each.callback.__name__ for each in app().registered_commands}
    for path in (Path(gough.__file__).parent / "cli").glob("*.py"):
        command = path.stem
        for node in ast.parse(path.read_text("utf-8")).body:
            if isinstance(node, ast.FunctionDef):
                command = node.name if node.name in commands else command
                names |= {command} if "request.is_for_people" in ast.unparse(node) else set()
    assert {f"{name} words" for name in names} <= set(COMMANDS)
    assert len(names) > 4


SLOW = ("corners rotation", "follow compensate words")
"""Searches whose answers are written as others are: those of strokes, and of a motion that is not compensated."""


@pytest.mark.parametrize("command", [*(name for name in COMMANDS if name not in SLOW), *thorough(*SLOW)])
def test_every_number_is_in_the_unit_and_every_vector_in_the_frame_that_it_names(run, monkeypatch, tmp_path, command):
    for name, text in FILES.items():
        (tmp_path / name).write_text(text)
    options = COMMANDS[command] if command.endswith("words") else ("--json", *COMMANDS[command])
    answers, recorder = written_by(run, monkeypatch, MACHINES.get(command, MACHINE), command.split()[0], *options)
    assert answers
    for as_json, *_ in answers:
        frames = as_json.pop("frames", {})
        assert sorted(set(vectors(as_json, as_json["units"])) - {*frames, "units"}) == []
    assert wrong(answers, recorder) == []
