"""The section about singularities says what the library proves."""

import numpy as np
import pytest

import gough
from gough.datasheet.model import Picture, Text
from gough.datasheet.sections.workspace import singularity
from gough.datasheet.sheet import MOST_BOXES, Datasheet


def warnings(section):
    return [block.words for block in section.shown if isinstance(block, Text) and block.is_warning]


def test_a_free_workspace_is_told_with_its_bound(hexel_sheet):
    section = singularity(hexel_sheet)
    free = gough.singularity.free_of_singularities(hexel_sheet.machine, max_boxes=MOST_BOXES)
    assert section.numbers["workspace"]["verdict"] == "proven"
    assert section.numbers["workspace"]["bound"] == pytest.approx(free.bound)
    assert not warnings(section)
    least = f"at least {np.floor(1e4 * free.bound) / 1e4:.4g}"  # outwards
    assert any(isinstance(block, Text) and least in block.words for block in section.shown)
    assert section.cards[0].value == "none"


def test_a_crossed_workspace_is_a_warning():
    sheet = Datasheet(gough.load("tsai2000"))
    section = singularity(sheet)
    assert "every other limit is kept" in warnings(section)[0]
    assert section.numbers["workspace"]["witness"] is not None
    assert section.cards[0].value == "yes"
    (picture,) = (block for block in section.shown if isinstance(block, Picture))
    assert "the dashed line" in picture.caption
    names = [trace.name for trace in picture.figure.data]
    assert {"what the limits allow", "singular surface", "home", "singular within the limits"} <= set(names)
