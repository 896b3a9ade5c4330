"""The field's words: names, file names, first lines of docstrings, messages and pages have no private metaphors.

CONTRIBUTING.md has the terms to use instead.
"""

import ast
import re
from pathlib import Path

import pytest
from tests.sources import PACKAGE, nodes

BANNED = {
    "ask", "asked", "asking", "asks", "askable", "echo", "haste", "hastily", "keeping", "lean", "nought", "shall",
    "sort", "sorts", "speak", "speaks", "stand", "standing", "stands", "star", "tell", "telling", "tells", "told",
    "way", "ways",
}  # fmt: skip
"""A path, displacement, travel or rail is no way; a kind no sort; a page or a solver is not told, it does not ask."""
OTHERWISE = {
    "motion": {"share", "shares"},  # the utilisation of a limit
    "chunks.py": {"share", "shares", "shared"},  # what all chunks have in common
    "batches.py": {"share", "shares", "shared"},  # work is divided between the cores
    "multibody/simulation.py": {"stage", "stages"},  # evaluations of a Runge-Kutta step
    "multibody/integrate.py": {"stage", "stages"},
}
"""Words that have another meaning: a share is the lower stage's part of a displacement, or a part of a whole such as
the boundary; a stage is one hexapod of two."""
LOAD = {"load", "loads", "loaded", "loading", "unloaded", "overload"}
"""To load is to read a file (`gough.load`): what acts on a machine is a force, a wrench or a payload, by name."""
READING = {
    "description/load.py": LOAD,
    "viewer/saved_view.py": {"load"},  # a key of saved views, which are JSON
    "cli/stiffness.py": {"loaded"},  # the option --loaded
    "cli/frequencies.py": {"loaded"},
}
"""Where a name may have these words: what reads files, and what is typed or stored under that name already."""
FILES = sorted(PACKAGE.rglob("*.py"))
ROOT = Path(__file__).parents[2]
PAGES = sorted(path for path in [*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")] if "_generated" not in path.parts)
CODE = re.compile(r"^```.*?^```|`[^`\n]*`", re.DOTALL | re.MULTILINE)


def words(text):
    """The words of a sentence or of a name: `way_back` and `WayBack` have "way", "star-shaped" (a term) no "star"."""
    plain = text.replace("star-shaped", "")
    return {part.lower() for part in re.findall(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])", plain)}


def first_line(node):
    return (ast.get_docstring(node) or "").partition("\n")[0]


def names_of(path):
    """The file's, and those of its classes, functions, parameters and variables, with their lines."""
    yield 1, path.stem
    for node in nodes(path):
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            yield node.lineno, node.name
        elif isinstance(node, ast.arg):
            yield node.lineno, node.arg
        elif isinstance(node, ast.Name | ast.Attribute) and isinstance(node.ctx, ast.Store):
            yield node.lineno, node.id if isinstance(node, ast.Name) else node.attr
        elif isinstance(node, ast.alias) and node.asname:
            yield node.lineno, node.asname


def first_lines_of(path):
    """Of the file and of its classes and functions, with their lines."""
    for node in nodes(path):
        if isinstance(node, ast.Module | ast.FunctionDef | ast.ClassDef):
            yield getattr(node, "lineno", 1), first_line(node)


MESSAGES = re.compile(r"\b(?:held|held there) by\b")
"""In messages a pose is limited by a limit."""


def messages_of(path):
    """All strings but docstrings, with their lines: what is raised, returned, yielded, or kept for that."""
    every = nodes(path)
    described = {id(node.value) for node in every if isinstance(node, ast.Expr)}
    for node in every:
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in described:
            yield node.lineno, node.value


def wrong(path):
    """Names, first lines and messages with a banned word, names with a load that is no reading, with their lines."""
    inside = path.relative_to(PACKAGE).as_posix() if path.is_relative_to(PACKAGE) else path.name
    banned = BANNED.union(*(more for place, more in OTHERWISE.items() if inside.startswith(place)))
    of_forces = LOAD - READING.get(inside, set())
    names = list(names_of(path))
    found = [each for each in names if words(each[1]) & (banned | of_forces)]
    found += [each for each in first_lines_of(path) if words(each[1]) & banned]
    found += [each for each in messages_of(path) if words(each[1]) & banned or MESSAGES.search(each[1])]
    return [f"{path.name}:{line}: {text}" for line, text in found]


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_names_and_first_lines_use_the_fields_words(path):
    assert not wrong(path)


def wrong_prose(text):
    """Lines of a page with a banned word outside code."""
    lines = CODE.sub(lambda code: "\n" * code[0].count("\n"), text).splitlines()
    return [f"{k}: {line}" for k, line in enumerate(lines, 1) if words(line) & BANNED]


@pytest.mark.parametrize("path", PAGES, ids=lambda path: str(path.relative_to(ROOT)))
def test_pages_use_the_fields_words(path):
    assert not wrong_prose(path.read_text("utf-8"))


def test_a_banned_word_is_found_in_prose_and_not_in_code():
    assert wrong_prose("A line.\n\n```sh\nway\n```\nThe way of `way`.") == ["6: The way of ."]
    assert not wrong_prose("Always `--way`, star-shaped.\n```\nways\n```")


def test_the_test_finds_what_it_looks_for(tmp_path):
    """Each place by itself: file, module, class, function, parameter, variable."""
    texts = ['"""The way."""', "class Star: pass", "def is_told(): pass", "def f(haste): pass", "way_back = 1"]
    texts += ["class LegLoad: pass", "def load_capacity(): pass", "def f(*, load=0): pass", "self.loads = 1"]
    texts += ["raise ValueError(f'{x} bars the way')", "def f(): return 'held by a limit'", "words = 'which way'"]
    for text in texts:
        (tmp_path / "plain.py").write_text(text)
        assert len(wrong(tmp_path / "plain.py")) == 1, text
    for stem in ("echo", "leg_loads"):
        (tmp_path / f"{stem}.py").write_text("always, payload, upload = 'away', 'load', 'loads'")
        assert len(wrong(tmp_path / f"{stem}.py")) == 1
