"""Pictures and numbers of the site come from its build: none is kept that nothing makes, none in the prose is typed."""

import json
import re
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
MADE = re.compile(r"(?:\.\./)?(?:_generated/[\w-]+\.(?:svg|png)|gallery/[\w-]+/images/sphx_glr_(\w[\w-]*)_\d{3}\.png)")
"""Where the build puts pictures."""
PAGES = [path for path in sorted(DOCS.glob("*.md")) + sorted(DOCS.glob("[a-z]*/*.md")) if path.parent.name != "api"]
PICTURE = re.compile(r"!\[[^\]]*\]\(([^)]+)\)|```\{(?:image|figure)\} (\S+)")


def pictures(text):
    """What a page shows, and whether each has words for those who do not see it."""
    return [(a or b) for a, b in PICTURE.findall(text)]


def unmade(text, examples):
    """Pictures of a page that no build makes."""
    for name in pictures(text):
        made = MADE.fullmatch(name)
        if made is None or (made[1] and made[1] not in examples):
            yield name


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(DOCS).as_posix())
def test_the_build_makes_every_picture_of_a_page(page):
    examples = {path.stem for path in (ROOT / "examples").glob("[0-9]*.py")}
    assert not list(unmade(page.read_text("utf-8"), examples))
    assert "![](" not in page.read_text("utf-8"), "a picture without words"


def test_names_of_values_are_known_and_used(monkeypatch):
    monkeypatch.setattr(sys, "path", [str(DOCS), *sys.path])
    from _site import measured, values

    used = {name for page in PAGES for name in re.findall(r"<!--(\w+)-->", page.read_text("utf-8"))}
    of_cards = {name for names in values.CARDS.values() for name in names} | {"velocities"}
    computed = set(json.loads((DOCS / "_generated" / "values.json").read_text())) if values.STORED.exists() else used
    known = of_cards | set(measured.CELLS) | computed
    assert used <= known
    assert of_cards | set(measured.CELLS) <= used, "a value that no page shows"


def test_values_of_benchmarks_have_their_rows(monkeypatch):
    monkeypatch.setattr(sys, "path", [str(DOCS), *sys.path])
    from _site import measured

    for row in measured.CELLS.values():
        assert measured.cell(*row)
    with pytest.raises(ValueError, match="no row 'gone'"):
        measured.cell("gone", "", "")
    runs = [measured.stored(name) for name in ("assembly_counts", "forward_counts", "viewer", "volume")]
    for run in [*runs, *measured.stored("speed").values()]:
        assert run["command"].startswith("python -m benchmarks")
        assert run["date"]
