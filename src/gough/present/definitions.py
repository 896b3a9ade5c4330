"""Definition and unit of every number of the datasheet and the viewer, from the table `definitions.toml`.

`python -m gough.present.definitions` prints docs/definitions.md, which is written from it.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import cache
from importlib import resources
from typing import Any


@dataclass(frozen=True)
class Definition:
    """Definition of one key of a section: `key` with stars for names, unit, a sentence exact enough to program, and
    the labels on the page."""

    key: str
    unit: str
    words: str
    labels: tuple[str, ...] = ()


@cache
def definitions() -> dict[str, tuple[Definition, ...]]:
    """Definitions of the keys of each section, in the table's order."""
    text = (resources.files("gough.present") / "definitions.toml").read_text("utf-8")
    table = tomllib.loads(text)
    return {
        name: tuple(Definition(key, unit, words, tuple(labels)) for key, (unit, words, *labels) in rows.items())
        for name, rows in table.items()
    }


def _of(section: str) -> tuple[Definition, ...]:
    return definitions().get(re.sub(r"^stage_\d_", "", section), ())


def _specific(pattern: str) -> int:
    """Number of characters that a pattern does not leave to stars."""
    return len(pattern.replace("*", ""))


def definition(section: str, path: str) -> Definition | None:
    """The definition of a key path within a section, such as "x.minus" of "travel"; None where there is none.

    Where several fit it is the most specific one, with the fewest characters left to stars. Sections of one stage of
    two ("stage_1_travel") have the definitions of those of a machine.
    """
    fitting = [row for row in _of(section) if row.key.count(".") == path.count(".") and fnmatchcase(path, row.key)]
    return max(fitting, key=lambda row: _specific(row.key), default=None)


def of_label(section: str, label: str) -> tuple[Definition, ...]:
    """Definitions of the numbers beside the label of a card, a fact or a column; none for an unknown label.

    Of several patterns that fit, the most specific one counts.
    """
    rows, said = _of(section), (label, label[:1].lower() + label[1:])
    fitting = [(each, row) for row in rows for each in row.labels if any(fnmatchcase(one, each) for one in said)]
    best = max((_specific(each) for each, _ in fitting), default=0)
    return tuple(row for each, row in fitting if _specific(each) == best)


def in_words(section: str, label: str) -> str:
    """The same as text, for tooltips."""
    return " ".join(row.words for row in of_label(section, label))


def paths(numbers: Any, above: str = "") -> Iterator[str]:
    """Key paths of the values in a section's numbers; lists are values, lists of tables have those of each table."""
    if isinstance(numbers, dict):
        for key, value in numbers.items():
            yield from paths(value, f"{above}.{str(key).replace('.', ' ')}" if above else str(key).replace(".", " "))
    elif isinstance(numbers, list) and numbers and isinstance(numbers[0], dict):
        for value in numbers:
            yield from paths(value, above)
    else:
        yield above


def of_section(section: str, numbers: Any) -> tuple[Definition, ...]:
    """The definitions of a section's numbers, each once, without those of keys that only name a unit."""
    found = [definition(section, path) for path in paths(numbers)]
    rows = [row for row in dict.fromkeys(found) if row is not None]
    return tuple(row for row in rows if not row.words.startswith("Unit"))


def markdown() -> str:
    """docs/definitions.md."""
    lines = [
        "# Definitions",
        "",
        "What every number of a datasheet means, by the keys of `gough report --json`; the page has the same under",
        "each section. Every number of the JSON is in SI units (m, rad, s, kg, N and what follows from them), and it",
        'says so on top: `"units": "SI"`; the page and the terminal show the units of the machine\'s file. Figures',
        "that are quoted from a source keep the units that it prints. `1` is a pure number; a key in backquotes names",
        "where the unit is given.",
        "An asterisk is any name. Symbols are those of [conventions](conventions.md). This page is written by",
        "`python -m gough.present.definitions`.",
    ]
    for section, rows in definitions().items():
        lines += ["", f"## {section}", "", "| key | unit | definition |", "|---|---|---|"]
        lines += [f"| `{row.key}` | {row.unit} | {row.words.replace('|', chr(92) + '|')} |" for row in rows]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    print(markdown(), end="")
