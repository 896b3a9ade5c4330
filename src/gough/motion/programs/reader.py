"""A part program in G-code, read into moves; everything in it that cannot be carried out is named with its line."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from numpy.typing import ArrayLike

from gough.checks.arguments import checks_arguments
from gough.checks.numbers import of_shape
from gough.errors import InputError, PathFileError
from gough.motion.programs.interpreter import Interpreter
from gough.motion.programs.moves import Program
from gough.motion.programs.words import blocks

MOST_PROBLEMS = 20
"""Of a program, after which reading ends."""
_TICK = 1000
"""Blocks between two signs of life."""

Progress = Callable[[int], None]


@checks_arguments
def read_program(
    path: str | Path,
    start: ArrayLike = (0.0, 0.0, 0.0),
    *,
    skip_optional: bool = False,
    progress: Progress = lambda lines: None,
) -> Program:
    """Part program from a file; see `parse_program`.

    Parameters
    ----------
    path : str or Path
        Of a part program (G-code) in UTF-8.
    start : (3,) array
        Position of the tip in the work frame before the first move [m].
    skip_optional : bool
        Leave out blocks that begin with a slash.
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
    try:
        content = Path(path).read_bytes()
    except OSError as error:
        raise InputError(f"cannot read {path}: {error.strerror}") from None
    if b"\0" in content:
        raise InputError(f"{path} is no text file")
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError:  # letters of comments only
        text = content.decode("latin-1")
    return parse_program(text, start, where=str(path), skip_optional=skip_optional, progress=progress)


@checks_arguments
def parse_program(
    text: str,
    start: ArrayLike = (0.0, 0.0, 0.0),
    *,
    where: str = "the program",
    skip_optional: bool = False,
    progress: Progress = lambda lines: None,
) -> Program:
    """Part program from its text, as RS274/NGC (Kramer, Proctor and Messina 2000) and LinuxCNC mean it.

    Carried out are G0 to G4, G17 to G21, G28, G61, G64, G80, G90, G91, G90.1, G91.1, G93, G94 and M0, M1, M2, M6, M30,
    M60. Spindle, coolant, tool and offset words are read and listed in `Program.ignored`. I, J, K are the centre of an
    arc in G2 and G3, and the tool's axis, from its tip to its spindle, in G0 and G1.

    Parameters
    ----------
    text : str
    start : (3,) array
        The tip at the program's begin, where G28 goes as well, in the work frame [m].
    where : str
        What the program is called in messages.
    skip_optional : bool
        Leave out lines that begin with a slash.
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
    reported = last = 0
    for block in blocks(text):
        if block.is_optional and skip_optional:
            continue
        last = block.line
        try:
            if block.problem:
                raise ValueError(block.problem)
            interpreter.carry_out(block)
        except ValueError as error:
            problems.append(f"line {block.line}: {error}")
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
    if not any(interpreter.moves):
        raise PathFileError(where, ["there is no motion in it"])
    return Program(where, tuple(interpreter.items), last, dict(interpreter.ignored))
