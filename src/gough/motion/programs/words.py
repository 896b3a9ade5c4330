"""The text of a part program, taken apart: blocks of words, each block with its line; the codes that are read."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

_WORD = re.compile(r"([A-Z])([+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+))")
_LINE_END = re.compile(r"\r\n|\r|\n")
MODES = {
    "motion": ("G0", "G1", "G2", "G3", "G80"),
    "plane": ("G17", "G18", "G19"),
    "units": ("G20", "G21"),
    "distance": ("G90", "G91"),
    "arc distance": ("G90.1", "G91.1"),
    "feed": ("G93", "G94"),
    "path": ("G61", "G61.1", "G64"),
    "once": ("G4", "G28"),
}
"""Codes that are carried out, by the group of which a block has one at most."""
GROUP = {code: group for group, codes in MODES.items() for code in codes}
ACCEPTED = {
    **dict.fromkeys(("M3", "M4", "M5"), "spindle"),
    **dict.fromkeys(("M7", "M8", "M9"), "coolant"),
    **dict.fromkeys(("M48", "M49"), "overrides"),
    **dict.fromkeys(("G40", "G49", "G69", "G98", "G99"), "nothing to cancel"),
    "G43": "the tip is the machine's tool frame",
    "G54": "the work frame",
}
"""Codes that are no motion here, and why."""
STOPS = ("M0", "M1", "M6", "M60")
ENDS = ("M2", "M30")
WITHOUT_MOTION = "NST"
"""Letters that are read and do nothing."""
_REJECTED = {
    "#": "parameters (#) are not read; have the program written with plain numbers",
    "[": "expressions in brackets are not read; have the program written with plain numbers",
    "O": "subprograms and loops (O words) are not read; have the program written out",
}


class Word(NamedTuple):
    """A letter with its number; `text` is as it was written, without spaces."""

    letter: str
    value: float
    text: str

    @property
    def code(self) -> str:
        """What a G or M word is called: G01 is "G1", G90.1 is "G90.1"."""
        return f"{self.letter}{self.value:g}"


class Block(NamedTuple):
    """The words of one line, or what is wrong with it; `is_optional` where it begins with a slash."""

    line: int
    words: tuple[Word, ...]
    is_optional: bool
    problem: str = ""


def blocks(text: str) -> Iterator[Block]:
    """Blocks of a program, line by line; lines with nothing on them are left out.

    Where the text begins with a line "%" it ends at the next one.
    """
    lines = _LINE_END.split(text)  # str.splitlines knows more ends, one of them a letter of Windows' comments
    filled = (k for k, line in enumerate(lines) if line.strip())
    first = next(filled, 0)
    is_framed = bool(lines) and lines[first].strip() == "%"
    for number, line in enumerate(lines[first + is_framed :], first + is_framed + 1):
        if line.strip() == "%":
            return
        try:
            bare = "".join(_without_comments(line).split()).upper()
            is_optional = bare.startswith("/")
            words = tuple(_words(bare.removeprefix("/")))
        except ValueError as error:
            yield Block(number, (), False, str(error))
            continue
        if words:
            yield Block(number, words, is_optional)


def _without_comments(line: str) -> str:
    kept, rest = [], line.partition(";")[0] if "(" not in line else line
    while rest:
        before, opened, after = rest.partition("(")
        bare, semicolon, _ = before.partition(";")
        kept.append(bare)
        if semicolon or not opened:
            break
        inside, closed, rest = after.partition(")")
        if not closed or "(" in inside:
            raise ValueError("a comment that begins with ( does not end with )")
    return " ".join(kept)


def _words(bare: str) -> Iterator[Word]:
    place = 0
    while place < len(bare):
        found = _WORD.match(bare, place)
        if found is None:
            raise ValueError(_complaint(bare[place:]))
        letter, number = found.groups()
        if letter in _REJECTED:
            raise ValueError(_REJECTED[letter])
        yield Word(letter, float(number), found[0])
        place = found.end()


def _complaint(rest: str) -> str:
    for mark in ("#", "["):
        if mark in rest[:2]:
            return _REJECTED[mark]
    if rest[0].isalpha():
        return f"no number after {rest[0]} in {rest[:12]!r}"
    return f"{rest[:12]!r} is no word: a word is a letter and a number"
