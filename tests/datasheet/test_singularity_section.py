"""The section about singularities says what the library proves."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.optimize import minimize

import gough
from gough.datasheet.model import Picture, Text
from gough.datasheet.sections.conditioning import conditioning
from gough.datasheet.sections.singularity import singularity
from gough.datasheet.sheet import MOST_BOXES, Datasheet
from gough.machine import Limits

TRIPLE_ROOT = 1e-4
"""Of a distance, as a determinant in doubles tells it: level, this surface is one plane three times."""


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


def distance_by_determinant(m):
    """Least distance of the platform from where the six legs' lines are dependent, by another route: roots of the
    determinant, a cubic in the position, along lines through home; the nearest of many, improved downhill."""
    arm, start = m.b_P @ m.X_home[:3, :3].T, m.X_home[:3, 3]
    s = 2 * m.size * np.cos(np.pi * (np.arange(4) + 0.5) / 4)

    def reach(way):
        legs = start + s[:, None, None] * way / np.linalg.norm(way) + arm - m.legs.a_B
        lines = np.concatenate([legs, np.cross(np.broadcast_to(arm, legs.shape), legs) / m.size], axis=-1)
        roots = np.polynomial.Chebyshev.fit(s, np.linalg.det(lines / m.size), 3).roots()
        return np.abs(roots[np.abs(roots.imag) < 1e-6 * m.size]).min(initial=np.inf)

    ways = np.random.default_rng(20260101).normal(size=(200, 3))
    nearest = sorted(ways, key=reach)[:5]
    return min(
        minimize(reach, way, method="Nelder-Mead", options={"xatol": 1e-7, "fatol": 1e-10}).fun for way in nearest
    )


def test_without_limits_there_is_a_distance_and_no_verdict(hexel_sheet):
    sheet = Datasheet(replace(hexel_sheet.machine, limits=Limits()))
    section = singularity(sheet)
    assert "workspace" not in section.numbers
    distance = section.numbers["distance"]
    independent = distance_by_determinant(sheet.machine)
    assert distance["lower"] <= independent
    assert independent <= (1 + TRIPLE_ROOT) * distance["upper"]
    assert distance["upper"] == pytest.approx(independent, rel=TRIPLE_ROOT)
    assert not section.cards


def test_the_dexterity_is_drawn_where_there_is_a_workspace(hexel_sheet):
    drawn = conditioning(hexel_sheet)
    assert any(isinstance(block, Picture) for block in drawn.shown)
    free = conditioning(Datasheet(replace(hexel_sheet.machine, limits=Limits())))
    assert not any(isinstance(block, Picture) for block in free.shown)
