"""Files that the page may open: those below a few folders, up to a size."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable
from pathlib import Path

from gough.description.parse import split_stage
from gough.errors import InputError
from gough.files import DOCUMENT
from gough.present.units import megabytes

OUTSIDE = (
    "the page opens files only in the folder in which the viewer was started, and in folders of files that were named "
    "on its command line; start it there, or upload the file"
)
"""Error for all files outside; the same whether they exist or not, so that the page cannot find out which do."""
MOST_BYTES = {".toml": DOCUMENT, "": 100_000_000}
"""Largest size of files that are read, by ending; "" for all others."""


class Fence:
    """Folders below which the page may open files, and single files besides; symbolic links are followed.

    Parameters
    ----------
    folders, files : iterable of path
        They need not exist.

    """

    def __init__(self, folders: Iterable[str | Path] = (), files: Iterable[str | Path] = ()) -> None:
        self._folders, self._files = (list(filter(None, map(_resolved, each))) for each in (folders, files))

    @classmethod
    def around(cls, names: Iterable[str | Path]) -> Fence:
        """The current folder, named files and their folders; "name:1" is a stage of a machine file."""
        files = [Path(name if Path(name).is_file() else split_stage(str(name))[0]) for name in names]
        return cls([Path.cwd(), *(file.resolve().parent for file in files if file.is_file())], files)

    def add(self, folder: str | Path) -> None:
        """Let the page open files below one more folder."""
        self._folders += filter(None, [_resolved(folder)])

    def check(self, file: str | Path) -> None:
        """`InputError` for a file that the page may not open, or that would block it: pipes, devices, large files."""
        path = _resolved(file)
        if path is None or not (path in self._files or any(map(path.is_relative_to, self._folders))):
            raise InputError(OUTSIDE)
        try:
            found = path.stat()
        except OSError:
            return  # the function that opens it reports the error
        if stat.S_ISDIR(found.st_mode):
            raise InputError(f"{file} is a directory, expected a file")
        if not stat.S_ISREG(found.st_mode):
            raise InputError(f"{file} is a pipe, socket or device, expected a regular file")
        most = MOST_BYTES.get(path.suffix.lower(), MOST_BYTES[""])
        if found.st_size > most:
            kind = path.suffix.lower() if path.suffix.lower() in MOST_BYTES else "such"
            sizes = f"{megabytes(found.st_size)}, at most {megabytes(most)}"
            raise InputError(f"{file} holds {sizes} are read of {kind} files here; make it smaller")


def _resolved(file: str | Path) -> Path | None:
    """The path with symbolic links resolved; None for one that no file system has."""
    try:
        return Path(os.path.realpath(file))
    except (OSError, ValueError):  # such as names with a null character
        return None
