"""The page on architecture agrees with the code: rooms, layers, files and tests that it names exist."""

import itertools
import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "src" / "gough"
TEXT = (ROOT / "docs" / "architecture.md").read_text("utf-8")
EVIDENCE = (ROOT / "docs" / "evidence.md").read_text("utf-8")
PICTURE = re.search(r"```mermaid\n(.*?)```", TEXT, re.DOTALL)[1]
ROOMS = {path.parent.name for path in PACKAGE.glob("*/__init__.py")}


def test_every_room_is_in_the_picture_and_in_the_table():
    rows = "\n".join(line.split("|")[1] for line in TEXT.splitlines() if line.startswith("| `"))
    assert ROOMS - set(re.findall(r"\w+", PICTURE)) == set()
    assert ROOMS - set(re.findall(r"`(\w+)/`", rows)) == set()


def test_the_picture_goes_up_as_the_contract_does():
    layers = re.search(
        r'containers = \["gough"\]\nexhaustive = true\nlayers = \[\n(.*?)\]',
        (ROOT / "pyproject.toml").read_text("utf-8"),
        re.DOTALL,
    )[1]
    height = {name: -k for k, line in enumerate(layers.splitlines()) for name in re.findall(r"\w+", line)}
    inside = {key: re.findall(r"\w+", words) for key, words in re.findall(r'(\w+)\["(.*?)"\]', PICTURE)}
    for line in re.sub(r'\["[^\]]*\]', "", PICTURE).splitlines()[1:]:
        steps = [re.findall(r"\w+", step) for step in line.split("-->")]
        for below, above in itertools.pairwise(steps):
            lowest = min(height[name] for key in above for name in inside.get(key, [key]))
            assert max(height[name] for key in below for name in inside.get(key, [key])) < lowest, line


def test_every_file_and_test_it_names_is_there():
    named = re.findall(r"`((?:src|tests|docs|scripts)/[\w./-]+)(?:::(\w+))?`", TEXT + EVIDENCE)
    assert len(named) > 30
    for path, test in named:
        if not re.search(r"[A-Z]{4}", path):
            assert (ROOT / path).exists(), path
            assert not test or f"def {test}(" in (ROOT / path).read_text("utf-8"), test
