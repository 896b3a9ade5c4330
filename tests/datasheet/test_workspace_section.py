"""The workspace in the datasheet: right on every built-in machine, and plain words where there is nothing to draw."""

import numpy as np
import pytest
from tests.skew import SKEW
from tests.thorough import thorough

import gough
from gough.datasheet.model import Picture
from gough.datasheet.sections.workspace import orientations, workspace
from gough.datasheet.sheet import Datasheet


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
@pytest.mark.parametrize("name", [*thorough("singular-home", SKEW[2]), SKEW[0]])
def test_machines_of_every_sort_have_a_workspace_to_show(name):
    """Sliders, cranks, a travel of micrometres in a machine of decimetres, and a home that is singular."""
    sheet = Datasheet(gough.load(name))
    section = workspace(sheet)
    assert section.numbers["volume"] > 0
    assert 0 < orientations(sheet).numbers["share_of_all_orientations"] < 1
    assert np.isfinite(section.numbers["extent"]["low"]).all()
