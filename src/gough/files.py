"""Files read within bounds, and written whole or not at all."""

from __future__ import annotations

import atexit
import errno
import os
import re
import secrets
import stat
from collections.abc import Collection, Iterator
from contextlib import contextmanager, nullcontext, suppress
from hashlib import sha256
from pathlib import Path
from threading import Event
from typing import BinaryIO

from gough.errors import InputError

try:
    import fcntl
except ImportError:  # Windows, where an open file cannot be removed, which serves as the lock
    fcntl = None  # type: ignore[assignment]

TOKEN = 8
"""Random bytes in the names of temporary files."""
LONGEST = 200
"""Longest name that the temporary file's name contains, else its hash [bytes]; systems allow 255 in all."""
DOCUMENT, DATA = 2 * 10**6, 256 * 10**6
"""Largest machine file, path file or saved view that is read, and largest table, part program or history [bytes]."""
_READ_AT_ONCE = 2**20
_parts: set[Path] = set()
"""Temporary files that this process is writing."""
_folders: set[Path] = set()
"""Temporary folders of this process."""
_is_over = Event()
"""Whether this process ends, and no thread of it may write another file."""

if hasattr(os, "register_at_fork"):
    for _here in (_parts, _folders):
        os.register_at_fork(after_in_child=_here.clear)


def read_bounded(source: str | Path | BinaryIO, most: int, where: str = "") -> bytes:
    """Read a file or stream of at most `most` bytes; `where` names it in messages.

    Raises
    ------
    InputError
        It cannot be read, or is larger: a device such as /dev/zero has no end.

    """
    where, content = where or str(source), bytearray()
    try:
        with open(source, "rb") if isinstance(source, str | Path) else nullcontext(source) as file:
            while len(content) <= most and (part := file.read(_READ_AT_ONCE)):
                content += part
    except OSError as error:
        raise InputError(f"cannot read {where}: {error.strerror or error}") from None
    except ValueError as error:  # a name that no file system allows
        raise InputError(f"cannot read {where!r}: {error}") from None
    if len(content) > most:
        raise InputError(f"{where} has more than {most / 1e6:g} MB, the size limit; split or thin it out")
    return bytes(content)


def check_writable(path: Path) -> None:
    """Raise `InputError` where a file cannot be written, before its content is computed."""
    try:
        target = Path(os.path.realpath(path))
    except ValueError as error:  # a name that no file system allows
        raise InputError(f"cannot write {str(path)!r}: {error}; choose another name") from None
    if target.is_symlink():
        raise InputError(f"cannot write {path}: its symbolic links form a loop; choose another name")
    if target.exists() and not target.is_file():
        kind = "a folder" if target.is_dir() else "not a regular file"
        raise InputError(f"cannot write {path}: it is {kind}; specify a file name")
    if not target.parent.is_dir():
        raise InputError(
            f"cannot write {path}: the folder {target.parent} does not exist; create it or choose another location"
        )
    if not os.access(target.parent, os.W_OK):
        raise InputError(f"cannot write {path}: the folder {target.parent} is not writable; choose another location")


def check_ending(path: Path, endings: Collection[str], instead: str = "") -> None:
    """Raise `InputError` where the ending of a name says another format than those that are written.

    `instead` is a way to the format that the name says.
    """
    if path.suffix.lower() not in endings:
        *others, last = endings
        wanted = f"{', '.join(others)} or {last}" if others else last
        has = f"ends in {path.suffix}" if path.suffix else "has no ending"
        raise InputError(f"{path} {has}; specify a name that ends in {wanted}{f', or {instead}' if instead else ''}")


def stem_of(name: str) -> str:
    """Return a machine's name as part of a file's name: "double-hexapod:2" with a hyphen, as not all systems take a
    colon."""
    return name.replace(":", "-")


def write_whole(path: Path, content: str | bytes) -> None:
    """Write a file, text in UTF-8, under a temporary name and rename it, so that no half file is ever seen.

    An existing file keeps its mode and, where the system permits, its owner; of a link the target is replaced.
    Temporary files of the same target that a killed process left are removed.

    Raises
    ------
    InputError
        Where it cannot be written; nothing is left behind.

    """
    check_writable(path)
    try:
        replace_file(Path(os.path.realpath(path)), content.encode() if isinstance(content, str) else content)
    except OSError as error:
        raise InputError(f"cannot write {path}: {error.strerror or error}; choose another location") from None


def replace_file(target: Path, content: bytes, durable: bool = True) -> None:
    """Write a file whole or raise `OSError`; where `durable`, a loss of power leaves the old file or the new one."""
    _remove_stale(target)
    with _part_of(target) as (part, file):
        if fcntl is not None:
            _keep_mode_and_owner(target, file.fileno())
        file.write(content)
        file.flush()
        if durable:
            os.fsync(file.fileno())
        if fcntl is None:
            file.close()
        os.replace(part, target)
    if durable:
        _sync(target.parent)


def temporary_folder(prefix: str) -> Path:
    """Return a new folder of this user only, which ends with the process, or before with `remove_folder`."""
    from tempfile import mkdtemp

    folder = Path(mkdtemp(prefix=prefix))
    _folders.add(folder)
    return folder


def remove_folder(folder: Path) -> None:
    """Remove a temporary folder and all in it."""
    from shutil import rmtree

    if folder in _folders:  # not in a process that was forked
        rmtree(folder, ignore_errors=True)
        _folders.discard(folder)


def remove_temporary() -> None:
    """Remove the temporary files and folders of this process, at its end."""
    for part in tuple(_parts):
        with suppress(OSError):
            part.unlink()
    for folder in tuple(_folders):
        remove_folder(folder)


atexit.register(remove_temporary)


def end_writing() -> None:
    """Remove the temporary files of this process, which is stopped, and let its threads begin no others."""
    _is_over.set()
    remove_temporary()


@contextmanager
def _part_of(target: Path) -> Iterator[tuple[Path, BinaryIO]]:
    """A new file next to the target, locked within the context and removed at its end unless renamed."""
    part = target.with_name(f"{_beginning(target)}{secrets.token_hex(TOKEN)}.part")
    _parts.add(part)
    try:
        with _created(part, 0o600 if target.exists() else 0o666) as file:
            yield part, file
    finally:
        with suppress(OSError):
            part.unlink()
        _parts.discard(part)


def _created(part: Path, mode: int) -> BinaryIO:
    flags = os.O_RDWR | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)
    while not _is_over.is_set():
        file = open(os.open(part, flags, mode), "wb")  # noqa: SIM115 - given away
        with suppress(OSError):  # file systems without locks
            if fcntl is not None:
                fcntl.flock(file, fcntl.LOCK_EX)
        with suppress(FileNotFoundError):  # another process took it for stale before it was locked
            if os.path.samestat(os.fstat(file.fileno()), part.stat()):
                return file
        file.close()  # it was removed: create another
    raise OSError(errno.ECANCELED, "the process is stopped", str(part))


def _keep_mode_and_owner(target: Path, descriptor: int) -> None:
    """Give the new file the mode and owner of the old one."""
    with suppress(FileNotFoundError):
        old = target.stat()
        mode = stat.S_IMODE(old.st_mode)
        try:
            os.fchown(descriptor, old.st_uid, old.st_gid)
        except PermissionError:
            mode &= 0o777  # set-user-ID must not pass to another owner
        os.fchmod(descriptor, mode)


def _beginning(target: Path) -> str:
    """Common beginning of the names of a file's temporary files."""
    name = os.fsencode(target.name)
    return f".{target.name if len(name) <= LONGEST else sha256(name).hexdigest()}."


def _remove_stale(target: Path) -> None:
    """Remove temporary files of the target whose process was killed: none holds their lock."""
    name = re.compile(re.escape(_beginning(target)) + f"[0-9a-f]{{{2 * TOKEN}}}\\.part")
    with suppress(OSError), os.scandir(target.parent) as entries:
        for part in [entry.path for entry in entries if name.fullmatch(entry.name)]:
            with suppress(OSError):
                _remove_unless_held(part)


def _remove_unless_held(part: str) -> None:
    if fcntl is None:
        os.unlink(part)
        return
    descriptor = os.open(part, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0))
    try:
        if stat.S_ISREG(os.fstat(descriptor).st_mode):
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            os.unlink(part)
    finally:
        os.close(descriptor)


def _sync(folder: Path) -> None:
    """Write a folder's entries to disk, where the system can open folders."""
    with suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
