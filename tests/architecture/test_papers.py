"""docs/papers.md can be read in a checkout: its links lead somewhere, its numbers are computed here or by scripts."""

import contextlib
import io
import json
import re
import runpy
from pathlib import Path

import numpy as np
import pytest

import gough
from gough import motion, multibody

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
PAPERS = (DOCS / "papers.md").read_text("utf-8")
PAGES = [path for path in [*DOCS.glob("*.md"), *DOCS.glob("[a-z]*/*.md")] if "gallery" not in path.parts]
MADE = re.compile(r"(?:\.\./)?(?:gallery/|contributing\.md|.*_generated/)")
"""Pages and pictures that the build makes."""
LINK = re.compile(r"(?<!!)\[[^\]]*\]\(([^)\s]+)\)")
NUMBER = re.compile(r"(?<![\w.])\d+(?:\.\d+)?(?:e-?\d+)?")


def anchors(text):
    heads = re.findall(r"^#+ (.+)$", text, re.MULTILINE)
    return {re.sub(r"[^\w\s-]", "", head.lower()).strip().replace(" ", "-") for head in heads}


def dead(page, text):
    """Links of a page that lead nowhere in a checkout."""
    for link in LINK.findall(text):
        target, _, anchor = link.partition("#")
        if "://" in link or MADE.match(target):
            continue
        path = (page.parent / target).resolve() if target else page
        if not path.exists() or (anchor and path.suffix == ".md" and anchor not in anchors(path.read_text("utf-8"))):
            yield link


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(DOCS).as_posix())
def test_links_of_a_page_lead_somewhere_in_a_checkout(page):
    assert not list(dead(page, page.read_text("utf-8")))


def test_pages_that_the_readme_links_need_no_build_for_their_numbers_and_links():
    """Tables that the build writes are included, and pictures shown; links and numbers are there without it."""
    readme = (ROOT / "README.md").read_text("utf-8")
    pages = [ROOT / link.partition("#")[0] for link in LINK.findall(readme) if link.startswith("docs/")]
    assert len(pages) > 8
    for page in pages:
        text = page.read_text("utf-8")
        assert "{{" not in text, page
        assert not [link for link in LINK.findall(text) if MADE.match(link)], page


def test_the_list_of_statements_names_tests_that_exist():
    folder = ROOT / "tests" / "references"
    named = re.findall(r"`((?:\.\./)?\w*/?test_\w+\.py)(?:::(\w+))?`", (folder / "SOURCES.md").read_text("utf-8"))
    assert len(named) > 15
    for file, name in named:
        text = (folder / file).read_text("utf-8")
        assert not name or f"def {name}(" in text, f"{file}::{name}"


def cells(column):
    """Cells of a column in all tables of the page that have it."""
    for table in re.findall(r"(?:^\|.*\n)+", PAPERS, re.MULTILINE):
        head, _, *rows = ([cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]] for line in table.splitlines())
        if column in head:
            yield from (row[head.index(column)] for row in rows)


def numbers(text):
    """Numbers of a text, without code, formulas, references to equations and links."""
    return NUMBER.findall(re.sub(r"`[^`]*`|\$[^$]*\$|\]\([^)]*\)|\(\d+\)", " ", text))


@pytest.fixture(scope="module")
def printed(tmp_path_factory):
    """Numbers that both scripts print."""
    words = io.StringIO()
    with contextlib.chdir(tmp_path_factory.mktemp("figures")), contextlib.redirect_stdout(words):
        for name in ("22_thirteen_solids", "73_misprints"):
            runpy.run_path(str(ROOT / "examples" / f"{name}.py"))
    return set(NUMBER.findall(re.sub(r"\(\d+\)", " ", words.getvalue())))


@pytest.mark.thorough
def test_scripts_print_the_numbers_of_the_misprints_and_of_the_thirteen_solids(printed):
    shown = [each for cell in cells("evidence") for each in numbers(cell)]
    assert len(shown) > 25
    assert set(shown) <= printed
    of_solids = {"8.53329", "8.5104", "0.00715", "0.00306", "39.7351", "39.5246", "32.6795"}
    assert of_solids <= printed
    assert all(number in PAPERS for number in of_solids)


def test_the_force_at_rest_is_that_of_parts_of_35_centimetres():
    """Two parts on a leg of angle c to the vertical: base joint without moment, platform held by six legs alike."""
    for leg, length, force in ((0.40, 0.5320, 8.53329), (0.35, 0.5320, 8.5104), (0.35, 0.53197, 8.5105)):
        height = np.sqrt(length**2 - 0.5320**2 + 0.5000058267387921**2)
        # Virtual work of a vertical rise dz: the leg extends by dz cos c, the parts' centres rise in proportion.
        lower, upper = leg / 2, length - leg / 2
        cosine = height / length
        # d(lower cos c)/dz and d(upper part)/dz with the base circle fixed: z_i = s_i z / l, l dl = z dz.
        rise = lower / length * (1 - cosine**2), 1 - (leg / 2) / length * (1 - cosine**2)
        assert upper > lower
        found = 9.81 * (3 / 6 + 0.7 * rise[0] + 0.3 * rise[1]) / cosine
        assert found == pytest.approx(force, abs=6e-5)


def row(words):
    (line,) = (line for line in PAPERS.splitlines() if words in line)
    return line


def test_the_page_says_how_far_strut_space_leads_off_the_line():
    m = gough.load("hexel")
    line = motion.line(m.home, gough.frames.displaced(m, gough.pose([0.1, 0, 0])))
    off = 1e6 * motion.joint_space.straightness(m, line(np.array(line.span))[0]).largest.max()
    assert f"{off:.0f} µm on 100 mm" in row("straight-line Cartesian motion")


def test_the_page_says_where_the_animator_ends():
    known = json.loads((ROOT / "tests" / "references" / "hexel.json").read_text("utf-8"))
    m = gough.load("hexel")
    found = motion.joint_space.incremental_forward(m, m.home, 1e-3 * np.asarray(known["fk_displacement"]))
    assert f"end {1e6 * found.position_error[-1]:.2f} µm from" in row("from strut displacements to a pose")


def test_the_page_says_what_holding_multipliers_costs():
    system, time = multibody.double_pendulum(), np.linspace(0, 0.5, 101)

    def angles(time, **options):
        R = multibody.simulate(system, times=time, **options).Z[:, :2, :, 1:]
        return np.unwrap(np.arctan2(R[..., 1, 0], R[..., 0, 0]), axis=0)

    truth = angles(time)
    for options in ({"multipliers": "held", "project": False, "solver": "two-step"}, {}):
        off = abs(angles(time, step=1e-3, **options) - truth)
        half = abs(angles(time[:51], step=5e-4, **options) - truth[:51])
        assert f"{off.max():.0e} rad" in row("no major influence")
        assert f"{np.log2(off[:51].max() / half.max()):.1f}" in row("no major influence")
