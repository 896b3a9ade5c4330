"""The site covers the code: every public name has its example, every figure its card, every module its page.

What lands without them fails here.
"""

import ast
import doctest
import importlib
import re
from pathlib import Path

import pytest
from tests.architecture.test_public_names import ENTRIES

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
API = sorted((DOCS / "api").glob("*.md"))
PAGES = {path: path.read_text("utf-8") for path in sorted(DOCS.glob("*.md")) + sorted(DOCS.glob("[a-z]*/*.md"))}
EXAMPLES = {path.name: path.read_text("utf-8") for path in sorted((ROOT / "examples").glob("[0-9]*.py"))}
NAMES = sorted({f"{package}.{name}" for package, name, home in ENTRIES if home is not None})


def described(text):
    """Public paths that an API page describes."""
    return [path for block in re.findall(r"```\{api\}\n(.*?)```", text, re.DOTALL) for path in block.split()]


def thing(path):
    package, _, name = path.rpartition(".")
    return getattr(importlib.import_module(package), name)


DESCRIBED = {path: page for page in API for path in described(PAGES[page])}
PLACES = {id(thing(path)): path for path in DESCRIBED}


def examples_of(text):
    """Statements of the page's examples."""
    code = "\n".join(re.findall(r"```pycon\n(.*?)```", text, re.DOTALL))
    return "\n".join(line for line in code.splitlines() if line.startswith((">>>", "...")))


def lacks_of(paths, places, pages):
    """Names that no API page describes, and names that no example of their page uses."""
    for path in paths:
        place = places.get(id(thing(path)))
        if place is None:
            yield f"{path}: in no block of docs/api"
        elif not re.search(rf"\b{place.rpartition('.')[2]}\b", examples_of(pages[place])):
            yield f"{path}: no example uses it on its page"


def test_every_public_name_is_described_with_an_example():
    assert not sorted(set(lacks_of(NAMES, PLACES, {path: PAGES[page] for path, page in DESCRIBED.items()})))


def test_every_name_is_described_once():
    found = [path for page in API for path in described(PAGES[page])]
    assert len(found) == len(set(found)) == len(PLACES)


@pytest.mark.thorough
@pytest.mark.parametrize("page", API, ids=lambda page: page.stem)
def test_the_examples_of_an_api_page_print_what_it_says(page):
    code = "\n".join(re.findall(r"```pycon\n(.*?)```", PAGES[page], re.DOTALL))
    example = doctest.DocTestParser().get_doctest(code, {}, page.name, str(page), 0)
    told = []
    outcome = doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE).run(example, out=told.append)
    assert outcome.failed == 0, "".join(told)


def used_in(text, module):
    """Attributes of a topic module that a script uses: of `gough.module`, or of the name that it imports."""
    tree = ast.parse(text)
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and ast.unparse(node.value) in (module, f"gough.{module}"):
            yield node.attr


def test_every_figure_is_on_a_card():
    shown = {name for text in EXAMPLES.values() for name in used_in(text, "plot")}
    figures = {name for package, name, _ in ENTRIES if package == "gough.plot"}
    assert not sorted(figures - shown)


def test_every_export_is_on_a_card():
    shown = {name for text in EXAMPLES.values() for name in used_in(text, "export")}
    assert not {name for package, name, _ in ENTRIES if package == "gough.export"} - shown


def places_named(text):
    """Pages, with their sections, that a source file names."""
    return re.findall(r"\b(docs/[a-z/-]+\.md)(#[\w-]+)?", text)


def anchors(text):
    """Sections of a page, as links name them."""
    heads = re.findall(r"^#+ (.+)$", text, re.MULTILINE)
    return {"#" + re.sub(r"[^\w\s-]", "", head.lower()).strip().replace(" ", "-") for head in heads}


SOURCES = [*sorted((ROOT / "src").rglob("*.py")), *(ROOT / "examples").glob("*.py"), ROOT / "README.md"]


def test_pages_that_code_names_are_there_with_their_sections():
    named = [(path, *place) for path in SOURCES for place in places_named(path.read_text("utf-8"))]
    assert len({page for _, page, _ in named}) > 15
    for path, page, anchor in named:
        assert (ROOT / page).exists(), f"{path.relative_to(ROOT)} names {page}"
        assert not anchor or anchor in anchors((ROOT / page).read_text("utf-8")), (
            f"{path.relative_to(ROOT)}: {page}{anchor}"
        )
