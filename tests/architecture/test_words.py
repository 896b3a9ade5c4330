"""The field's words: names, file names, first lines of docstrings and pages are free of private metaphors.

CONTRIBUTING.md has the terms to use instead.
"""

import ast
import re
from pathlib import Path

import pytest
from tests.sources import PACKAGE, nodes

BANNED = {
    "ask", "asked", "asking", "asks", "askable", "echo", "haste", "hastily", "keeping", "lean", "nought", "shall",
    "sort", "sorts", "stand", "standing", "stands", "star", "tell", "telling", "tells", "told", "way", "ways",
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
OPEN = {"tell_numba"}
"""A name that is in the metadata of every installation."""
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


def wrong(path):
    """Names and first lines of a file with a banned word, with their lines."""
    module, *others = nodes(path)
    texts = [(1, path.stem), (1, first_line(module))]
    for node in others:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            texts += [(node.lineno, node.name), (node.lineno, first_line(node))]
        if isinstance(node, ast.FunctionDef):
            texts += [(arg.lineno, arg.arg) for arg in (*node.args.args, *node.args.kwonlyargs)]
        if isinstance(node, ast.AnnAssign | ast.Assign):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            texts += [
                (node.lineno, name.id) for target in targets for name in ast.walk(target) if isinstance(name, ast.Name)
            ]
    inside = path.relative_to(PACKAGE).as_posix() if path.is_relative_to(PACKAGE) else path.name
    banned = BANNED.union(*(more for place, more in OTHERWISE.items() if inside.startswith(place)))
    return [f"{path.name}:{line}: {text}" for line, text in texts if text not in OPEN and words(text) & banned]


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
    for text in texts:
        (tmp_path / "plain.py").write_text(text)
        assert len(wrong(tmp_path / "plain.py")) == 1, text
    (tmp_path / "echo.py").write_text("always = 'away'")
    assert len(wrong(tmp_path / "echo.py")) == 1
