"""Reader of part programs in G-code; every line that cannot be carried out is reported."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

from numpy.typing import ArrayLike

from gough.checks.arguments import checks_arguments
from gough.checks.numbers import of_shape
from gough.errors import InputError, PathFileError
from gough.files import DATA, read_bounded
from gough.motion.programs.interpreter import Interpreter
from gough.motion.programs.moves import Program

MOST_PROBLEMS = 20
"""Number of problems after which reading ends."""
_TICK = 1000
"""Lines between two reports of progress."""
_WORD = re.compile(r"([A-Z])([+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+))")
_LINE_END = re.compile(r"\r\n|\r|\n")
_REJECTED = {
    "#": "parameters (#) are not read; have the program written with plain numbers",
    "[": "expressions in brackets are not read; have the program written with plain numbers",
    "O": "subprograms and loops (O words) are not read; have the program written out",
}
MODES = {
    "motion": ("G0", "G1", "G2", "G3", "G80"),
    "plane": ("G17", "G18", "G19"),
    "units": ("G20", "G21"),
    "distance": ("G90", "G91"),
    "arc distance": ("G90.1", "G91.1"),
    "feed": ("G93", "G94"),
    "path": ("G61", "G61.1", "G64"),
    "once": ("G4", "G28"),
    "end": ("M2", "M30"),
    **{stop: (stop,) for stop in ("M0", "M1", "M6", "M60")},
}
"""Codes that are carried out, by modal group; a block has at most one of a group."""
GROUP = {code: group for group, codes in MODES.items() for code in codes}
ACCEPTED = {
    **dict.fromkeys(("M3", "M4", "M5"), "spindle"),
    **dict.fromkeys(("M7", "M8", "M9"), "coolant"),
    **dict.fromkeys(("M48", "M49"), "overrides"),
    **dict.fromkeys(("G40", "G49", "G69", "G98", "G99"), "nothing to cancel"),
    "G43": "the tip is the machine's tool frame",
    "G54": "the work frame",
}
"""Codes that are accepted and cause no motion here, and why."""
WITHOUT_MOTION = "HNST"
"""Letters that are accepted and cause no motion."""
LETTERS = "ABCFGHIJKMNPRSTXYZ"
LARGEST = 1e9
"""Largest accepted number: a thousand kilometres in mm, far beyond any machine."""


class Word(NamedTuple):
    """A letter with its number; `text` is as it was written, without spaces."""

    letter: str
    value: float
    text: str

    @property
    def code(self) -> str:
        """Normalised G or M word: "G1" for G01, "G90.1" for G90.1."""
        return f"{self.letter}{self.value:g}"


def _lines(text: str) -> Iterator[tuple[int, str]]:
    """Lines of a program with their numbers; a program that begins with a line "%" ends at the next one."""
    lines = _LINE_END.split(text)  # str.splitlines knows more ends, one of them a letter of Windows' comments
    filled = (k for k, line in enumerate(lines) if line.strip())
    first = next(filled, 0)
    is_framed = bool(lines) and lines[first].strip() == "%"
    for number, line in enumerate(lines[first + is_framed :], first + is_framed + 1):
        if line.strip() == "%":
            return
        yield number, line


def _without_comments(line: str) -> str:
    # A semicolon within parentheses belongs to the comment; one outside begins a comment to the end of the line.
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
    return f"{rest[:12]!r} is not a word: a word is a letter and a number"


def _sorted(block: tuple[Word, ...], line: int, ignored: dict[str, int]) -> tuple[dict[str, str], dict[str, float]]:
    """Codes by group and numbers by letter; words without motion are added to `ignored`."""
    codes: dict[str, str] = {}
    words: dict[str, float] = {}
    for word in block:
        if word.letter not in LETTERS:
            raise ValueError(f"unknown word {word.text}")
        if word.code in ACCEPTED or word.letter in WITHOUT_MOTION:
            if word.letter != "N":  # line numbers are no information
                ignored.setdefault(word.code if word.letter in "GM" else word.text, line)
        elif word.letter in "GM":
            group = GROUP.get(word.code)
            if group is None:
                raise ValueError(
                    f"unknown word {word.text}; supported are G0 to G4, G17 to G21, G28, G61, G64, G80, G90 to G94"
                )
            if group in codes:
                raise ValueError(f"{codes[group]} and {word.code} exclude each other on one line")
            codes[group] = word.code
        elif word.letter in words:
            raise ValueError(f"two words {word.letter} on one line")
        elif not abs(word.value) <= LARGEST:
            raise ValueError(f"the number in {word.text[:12]}... is too large")
        else:
            words[word.letter] = word.value
    return codes, words


@checks_arguments
def read_program(
    path: str | Path,
    start: ArrayLike = (0.0, 0.0, 0.0),
    *,
    skip_optional: bool = False,
    progress: Callable[[int], None] = lambda lines: None,
) -> Program:
    """Read a part program from a file; see `parse_program`.

    Parameters
    ----------
    path : str or Path
        Of a part program (G-code) in UTF-8.
    start : (3,) array
        Position of the tip in the work frame before the first move [m].
    skip_optional : bool
        Skip blocks that begin with a slash.
    progress : callable
        Called with the number of lines read since the last call.

    Returns
    -------
    Program
        Moves and stops in SI.

    Raises
    ------
    PathFileError
        Every line that cannot be carried out, with its number.

    """
    content = read_bounded(path, DATA)
    if b"\0" in content:
        raise InputError(f"{path} is not a text file")
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError:  # older controllers write comments in Latin-1; words are ASCII in both
        text = content.decode("latin-1")
    return parse_program(text, start, where=str(path), skip_optional=skip_optional, progress=progress)


@checks_arguments
def parse_program(
    text: str,
    start: ArrayLike = (0.0, 0.0, 0.0),
    *,
    where: str = "the program",
    skip_optional: bool = False,
    progress: Callable[[int], None] = lambda lines: None,
) -> Program:
    """Parse the text of a part program, in the dialect of RS274/NGC (Kramer, Proctor and Messina 2000) and LinuxCNC.

    Carried out are G0 to G4, G17 to G21, G28, G61, G64, G80, G90, G91, G90.1, G91.1, G93, G94 and M0, M1, M2, M6, M30,
    M60. Spindle, coolant, tool and offset words are read and listed in `Program.ignored`. I, J, K are the centre of an
    arc in G2 and G3, and the tool's axis, from its tip to its spindle, in G0 and G1.

    Parameters
    ----------
    text : str
    start : (3,) array
        The tip at the program's begin, also the target of G28, in the work frame [m].
    where : str
        Name of the program in messages.
    skip_optional : bool
        Skip lines that begin with a slash.
    progress : callable
        Called with the number of lines read since it was last called.

    Returns
    -------
    Program
        Its moves in order, in SI, each with the number of its line.

    Raises
    ------
    PathFileError
        Every line that cannot be carried out, with its number.

    """
    x, y, z = of_shape("start", start, "(3,)").tolist()
    interpreter = Interpreter((x, y, z))
    problems: list[str] = []
    ignored: dict[str, int] = {}
    reported = last = 0
    for number, line in _lines(text):
        try:
            bare = "".join(_without_comments(line).split()).upper()
            words = tuple(_words(bare.removeprefix("/")))
            if not words or (skip_optional and bare.startswith("/")):
                continue
            last = number
            interpreter.carry_out(number, *_sorted(words, number, ignored))
        except ValueError as error:
            problems.append(f"line {number}: {error}")
        # All problems are reported at once, up to a number; a failed block leaves the modes it had set.
        if len(problems) == MOST_PROBLEMS:
            problems.append("more may follow; reading ended here")
            break
        if interpreter.is_over:
            break
        if last - reported >= _TICK:
            progress(last - reported)
            reported = last
    if problems:
        raise PathFileError(where, problems)
    progress(last - reported)
    program = Program(where, tuple(interpreter.items), last, ignored)
    if not program.moves:
        raise PathFileError(where, ["no motion found"])
    return program
