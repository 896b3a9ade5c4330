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

from gough.description.words import machine_hint
from gough.errors import MachineFileError, UnknownMachineError, nearest

_check: ContextVar[Callable[[Path], None]] = ContextVar("check", default=lambda path: None)
BUILT_IN = resources.files("gough.description") / "machines"


def machine_names() -> list[str]:
    """Names of the built-in machines."""
    names = (entry.name for entry in BUILT_IN.iterdir())
    return sorted(name.removesuffix(".toml") for name in names if name.endswith(".toml"))


def split_stage(machine: str) -> tuple[str, int | None]:
    """Name and stage number of "name:2"; None for the whole machine."""
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
            f"{nearest(name, machine_names())}{machine_hint(name)}"
        )
    try:
        return name, path.read_text("utf-8-sig")  # some editors write a byte order mark
    except UnicodeDecodeError:
        raise MachineFileError(name, ["is not a text file in UTF-8"]) from None
    except OSError as error:
        raise UnknownMachineError(f"cannot read the machine file {name}: {error.strerror}") from None
    except ValueError as error:  # a name that no file system allows
        raise UnknownMachineError(f"cannot read the machine file {name!r}: {error}") from None


def parse(text: str, where: str) -> dict[str, Any]:
    """TOML text as plain values."""
    try:
        document = tomllib.loads(text)
    except (ValueError, RecursionError) as error:  # syntax, integers and nesting beyond what Python reads
        raise MachineFileError(where, [f"is not valid TOML: {error}"]) from None
    if not document:
        raise MachineFileError(where, ["is empty, expected at least `name`, [base] and [platform]"])
    return document
