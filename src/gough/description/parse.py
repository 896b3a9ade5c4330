"""Built-in names and paths of machine files -> text -> TOML document."""

from __future__ import annotations

import os.path
import re
import tomllib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from importlib import resources
from pathlib import Path
from typing import Any

from gough.description.starter import machine_hint
from gough.errors import InputError, MachineFileError, UnknownMachineError, nearest, one_line
from gough.files import DOCUMENT, read_bounded

_check: ContextVar[Callable[[Path], None]] = ContextVar("check", default=lambda path: None)
MOST_PARTS = 50
"""Most parts of a dotted key."""
BUILT_IN = resources.files("gough.description") / "machines"


def machine_names() -> list[str]:
    """Return names of the built-in machines."""
    names = (entry.name for entry in BUILT_IN.iterdir())
    return sorted(name.removesuffix(".toml") for name in names if name.endswith(".toml"))


def split_stage(machine: str) -> tuple[str, int | None]:
    """Split "name:2" into name and stage number; None for the whole machine."""
    found = re.fullmatch(r"(.+):(\d+)", machine)
    return (machine, None) if found is None else (found[1], int(found[2]))


@contextmanager
def only_files(check: Callable[[Path], None]) -> Iterator[None]:
    """Context in which, in this thread, `check` is called with each machine file before it is read; it may raise."""
    before = _check.set(check)
    try:
        yield
    finally:
        _check.reset(before)


def machine_text(machine: str | Path) -> tuple[str, str]:
    """Place of a machine's description, for messages, and its text, from a built-in name or a path."""
    name = str(machine)
    if name in machine_names():
        return f"{name} (built in)", (BUILT_IN / f"{name}.toml").read_text("utf-8")
    path = Path(machine)
    _check.get()(path)
    if os.path.isdir(path):  # unlike the methods of Path, these return False for a name that is too long
        raise UnknownMachineError(f"{name} is a directory, expected a machine file")
    if path.suffix != ".toml" and not os.path.isfile(path):
        raise UnknownMachineError(
            f"no machine {name!r}: expected a path to a .toml file or one of {', '.join(machine_names())}."
            f"{_file_hint(path) or nearest(name, machine_names())}{machine_hint(name)}"
        )
    try:
        return name, read_bounded(path, DOCUMENT, f"the machine file {name}").decode("utf-8-sig")  # of some editors
    except UnicodeDecodeError:
        raise MachineFileError(name, ["is not a text file in UTF-8"]) from None
    except InputError as error:
        hint = "" if os.path.exists(path) else _file_hint(path)
        raise UnknownMachineError(f"{error}.{hint}" if hint else str(error)) from None


_KEY_PART = r"""(?:[\w-]++|"[^"\n]*+"|'[^'\n]*+')[ \t]*+\.[ \t]*+"""
_DEEP_KEY = re.compile(rf"(?<![\w-])(?:{_KEY_PART}){{{MOST_PARTS}}}", re.ASCII)


def toml(text: str) -> dict[str, Any]:
    """Parse TOML text into plain values; `ValueError` for other text, and for keys of more than `MOST_PARTS` parts.

    The time that `tomllib` takes grows with the square of the number of parts of a dotted key.
    """
    if found := _DEEP_KEY.search(text):
        raise ValueError(f"a key of more than {MOST_PARTS} parts (at line {text.count(chr(10), 0, found.start()) + 1})")
    try:
        return tomllib.loads(text)
    except RecursionError:
        raise ValueError("brackets are nested too deep") from None


def _file_hint(path: Path) -> str:
    """Hint at machine files with a name like that of a path that is none, in its folder; "" where there are none."""
    from difflib import get_close_matches

    try:
        files = sorted(entry.stem for entry in path.parent.iterdir() if entry.suffix == ".toml")
    except (OSError, ValueError):
        return ""
    close = get_close_matches(path.name.removesuffix(".toml"), files, n=2, cutoff=0.6)
    return (
        f" Did you mean {' or '.join(one_line(str(path.parent / f'{name}.toml')) for name in close)}?" if close else ""
    )


def parse(text: str, where: str) -> dict[str, Any]:
    """Return TOML text as plain values."""
    try:
        document = toml(text)
    except ValueError as error:
        raise MachineFileError(where, [f"is not valid TOML: {error}"]) from None
    if not document:
        raise MachineFileError(where, ["is empty, expected at least `name`, [base] and [platform]"])
    return document
