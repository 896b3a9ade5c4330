"""The workspace in the datasheet: right on every built-in machine, and plain words where there is nothing to draw."""

import re

import numpy as np
import pytest
from tests.skew import SKEW
from tests.thorough import thorough

import gough
from gough.datasheet.model import Picture, Text
from gough.datasheet.sections.workspace import orientations, workspace
from gough.datasheet.sheet import Datasheet
from gough.machine import DisplayUnits
from gough.present.units import percent, unit_of, volume_unit


def test_hexel_shows_envelopes_orientations_and_the_dexterous_part(hexel_report):
    section = next(section for section in hexel_report.sections if section.key == "workspace")
    pictures = [block for block in section.shown if isinstance(block, Picture)]
    assert [picture.caption.split(" ")[0] for picture in pictures] == [
        "Total",
        "Lower",
        "Upper",
        "Where",
        "Orientations",
    ]
    assert all(picture.is_scene for picture in pictures)
    numbers = section.numbers
    assert numbers["volume"] == pytest.approx(gough.workspace(gough.load("hexel"), samples=97).volume, rel=0.01)
    assert sum(numbers["boundary_share"].values()) == pytest.approx(1.0)
    assert 0 < numbers["dexterous"]["volume"] < numbers["volume"]
    assert section.cards[0].unit == "dm³"


@pytest.mark.usefixtures("coarse")
@pytest.mark.parametrize("name", [*thorough("dehaeze", "singular-home", *SKEW[1:]), SKEW[0]])
def test_machines_of_every_sort_have_a_workspace_to_show(name):
    """Sliders, cranks, a travel of micrometres in a machine of decimetres, and a home that is singular."""
    sheet = Datasheet(gough.load(name))
    section = workspace(sheet)
    assert section.numbers["volume"] > 0
    assert 0 < orientations(sheet).numbers["share_of_all_orientations"] < 1
    assert np.isfinite(section.numbers["extent"]["low"]).all()


@pytest.mark.usefixtures("coarse")
@pytest.mark.parametrize(("name", "is_told"), [*thorough(("sinatra2009", True)), ("hexel", False)])
def test_orientations_that_are_not_drawn_are_told(name, is_told):
    """Of these sliders a quarter of all orientations is allowed, mostly where only a leap leads."""
    section = orientations(Datasheet(gough.load(name)))
    around, whole = (section.numbers[f"share_of_{which}"] for which in ("orientations_around_home", "all_orientations"))
    assert (around < 0.5 * whole) == is_told
    (picture,) = section.blocks
    assert (f"the {percent(around, 2)} around home are drawn" in picture.caption) == is_told
    assert float(re.findall(r"[\d.]+", picture.caption)[0]) == pytest.approx(100.0 * whole, abs=0.1)


def test_legs_without_an_end_are_told_in_words():
    ring = np.deg2rad([10, 110, 130, 230, 250, 350])
    base = np.stack([np.cos(ring), np.sin(ring), 0 * ring], axis=1)
    machine = gough.from_points(base, 0.4 * np.roll(base, 1, axis=0), home=gough.pose([0, 0, 1.0]))
    section = workspace(Datasheet(machine))
    assert [type(block) for block in section.shown] == [Text]
    assert "no largest length" in section.blocks[0].words
    assert section.cards == ()


@pytest.mark.parametrize(("volume", "unit"), [(2.0, "m³"), (0.5, "dm³"), (2e-6, "cm³"), (3e-12, "µm³"), (1e-20, "µm³")])
def test_a_volume_is_told_in_the_unit_it_reads_well_in(volume, unit):
    assert volume_unit(volume) == unit
    assert unit_of(DisplayUnits(), unit)[0] == {"m³": 1.0, "dm³": 1e-3, "cm³": 1e-6, "µm³": 1e-18}[unit]
