"""The page: complete in itself, well formed, safe against what machine files say."""

import json
import re
from html.parser import HTMLParser

import pytest
from hypothesis import given
from hypothesis import strategies as st
from plotly import graph_objects
from plotly.offline import get_plotlyjs
from tests.rendered import number as read

import gough
from gough.datasheet.build import build
from gough.datasheet.model import Picture, Section, Text
from gough.datasheet.pages import page
from gough.present.show import Show

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


def test_the_contents_lead_to_every_section(parsed, hexel_report):
    keys = [section.key for section in hexel_report.sections]
    links = [a["href"] for a in parsed.all("a") if a["href"] != "#content"]
    assert links == [f"#{key}" for key in keys]
    ids = [attributes["id"] for _, attributes in parsed.elements if "id" in attributes]
    assert len(set(ids)) == len(ids)
    assert set(keys) <= set(ids)


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


def test_lengths_and_angles_are_in_the_units_of_the_file(hexel_sheet):
    show = Show(hexel_sheet.machine)
    assert show.with_unit(0.123456, "m") == "123.46 mm"
    assert show.with_unit(0.5, "rad") == "28.648 deg"
    assert show.with_unit(6.7e-17, "rad", 4) == "0 deg"
    assert show.value(float("inf"), "m") == "no limit"
    assert show.value(0.01, "m", sign=True) == "+10.00"
