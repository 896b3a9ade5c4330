"""Datasheets worked out by several processes are the same to the bit as by one."""

import os
import pickle
from datetime import UTC, datetime

import numpy as np
import pytest
from tests.skew import SKEW_OF_KIND, SKEW_STACK
from tests.thorough import thorough

import gough
from gough.datasheet.build import Report, _makers, build, sheet_of
from gough.datasheet.sections import SECTIONS
from gough.datasheet.sections.stacks import TOGETHER
from gough.errors import InputError

WHEN = datetime(2026, 1, 31, 12, 30, tzinfo=UTC)
FEW = ("machine at home", "travel", "margins", "resolution", "conditioning", "source")
"""Quick ones, with figures in three dimensions and in two, and tables; one machine has no resolution."""


@pytest.fixture
def few(monkeypatch):
    for name, sections in {"build.SECTIONS": SECTIONS, "sections.stacks.TOGETHER": TOGETHER}.items():
        kept = tuple(pair for pair in sections if pair[0] in FEW)
        monkeypatch.setattr(f"gough.datasheet.{name}", kept)
    monkeypatch.setattr("gough.datasheet.sections.stacks.OF_EACH", ())


@pytest.mark.thorough
@pytest.mark.usefixtures("few")
@pytest.mark.parametrize("machine", [*thorough(SKEW_OF_KIND["PUS"]), SKEW_STACK])
def test_a_datasheet_is_the_same_from_one_process_and_from_several(machine):
    heard = []

    def made(processes):
        sheet = sheet_of(gough.load(machine), "gough report")
        for each in (sheet, *getattr(sheet, "stages", ())):
            each.when = WHEN
        return build(sheet, lambda *progress: heard.append(progress), processes=processes)

    one, two = made(1), made(2)
    assert two.html() == one.html()
    assert two.numbers() == one.numbers()
    assert set(vars(two.sheet)) == set(vars(one.sheet)), "what others found is known here"
    assert np.array_equal(two.sheet.margins.values, one.sheet.margins.values)
    assert len(one.sections) > 4
    alone = next(k for k, (*_, done, _) in enumerate(heard) if k and not done)
    assert [what for what, *_ in heard[:alone]] == [what for what, _ in _makers(one.sheet)], "in the order of the page"
    assert {total for *_, total in heard} == {alone}


def test_figures_come_from_other_processes_as_they_were_made(hexel_report, hexel_page):
    sections = pickle.loads(pickle.dumps(hexel_report.sections))
    assert Report(hexel_report.sheet, sections).html() == hexel_page
    picture = next(block for block in sections[0].shown if hasattr(block, "figure"))
    with pytest.raises(ValueError, match="Invalid value"):
        picture.figure.update_layout(height="high")


def refused(sheet):
    raise InputError(f"no such thing: {os.getpid()}")


def test_an_error_in_a_section_is_the_same_from_any_process(monkeypatch):
    monkeypatch.setattr("gough.datasheet.build.SECTIONS", (("travel", refused), ("margins", refused)))
    for processes in (1, 2):
        with pytest.raises(InputError, match=r"^no such thing: \d+$"):
            gough.report(gough.load("hexel"), processes=processes)
    with pytest.raises(InputError, match="processes 0: expected at least 1"):
        gough.report(gough.load("hexel"), processes=0)
