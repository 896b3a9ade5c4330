"""The section about singularities says what the library proves."""

from dataclasses import replace

import pytest

import gough
from gough.machine import Limits
from gough.report.datasheet import MOST_BOXES, Datasheet
from gough.report.model import Picture, Text
from gough.report.sections.conditioning import conditioning
from gough.report.sections.singularity import singularity


def warnings(section):
    return [block.words for block in section.blocks if isinstance(block, Text) and block.is_warning]


def test_a_free_workspace_is_told_with_its_bound(hexel_sheet):
    section = singularity(hexel_sheet)
    free = gough.free_of_singularities(hexel_sheet.machine, most_boxes=MOST_BOXES)
    assert section.numbers["workspace"]["verdict"] == "free"
    assert section.numbers["workspace"]["bound"] == pytest.approx(free.bound)
    assert not warnings(section)
    assert any(isinstance(block, Text) and f"{free.bound:.4g}" in block.words for block in section.blocks)
    assert section.cards[0].value == "none"


def test_a_crossed_workspace_is_a_warning():
    sheet = Datasheet(gough.load("tsai2000"))
    section = singularity(sheet)
    assert "every other limit is kept" in warnings(section)[0]
    assert section.numbers["workspace"]["witness"] is not None
    assert section.cards[0].value == "yes"
    (picture,) = (block for block in section.blocks if isinstance(block, Picture))
    names = [trace.name for trace in picture.figure.data]
    assert {"what the limits allow", "singular surface", "home", "singular within the limits"} <= set(names)


def test_without_limits_there_is_a_distance_and_no_verdict(hexel_sheet):
    sheet = Datasheet(replace(hexel_sheet.machine, limits=Limits()))
    section = singularity(sheet)
    assert section.numbers["workspace"] is None
    assert section.numbers["distance"]["upper"] == pytest.approx(494.888, abs=1e-2)
    assert not section.cards


def test_the_dexterity_is_drawn_where_there_is_a_workspace(hexel_sheet):
    drawn = conditioning(hexel_sheet)
    assert any(isinstance(block, Picture) for block in drawn.blocks)
    free = conditioning(Datasheet(replace(hexel_sheet.machine, limits=Limits())))
    assert not any(isinstance(block, Picture) for block in free.blocks)
