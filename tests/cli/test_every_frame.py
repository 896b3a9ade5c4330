"""Every vector that commands write as JSON names its frame: one walk over all commands.

A vector is a list of three numbers, a quaternion, a matrix, or six numbers in two units.
"""

import io
import json
from contextlib import redirect_stdout
from pathlib import Path

import numpy as np
import pytest
from tests.cli.test_every_number import COMMANDS, FILES, MACHINE, MACHINES
from tests.independent.product import numbers
from tests.skew import SKEW_OF_KIND, SKEW_STACK
from tests.thorough import thorough

from gough.cli import main

WALKED = {name: options for name, options in COMMANDS.items() if not name.endswith("words")}
SLOW = ("volume", "capacity", "accuracy parameters", "conditioning map", "velocity slowest", "choose", "singularity")
OF_STACKS = {
    "margins": (),
    "travel": (),
    "stiffness": ("--wrench", "11,-7,23,1,-1,2"),
    "forces": ("--wrench", "11,-7,23,1,-1,2"),
    "frequencies": (),
    "velocity": (),
    "workspace": ("--samples", "5"),
}


def written(command, machine, options):
    out = io.StringIO()
    with redirect_stdout(out):
        assert main([command.split()[0], machine, "--json", *options]) in (0, 1)
    return json.loads(out.getvalue())


def is_vector(value, unit):
    """Whether an array of JSON holds vectors, by its shape and its units."""
    try:
        values = np.array(value, dtype=float)
    except (TypeError, ValueError):
        return False
    if not values.ndim:
        return False
    has_two_units = len(set(unit)) > 1 if isinstance(unit, list) else "," in unit
    square = values.ndim > 1 and values.shape[-1] == values.shape[-2] and values.shape[-1] in (3, 4)
    return values.shape[-1] in (3, 4) or square or (values.shape[-1] == 6 and has_two_units)


def vectors(document, units, path=""):
    """Keys of all arrays of vectors."""
    for name, value in document.items():
        key = f"{path}{name}"
        if isinstance(value, dict):
            yield from vectors(value, units, f"{key}.")
        elif isinstance(value, list) and value and isinstance(value[0], dict):
            yield from vectors(value[0], units, f"{key}.")
        elif isinstance(value, list) and is_vector(value, units.get(key, "")):
            yield key


@pytest.fixture
def files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name, text in FILES.items():
        Path(name).write_text(text)


@pytest.mark.parametrize("command", [*(c for c in WALKED if c not in SLOW), *thorough(*SLOW)])
def test_every_vector_names_its_frame(files, command):
    document = written(command, MACHINES.get(command, MACHINE), WALKED[command])
    frames, units = document.pop("frames", {}), document.pop("units")
    assert sorted(set(vectors(document, units)) - set(frames)) == []


def test_the_polynomial_of_singular_positions_of_struts_names_its_frame():
    """Which sliders and cranks do not have."""
    document = written("singularity", SKEW_OF_KIND["UPS"], ())
    frames, units = document.pop("frames"), document.pop("units")
    assert sorted(set(vectors(document, units)) - set(frames)) == []
    assert frames["cubic.centre"] == "base"


@pytest.mark.parametrize("command", OF_STACKS)
def test_every_vector_of_two_stages_names_its_frame(command):
    document = written(command, SKEW_STACK, OF_STACKS[command])
    frames, units = document.pop("frames", {}), document.pop("units")
    assert sorted(set(vectors(document, units)) - set(frames)) == []


NOT_SEARCHED = ("machine at home", "legs", "geometry", "masses", "linear map", "static forces", "load capacity",
                "conditioning", "geometric errors", "travel")  # fmt: skip
"""Titles of sections whose numbers take no search over the workspace."""


@pytest.mark.parametrize("machine", [MACHINE, *thorough("hexel-head", SKEW_OF_KIND["PUS"])])
def test_every_vector_of_the_datasheet_names_its_frame(machine):
    is_thorough = machine != MACHINE
    document = numbers(machine, None if is_thorough else NOT_SEARCHED)
    frames = document.pop("frames")
    assert sorted(set(vectors(document, {})) - set(frames)) == []
    assert frames["geometry.platform"] == "platform"
    assert frames["geometry.base"] == frames["geometry.gravity"] == "base"


def test_a_vector_without_a_frame_would_be_found():
    document = {"a": {"new": [1.0, 2.0, 3.0]}, "b": [1.0] * 6, "c": [[1.0] * 6], "legs": [1.0] * 6}
    units = {"b": ["m", "m", "m", "rad", "rad", "rad"], "c": "N/m, N/rad; N m/m, N m/rad", "legs": "N"}
    assert set(vectors(document, units)) == {"a.new", "b", "c"}
