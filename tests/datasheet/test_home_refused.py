"""A machine whose home is refused has its datasheet all the same, and the page says so first."""

import re
from dataclasses import replace

import numpy as np
import pytest
from tests.skew import SKEW

import gough
from gough.datasheet.build import build
from gough.datasheet.pages import summary
from gough.datasheet.sections import SECTIONS, stacks
from gough.datasheet.sheet import Datasheet, StackedSheet
from gough.present.write import print_words

SLOW = {"workspace", "assembly modes", "singularities", "path", "speeds", "stiffness", "natural frequencies"}
"""Sections that take seconds and have tests of their own."""


def refused(m):
    """The machine where its joints must go a hundredth of its size beyond where home has them."""
    q = gough.inverse_kinematics(m, m.X_home)
    step = 0.01 * m.size if m.legs.joint == "length" else 0.01
    return replace(m, limits=replace(m.limits, joint_max=q - step, joint_min=q - 30 * step))


@pytest.mark.parametrize("name", SKEW)
def test_a_refused_home_is_written_and_said_on_top(name, monkeypatch, capsys):
    monkeypatch.setattr("gough.datasheet.build.SECTIONS", tuple(pair for pair in SECTIONS if pair[0] not in SLOW))
    report = build(Datasheet(refused(gough.load(name))))
    first = report.sections[0]
    assert first.blocks[0].words.startswith("Home itself is not allowed: ")
    assert first.cards[0].value == "not allowed"
    assert first.numbers["home_allowed"] is False
    html = report.html()
    assert html.index("not allowed") < html.index('id="travel"')
    numbers = report.numbers()
    assert "is reached at home itself" in numbers["dynamics"]["motion"]
    assert "peak_force" not in numbers["dynamics"]
    assert report.sheet.held is not None
    print_words(summary(report.sheet))
    text = capsys.readouterr().out
    assert text.index("Home is not allowed") < text.index("Tightest l")


@pytest.mark.parametrize("k", [0, 1])
def test_a_refused_home_of_a_stage_is_said_on_top(k):
    whole = gough.load("double-hexapod")
    sound = stacks.machine(StackedSheet(whole))
    assert not any(getattr(block, "is_warning", False) for block in sound.blocks)
    stages = tuple(refused(stage) if i == k else stage for i, stage in enumerate(whole.stages))
    warning = stacks.machine(StackedSheet(replace(whole, stages=stages))).blocks[0]
    assert warning.is_warning
    assert re.match(rf"Home itself is not allowed: stage {k + 1}\b.*leg 1", warning.words)


@pytest.mark.parametrize("name", [*(info.name for info in gough.machines(stages=1)), *SKEW])
def test_size_is_of_the_joints_as_they_are_at_home(name):
    """Sliders and cranks where inverse kinematics puts them, not at zero (linapod: 2.046 m, not 1.560 m)."""
    m = gough.load(name)
    points = np.concatenate([m.legs.driven_points(gough.inverse_kinematics(m, m.X_home)), m.b_home])
    assert m.size == pytest.approx(np.linalg.norm(points[:, None] - points, axis=-1).max(), rel=1e-12)
