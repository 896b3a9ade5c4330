"""Every number of a datasheet has a definition and a unit, on the page and in the schema."""

import contextlib
import html
import io
import json
import re
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
from tests import schemas
from tests.datasheet.blocks import CALIBRATED
from tests.rendered import agrees, known, written
from tests.skew import SKEW_OF_KIND, SKEW_STACK

import gough
from gough.datasheet.build import Report, build
from gough.datasheet.model import Facts, Picture, Section, Text
from gough.datasheet.pages import summary
from gough.datasheet.sections import SECTIONS
from gough.datasheet.sections.accuracy import calibration
from gough.datasheet.sections.geometry import geometry
from gough.datasheet.sheet import Datasheet, StackedSheet
from gough.machine import DisplayUnits
from gough.present.answer import Field, Table
from gough.present.write import print_words

SI = re.compile(
    r"m3?|m/s2?|rad3?|rad/s2?|kg|kg m2|s|Hz|W|N|N m|N/m|N/rad|N m/m|N m/rad|m/m|rad/m|m/rad|rad/rad|N s/m|N m s/rad|1||"
    r"1/sqrt\(kg\)|rad/\(m sqrt\(kg\)\)|\(m/rad\)\^6"
)

TEXT = {"type": "string"}
OF_REPORT = {
    "name": {**TEXT, "description": "Name of the machine."},
    "title": {**TEXT, "description": "Its title."},
    "page": {**TEXT, "description": "File that was written; in the answer of the command alone."},
}
"""Keys of a report beside its sections."""


def cells(section):
    """Label, keys, text and unit of all that the page shows of a section beside a label."""
    yield from ((card.label, card.of, card.value, card.unit) for card in section.cards)
    for block in section.shown:
        if isinstance(block, Facts):
            yield from ((what, block.keys.get(what, ()), value, "") for what, value in block.pairs)
        elif isinstance(block, Table):
            titles = [column.title for column in block.columns]
            for row in block.rows:
                unit = row[titles.index("unit")] if "unit" in titles else ""
                for k, (column, text) in enumerate(zip(block.columns, row, strict=True)):
                    has_unit = ("unit" in titles and k < titles.index("unit")) or titles[1:2] == ["unit"]
                    if column.is_number:
                        keys = block.keys.get(column.title, ())
                        yield column.title, keys, text, column.unit or (unit if has_unit else "")


def sentences(section):
    """What the page says of a section beside no label."""
    yield from (card.detail for card in section.cards)
    for block in section.shown:
        if isinstance(block, Text):
            yield block.words
        elif isinstance(block, Picture):
            yield from (block.caption, block.description)
        elif isinstance(block, Table):
            yield block.caption


DIRECTED = {
    "Translation from home",
    "Rotation from home",
    "Speed in every direction",
    "Largest payload",
    "Distance from home",
    "Smallest singular value",
    "In every direction",
    "About every axis",
    "payload",
}
"""Labels of promises and bounds, which are rounded towards zero or outwards, and of cards whose detail has one more."""


def untrue(report):
    """What the page shows that is not, to its digits and in the unit beside it, a number of the JSON under the key that
    the label stands for; of sentences, a number of any key."""
    found = []
    everything = [each for section in report.sections for each in known(section)]
    for section in report.sections:
        numbers = list(known(section))
        for label, keys, text, unit in cells(section):
            meant = [each for each in numbers if each.key in keys]
            if not section.definition(keys):
                found.append((section.key, label, "is not defined"))
            elif any(len(each.values) for each in meant):
                told = written(text, unit)
                is_directed = label in DIRECTED
                found += [
                    (section.key, label, text, each) for each in told if not is_one(each, meant, text, is_directed)
                ]
        directed = {card.detail for card in section.cards if card.label in DIRECTED}
        directed |= {text for text in sentences(section) if "proven" in text.lower()}
        for text in sentences(section) if section.key != "source" else ():  # there in the words of others
            told = [each for each in written(text) if each.unit or not each.value.is_integer()]
            found += [(section.key, text, each) for each in told if not is_one(each, everything, "±", text in directed)]
    return found


def untrue_summary(report):
    """Numbers of the terminal's summary that are none of the JSON, in the unit beside them."""
    everything = [each for section in report.sections for each in known(section)]
    with contextlib.redirect_stdout(io.StringIO()) as told:
        print_words(summary(report.sheet))
    text = re.sub(r" {2,}", " ", told.getvalue())
    told = [each for line in text.splitlines()[2:] for each in written(line)]
    assert len(told) > 5
    return [each for each in told if each.unit or not each.value.is_integer() if not is_one(each, everything, "")]


def is_one(shown, numbers, text, is_directed=False):
    both = "±" in text
    return any(
        agrees(shown, each.values, each.dimensions, both_signs=both, is_directed=is_directed) for each in numbers
    )


def differing(ours, theirs, where=""):
    """Paths at which numbers differ; sentences show the units of the file and may."""
    if isinstance(ours, dict):
        return [found for key in ours for found in differing(ours[key], theirs[key], f"{where}.{key}")]
    if isinstance(ours, list):
        return [found for pair in zip(ours, theirs, strict=True) for found in differing(*pair, where)]
    is_number = isinstance(ours, float) and isinstance(theirs, float)
    is_same = np.isclose(ours, theirs, rtol=1e-9, atol=0) if is_number else ours == theirs or isinstance(ours, str)
    return [] if is_same else [where]


def report_of(name, path=None):
    sheet = StackedSheet(gough.load(name)) if name == SKEW_STACK else Datasheet(gough.load(name), path=path)
    return build(sheet)


def short_path(machine):
    """There and a little aside, as `gough report --path` has it."""
    aside = machine.X_home @ gough.pose_matrix([0.01 * machine.size, 0, 0], [0.02, 0.01, 0], "XYZ")
    plan = gough.motion.programs.path_through_poses(machine, np.stack([machine.X_home, aside]))
    return gough.motion.path_report(plan, samples=201)


SEARCHED = {"workspace", "singularities"}
"""Sections that take longest, whose units are the same for all kinds of legs: of cranks, struts and two stages."""


def undefined(report):
    """Keys without a definition, or with one that is no sentence."""
    return [each.key for each in report.fields if each.is_json and not each.doc.endswith(".")]


def units_of(report):
    return {str(unit) for each in report.fields for unit in np.ravel(each.unit)}


def assert_same_in_other_units(report):
    """The JSON is in SI, whatever the units of the file."""
    units = DisplayUnits(length="ft", metres=0.3048, angle="mrad", radians=1e-3)
    other = Datasheet(replace(report.sheet.machine, units=units), path=report.sheet.path)
    vars(other).update({what: value for what, value in vars(report.sheet).items() if what not in vars(other)})
    assert differing(report.numbers(), build(other).numbers()) == []


@pytest.fixture
def reports(coarse, no_search, no_figures, hexel_report):
    """Datasheets that have every section: of cranks with a path, of sliders with published figures, of a tool head."""
    cranks = report_of(SKEW_OF_KIND["RUS"], short_path(gough.load(SKEW_OF_KIND["RUS"])))
    sliders, head = Datasheet(gough.load("hexaglide")), Datasheet(gough.load("hexel-head"))
    of_sliders = (section(sliders) for what, section in SECTIONS if what not in SEARCHED)
    made = Datasheet(replace(gough.load(SKEW_OF_KIND["RUS"]), calibration=CALIBRATED))
    parts = [Report(head, (geometry(head),)), Report(made, (calibration(made),))]
    others = [report_of(SKEW_STACK), hexel_report, Report(sliders, tuple(filter(None, of_sliders)))]
    return [cranks, *others, *parts]


def test_every_number_of_page_and_json_is_defined_and_in_the_unit_beside_it(reports):
    for report in reports:
        schemas.check("report", json.loads(json.dumps(report.numbers())), report.fields, OF_REPORT)
        assert undefined(report) == []
        assert untrue(report) == []
        assert report.numbers()["units"]["length"] == "m"
        assert [unit for unit in units_of(report) if not SI.fullmatch(unit)] == []
    assert [untrue_summary(report) for report in reports[:4]] == [[]] * 4
    assert_same_in_other_units(reports[0])


TABLE = {
    "right": ("0.7", "deg", True),
    "rounded": ("0.71", "deg", False),
    "a thousand times too large": ("700", "deg", False),
    "radians as degrees": ("0.0122", "deg", False),
    "degrees as radians": ("0.7", "rad", False),
    "another unit": ("0.7", "mm", False),
    "no unit": ("0.7", "", False),
}


@pytest.mark.parametrize(("text", "unit", "is_right"), TABLE.values(), ids=TABLE)
def test_a_number_that_is_not_what_it_says_is_seen(text, unit, is_right):
    keys = {"minus": ("rx.minus",)}
    table = Table(("axis", f"minus [{unit}]" if unit else "minus"), [["rx", text]], (1,), keys=keys)
    fields = [Field("rx.minus", 0.7 * np.pi / 180, "rad", doc="The travel.")]
    found = untrue(SimpleNamespace(sections=[Section("travel", "Travel", [table], fields=fields)]))
    assert (found == []) == is_right


def test_the_page_has_them_under_each_section(hexel_report, hexel_page):
    page = html.unescape(hexel_page)
    for section in hexel_report.sections:
        for key, each in section.declared.items():
            assert f"<dt>{key.replace('{}', '*')}</dt><dd>{each.doc}</dd>" in page


def test_every_number_on_the_page_says_what_it_means_where_the_pointer_rests(hexel_report, hexel_page):
    page = html.unescape(hexel_page)
    for section in hexel_report.sections:
        for label, keys, _, _ in cells(section):
            assert f' title="{section.definition(keys)}">{label}' in page, (section.key, label)


def test_a_number_without_a_definition_is_seen():
    fields = [Field("rx.minus", 0.7, "rad"), Field("rx.plus", 0.7, "rad", doc="no sentence")]
    section = Section("travel", "Travel", [Facts([("Travel", "0.7 rad")], {"Travel": ("rx.minus",)})], fields=fields)
    report = SimpleNamespace(sections=[section], fields=fields)
    assert undefined(report) == ["rx.minus", "rx.plus"]
    assert untrue(report) == [("travel", "Travel", "is not defined")]
