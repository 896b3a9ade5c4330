"""Every vector of stacks, of the datasheet and of the singular surface names its frame, as those of all commands do."""

import io
import json
from contextlib import redirect_stdout

import pytest
from tests.independent.product import numbers
from tests.rendered import vectors
from tests.skew import SKEW_OF_KIND, SKEW_STACK
from tests.thorough import thorough

from gough.cli import main

MACHINE = SKEW_OF_KIND["RUS"]
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
    frames, units = document.pop("frames"), document.pop("units")
    without = set(vectors(document, units)) - set(frames)
    assert [key for key in sorted(without) if not key.startswith("geometry.head.")] == []  # one for each joint
    assert frames["geometry.platform"] == "platform"
    assert frames["geometry.base"] == frames["geometry.gravity"] == "base"


def test_a_vector_without_a_frame_would_be_found():
    document = {"a": {"new": [1.0, 2.0, 3.0]}, "b": [1.0] * 6, "c": [[1.0] * 6], "legs": [1.0] * 6}
    units = {"b": ["m", "m", "m", "rad", "rad", "rad"], "c": [["N/m"] * 3 + ["N/rad"] * 3], "legs": "N"}
    assert set(vectors(document, units)) == {"a.new", "b", "c"}
