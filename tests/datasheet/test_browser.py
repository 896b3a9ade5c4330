"""The page in headless Chromium: it is silent, draws all figures, asks nobody, fits a phone and goes on paper."""

import re
from dataclasses import replace

import pytest
from tests.skew import SKEW_STACK
from tests.thorough import thorough

import gough
from gough.datasheet.model import Folded, Picture

PATIENCE = 120_000
"""Before a page that does not draw fails the test [ms]; software rendering takes some ten seconds."""
HARMLESS = ("Canvas2D: Multiple readback operations", "GPU stall due to ReadPixels")
"""Chromium's advice on how plotly.js measures its text, and on reading back pictures where software shows the page."""
DESKTOP = {"viewport": {"width": 1280, "height": 900}}
PAGE = re.compile(rb"/Type\s*/Page\b")
"""An object of a PDF that is a page."""
WIDTH_OF_PAPER = 703
"""Of A4 between margins of 12 mm [pixels of 1/96 inch]."""
ILLUSTRATED = ("machine", "travel", "corners", "margins", "conditioning")
PHONE = {"viewport": {"width": 390, "height": 844}, "is_mobile": True, "has_touch": True}


class Visit:
    """The page opened in one window, and what happened."""

    def __init__(self, browser, address, window, state):
        self.heard, self.asked = [], []
        self.page = browser.new_page(**window)
        self.page.on("console", lambda message: self.heard.append(f"{message.type}: {message.text}"))
        self.page.on("pageerror", lambda error: self.heard.append(f"page error: {error}"))
        self.page.on("request", lambda request: self.asked.append(request.url))
        self.page.goto(address, timeout=PATIENCE)
        # What is drawn soon becomes printable, perhaps between two looks.
        reached = ", ".join(f"html[data-figures={each}]" for each in dict.fromkeys((state, "printable")))
        self.page.wait_for_selector(reached, state="attached", timeout=PATIENCE)


def page_of(report, is_kept, path):
    """The page with those figures only: software takes two seconds for a scene."""

    def kept(section, blocks):
        pictures = [block for block in section.shown if isinstance(block, Picture)]
        for block in blocks:
            if isinstance(block, Folded):
                yield replace(block, blocks=[*kept(section, block.blocks)])
            elif not isinstance(block, Picture) or is_kept(section, block, pictures):
                yield block

    def shortened(section):
        return replace(section, blocks=[*kept(section, section.blocks)])

    path.write_text(replace(report, sections=tuple(map(shortened, report.sections))).html(), "utf-8")
    return path.as_uri()


@pytest.fixture(scope="module")
def address(hexel_report, tmp_path_factory):
    """The figures of some sections; the thorough run draws all."""

    def is_kept(section, picture, pictures):
        return section.key in ILLUSTRATED

    return page_of(hexel_report, is_kept, tmp_path_factory.mktemp("page") / "quick.html")


@pytest.fixture(scope="module")
def desktop(browser, address):
    """Waits for the pictures that go on paper, which are drawn last."""
    visit = Visit(browser, address, DESKTOP, "printable")
    yield visit
    visit.page.close()


@pytest.fixture(scope="module")
def phone(browser, address):
    visit = Visit(browser, address, PHONE, "printable")
    yield visit
    visit.page.close()


@pytest.fixture(scope="module")
def everything(browser, hexel_page, tmp_path_factory):
    path = tmp_path_factory.mktemp("page") / "everything.html"
    path.write_text(hexel_page, "utf-8")
    visit = Visit(browser, path.as_uri(), DESKTOP, "printable")
    yield visit
    visit.page.close()


@pytest.fixture(params=["desktop", "phone", *thorough("everything")])
def visit(request):
    return request.getfixturevalue(request.param)


def test_the_console_is_silent(visit):
    assert [line for line in visit.heard if not any(words in line for words in HARMLESS)] == []


def test_nothing_but_the_page_is_asked_for(visit):
    assert [url for url in visit.asked if not url.startswith(("file:", "data:", "blob:"))] == []
    assert len([url for url in visit.asked if url.startswith("file:")]) == 1


def test_the_page_does_not_scroll_sideways(visit):
    width, window = visit.page.evaluate("[document.documentElement.scrollWidth, window.innerWidth]")
    assert width <= window


def test_what_is_folded_opens_on_paper_and_by_a_link(desktop):
    page = desktop.page
    state = "[...document.querySelectorAll('details:not(.definitions)')].map((fold) => fold.open)"
    assert not any(page.evaluate(state))
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert all(page.evaluate(state))
    page.evaluate("dispatchEvent(new Event('afterprint'))")
    assert not any(page.evaluate(state))
    page.locator("nav a[href='#geometry']").click()
    page.locator("#geometry details[open]").wait_for(timeout=PATIENCE)
    page.evaluate("document.querySelector('#geometry details').open = false")


@pytest.mark.thorough
def test_paper_has_what_is_folded_without_scripts(browser, address):
    """The style alone opens it."""
    page = browser.new_page(java_script_enabled=False)
    page.goto(address, timeout=PATIENCE)
    page.emulate_media(media="print")
    heights = [page.locator(f"#{key} table").first.bounding_box()["height"] for key in ("geometry", "margins")]
    page.close()
    assert min(heights) > 50


@pytest.mark.thorough
@pytest.mark.usefixtures("coarse", "no_search")
@pytest.mark.parametrize("name", ["pitch-circle", *thorough(SKEW_STACK)])
def test_the_summary_prints_on_one_sheet(browser, tmp_path, name):
    path = tmp_path / "summary.html"
    machine = gough.load(name)
    machine = machine if name != "pitch-circle" else machine.with_payload(2.0, [0.0, 0.0, 0.3])
    gough.report(machine, summary=True).write(path)
    visit = Visit(browser, path.as_uri(), DESKTOP, "printable")
    assert len(PAGE.findall(visit.page.pdf(prefer_css_page_size=True))) == 1
    visit.page.emulate_media(media="print")
    visit.page.add_style_tag(content=f"body {{ width: {WIDTH_OF_PAPER}px; }}")
    needed, given = visit.page.evaluate(
        "(({ scrollHeight, clientHeight }) => [scrollHeight, clientHeight])(document.querySelector('.sheet'))"
    )
    heights = visit.page.evaluate("[...document.querySelectorAll('.paper')].map((picture) => picture.clientHeight)")
    visit.page.close()
    assert needed <= given, "nothing is cut"
    assert min(heights) > 150
    assert len(heights) == 2


def test_paper_gets_pictures_instead_of_canvases(desktop):
    page = desktop.page
    figures = page.locator("figure").count()
    page.emulate_media(media="print")
    sizes = page.evaluate("[...document.querySelectorAll('.paper')].map((i) => [i.naturalWidth, i.offsetWidth])")
    hidden = page.evaluate("[...document.querySelectorAll('.plot, nav')].map((e) => e.offsetWidth)")
    page.emulate_media(media="screen")
    assert len(sizes) == figures >= 5
    assert all(natural > 0 and width > 0 for natural, width in sizes)
    assert set(hidden) == {0}


@pytest.mark.thorough
def test_wide_tables_scroll_with_a_hint(phone):
    """On a phone some are wider than the window; the hint is there for those alone."""
    found = phone.page.evaluate(
        """[...document.querySelectorAll("details:not(.definitions)")].forEach((fold) => { fold.open = true; });
        new Promise((done) => setTimeout(() => done([...document.querySelectorAll(".wide")].map((frame) => [
          frame.scrollWidth > frame.clientWidth + 1,
          getComputedStyle(frame).overflowX,
          getComputedStyle(frame.nextElementSibling).display,
        ])), 300))"""
    )
    assert {overflow for _, overflow, _ in found} == {"auto"}
    assert {is_wide: display for is_wide, _, display in found} == {True: "block", False: "none"}
    phone.page.evaluate("document.querySelectorAll('details').forEach((fold) => { fold.open = false; })")


@pytest.mark.usefixtures("coarse", "no_search")
@pytest.mark.thorough
def test_the_legend_of_the_printed_summary_names_all_limits(browser, tmp_path):
    """Plotly cuts a legend of more than half of the figure, and paper does not scroll."""
    path = tmp_path / "summary.html"
    gough.report(gough.load("hexaglide"), summary=True).write(path)
    visit = Visit(browser, path.as_uri(), DESKTOP, "printable")
    visit.page.evaluate(
        """(() => {
          for (const picture of document.querySelectorAll("img.paper")) picture.removeAttribute("src");
          dispatchEvent(new Event("beforeprint"));
        })()"""
    )
    visit.page.emulate_media(media="print")
    last, end = visit.page.evaluate(
        """[".legendtext", ".bg"].map((part) => {
          const parts = [...document.querySelectorAll(`.stamp .legend ${part}`)];
          return Math.max(...parts.map((each) => each.getBoundingClientRect().bottom));
        })"""
    )
    visit.page.close()
    assert 0 < last <= end


@pytest.mark.thorough
def test_the_summary_fits_a_phone_and_its_wide_tables_say_so(browser, hexel_report, tmp_path):
    path = tmp_path / "summary.html"
    report = replace(hexel_report, is_summary=True)
    path.write_text(report.html(), "utf-8")
    visit = Visit(browser, path.as_uri(), PHONE, "drawn")
    width, window = visit.page.evaluate("[document.documentElement.scrollWidth, window.innerWidth]")
    beside = visit.page.evaluate("[...document.querySelectorAll('.beside > div')].map((e) => e.offsetWidth)")
    visit.page.close()
    assert width <= window
    assert len(beside) == 2
    assert max(beside) < window


@pytest.mark.thorough
def test_text_stands_out_in_the_dark(browser, address):
    page = browser.new_page(color_scheme="dark", java_script_enabled=False)
    page.goto(address, timeout=PATIENCE)
    style = page.locator("body").evaluate(
        "(body) => [getComputedStyle(body).color, getComputedStyle(body).backgroundColor]"
    )
    page.close()
    ink, paper = (sum(map(int, colour.removeprefix("rgb(").rstrip(")").split(","))) for colour in style)
    assert ink > 3 * 200
    assert paper < 3 * 40
