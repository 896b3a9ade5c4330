"""The dimension of every number that commands write and draw: that of its unit, told by machines of other sizes.

Each command runs with a machine and with the same one whose lengths, masses and times are scaled, in other units, and
with options scaled likewise. What is written, times the unit beside it, differs by the powers of the scales that the
unit has; so a force in newtons where it is newton metres, or degrees where they are millimetres, do not pass.
"""

import numpy as np
import pytest
from tests.cli.test_every_number import (
    COMMANDS,
    FILES,
    MACHINE,
    MACHINES,
    keep,
    keys_of,
    of_csv,
    of_words,
    unit_at_end,
)
from tests.drawn import Drawn, figures_apart, not_scaled
from tests.rendered import unit_of
from tests.rescaled import is_scaled, pair, rescaled_numbers
from tests.thorough import thorough

import gough
from gough.cli.request import Request

FRICTION = ("actuators.coulomb_friction",)
"""Left out: it is smoothed over a speed per second."""
ROUNDING = 1e-8
"""Part of the largest number of a dimension below which others are nothing."""
OF_OPTIONS = {
    "--wrench": ["N", "N", "N", "N m", "N m", "N m"],
    "--generalized-force": ["N", "N", "N", "N m", "N m", "N m"],
    "--force": ["N m"] * 6,
    "--joints": ["angle"] * 6,
    "--at": [*["length"] * 3, *["angle"] * 3],
    "--twist": [*["length/s"] * 3, *["angle/s"] * 3],
    "--rates": [*["length/s"] * 3, *["angle/s"] * 3],
    "--box": ["length"] * 3,
    "--cone": ["angle"] * 2,
    "--tolerance": ["length"],
    "--amplitude": ["length"],
    "--duration": ["s"],
    "--half-period": ["s"],
    "--fade": ["s"],
    "--rate": ["1/s"],
}
"""Units of their numbers, "length" and "angle" for the machine's own."""
OF_COLUMNS = {"time": "s", **dict.fromkeys("xyz", "length"), **dict.fromkeys("abc", "angle")}
OF_COLUMNS |= {f"q{k}": "angle" for k in range(1, 7)}
TORQUES = "30,-20,50,10,-40,60"
BESIDE = {
    "accuracy parameters": ("--tolerance", "0.01"),
    "simulate": ("--force", TORQUES),
    "simulate words": ("--force", TORQUES),
    "linear-map": ("--figure", "f.html"),
    "corners": ("--figure", "f.html"),
    "dynamics passive": ("--half-period", "2"),
    "dynamics": ("--half-period", "2", "--figure", "f.html"),
    "follow": ("--fade", "0.5", "--rate", "7.3", "--figure", "f.html"),
    "follow words": ("--fade", "0.5", "--rate", "7.3"),
    "follow compensate": ("--rate", "7.3", "--figure", "f.html"),
    "follow compensate words": ("--rate", "7.3"),
    "path": ("--figure", "f.html"),
}
"""Options with a time, so that none is the same for both; and figures."""


SLOW = ("follow compensate", "corners rotation", "singularity", "follow words")
NOT_SCALED = {
    "velocity slowest": "equal places of a symmetric machine",
    "place": "a search among many places",
    "follow compensate words": "words as those of follow, numbers as those of its JSON",
}
"""Commands whose answers hang on rounding, or repeat others."""


def scaled_table(text, own):
    """A file of poses or joint coordinates over time for the scaled machine."""
    header, *rows = text.splitlines()
    names = [OF_COLUMNS[title] for title in header.split(",")]
    return "\n".join([header, *(rescaled_numbers(row, names, own) for row in rows), ""])


def scaled_options(options, own):
    known = zip(("", *options), options, strict=False)
    return [rescaled_numbers(text, OF_OPTIONS[key], own) if key in OF_OPTIONS else text for key, text in known]


def keep_words(answers, request, answer):
    """The words of an answer, in the place that `keep` has them."""
    answers.append((None, "", list(answer.words())))


def exact(answer):
    """Numbers in JSON, and in CSV where it names units, by place and dimension, with their unit's name."""
    as_json, as_csv, _ = answer
    units, found = as_json.pop("units"), {}
    of_titles = ((f"csv {title}", *rest) for title, *rest in of_csv(as_csv) if unit_at_end(title) is not None)
    for place, value, name in [*keys_of(as_json, units), *of_titles]:
        if name == "1" and float(value).is_integer():
            continue  # a count
        place = place.removesuffix(unit_at_end(place) or "")
        found.setdefault((place, unit_of(name).dimension), (name, []))[1].append(value)
    return {key: (name, np.array([v for v in values if np.isfinite(v)])) for key, (name, values) in found.items()}


def largest(answer):
    """The largest number of each dimension."""
    found = {}
    for (_, dimension), (_, values) in answer.items():
        found[dimension] = max(found.get(dimension, 0.0), np.abs(values).max(initial=0.0))
    return found


def not_alike(one, two):
    """Where exact numbers are not of one quantity; rounding beside other numbers of the dimension is nothing."""
    wrong = [*(one.keys() ^ two.keys())]
    most = [largest(answer) for answer in (one, two)]
    for key in one.keys() & two.keys():
        ends = []
        for answer, of in zip((one, two), most, strict=True):
            name, values = answer[key]
            ends += [np.where(np.abs(values) > ROUNDING * of[key[1]], values, 0.0), name]
        if not is_scaled(*ends):
            wrong.append((key, *ends))
    return wrong


@pytest.mark.parametrize(
    "command", [*(name for name in COMMANDS if name not in {*NOT_SCALED, *SLOW}), *thorough(*SLOW)]
)
def test_every_number_has_the_dimension_of_its_unit(run, monkeypatch, tmp_path, command):
    paths = pair(MACHINES.get(command, MACHINE), tmp_path, () if command in MACHINES else FRICTION)
    own, answers, figures = gough.load(paths[0]).units, [], []
    is_words = command.endswith("words")  # the numbers of its JSON are those of the command without
    kept = keep_words if is_words else keep
    for name in ("print", "write_file"):
        monkeypatch.setattr(Request, name, lambda request, answer, **_: kept(answers, request, answer))
    monkeypatch.setattr(Request, "draw", lambda ask, make: ask.options.figure and figures.append(Drawn(make())))
    options = [*([] if is_words else ["--json"]), *COMMANDS[command], *BESIDE.get(command, ())]
    for path, given, table in zip(paths, (options, scaled_options(options, own)), (str, scaled_table), strict=True):
        for name, text in FILES.items():
            (tmp_path / name).write_text(text if table is str else table(text, own))
        ran = run(command.split()[0], path, *given)
        assert ran.code == 0, ran.err
    assert len(answers) == 2 * len(answers[::2])
    half = len(answers) // 2
    found = []
    for one, two in zip(answers[:half], answers[half:], strict=True):
        found += [] if is_words else not_alike(exact(one), exact(two))
        found += not_scaled(of_words(one[2]), of_words(two[2]))
    found += figures_apart(*figures) if figures else []
    assert found == []
