"""Every number of a datasheet has a definition and a unit, in one table, on the page and in the docs."""

import html
import re
from dataclasses import replace
from fnmatch import fnmatchcase
from pathlib import Path

import numpy as np
import pytest
from tests.skew import SKEW_OF_KIND

import gough
from gough.machine import DisplayUnits
from gough.report.build import build
from gough.report.datasheet import Datasheet
from gough.report.definitions import definition, definitions, markdown, of_label, paths, shown
from gough.report.model import Facts, Table
from gough.report.two_stages.sheet import StackedSheet

DOCS = Path(__file__).parents[2] / "docs"
NO_UNITS = {"text", "yes or no", "number of", "leg", "1", "as its name says"}
SI = re.compile(
    r"m3?|m/s2?|rad|rad/s2?|kg|kg m2|s|Hz|W|N|N m|N/m|N/rad|N m/m|N m/rad|m/m|rad/m|m/rad|rad/rad|N s/m|N m s/rad|"
    r"1|1/sqrt\(kg\)|1/\(m sqrt\(kg\)\)"
)


def is_si(unit):
    """Whether units are of SI, all that a list of them names; "of cranks" and "about axes" say for which one is."""
    parts = re.split(r"[,;] ", re.sub(r",? (of cranks|about axes|of the platform's origin)", "", unit))
    return all(SI.fullmatch(part) for part in parts)


def undefined(report):
    numbers = report.numbers()
    sections = {key: value for key, value in numbers.items() if isinstance(value, dict)}
    found = [(key, path) for key, value in sections.items() for path in paths(value)]
    return [where for where in found if definition(*where) is None]


def labels(section):
    """Of every number that the page shows of a section."""
    yield from (card.label for card in section.cards)
    for block in section.blocks:
        if isinstance(block, Facts):
            yield from (what for what, _ in block.pairs)
        elif isinstance(block, Table):
            yield from (column.title for column in block.columns if column.is_number)


def unexplained(report):
    return [(section.key, label) for section in report.sections for label in labels(section)
            if of_label(section.key, label) is None]  # fmt: skip


def units_named(numbers):
    """Every value of a key that names a unit."""
    for key, value in numbers.items():
        if isinstance(value, dict):
            yield from units_named(value)
        elif isinstance(value, list) and value and isinstance(value[0], dict):
            for row in value:
                yield from units_named(row)
        elif value and re.search(r"(^|_)units?$", key):
            yield from value if isinstance(value, list) else [value]


def differing(ours, theirs, where=""):
    """Paths at which numbers differ; sentences show the units of the file and may."""
    if isinstance(ours, dict):
        return [found for key in ours for found in differing(ours[key], theirs[key], f"{where}.{key}")]
    if isinstance(ours, list):
        return [found for pair in zip(ours, theirs, strict=True) for found in differing(*pair, where)]
    is_number = isinstance(ours, float) and isinstance(theirs, float)
    is_same = np.isclose(ours, theirs, rtol=1e-9, atol=0) if is_number else ours == theirs or isinstance(ours, str)
    return [] if is_same else [where]


@pytest.mark.usefixtures("coarse", "no_figures")
@pytest.mark.parametrize("name", ["pitch-circle", "hexaglide", SKEW_OF_KIND["RUS"]])
def test_every_key_of_the_json_has_a_definition_in_si_whatever_the_units_of_the_file(name):
    report = build(Datasheet(gough.load(name)))
    assert undefined(report) == []
    assert unexplained(report) == []
    numbers = report.numbers()
    named = set(units_named({key: value for key, value in numbers.items() if key != "units"}))
    assert numbers["units"] == "SI"
    assert [unit for unit in named if not is_si(unit)] == []
    units = DisplayUnits(length="in", metres=0.0254, angle="mrad", radians=1e-3)
    other = Datasheet(replace(report.sheet.machine, units=units))
    known = {what: value for what, value in vars(report.sheet).items() if what not in vars(other)}
    vars(other).update(known)  # what the library computes, in SI
    others = build(other).numbers()
    assert differing(numbers, others) == []


def test_the_page_has_them_under_each_section(hexel_report, hexel_page):
    for section in hexel_report.sections:
        row = definition(section.key, next(paths(section.numbers)))
        assert html.escape(row.words) in hexel_page


@pytest.mark.usefixtures("coarse", "no_figures")
def test_so_has_a_machine_of_two_stages():
    report = build(StackedSheet(gough.load("double-hexapod")))
    assert undefined(report) == []
    assert unexplained(report) == []
    named = set(units_named({key: value for key, value in report.numbers().items() if key != "units"}))
    assert [unit for unit in named if not is_si(unit)] == []


def test_every_number_on_the_page_says_what_it_means_where_the_pointer_rests(hexel_report, hexel_page):
    assert unexplained(hexel_report) == []
    for section in hexel_report.sections:
        for label in labels(section):
            words = of_label(section.key, label)
            assert f' title="{html.escape(words)}">{html.escape(label)}' in hexel_page, (section.key, label)


def test_what_the_page_names_is_a_key_or_a_sentence():
    for section, rows in shown().items():
        keys = {row.key for row in definitions()[section]}
        assert [key for key in rows.values() if key not in keys and not key.endswith(".")] == [], section


def test_a_label_without_a_definition_is_seen():
    assert of_label("workspace", "weight of the workspace") is None
    assert of_label("stage_1_travel", "minus") == definition("travel", "x.minus").words


def test_a_key_without_a_definition_is_seen():
    assert definition("travel", "x.sideways") is None
    assert list(paths({"a": {"b": 1, "c": [{"d": 2}, {"e": 3}]}})) == ["a.b", "a.c.d", "a.c.e"]


def test_every_definition_is_a_sentence_with_a_unit():
    for section, rows in definitions().items():
        keys = [row.key for row in rows]
        assert len(set(keys)) == len(keys), section
        for row in rows:
            assert row.words.endswith("."), (section, row)
            assert row.unit in NO_UNITS or "`" in row.unit or is_si(row.unit), (section, row)


def test_a_unit_in_backquotes_is_a_key_beside_it():
    for section, rows in definitions().items():
        keys = [row.key for row in rows]
        for row in rows:
            for name in re.findall(r"`([^`]+)`", row.unit):
                assert any(fnmatchcase(key, name) or fnmatchcase(key, f"*.{name}") for key in keys), (section, row)


def test_the_docs_have_the_same_definitions():
    assert (DOCS / "definitions.md").read_text("utf-8") == markdown()
