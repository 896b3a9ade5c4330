"""Files written whole or not at all."""

from __future__ import annotations

import os
from pathlib import Path

from gough.errors import InputError


def check_writable(path: Path) -> None:
    """Raise `InputError` where a file cannot be written, before time is spent on what would go into it."""
    target = path.resolve()
    if target.exists() and not target.is_file():
        kind = "a folder" if target.is_dir() else "no regular file"
        raise InputError(f"cannot write {path}: it is {kind}; give a file name")
    if not target.parent.is_dir():
        raise InputError(f"cannot write {path}: there is no folder {target.parent}; create it or choose another place")
    if not os.access(target.parent, os.W_OK):
        raise InputError(f"cannot write {path}: the folder {target.parent} is not writable; choose another place")


def write_whole(path: Path, content: str | bytes) -> None:
    """Write a file, text in UTF-8, under a temporary name and rename it, so that no half file is ever seen.

    Raises
    ------
    InputError
        Where it cannot be written; nothing is left behind.

    """
    check_writable(path)
    target = path.resolve()
    part = target.with_name(f".{target.name}.{os.getpid()}.part")
    try:
        part.write_bytes(content.encode() if isinstance(content, str) else content)
        os.replace(part, target)
    except OSError as error:
        raise InputError(f"cannot write {path}: {error.strerror or error}; choose another place") from None
    finally:
        part.unlink(missing_ok=True)
