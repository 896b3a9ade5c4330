"""Which files the page may open: those of a few folders, of a size that it can take."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable
from pathlib import Path

from gough.description.parse import split_stage
from gough.errors import InputError

OUTSIDE = (
    "the page opens files only in the folder in which the viewer was started, and in folders of files that were named "
    "on its command line; start it there, or upload the file"
)
"""The same words for all files outside, whether there are any or not."""
MOST_BYTES = {".toml": 2_000_000, "": 100_000_000}
"""Largest files that are read, by ending; "" for all others."""


class Fence:
    """Folders below which the page may open files, symbolic links followed, and single files beside them.

    Parameters
    ----------
    folders, files : iterable of path
        Folders that are not there, and files, are taken as they are named.

    """

    def __init__(self, folders: Iterable[str | Path] = (), files: Iterable[str | Path] = ()) -> None:
        self._folders = [_resolved(folder) for folder in folders]
        self._files = [_resolved(file) for file in files]

    @classmethod
    def around(cls, names: Iterable[str | Path]) -> Fence:
        """The current folder, and those of files that are named, of machines with the number of a stage behind."""
        files = [Path(name if Path(name).is_file() else split_stage(str(name))[0]) for name in names]
        return cls([Path.cwd(), *(file.resolve().parent for file in files if file.is_file())], files)

    def add(self, folder: str | Path) -> None:
        """Let the page open what is below one more folder."""
        self._folders.append(_resolved(folder))

    def check(self, file: str | Path) -> None:
        """`InputError` for a file that the page may not open, or that would hold it up."""
        path = _resolved(file)
        if path is None or not (path in self._files or any(self._is_below(path, folder) for folder in self._folders)):
            raise InputError(OUTSIDE)
        try:
            found = path.stat()
        except OSError:
            return  # who opens it says what is wrong
        if stat.S_ISDIR(found.st_mode):
            raise InputError(f"{file} is a directory, expected a file")
        if not stat.S_ISREG(found.st_mode):
            raise InputError(f"{file} is a pipe, socket or device, expected a regular file")
        most = MOST_BYTES.get(path.suffix.lower(), MOST_BYTES[""])
        if found.st_size > most:
            kind = path.suffix.lower() if path.suffix.lower() in MOST_BYTES else "such"
            size = f"{found.st_size / 1e6:.4g} MB, at most {most / 1e6:.4g} MB"
            raise InputError(f"{file} holds {size} are read of {kind} files here; make it smaller")

    @staticmethod
    def _is_below(path: Path, folder: Path | None) -> bool:
        return folder is not None and path.is_relative_to(folder)


def _resolved(file: str | Path) -> Path | None:
    """Where a path leads; None where that is unknown."""
    try:
        return Path(os.path.realpath(file))
    except (OSError, ValueError):  # a name that no file system takes
        return None
