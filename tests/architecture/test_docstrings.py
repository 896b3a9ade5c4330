"""Docstrings describe the arguments that functions have; names in docstrings and in the documentation exist."""

import builtins
import functools
import importlib
import inspect
import re

import pytest
from tests.architecture.test_public_names import ENTRIES, PACKAGE, ROOT

import gough

FUNCTIONS = {
    thing: f"{home}.{name}"
    for _, name, home in ENTRIES
    if home is not None and inspect.isfunction(thing := getattr(importlib.import_module(home), name))
}
SECTION = re.compile(r"^(Parameters|Returns|Raises|Attributes)\n-+\n(.*?)(?=^\w+\n-+\n|\Z)", re.MULTILINE | re.DOTALL)
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))]
PAGES += [path for path in sorted((ROOT / "docs").glob("*/*.md")) if not path.parent.name.startswith("_")]
SOURCES = sorted(PACKAGE.rglob("*.py"))
DOTTED = re.compile(r"(?<![\w./\-\"'*])gough(?:\.[A-Za-z_]\w*)+(?![\w/])")
PLAIN = re.compile(r"(?:[Ss]ee|[Aa]s|[Oo]f|for|by|from) `([A-Za-z_]\w*)`")
FILE_ENDINGS = {"toml", "html", "csv", "md", "py", "json", "nc", "org"}


def sections(thing):
    """Title and body of each section of a docstring."""
    return dict(SECTION.findall(inspect.getdoc(thing) or ""))


def entries_of(body):
    """Names and text of the entries of a section: "low, high : (3,) array" is two names."""
    found: dict[str, str] = {}
    for entry in filter(None, re.split(r"\n(?=\S)", body.strip("\n"))):
        names = re.split(r"\s*,\s*", entry.partition("\n")[0].partition(" :")[0])
        found |= {name.lstrip("*"): entry for name in names}
    return found


def arguments_results_and_failures_are_described(function):
    found = sections(function)
    names = list(inspect.signature(function).parameters)
    if names:
        assert "Parameters" in found
        assert set(entries_of(found["Parameters"])) == set(names)
    first, _, more = found["Returns"].strip("\n").partition("\n")
    assert more.strip() or not re.fullmatch(r"[\w.]+", first.strip()), "more than a class: what of it, shapes and units"
    assert "Raises" in found or "NaN" in (inspect.getdoc(function) or "")


def named_exceptions_exist(function):
    for name in entries_of(sections(function).get("Raises", "")):
        kind = getattr(gough.errors, name, None) or getattr(builtins, name, None)
        assert isinstance(kind, type), name
        assert issubclass(kind, Exception), name


def an_array_a_result_a_table_or_a_figure_is_returned(function):
    """The rule of CONTRIBUTING: no list, and no tuple of different things."""
    kind = str(inspect.unwrap(function).__annotations__["return"])
    assert not re.search(r"\b(list|List|Any)\[", kind)
    assert "tuple[" not in kind or re.search(r"tuple\[\w+, \.\.\.\]", kind)
    assert "dict[" not in kind or re.search(r"dict\[str, [A-Z]\w+\]", kind)


CHECKS = (
    arguments_results_and_failures_are_described,
    named_exceptions_exist,
    an_array_a_result_a_table_or_a_figure_is_returned,
)


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
def test_of_every_public_function(check):
    wrong = {}
    for function, name in FUNCTIONS.items():
        try:
            check(function)
        except (AssertionError, KeyError) as error:
            wrong[name] = error
    assert not wrong


@functools.cache
def leads_somewhere(dotted):
    """Whether a dotted name is a module or an attribute, of an instance too as far as a class is annotated."""
    parts = dotted.split(".")
    thing = gough
    for k, part in enumerate(parts[1:], 2):
        if part in getattr(thing, "__annotations__", {}):
            return k == len(parts)
        try:
            thing = getattr(thing, part)
        except AttributeError:
            try:
                thing = importlib.import_module(".".join(parts[:k]))
            except ImportError:
                return False
    return True


def lost_in(text):
    found = {name for name in DOTTED.findall(text) if name.rpartition(".")[2] not in FILE_ENDINGS}
    return sorted(name for name in found if not leads_somewhere(name))


def test_names_in_the_documentation_docstrings_and_comments_exist():
    lost = {str(path.relative_to(ROOT)): lost_in(path.read_text("utf-8")) for path in (*PAGES, *SOURCES)}
    assert not {path: names for path, names in lost.items() if names}


def lost_plain_in(text, known):
    """Names to which a text refers without a package, "see `travel`", and that stand nowhere else in it."""
    found = set(PLAIN.findall(text)) - known
    return sorted(name for name in found if not re.search(rf"(?<![`\w]){name}(?![`\w])", text))


def test_plain_references_exist():
    public = {name for _, name, _ in ENTRIES} | {"X_BP", "R_BP", "p_BP", "class"}
    lost = {}
    for path in SOURCES:
        beside = {each.stem for each in path.parent.glob("*.py")}
        lost[str(path.relative_to(PACKAGE))] = lost_plain_in(path.read_text("utf-8"), public | beside)
    assert not {path: names for path, names in lost.items() if names}
