"""Kinds of cases that take a millisecond or less: texts, documents, arguments, damaged netCDF files, and rewrites.

A rewrite spells the same thing otherwise, by keys in another order, other spellings of numbers, other units, delimiters
or line ends: what Gough reads must not change.
"""

import json
import re
import tomllib
from functools import cache

import numpy as np
from tests import test_arguments as arguments
from tests.fuzz.commands import ran
from tests.fuzz.kinds import PATH, PROGRAM, documents, hexel
from tests.fuzz.mutate import NUMBERS, OTHERS, WORDS, document_text, mutated, spoilt_text
from tests.fuzz.mutate import value as any_value
from tests.spelled_tables import spelled

import gough
from gough import motion
from gough.calibration.legs import GROUPS
from gough.calibration.remaining import pose_covariance
from gough.checks.numbers import check_count, finite, given_point, numbers, of_each_joint, of_shape
from gough.cli.pose_input import Orientation, read_path_table
from gough.cli.table import numbers as option_numbers
from gough.description.build import from_document
from gough.description.parse import parse, toml
from gough.description.problems import checked
from gough.errors import one_line
from gough.motion.programs.path_file_schema import parse_path_file
from gough.present.read import read_netcdf
from gough.present.write import csv_text, netcdf
from gough.viewer.clips import clip_of_data
from gough.viewer.saved_view import SavedView
from gough.viewer.saved_view import from_document as view_of

ROUNDING = 1e-12
"""Units are converted with a rounding or two, relative to the number."""
SHAPES = [(), (1,), (3,), (6,), (4, 4), (6, 3), (2, 6), (0, 6), (2, 4, 4), (6, 6, 6), (42,), (12,)]


@cache
def texts():
    """Documents of the built-in machines as text."""
    return [document_text(document) for document in documents(1).values()]


def machine_text(rng, folder):
    """The text of a machine file, spoilt: values of TOML, or a sentence."""
    text = spoilt_text(rng, rng.choice(texts())[: rng.choice([60, 400, 4000])])
    yield text
    parse(text, "m.toml")


def machine_document(rng, folder):
    """A document with a thing or more changed: checked values, or a sentence for each problem."""
    found = documents(1)
    document = mutated(rng, found[rng.choice(sorted(found))])
    yield document
    checked(document, "m.toml")


def path_text(rng, folder):
    """The text of a path file."""
    text = spoilt_text(rng, PATH) if rng.random() < 0.5 else document_text(mutated(rng, tomllib.loads(PATH)))
    yield text
    parse_path_file(text)


def program_text(rng, folder):
    """The text of a part program."""
    text = spoilt_text(rng, PROGRAM)
    yield text
    motion.programs.parse_program(text)


def view_document(rng, folder):
    """The text of a saved view: one that the page can show, or a sentence."""
    view = SavedView("hexel", [np.eye(4).tolist()], camera={"position": [1.0, 0.0, 0.0], "look_at": [0.0, 0.0, 0.0]})
    view.load = {"mass": [1.0], "force": [0.0, 1.0, 0.0], "inertia": [1.0, 1.0, 1.0]}
    changed = mutated(rng, json.loads(view.document()))
    text = json.dumps(changed, default=str) if rng.random() < 0.7 else spoilt_text(rng, view.document())
    yield text[:2000]
    found = view_of(text, "the link")
    shown = np.array([*found.camera.get("up_direction", [0, 0, 1]), *found.load.get("mass", [0])], dtype=float)
    assert np.isfinite(shown).all()
    assert shown[:3].any(), "a camera without an upward direction"


def option_text(rng, folder):
    """The numbers of an option."""
    parts = [
        rng.choice([str(rng.uniform(-900, 900)), str(rng.choice(NUMBERS[:-1])), rng.choice(WORDS)[:9], "-", "1_0"])
    ]
    text = rng.choice([",", " ", ";", ", "]).join(rng.choice(parts) for _ in range(rng.randint(1, 7)))
    yield text
    found = option_numbers("--at", text, range(1, 8))
    assert np.isfinite(found).all()


def array(rng):
    """An array of any shape, with a few odd numbers, or any other value."""
    kind = rng.randrange(8)
    if kind == 0:
        return rng.choice(OTHERS + WORDS[:-1])
    if kind == 1:
        return any_value(rng)
    found = np.full(rng.choice(SHAPES), rng.choice([0.0, 1.0, -1.0, 0.1, rng.uniform(-9, 9)]))
    if found.size and rng.random() < 0.5:
        found.flat[rng.randrange(found.size)] = float(rng.choice(NUMBERS[:-1]))
    return found if kind > 3 else found.tolist()


def checks(rng, folder):
    """Checks of arguments: an array with the shape and numbers that they promise, or a sentence."""
    given, kind = array(rng), rng.randrange(5)
    yield kind, given
    if kind == 0:
        assert numbers("x", given).dtype == np.float64
    elif kind == 1:
        assert of_shape("x", given, "(..., 4, 4)").shape[-2:] == (4, 4)
    elif kind == 2:
        found = given_point(given, np.zeros(3))
        assert found.shape == (3,)
        assert np.isfinite(found).all()
    elif kind == 3:
        found = of_each_joint("x", given, 6)
        assert found.shape == (6,)
        assert ((found > 0) & np.isfinite(found)).all()
    else:
        assert np.isfinite(finite("x", given, "() or (6,)")).all()
        check_count("x", int(abs(np.max(finite("x", given, "() or (6,)")))), rng.choice([1, 10**7]))


FAST = """
inverse_kinematics jacobian kinematics.inverse_jacobian joint_rates kinematics.joint_accelerations
platform_twist kinematics.platform_acceleration leg_forces stiffness statics.axial_forces statics.deflection
accuracy.resolution accuracy.parameter_sensitivity velocity_envelope margins statics.wrench_capacity
statics.guaranteed_wrench payload statics.capacity_table statics.payload_table limits.margin_gradient
singularity.conditioning inverse_dynamics forward_dynamics dynamics.mass_matrix dynamics.gravity_wrench
dynamics.kinetic_energy natural_frequencies frames.tool_pose frames.platform_pose frames.displaced
frames.displacement frames.about_pivot euler_angles pose pose_matrix statics.principal_stiffness
accuracy.pose_error motion.line motion.motion_limits motion.heads.head_pose motion.heads.head_margins
stack:inverse_kinematics stack:jacobian stack:margins stack:leg_forces stack:joint_rates
"""
"""Public functions that answer in a millisecond or so."""


@cache
def good(name):
    """A function with arguments for which it answers, and all its parameters that are no machine."""
    function = arguments.public_functions()[name.removeprefix("stack:")]
    keys = [
        key for key in arguments.parameters(function) if key not in ("machine", "progress", "processes", "scheduler")
    ]
    return function, arguments.arguments_of(name, function), keys


def near(rng, value):
    """An argument with one of its numbers changed, or several of it."""
    if not isinstance(value, np.ndarray | list) or not np.size(value):
        return array(rng)
    found = np.array(value, dtype=float)
    if rng.random() < 0.3:
        return np.stack([found] * rng.choice([1, 2, 3]))
    factor = rng.choice([1.0, 1.1, 0.0, -1.0, 1e3, 1e-9])
    found.flat[rng.randrange(found.size)] *= factor
    found.flat[rng.randrange(found.size)] += rng.choice([0.0, 0.0, 1e-9, 0.1, float(rng.choice(NUMBERS[:-1]))])
    return found


def api(rng, folder):
    """A public function with one or two odd arguments."""
    name = rng.choice(FAST.split())
    function, given, keys = good(name)
    chosen = rng.sample(keys, min(len(keys), rng.choice([1, 1, 2])))
    odd = {key: near(rng, given.get(key)) if rng.random() < 0.6 else array(rng) for key in chosen}
    yield name, odd
    function(**{**given, **odd})


@cache
def history():
    """A history in netCDF, as commands write it."""
    m = gough.load("dumitriu2017")
    data = gough.dynamics.motion_forces(m, gough.dynamics.named_motion(m, "vertical", 1e-3), np.linspace(0.0, 1.0, 5))
    return m, data, netcdf(data.assign_attrs(machine=m.name))


def damaged(rng, content):
    """Bytes with some changed, cut out or doubled, most of them in the header."""
    content = bytearray(content)
    for _ in range(rng.choice([1, 1, 2, 8])):
        at = rng.randrange(min(len(content), rng.choice([40, 600, 10**6])) or 1)
        match rng.randrange(5):
            case 0:
                del content[at:]
            case 1:
                del content[at : at + rng.randint(1, 8)]
            case 2:
                content[at:at] = rng.randbytes(rng.randint(1, 8))
            case _:
                content[at : at + 1] = rng.choice([b"\xff", b"\0", b"\x7f", bytes([rng.randrange(256)])])
    return bytes(content)


def netcdf_history(rng, folder):
    """A damaged history, or one whose variables have other names, shapes and numbers: a clip, or a sentence."""
    m, data, content = history()
    if rng.random() < 0.7:
        content = damaged(rng, content)
    else:
        name = rng.choice([*data.variables])
        match rng.randrange(4):
            case 0:
                data = data.drop_vars(name)
            case 1:
                data = data.rename({name: "other"})
            case 2:
                data = data.isel(time=rng.choice([[], [0], [1, 0], [2, 2, 3]]))
            case _:
                values = np.array(data[name].values)
                if values.dtype.kind == "f":
                    values.flat[rng.randrange(values.size)] = rng.choice([np.nan, np.inf, -1e308])
                data = data.assign({name: (data[name].dims, values)})
        content = netcdf(data)
    (folder / "h.nc").write_bytes(content)
    yield content
    clip = clip_of_data(m, "h.nc", read_netcdf(folder / "h.nc"))
    assert (np.diff(clip.time) > 0).all()
    clip.pose_at(0.5)


@cache
def covariance():
    """Groups and the covariance of a calibration of the Hexel in netCDF."""
    import xarray

    from gough.calibration.result import geometry

    names = ("base_points", "platform_points", "joint_zeros")
    size = 6 * sum(len(GROUPS[name]) for name in names)
    variables = {
        "covariance": (("parameter", "other"), 1e-10 * np.eye(size)),
        "geometry": (("leg", "number"), geometry(hexel())),
        "middle": ("leg", gough.inverse_kinematics(hexel(), hexel().X_home)),
    }
    data = xarray.Dataset(variables, attrs={"groups": ",".join(names)})
    return netcdf(data)


def netcdf_covariance(rng, folder):
    """A damaged covariance beside a machine."""
    from dataclasses import replace

    content = damaged(rng, covariance()) if rng.random() < 0.9 else covariance()
    (folder / "c.nc").write_bytes(content)
    yield content
    machine = replace(hexel(), calibration={"covariance": str(folder / "c.nc")})
    found = pose_covariance(machine, machine.X_home[None])
    assert found.shape == (1, 6, 6)


def respelled_number(rng, number):
    """A number in another spelling of TOML."""
    if isinstance(number, int):
        return rng.choice([str(number), f"+{number}" if number >= 0 else str(number), f"{number}.0", f"{number}e0"])
    text = repr(number)
    if "e" not in text and "n" not in text:
        text = rng.choice([text, f"{text}e0", f"{text}00", f"{number:.17e}", re.sub(r"^(-?\d)(\d)", r"\1_\2", text)])
    return text


def respelled_text(rng, text):
    """A text in another spelling of TOML."""
    if rng.random() < 0.3 and not re.search(r"['\x00-\x1f\x7f]", text):
        return f"'{text}'"
    return json.dumps(text, ensure_ascii=rng.random() < 0.5).replace("\\/", "/").replace("\x7f", "\\u007f")


def respelled(rng, value):
    """A value in another spelling, in line."""
    blank = lambda: rng.choice(["", " ", "  "])  # noqa: E731
    if isinstance(value, dict):
        inner = [f"{_key(rng, key)}{blank()}={blank()}{respelled(rng, item)}" for key, item in shuffled(rng, value)]
        return "{" + ",".join(f"{blank()}{each}" for each in inner) + "}"
    if isinstance(value, list):
        ends = lambda: rng.choice(["", " ", "\n", " # and\n"])  # noqa: E731
        return f"[{ends()}" + f",{ends()}".join(respelled(rng, item) for item in value) + f"{ends()}]"
    if isinstance(value, bool):
        return "true" if value else "false"
    return respelled_text(rng, value) if isinstance(value, str) else respelled_number(rng, value)


def _key(rng, key):
    return key if rng.random() < 0.6 and re.fullmatch("[A-Za-z0-9_-]+", key) else respelled_text(rng, key)


def shuffled(rng, table):
    """Items in another order."""
    return rng.sample([*table.items()], len(table))


def respelled_file(rng, document):
    """A document in another spelling: keys in another order, dotted, under headers or in line."""
    plain = [(key, item) for key, item in shuffled(rng, document) if not isinstance(item, dict)]
    lines = [f"{_key(rng, key)} = {respelled(rng, item)}" for key, item in plain]
    tables = [(key, item) for key, item in shuffled(rng, document) if isinstance(item, dict)]
    headed = []
    for key, table in tables:
        kind = rng.randrange(3)
        if kind == 0:
            lines.append(f"{_key(rng, key)} = {_line(respelled(rng, table))}")
        elif kind == 1 and table:
            lines += [
                f"{_key(rng, key)} . {_key(rng, name)} = {respelled(rng, item)}" for name, item in shuffled(rng, table)
            ]
        else:
            headed.append(f"[{_key(rng, key)}] # {key}")
            headed += [f"{_key(rng, name)} = {respelled(rng, item)}" for name, item in shuffled(rng, table)]
    end = rng.choice(["\n", "\r\n", "\n\n"])
    return end.join([*lines, *headed, ""]).replace("\n", "\r\n") if end == "\r\n" else end.join([*lines, *headed, ""])


def _line(text):
    """Tables in line have no line ends."""
    return re.sub(r" # and\n|\n", " ", text)


def respelled_machine(rng, folder):
    """The same machine file in another spelling is the same machine, to the bit."""
    found = documents(1)
    name = rng.choice(sorted(found))
    text = respelled_file(rng, found[name])
    yield text
    read = toml(text.replace("\r\r", "\r"))
    assert _plain(read) == _plain(found[name]), "another document"
    if rng.random() < 0.1:
        one, other = from_document(found[name], name), from_document(read, name)
        for values in (lambda m: m.legs.rest(), lambda m: m.b_P, lambda m: m.X_home, lambda m: m.gravity):
            np.testing.assert_array_equal(values(one), values(other))
        np.testing.assert_array_equal(gough.margins(one, one.home).values, gough.margins(other, other.home).values)


def _plain(value):
    """A document with all numbers as floats."""
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_plain(item) for item in value]
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else value


UNITS = {"mm": 1.0, "m": 1e3, "um": 1e-3, "in": 25.4, "cm": None}


def respelled_table(rng, folder):
    """The same table in other units, columns in another order, other delimiters: the same answer."""
    n, turned = rng.randint(1, 4), rng.random() < 0.5
    names = ["x", "y", "z", *(["a", "b", "c"] if turned else [])]
    rows = np.array([[rng.uniform(-20, 20) + 820 * (k == 2) for k in range(len(names))] for _ in range(n)])
    rows[:, 3:] *= 0.1
    unit = rng.choice(["mm", "m", "um", "in"])
    angle, size = rng.choice([("deg", 1.0), ("rad", 180 / np.pi), ("mrad", 0.18 / np.pi)])
    order, mark = rng.sample(range(len(names)), len(names)), rng.choice([",", ";", "\t"])
    titles = [f"{names[k]}_{unit if k < 3 else angle}" for k in order]
    scaled = [[rows[i, k] / (UNITS[unit] if k < 3 else size) for k in order] for i in range(n)]
    quote = rng.choice(["", '"'])
    end = rng.choice(["\n", "\r\n"])
    spelled = end.join(mark.join(f"{quote}{cell}{quote}" for cell in line) for line in [titles, *scaled]) + end
    plain = "\n".join(",".join(map(str, line)) for line in [names, *rows.tolist()]) + "\n"
    yield plain, spelled
    answers = []
    for text in (plain, rng.choice(["", "\ufeff"]) + spelled):
        how = ["--sequence", "XYZ"] if turned else []
        (folder / "o.csv").unlink(missing_ok=True)
        assert ran(["inverse", "hexel", "--csv", "-", "-o", "o.csv", *how], text.encode(), folder) == 0
        answers.append(np.loadtxt(folder / "o.csv", delimiter=",", skiprows=1, ndmin=2))
    np.testing.assert_allclose(answers[1], answers[0], rtol=ROUNDING, atol=1e-9)


def spelled_poses(rng, folder):
    """Poses, with or without times, spelled as people do, read without a command: the same bits."""
    random = np.random.default_rng(rng.randrange(2**32))
    position = [("x", "y", "z"), ("tx", "ty", "tz"), ("surge", "sway", "heave")][rng.randrange(3)]
    angles = [("roll", "pitch", "yaw"), ("a", "b", "c"), ("rx", "ry", "rz"), ()][rng.randrange(4)]
    names, has_time = (*position, *angles), rng.random() < 0.3
    rows = np.concatenate([random.uniform(-900, 900, (3, 3)), random.uniform(-80, 80, (3, len(angles)))], axis=1)
    rows = rows.round(rng.randrange(8))
    units = {name: "mm" if name in position else "deg" for name in names}
    if has_time:
        rows, units = np.column_stack([rows, np.cumsum(random.uniform(0.01, 9, 3)).round(3)]), {**units, "time": "s"}
    text = spelled(random, (*names, *["time"] * has_time), units, rows)
    header = ["x", "y", "z", *["a", "b", "c"][: len(angles)], *["time"] * has_time]
    plain = "\n".join([",".join(header), *(",".join(map(repr, row)) for row in rows.tolist())])
    yield plain, text
    of_text = {} if angles[:1] in ((), ("roll",)) else {"sequence": "xyz"}
    found = []
    for content, how in ((plain, {"sequence": "xyz"} if angles else {}), (text, of_text)):
        (folder / "t.csv").write_bytes(content.encode())
        found.append(read_path_table(str(folder / "t.csv"), Orientation(**how), hexel().units))
    (time, X), (same_time, same) = found
    assert np.array_equal(X, same)
    assert (time is None and same_time is None) or np.array_equal(time, same_time)


def csv_texts(rng, folder):
    """Texts in a table that Gough writes: read back by the csv module, and no formula."""
    import csv
    import io

    texts = ["".join(rng.choice("=+-@,;\"'\t\n\r\x1b a1é\u202e") for _ in range(rng.randint(1, 6))) for _ in range(3)]
    yield tuple(texts)
    rows = [*csv.reader(io.StringIO(csv_text({texts[0]: [1.0], "b": [texts[1]], "c": [texts[2]]})))]
    assert [len(row) for row in rows] == [3, 3]
    for cell, text in zip((rows[0][0], *rows[1][1:]), texts, strict=True):
        assert cell.lstrip("'") == one_line(text).lstrip("'")
        assert cell[:1] not in "=+-@" or _is_number(cell)


def _is_number(text):
    try:
        float(text)
    except ValueError:
        return False
    return True


def respelled_program(rng, folder):
    """The same part program in other words and with comments: the same moves."""
    words = re.findall(r"\(.*?\)|\S+", PROGRAM.replace("\n", " | "))
    text = "".join(_word(rng, word) for word in words)
    yield text
    one, other = (motion.programs.parse_program(each) for each in (PROGRAM, text))
    assert [repr(move) for move in one.items] == [repr(move) for move in other.items]


def _word(rng, word):
    if word == "|":
        return rng.choice(["\n", " ; end\n", "(a)\n", "\r\n"])
    if word.startswith("("):
        return f" {word} "
    letter, number = word[0], word[1:]
    if "." not in number:
        number = rng.choice([number, f"{number}.", f"{number}.0"]) if letter not in "GM" else number
    number = rng.choice([number, number if number[0] in "+-" or letter in "GM" else f"+{number}"])
    return rng.choice([letter, letter.lower()]) + rng.choice(["", " "]) + number + rng.choice(["", " "])


SMALL = {
    machine_text: 14,
    machine_document: 10,
    path_text: 6,
    program_text: 8,
    view_document: 10,
    option_text: 14,
    checks: 14,
    api: 10,
    netcdf_history: 1,
    netcdf_covariance: 1,
    respelled_machine: 4,
    respelled_program: 4,
    respelled_table: 0.1,
    spelled_poses: 2,
    csv_texts: 4,
}
"""How often each kind comes."""
