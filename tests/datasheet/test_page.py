"""The page: complete in itself, well formed, safe against what machine files say."""

import json
import re
from dataclasses import replace
from html.parser import HTMLParser
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from plotly import graph_objects
from plotly.offline import get_plotlyjs
from tests.rendered import number as read
from tests.skew import SKEW

import gough
from gough.datasheet.build import build
from gough.datasheet.html import page
from gough.datasheet.model import Folded, Picture, Section, Text
from gough.datasheet.sections.travel import travel
from gough.datasheet.sheet import Datasheet
from gough.present.answer import Field, Table
from gough.present.show import Show, fitting, metric, number, significant, uncertain

SHOWN = 2e-3
"""Of a stroke, or of the angle that it turns the platform by: three digits."""
VOID = {"meta", "img", "br", "link", "input"}
HOSTILE = '"><script>alert(1)</script><img src=x onerror=alert(2)>&amp;'


class Page(HTMLParser):
    """Elements, attributes, visible text; fails on elements that are not closed in order."""

    def __init__(self, text):
        super().__init__()
        self.open, self.elements, self.words = [], [], []
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if self.open and self.open[-1] not in ("script", "style"):
            self.words.append(data)

    def all(self, tag):
        return [attributes for name, attributes in self.elements if name == tag]

    @property
    def text(self):
        return " ".join(" ".join(self.words).split())


@pytest.fixture(scope="module")
def parsed(hexel_page):
    return Page(hexel_page)


@pytest.fixture(scope="module")
def frame(hexel_page):
    """The page without plotly.js."""
    return hexel_page.replace(get_plotlyjs(), "")


def test_nothing_is_fetched_from_elsewhere(parsed, frame):
    for _, attributes in parsed.elements:
        for name, value in attributes.items():
            assert name not in ("src", "srcset", "href", "data", "poster", "action") or value.startswith("#")
    assert not parsed.all("link")
    assert "url(" not in frame
    assert "@import" not in frame
    assert not re.search(r"\b(fetch|XMLHttpRequest|WebSocket|import)\s*\(", frame)


def test_the_browser_is_told_to_fetch_nothing(parsed):
    policy = next(a["content"] for a in parsed.all("meta") if a.get("http-equiv") == "Content-Security-Policy")
    assert policy.startswith("default-src 'none'")
    assert "http" not in policy
    assert "unsafe-eval" not in policy


def test_the_page_says_its_language_title_and_width(parsed, hexel_page):
    assert parsed.all("html") == [{"lang": "en"}]
    assert "<title>Hexel 6-3 machine tool (De Sapio 1998) - hexapod datasheet</title>" in hexel_page
    assert any(a.get("name") == "viewport" for a in parsed.all("meta"))


def test_headings_are_in_order(parsed):
    levels = [int(tag[1]) for tag, _ in parsed.elements if re.fullmatch(r"h[1-6]", tag)]
    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(b - a <= 1 for a, b in pairwise(levels))


def test_the_contents_lead_to_every_section(parsed, hexel_report):
    keys = [section.key for section in hexel_report.sections]
    links = [a["href"] for a in parsed.all("a") if a["href"] != "#content"]
    assert links == [f"#{key}" for key in keys]
    ids = [attributes["id"] for _, attributes in parsed.elements if "id" in attributes]
    assert len(set(ids)) == len(ids)
    assert set(keys) <= set(ids)


def test_tables_have_captions_and_heads(parsed):
    tables = len(parsed.all("table"))
    assert tables > 5
    assert len(parsed.all("caption")) == tables
    assert {a.get("scope") for a in parsed.all("th")} == {"col", "row"}


def test_every_table_scrolls_in_its_own_frame(hexel_page):
    frames = re.findall(r'<div class="wide" [^>]*>\s*<table', hexel_page)
    assert len(frames) == hexel_page.count("<table") > 5
    assert hexel_page.count('<p class="hint"') == len(frames)


def test_details_are_folded_and_the_rest_is_not(parsed, hexel_report):
    folds = [a["class"] for a in parsed.all("details") if a["class"] != "definitions"]
    folded = [block for section in hexel_report.sections for block in section.blocks if isinstance(block, Folded)]
    assert folds.count("more") == len(folded) > 3
    assert folds.count("folded") == sum(section.is_folded for section in hexel_report.sections) > 3
    assert not any("open" in a for a in parsed.all("details"))
    assert {"travel", "workspace", "speeds"}.isdisjoint(s.key for s in hexel_report.sections if s.is_folded)


def test_every_figure_has_its_data_its_words_and_its_picture_for_paper(parsed, frame, hexel_report):
    plots = [a for a in parsed.all("div") if "data-figure" in a]
    figures = json.loads(re.search(r'id="figures">\s*(.*?)\s*</script>', frame, re.DOTALL)[1])
    pictures = [b for section in hexel_report.sections for b in section.shown if isinstance(b, Picture)]
    assert [int(a["data-figure"]) for a in plots] == list(range(len(pictures)))
    assert len(figures) == len(pictures)
    assert [a["aria-label"] for a in plots] == [picture.description for picture in pictures]
    assert [a["alt"] for a in parsed.all("img")] == [picture.description for picture in pictures]
    assert len(parsed.all("figcaption")) == len(pictures)
    for figure in figures:
        assert graph_objects.Figure(figure).to_dict().keys() == figure.keys()  # raises for what Plotly does not know


def test_numbers_on_the_page_are_those_of_the_analysis(frame, hexel_sheet):
    rows = re.findall(
        r'<tr><th scope="row">(r?[xyz])</th><td class="number">(.*?)</td><td class="number">(.*?)</td>', frame
    )
    shown = {axis: (minus, plus) for axis, minus, plus in rows[:6]}
    for row in hexel_sheet.travel:
        scale, half_a_digit = (1e-3, 0.5e-2) if not row.axis.startswith("r") else (3.141592653589793 / 180, 0.5e-3)
        minus, plus = (float(text.replace("−", "-")) for text in shown[row.axis])
        assert minus == pytest.approx(row.minus / scale, abs=1.01 * half_a_digit)
        assert plus == pytest.approx(row.plus / scale, abs=1.01 * half_a_digit)


def test_what_a_machine_file_says_stays_text(sheet_like_hexel):
    hostile = {"title": HOSTILE, "source": HOSTILE, "notes": HOSTILE, "published": {HOSTILE: HOSTILE}}
    made = build(sheet_like_hexel(**hostile))
    found = Page(made.html())
    assert len(found.all("script")) == 3
    assert not [a for a in found.all("img") if "onerror" in a or a.get("src")]
    assert not [name for _, a in found.elements for name in a if name.startswith("on")]
    assert found.text.count(HOSTILE) >= 5


def test_the_command_stays_text(hexel_report):
    found = Page(page(hexel_report.sheet.machine, hexel_report.sections, HOSTILE))
    assert HOSTILE in found.text
    assert len(found.all("script")) == 3


def test_figures_cannot_end_their_script(hexel_sheet):
    from plotly.graph_objects import Figure

    figure = Figure(layout={"title": {"text": "</script><script>alert(3)</script>"}, "height": 100})
    section = Section("one", "One", [Text("words"), Picture(figure, "caption", "description")])
    found = Page(page(hexel_sheet.machine, [section]))
    assert len(found.all("script")) == 3


@pytest.mark.parametrize(
    ("value", "digits", "text"),
    [(1.0, 3, "1.000"), (-1.25, 1, "−1.2"), (-0.0004, 3, "0.000"), (float("nan"), 2, "–"), (1234.5, 0, "1234")],
)
def test_numbers_are_written_with_fixed_decimals(value, digits, text):
    assert number(value, digits) == text


@pytest.mark.parametrize("part", [1e-1, 1e-2, 1e-3, 1e-4, 1e-5])
@pytest.mark.parametrize("name", ["hexel", "dehaeze", "servo", "rubin-m2", "linuxcnc", *SKEW, "double-hexapod"])
def test_however_little_legs_move_their_strokes_have_digits(name, part):
    whole = gough.load(name)
    m = whole.stages[1] if name == "double-hexapod" else whole
    unit, q = m.legs.joint_unit, gough.inverse_kinematics(m, m.X_home)
    half = 0.5 * part * (m.size if unit == "m" else 1.0)
    m = replace(m, limits=replace(m.limits, joint_min=q - half, joint_max=q + half))
    shown = Show(replace(whole, stages=(whole.lower, m)) if name == "double-hexapod" else m)
    for value, si in ((2 * half, unit), (part * m.size, "m"), (part, "rad")):
        assert float(shown.value(value, si)) == pytest.approx(shown.in_units(value, si), rel=SHOWN)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.0, "0"),
        (99.9996, "100.0"),
        (9.9996, "10.00"),
        (12.3456, "12.35"),
        (0.00123456, "0.001235"),
        (-4e-7, "−4.000×10⁻⁷"),
        (3e8, "3.000×10⁸"),
    ],
)
def test_numbers_are_written_with_significant_digits(value, text):
    assert significant(value) == text


@pytest.mark.parametrize(
    ("value", "error", "text"),
    [
        (8.93, 0.31, "8.9 ± 0.3"),
        (0.2695, 0.00013, "0.26950 ± 0.00013"),
        (1.2351e-9, 8e-12, "(1.235 ± 0.008)×10⁻⁹"),
        (-3e-7, 2e-9, "(−3.00 ± 0.02)×10⁻⁷"),
        (0.573351963, 1.2e-8, "0.573352"),
        (248_912_345.0, 130_000.0, "248910000 ± 130000"),
        (2.0, 0.0, "2.00000"),
        (0.0, 0.0, "0"),
    ],
)
def test_numbers_with_errors_have_no_digits_without_sense(value, error, text):
    assert uncertain(value, error) == text


def test_zeros_at_the_end_of_many_decimals_are_left_out():
    show = Show(gough.load("dehaeze"))
    assert show.point([0.0, 0.0, 0.075]) == "(0.000, 0.000, 0.075) m"
    assert show.point([0.0, 0.01234567, 0.0]) == "(0.000, 0.01234567, 0.000) m"
    assert show.with_unit(0.09, "m") == "0.090 m"
    columns = [Field("", np.array([[0.015, 0.06894]] * 2) * [[1], [2]], "m", ("x", "y"), head="{}")]
    assert [*map(list, show.table("leg", "12", columns).rows)] == [["1", "0.015", "0.06894"], ["2", "0.030", "0.13788"]]
    assert Show(gough.load("hexel")).point([0.0, 0.0, 0.725]) == "(0.00, 0.00, 725.00) mm"


def test_displacements_far_below_the_unit_of_the_file_are_in_a_smaller_one():
    m = gough.load("dehaeze")
    of_table = [row for table in travel(Datasheet(m)).shown if isinstance(table, Table) for row in table.rows]
    for card, rows in zip(travel(Datasheet(m)).cards, (of_table[:3], of_table[3:]), strict=True):
        shown = card.value.removeprefix("± ").split(" / ")
        assert all(value in (row[1].lstrip("−"), row[2].lstrip("+")) for value, row in zip(shown, rows, strict=True))
    assert [card.unit for card in travel(Datasheet(m)).cards] == ["µm", "µrad"]
    assert fitting(m, [0.0, np.inf], "m") == "m"
    assert [fitting(m, size, "m") for size in (2e-3, 1e-3, 9e-4, 9e-7)] == ["m", "m", "µm", "nm"]


@given(st.floats(1e-9, 1e6), st.sampled_from([-1, 1]), st.sampled_from(["m", "rad", "1", "kg", "m/s"]))
def test_promises_are_rounded_towards_zero_and_enclosures_outwards(size, sign, si):
    show = Show(gough.load("servo"))
    (told, half), true = read(show.promised(sign * size, si)), show.in_units(sign * size, si)
    assert sign * told > 0
    assert abs(told) <= abs(true) + 2e-3 * half < abs(told) + 2.003 * half
    if si in ("m", "rad", "1"):
        low, high = sorted((sign * size, 1.01 * sign * size))
        ends = map(read, re.match(r"(\S+) to (\S+)", show.between(low, high, si)).groups())
        (least, half), (most, half_of_most) = ends
        assert least <= show.in_units(low, si) + 2.1e-3 * half <= least + 2.003 * half
        assert most >= show.in_units(high, si) - 2.1e-3 * half_of_most >= most - 2.003 * half_of_most
        assert least > 0 or low < 0


def test_a_promise_is_not_less_by_rounding():
    assert Show(gough.load("servo")).promised(0.3 * (1 - 1e-12), "m") == "300.000"


@pytest.mark.parametrize(
    ("values", "unit"),
    [
        ([2e-9], (1e-9, "nm")),
        ([3e-7, 5e-6], (1e-6, "µm")),
        ([0.2], (1e-3, "mm")),
        ([1e-12], (1e-9, "nm")),
        ([], (1.0, "m")),
    ],
)
def test_small_lengths_get_a_unit_in_which_they_read_well(values, unit):
    assert metric(values, "m") == unit


def test_lengths_and_angles_are_in_the_units_of_the_file(hexel_sheet):
    show = Show(hexel_sheet.machine)
    assert show.with_unit(0.123456, "m") == "123.46 mm"
    assert show.with_unit(0.5, "rad") == "28.648 deg"
    assert show.with_unit(6.7e-17, "rad", 4) == "0 deg"
    assert show.value(float("inf"), "m") == "no limit"
    assert show.value(0.01, "m", sign=True) == "+10.00"
