"""Command lines: any command with options it has, coarse enough to answer in milliseconds."""

import io
from contextlib import redirect_stderr, redirect_stdout
from functools import cache
from pathlib import Path
from typing import get_args
from unittest.mock import patch

from tests.fuzz.mutate import NUMBERS, OTHERS

from gough.cli import main
from gough.cli.app import command
from gough.description.parse import machine_text

MACHINES = ("hexel", "servo", "sinatra2009", "dumitriu2017", "hexel-head", "hexaglide", "full.toml", "double-hexapod:1")
FULL = """
[limits]
joint_min = 0.42
joint_max = 0.78
actuator_force = 1000
joint_speed = 1
[actuators]
resolution = 1e-6
stiffness = 1e7
"""
"""What makes more of a built-in document known, so that more commands answer."""
ROWS = "x,y,z,a,b,c\n0,0,0,0,0,0\n0,0,1,0,0,0\n" + "1,2,1,0,1,0\n" * 6 + "1,2,801,0,1,0\n1,2,0,0,0,0\n"
JOINTS = "q1,q2,q3,q4,q5,q6\n" + "".join(f"{','.join(6 * [str(830 + k)])}\n" for k in range(5))
LINE = """moves = "tool"
sequence = "xyz"
[units]
length = "mm"
angle = "deg"
[[segments]]
kind = "line"
to = [5, 0, 0]
"""


def _timed(table):
    """A table with a column of times."""
    header, *rows = table.splitlines()
    return "\n".join(["time," + header, *(f"{0.1 * k:.1f},{row}" for k, row in enumerate(rows))])


FILES = {
    "poses.csv": ROWS,
    "joints.csv": JOINTS,
    "history.csv": _timed(ROWS),
    "playback.csv": _timed(JOINTS),
    "p.path.toml": LINE,
    "p.ngc": "G21 G90 G64 P0.1\nG0 X0 Y0 Z5\nG1 Z0 F300\nM2\n",
}
GOOD = {
    "at": ["0,0,800", "0,0,0", "1,2,805", "0,0,1500", "0,0,800,0,0,0,1", "0,0,800,1,0,2"],
    "angles": ["1,0,2", "0,0,0"],
    "sequence": ["xyz", "ZYX", "pi", "hexel"],
    "quaternion": ["0,0,0,1"],
    "axis": ["0,0,1", "0.1,0,1"],
    "along": ["x", "-rz", "1,0,0", "0,1,0,0,0,1"],
    "joints": ["830,830,830,830,830,830", "0,0,0,0,0,0", "0,0,0,0,0,0,0,0"],
    "near": ["0,0,800"],
    "csv": ["-", "poses.csv"],
    ("forward", "csv"): ["joints.csv"],
    ("modes", "csv"): ["joints.csv"],
    "file": ["poses.csv", "p.path.toml", "p.ngc"],
    ("follow", "file"): ["history.csv"],
    ("playback", "file"): ["playback.csv", "playback.csv", "history.csv"],
    "path": ["poses.csv", "p.path.toml", "p.ngc"],
    "wrench": ["0,0,-100", "1,2,3,4,5,6"],
    "force": ["100", "1,2,3,4,5,6", "0,0,0,0,0,0"],
    "twist": ["0,0,1", "0,0,1,0.1,0,0"],
    "centre": ["0,0,10"],
    "work": ["0,0,0", "1,2,800,0,0,1"],
    "between": ["1,2", "2,1", "1,1"],
    "motion": ["vertical", "rotation", "horizontal"],
    "level": ["1", "3"],
    "ignore": ["tilt", "travel", "leg 1"],
    "host": ["127.0.0.1", "localhost", "0.0.0.0"],
    "kind": ["UPS", "PUS", "RUS", "UCU", "SPS", "RSS", "rails", "servo", "stewart"],
    "samples": ["2", "3", "5"],
    "boxes": ["5", "50"],
    "rtol": ["0.5", "0.3"],
    "duration": ["0.01", "0.001"],
    "half_period": ["0.1", "1"],
    "rate": ["100", "20"],
    "x": ["-5,5"],
    "y": ["-5,5"],
    "z": ["-5,5", "795,805"],
}
"""What options are given that are meant well; the others get a number or one of their choices."""
BOUNDED = {
    "samples": ["0", "-1", "1", "x", "1.5", "", "1e30", str(10**30)],
    "boxes": ["0", "-1", "x", str(10**30)],
    "rtol": ["0", "-1", "nan", "x"],
    "duration": ["0", "-1", "nan", "inf", "x", "1e-300"],
    "rate": ["0", "-1", "nan", "inf", "x", "1e-300"],
    "port": ["-1", "65536", "x", "0"],
}
"""Bad values of what sets how long a command takes: a large good one is no defect."""
COARSE = {"samples", "boxes", "duration", "rtol"}
"""Options that are always given: left to themselves they take long."""
ALWAYS = {
    "dynamics": ["motion"],
    "place": ["at", "axis"],
    "forward": ["joints"],
    "modes": ["joints"],
    "playback": ["file"],
    "velocity": [],
    "follow": ["sequence"],
    "path": ["sequence"],
}
"""Options without which a command only refuses."""
EITHER = [
    ("at", "csv", "joints", "as_map", "between", "slowest", "weakest"),
    ("angles", "quaternion", "axis"),
    ("force", "motion"),
    ("along", "twist", "motion"),
    ("controller", "force"),
]
"""Options of which one is taken."""
NEEDS = {"angles": "at", "quaternion": "at", "half_period": "motion", "amplitude": "motion", "controller": "motion"}
NEEDS |= {"bandwidth": "controller", "samples": "as_map", "x": "as_map", "y": "as_map", "z": "as_map", "sequence": "at"}
NEEDS |= {"tilt": "shape"}
"""Options that count only with another."""
COMMON = {"report": 0.3, "singularity": 0.3, "workspace": 0.4, "nearest": 0.5, "modes": 0.5, "schema": 0.1}
"""How often slow or dull commands come, others once."""
OUTPUTS = ["o.csv", "o.nc", "o.json", "o.html", "nowhere/o.csv", ".", ""]


@cache
def commands():
    """Every command with its parameters, those of groups too."""
    found = command().commands
    groups = {name: group.commands for name, group in found.items() if hasattr(group, "commands")}
    inner = {f"{name} {part}": one for name, group in groups.items() for part, one in group.items()}
    return {name: one for name, one in found.items() if name not in groups} | inner


def command_line(rng, folder):
    """Options of a command, most of them meant well; how it ended."""
    name = rng.choices([*commands()], weights=[COMMON.get(name, 1) for name in commands()])[0]
    parameters, badness = commands()[name].params, rng.choice([0, 0, 0, 0.1, 0.4])
    options = chosen(rng, name, [parameter.name for parameter in parameters], badness)
    arguments = name.split()
    for parameter in parameters:
        if parameter.param_type_name == "argument":
            arguments.append(_value(rng, name, parameter, badness))
        elif parameter.name in options:
            arguments.append(parameter.opts[0] if rng.random() < 0.8 else rng.choice(parameter.opts))
            arguments += [] if getattr(parameter, "is_flag", False) else [_value(rng, name, parameter, badness)]
    if name == "report" and rng.random() < 0.98:  # a page takes seconds
        arguments += ["-o", "nowhere/page.html"]
    for file, content in FILES.items():
        (folder / file).write_text(content)
    (folder / "full.toml").write_text(machine_text("dumitriu2017")[1].partition("[limits]")[0] + FULL)
    yield arguments
    code = ran(arguments, rng.choice([b"x,y,z\n0,0,800\n", FILES["joints.csv"].encode()]), folder)
    yield "refused" if code == 2 else "answered"


def chosen(rng, name, options, badness):
    """Names of options, of which well-meant ones fit together."""
    found = {option for option in options if rng.random() < 0.15 and option != "open_page"} | {*ALWAYS.get(name, ())}
    if rng.random() > badness:
        for group in EITHER:
            both = [option for option in group if option in found and option not in ALWAYS.get(name, ())]
            found -= {*both} - {both[0] if both and not {*group} & {*ALWAYS.get(name, ())} else None}
        if "angles" in found:
            found.add("sequence")
        for option, needed in NEEDS.items():
            if needed in options and option in found and needed not in found:
                found.discard(option)
    for option in COARSE & {*options}:
        if "as_map" not in options or found & {"as_map", "weakest", "slowest"}:
            found.add(option)
    return found


def _value(rng, name, parameter, badness):
    """A value of a parameter, well meant or not."""
    key = parameter.name
    if rng.random() < badness:
        return rng.choice(BOUNDED[key]) if key in BOUNDED else option(rng, parameter)
    if key == "machine":
        return rng.choice(["full.toml", *MACHINES] if name != "place" else ["hexel-head"])
    if any(word in key for word in ("output", "figure", "joint_program")) or (name == "new" and key == "file"):
        return rng.choice(OUTPUTS if badness else OUTPUTS[:4])
    if key in GOOD or (name, key) in GOOD:
        return rng.choice(GOOD.get((name, key)) or GOOD[key])
    return option(rng, parameter, is_mild=True)


def option(rng, parameter, *, is_mild=False):
    """A value of an option: one of its choices, numbers, or anything."""
    kind = getattr(parameter, "type_descriptor", None) or parameter.type  # as Typer's versions have it
    choices = getattr(kind, "choices", None) or get_args(getattr(kind, "annotation", None))
    choices = [choice for choice in choices if isinstance(choice, str)]
    if choices and (is_mild or rng.random() < 0.7):
        return rng.choice(choices)
    if is_mild:
        pair = parameter.metavar and "," in parameter.metavar
        return "-5,5" if pair else rng.choice(["1", "0.5", "10"])
    count = rng.choice([1, 1, 3, 3, 6, 7, 16])
    numbers = ",".join(str(rng.choice([0, 1, 800, rng.uniform(-900, 900), *NUMBERS[:-1]])) for _ in range(count))
    return numbers if rng.random() < 0.7 else text(rng)


def text(rng):
    """Something typed: no path out of the folder."""
    odd = repr(rng.choice([*NUMBERS[:-1], *OTHERS]))
    letters = "".join(chr(rng.choice([rng.randrange(33, 127), rng.randrange(161, 55000)])) for _ in range(5))
    return rng.choice(["xyz", "ZXZ", "hexl", "-", "-z", "rx", "pi", "é", "", "a b", "x" * 5000, odd, letters]).replace(
        "/", "_"
    )


class PageError(BaseException):
    """Raised where a page would be served: the arguments were read."""


def _no_page(*_):
    raise PageError


def ran(arguments, stdin, folder):
    """Run a command: its exit code. An answer, or a refusal that is a sentence and writes nothing."""
    out, err, before = io.StringIO(), io.StringIO(), sorted(path.name for path in Path(folder).rglob("*"))
    with redirect_stdout(out), redirect_stderr(err), patch("sys.stdin", io.TextIOWrapper(io.BytesIO(stdin))):
        try:
            with patch("gough.viewer.server.start_server", _no_page):
                code = main(arguments)
        except PageError:
            code = 0
    if code == 130:
        raise KeyboardInterrupt
    assert code in (0, 1, 2), f"exit code {code}"
    assert "Traceback" not in err.getvalue()
    assert "Warning" not in err.getvalue(), err.getvalue()
    if code == 2:
        told = [line for line in err.getvalue().splitlines() if not line.startswith(("note: ", "warning: "))]
        assert told, "a refusal without a sentence"
        assert all(line.startswith("error: ") and len(line) > len("error: .") for line in told), err.getvalue()
        assert not out.getvalue(), "a refused command printed something"
        assert sorted(path.name for path in Path(folder).rglob("*")) == before, "a refused command wrote a file"
    return code
