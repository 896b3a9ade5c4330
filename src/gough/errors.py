"""The exceptions Gough raises.

::

    GoughError                      everything below; `exit_code` is what the command line returns
    +-- InputError (ValueError)     the request is wrong
    |   +-- MachineFileError        a machine file; `.problems` lists every one, not the first only
    |   +-- PathFileError           a part program or path file; `.problems` lists every one, with its place
    |   +-- UnknownMachineError     no such built-in machine or file; names the nearest ones
    |   +-- ShapeError              an array of the wrong shape
    |   +-- PoseError               a matrix that is not a pose, a direction of length zero
    |   +-- SolverError             a multibody solver that cannot solve this system; names one that can
    |   +-- RedundantConstraintsError   joints with dependent constraint rows; names them
    |   +-- StagesError (AttributeError)   a machine of two stages where one machine is meant
    +-- NotConvergedError           an iteration that did not converge; carries the residual

An unreachable pose is data, not an exception: `gough.margins` are negative, inverse kinematics is NaN.
Messages name the quantity, its value with unit, the limit, the place, and the remedy.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any

STOPPED, READER_GONE = 130, 141
"""Exit codes of a command that a signal stopped, and of one whose output nobody reads any more."""

_UNPRINTABLE = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ud800-\udfff]"
)


def printable(text: str) -> str:
    """Escape the control characters of a text for a terminal or a log, except line ends and tabs.

    Escaped are the C0 and C1 sets, the separators and directions of bidirectional text, characters without a width, and
    lone surrogates: they move the cursor, hide text or change its order (CWE-150).
    """
    return _UNPRINTABLE.sub(lambda found: ascii(found[0])[1:-1], text)


def one_line(text: str) -> str:
    """Escape a text as `printable` does, and its line ends and tabs."""
    return printable(text).replace("\n", "\\n").replace("\t", "\\t")


class GoughError(Exception):
    """Base of all errors of this package."""

    exit_code = 1


class InputError(GoughError, ValueError):
    """The request itself is wrong; nothing was computed."""

    exit_code = 2


class MachineFileError(InputError):
    """A machine file that does not describe a machine; `problems` holds one sentence each."""

    def __init__(self, where: str, problems: Sequence[str]) -> None:
        self.where = where
        self.problems = [one_line(problem) for problem in problems]
        super().__init__("\n".join(f"{one_line(where)}: {problem}" for problem in self.problems))


class PathFileError(InputError):
    """A part program or path file that cannot be carried out; `problems` holds one sentence each, with its place."""

    def __init__(self, where: str, problems: Sequence[str]) -> None:
        self.where = where
        self.problems = [one_line(problem) for problem in problems]
        super().__init__("\n".join(f"{one_line(where)}, {problem}" for problem in self.problems))


class UnknownMachineError(InputError):
    """Neither a built-in machine nor a readable file."""


class ShapeError(InputError):
    """An array whose shape does not fit."""

    @classmethod
    def expected(cls, what: str, expected: str, got: tuple[int, ...]) -> ShapeError:
        """Return the error "`what`: expected shape ..., got ..."."""
        return cls(f"{what}: expected shape {expected}, got {got}")


class PoseError(InputError):
    """A matrix that is no rigid pose, or a direction of length zero."""


class SolverError(InputError):
    """A solver that does not apply to the system; the message names a solver that does."""


class RedundantConstraintsError(InputError):
    """Linearly dependent constraint rows: motion is determined, Lagrange multipliers are not."""


class StagesError(InputError, AttributeError):
    """A machine of two stages where one of a single stage is expected, or the reverse."""


class NotConvergedError(GoughError):
    """An iteration that did not converge; `residual` [m] is the best it reached."""

    def __init__(self, message: str, residual: Any = None) -> None:
        self.residual = residual
        super().__init__(message)


OTHER_WORDS = {
    "surge": "x",
    "sway": "y",
    "heave": "z",
    **dict.fromkeys(("roll", "heel", "rotx", "thetax", "u"), "rx"),
    **dict.fromkeys(("pitch", "trim", "roty", "thetay", "v"), "ry"),
    **dict.fromkeys(("yaw", "rotz", "thetaz", "w", "heading"), "rz"),
    "t": "time",
    "timestamp": "time",
}
"""Names of axes and columns with ships, controllers and loggers, and those used here."""


def nearest(word: str, known: Iterable[str]) -> str:
    """' Did you mean ...?' for a mistyped name, the name used here for another word, or nothing when none is close."""
    names = list(known)
    meant = OTHER_WORDS.get(word.casefold().replace("_", ""))
    if meant in names:
        about = f", about {meant[1:]}" if meant in ("rx", "ry", "rz") else ""
        return f" It is {meant!r} here{about}."
    from difflib import get_close_matches

    close = get_close_matches(word, names, n=3, cutoff=0.5)
    close = close or [name for name in names if name.casefold() == word.casefold()]
    return f" Did you mean {' or '.join(repr(name) for name in close)}?" if close else ""


def in_words(error: BaseException) -> str:
    """Return the message for a user about an error, one line per problem; nothing for a defect of Gough itself."""
    if isinstance(error, GoughError):
        return str(error)
    if isinstance(error, OSError):
        where = f" {error.filename}" if error.filename else ""
        return f"cannot read or write{where}: {error.strerror or error}"
    return ""
