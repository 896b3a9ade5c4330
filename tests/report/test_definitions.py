"""Every number of a datasheet has a definition and a unit, in one table, on the page and in the docs."""

import html
import re
from fnmatch import fnmatchcase
from pathlib import Path

import pytest

import gough
from gough.report.build import build
from gough.report.datasheet import Datasheet
from gough.report.definitions import definition, definitions, markdown, paths
from gough.report.two_stages.build import build_stacked
from gough.report.two_stages.sheet import StackedSheet

DOCS = Path(__file__).parents[2] / "docs"
PLAIN_UNITS = {"length", "angle", "joint", "axis", "axis/s", "length/s, angle/s",
               "text", "yes or no", "number of", "leg", "1", "s", "deg", "um",
               "kg", "W", "N", "N m", "Hz", "N, N m", "N, N m of cranks", "m/m, rad/m", "N/m, N/rad; N m/m, N m/rad",
               "1/sqrt(kg), 1/(m sqrt(kg))", "as its name says"}  # fmt: skip


def undefined(report):
    numbers = report.numbers()
    sections = {key: value for key, value in numbers.items() if isinstance(value, dict)}
    found = [(key, path) for key, value in sections.items() for path in paths(value)]
    return [where for where in found if definition(*where) is None]


@pytest.mark.usefixtures("coarse")
@pytest.mark.parametrize("name", ["pitch-circle", "servo"])
def test_every_key_of_the_json_has_a_definition(name):
    assert undefined(build(Datasheet(gough.load(name)))) == []


def test_the_page_has_them_under_each_section(hexel_report, hexel_page):
    for section in hexel_report.sections:
        row = definition(section.key, next(paths(section.numbers)))
        assert html.escape(row.words) in hexel_page


@pytest.mark.usefixtures("coarse")
def test_so_has_a_machine_of_two_stages():
    assert undefined(build_stacked(StackedSheet(gough.load("double-hexapod")), lambda what: None)) == []


def test_a_key_without_a_definition_is_seen():
    assert definition("travel", "x.sideways") is None
    assert list(paths({"a": {"b": 1, "c": [{"d": 2}, {"e": 3}]}})) == ["a.b", "a.c.d", "a.c.e"]


def test_every_definition_is_a_sentence_with_a_unit():
    for section, rows in definitions().items():
        keys = [row.key for row in rows]
        assert len(set(keys)) == len(keys), section
        for row in rows:
            assert row.words.endswith("."), (section, row)
            assert row.unit in PLAIN_UNITS or "`" in row.unit, (section, row)


def test_a_unit_in_backquotes_is_a_key_beside_it():
    for section, rows in definitions().items():
        keys = [row.key for row in rows]
        for row in rows:
            for name in re.findall(r"`([^`]+)`", row.unit):
                assert any(fnmatchcase(key, name) or fnmatchcase(key, f"*.{name}") for key in keys), (section, row)


def test_the_docs_have_the_same_definitions():
    assert (DOCS / "definitions.md").read_text("utf-8") == markdown()
