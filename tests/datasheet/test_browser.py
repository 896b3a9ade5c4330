"""The page in headless Chromium: it is silent, draws all figures, asks nobody, fits a phone and goes on paper."""

import math
import re
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
from tests.skew import SKEW_STACK
from tests.thorough import thorough

import gough
from gough.datasheet.html import asset, blocks
from gough.datasheet.model import Card, Folded, Picture

pytestmark = pytest.mark.thorough

PATIENCE = 120_000
"""Before a page that does not draw fails the test [ms]; software rendering takes some ten seconds."""
HARMLESS = ("Canvas2D: Multiple readback operations", "GPU stall due to ReadPixels")
"""Chromium's advice on how plotly.js measures its text, and on reading back pictures where software shows the page."""
DESKTOP = {"viewport": {"width": 1280, "height": 900}}
FOLDS = "document.querySelectorAll('details:not(.definitions)').forEach((fold) => {{ fold.open = {}; }})"
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


def test_figures_on_the_way_are_drawn_and_fit_their_column(visit):
    """One walk down the page and back to its first scene, on a long page by some figures only: software takes seconds
    for a scene. That every figure can be drawn is what its picture for paper shows."""
    page = visit.page
    most = int(re.search(r"const LIVE = (\d+);", page.content())[1])
    canvases, figures = page.locator(".plot.scene canvas"), page.locator("figure")
    assert page.locator(".plot:not(.scene)").count() >= 2
    assert page.locator(".plot.scene").count() >= 3
    step = 4 if figures.count() > 10 else 1
    page.evaluate(FOLDS.format("true"))
    for figure in [*figures.all()[::step], page.locator("figure:has(.scene)").first]:
        figure.scroll_into_view_if_needed()  # drawn when they come near the window
        figure.locator(".main-svg").first.wait_for(timeout=PATIENCE)
        if figure.locator(".scene").count():
            figure.locator("canvas").first.wait_for(timeout=PATIENCE)
        check_fit(figure)
        # Few 3-D canvases live at a time; those near the window are kept beyond the number.
        assert canvases.count() <= most + 4
    page.evaluate(FOLDS.format("false"))
    assert "WebGL is not supported" not in page.inner_text("main")


def check_fit(figure):
    column, plot = figure.bounding_box(), figure.locator(".plot").bounding_box()
    drawn = figure.locator(".main-svg").first.bounding_box()
    assert plot["width"] <= column["width"] + 1
    assert drawn["width"] <= column["width"] + 1
    assert drawn["height"] == pytest.approx(plot["height"], abs=1)


def test_the_page_does_not_scroll_sideways(visit):
    width, window = visit.page.evaluate("[document.documentElement.scrollWidth, window.innerWidth]")
    assert width <= window


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


STAMPED = """(() => {
  for (const picture of document.querySelectorAll("img.paper")) picture.removeAttribute("src");
  dispatchEvent(new Event("beforeprint"));
})()"""
"""Makes the figures go on paper as elements, which can be measured."""
SMALLEST_SCENE = 130
"""Height of a machine on paper [pixels of 1/96 inch]: 34 mm."""
ROOM = 16
"""Between the machine and the charts at its side [pixels]."""


@pytest.mark.thorough
@pytest.mark.usefixtures("coarse", "no_search")
def test_the_animation_of_a_path_is_a_picture_with_room_for_its_words(browser, tmp_path):
    machine = gough.load("hexaglide")
    there = gough.frames.displaced(machine, gough.pose([0.02, 0.01, 0.03]))
    path = gough.motion.programs.path_through_poses(machine, [machine.X_home, there.as_matrix()])
    plan = gough.motion.time_optimal(machine, path)
    report = gough.report(machine, path=gough.motion.path_report(plan))
    address = page_of(report, lambda section, *_: section.key == "path", tmp_path / "path.html")
    visit = Visit(browser, address, DESKTOP, "printable")
    visit.page.evaluate(STAMPED)
    visit.page.emulate_media(media="print")
    visit.page.add_style_tag(content=f"body {{ width: {WIDTH_OF_PAPER}px; }}")
    scene, entries = visit.page.evaluate(
        """(() => {
          const box = (part) => {
            const { left, right, top, bottom } = part.getBoundingClientRect();
            return [left, right, top, bottom];
          };
          const sheet = [...document.querySelectorAll(".stamp")].at(-1);
          return [box(sheet.querySelector("canvas")), [...sheet.querySelectorAll(".legend .traces")].map(box)];
        })()"""
    )
    visit.page.close()
    assert (scene[1] - scene[0]) / (scene[3] - scene[2]) < 2.2, "squashed"
    assert scene[3] - scene[2] > SMALLEST_SCENE
    assert len(entries) == 6
    assert max(right for _, right, *_ in entries) <= scene[1] + ROOM, "the legend is over the charts"


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
@pytest.mark.parametrize("width", [360, 1280])
def test_long_key_figures_stay_in_their_columns(browser, width):
    """They fold where they are too long, as the travel of a machine in metres with strokes of micrometres is."""
    values = ["± 6.78×10⁻⁵ / 6.56×10⁻⁵ / 7.93×10⁻⁵", "0.095175 to 0.095275", "0.095175±0.000001"]
    cards = [Card("Leg length", value, "m", is_wide=value.startswith("± ")) for value in values]
    page = browser.new_page(viewport={"width": width, "height": 800})
    written = "".join(blocks().card(SimpleNamespace(declared={}, definition=lambda key: ""), card) for card in cards)
    page.set_content(f"<style>{asset('page.css')}</style><header><dl class='cards'>{written}</dl></header>")
    inside = page.evaluate("[...document.querySelectorAll('.value')].map((e) => e.scrollWidth <= e.clientWidth)")
    scrolls = page.evaluate("document.documentElement.scrollWidth > innerWidth")
    page.close()
    assert all(inside)
    assert not scrolls


@pytest.mark.thorough
def test_tables_go_on_over_the_end_of_a_page(browser):
    """Three of more than half a page are on two, not on three."""
    table = f"<div class='wide'><table><thead><tr><th>a</th></tr></thead>{'<tr><td>1</td></tr>' * 28}</table></div>"
    page = browser.new_page()
    page.set_content(f"<style>{asset('page.css')}</style><main>{table * 3}</main>")
    height = page.locator("table").first.bounding_box()["height"]
    pages = len(PAGE.findall(page.pdf(prefer_css_page_size=True)))
    page.close()
    assert height > 400
    assert pages == 2


@pytest.mark.thorough
def test_short_tables_are_on_one_page(browser):
    """Half of the table would fit on the first page, its other half and the last block on the second; the whole of it
    leaves no room for that block."""
    table = f"<div class='wide'><table><thead><tr><th>a</th></tr></thead>{'<tr><td>1</td></tr>' * 6}</table></div>"
    page_height, row = 269, 5.1  # mm
    first, last = (
        f"<div style='height: {page_height - rows * row}mm; break-inside: avoid'></div>" for rows in (4.2, 6)
    )
    page = browser.new_page()
    page.set_content(f"<style>{asset('page.css')}</style><main>{first}{table}{last}</main>")
    found = len(PAGE.findall(page.pdf(prefer_css_page_size=True)))
    page.close()
    assert found == 3


def test_the_button_turns_the_camera_round_and_stops_it(desktop):
    page = desktop.page
    figure = page.locator("figure:has(.scene)").first
    button, scene = figure.locator(".turn"), figure.locator(".scene")
    button.scroll_into_view_if_needed()
    scene.locator("canvas").first.wait_for(timeout=PATIENCE)

    def eye():
        return scene.evaluate("(plot) => Object.values(plot.layout.scene.camera.eye)")

    up = scene.evaluate("(plot) => Object.values(plot.layout.scene.camera.up)")
    before = eye()
    button.click()
    page.wait_for_function(
        "(before) => document.querySelector('.scene').layout.scene.camera.eye.x !== before", arg=before[0]
    )
    button.click()
    assert button.get_attribute("aria-pressed") == "false"
    after = eye()
    page.wait_for_timeout(200)
    assert eye() == after
    # Between the frames of the orbit the eye goes straight, of which a parallel projection shows nothing.
    assert math.hypot(*after) == pytest.approx(math.hypot(*before), rel=0.01)
    assert np.dot(after, up) == pytest.approx(np.dot(before, up))


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
def test_paper_gets_what_is_drawn_at_once_where_a_picture_is_not_ready(desktop):
    """In the turn of the event itself, without anything that must be loaded; nothing of it stays."""
    page = desktop.page
    found = page.evaluate(
        """(() => {
          const pictures = [...document.querySelectorAll("img.paper")];
          const sources = pictures.map((picture) => picture.src);
          for (const picture of pictures) picture.removeAttribute("src");
          dispatchEvent(new Event("beforeprint"));
          const inks = [...document.querySelectorAll(".stamp")].map((sheet) => [
            sheet.querySelectorAll(".main-svg path, .main-svg text").length,
            ...[...sheet.querySelectorAll("canvas")].map((canvas) => {
              const pixels = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data;
              return new Set(pixels.filter((_, k) => k % 4 === 0)).size;
            }),
          ]);
          dispatchEvent(new Event("afterprint"));
          pictures.forEach((picture, k) => { picture.src = sources[k]; });
          return [inks, pictures.length, document.querySelectorAll(".stamp").length];
        })()"""
    )
    inks, pictures, left = found
    assert len(inks) == pictures >= 5
    assert left == 0
    assert all(any(parts) for parts in inks)
    shades = [shade for _, *canvases in inks for shade in canvases]
    assert len(shades) >= 3
    assert min(shades) > 10, "a canvas is not blank"


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
