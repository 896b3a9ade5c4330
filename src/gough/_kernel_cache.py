"""Disk cache of the machine code of kernels.

A file holds one specialisation of one kernel, or what Numba links to all of them: a digest, then Numba's own
serialisation. Its name is a digest of
everything the machine code depends on, source files included: no entry is ever stale, machines and versions of Gough
can share a folder, and processes that write at once write the same. A damaged, truncated or foreign file counts as
absent and is replaced. Where nothing can be written, each process compiles its kernels.
"""

from __future__ import annotations

import os
import pickle
import re
import stat
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any, cast

import numba
from numba.core.caching import _Cache
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import CompileResult
from numba.core.runtime import nrtdynmod
from numba.core.runtime.nrt import rtsys
from numba.core.serialize import dumps

from gough.files import replace_file

SHARED = ("", "legs", "kinematics")
"""Folders whose compiled code every kernel may use: top level, leg kinds, kinematics."""
UNUSED_DAYS = 60
"""Entries that no process has read for this long are removed."""
_DIGEST = sha256().digest_size
_DAY = 86400.0


def cache_folder() -> Path | None:
    """The folder of compiled kernels: `GOUGH_CACHE_DIR`, or the platform's folder for the user's caches.

    None for a user without a home: a relative folder would depend on where the process was started.
    """
    chosen = os.environ.get("GOUGH_CACHE_DIR")
    try:
        if chosen:
            return Path(chosen).expanduser().absolute()
        from platformdirs import user_cache_path

        folder = user_cache_path("gough", appauthor=False) / "kernels"
    except (OSError, RuntimeError):  # no home, no current folder
        return None
    return folder if folder.is_absolute() else None


@cache
def sources_digest(folder: Path) -> bytes:
    """Digest of the sources that a kernel in `folder` may use: `_name.py`, leg kinds. Raises `OSError` without them."""
    here = Path(__file__).parent
    digest = sha256()
    for room in sorted({folder, *(here / name for name in SHARED)}):
        for path in sorted(room.glob("*.py" if room.name == "legs" else "_[!_]*.py")):
            digest.update(path.name.encode() + b"\0" + path.read_bytes() + b"\0")
    if not Path(__file__).is_file():
        raise FileNotFoundError(__file__)  # bytecode alone: the digests of all versions would be the same
    return digest.digest()


class KernelCache(_Cache):
    """Numba's interface of a cache, for one kernel."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self._function = function
        self._enabled = function.__closure__ is None  # values in a closure are in no source file

    @property
    def cache_path(self) -> str:
        return str(cache_folder() or "")

    def enable(self) -> None:
        self._enabled = True

    def disable(self) -> None:
        self._enabled = False

    def flush(self) -> None:
        """Do nothing: entries are never stale."""

    def has(self, sig: Any, target_context: Any) -> bool:
        """Whether there is an entry for a signature."""
        path = self._path(sig, target_context.codegen()) if self._enabled else None
        return path is not None and path.is_file()

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """Compiled code for a signature, None where there is no valid entry."""
        rtsys.initialize(target_context)  # enough to run machine code; compiling would import much more
        if not self._enabled:
            return None
        return _read(self._path(sig, target_context.codegen()), lambda parts: _rebuilt(target_context, *parts))

    def save_overload(self, sig: Any, data: Any) -> None:
        """Save compiled code; an unwritable folder is no error."""
        if not self._enabled or data.library.has_dynamic_globals or data.lifted:
            return
        path = self._path(sig, data.codegen)
        if path is None:
            return
        *state, environments = data._reduce()
        # Environments without constants are never read; loading them would import the parts of Numba that made them.
        state.append(tuple(each for each in environments if each.consts))
        _write(path, tuple(state))

    def _path(self, sig: Any, codegen: Any) -> Path | None:
        folder, function = cache_folder(), self._function
        source = Path(function.__code__.co_filename)
        try:
            sources = sources_digest(source.parent)
        except OSError:
            return None
        versions = (numba.__version__, sys.version, function.__module__, function.__qualname__)
        config: Any = numba.config
        options = (str(config.OPT), config.BOUNDSCHECK, config.DEBUGINFO_DEFAULT)
        key = (*versions, *options, sources, str(sig), codegen.magic_tuple())
        return None if folder is None else folder / f"{source.stem}.{function.__name__}.{_name_of(key)}"


def _name_of(key: tuple[Any, ...]) -> str:
    return sha256(repr(key).encode()).hexdigest()[:32]


def _read(path: Path | None, rebuilt: Callable[[Any], Any]) -> Any:
    """What is `rebuilt` of an entry; None where there is no valid one."""
    if path is None or not path.is_file():
        return None
    try:
        with path.open("rb") as file:
            if not _is_own(os.fstat(file.fileno())):
                return None
            content = file.read()
        payload = memoryview(content)[_DIGEST:]
        if sha256(payload).digest() != content[:_DIGEST]:
            return None
        found = rebuilt(pickle.loads(payload))
    except Exception:  # whatever is wrong with an entry, compiling replaces it
        return None
    _mark_used(path)
    return found


def _is_own(found: os.stat_result) -> bool:
    """Whether an entry is of this user or root, and nobody else can write it: entries are code that is run."""
    user = getattr(os, "geteuid", lambda: found.st_uid)()
    return found.st_uid in (0, user) and not found.st_mode & stat.S_IWOTH


def _write(path: Path, parts: Any) -> None:
    """Write an entry; an unwritable folder is no error."""
    payload: bytes = dumps(parts)  # type: ignore[no-untyped-call]
    with suppress(OSError):
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        replace_file(path, sha256(payload).digest() + payload, durable=False)
        _remove_unused(path.parent)


class _Loaded(JITCodeLibrary):
    """Machine code from disk. Its bitcode, which only compiled callers need, is parsed when they are compiled: Numba
    would parse it at once, which takes longer than loading everything else."""

    bitcode: bytes

    def _get_module_for_linking(self) -> Any:
        if self._shared_module is None:
            untyped: Any = numba
            engine: Any = self._codegen._engine
            self._shared_module = untyped.core.codegen.ll.parse_bitcode(self.bitcode)
            engine._load_defined_symbols(self._shared_module)
        return self._shared_module


def _loaded(codegen: Any, library: Any) -> _Loaded:
    """A library from its serialization."""
    name, _, (machine_code, bitcode) = library
    made: Any = codegen.create_library(name)
    made.__class__ = _Loaded
    made.bitcode = bitcode
    made.enable_object_caching()
    made._set_compiled_object(machine_code)
    made._finalize_final_module()
    return cast(_Loaded, made)


def _runtime(target_context: Any) -> Any:
    """As Numba's `compile_nrt_functions`, the reference counting of machine code, kept on disk too: compiling it takes
    as long as loading ten kernels."""
    codegen, folder, config = target_context.codegen(), cache_folder(), cast(Any, numba).config
    key = (numba.__version__, str(config.OPT), config.DEBUGINFO_DEFAULT, config.DEBUG_NRT, codegen.magic_tuple())
    path = None if folder is None else folder / f"numba.runtime.{_name_of(key)}"
    if (found := _read(path, lambda library: _loaded(codegen, library))) is not None:
        return found
    functions, made = nrtdynmod.create_nrt_module(target_context)  # type: ignore[no-untyped-call]
    made.enable_object_caching()
    made.add_ir_module(functions)
    made.finalize()
    if path is not None:
        _write(path, made.serialize_using_object_code())
    return made


nrtdynmod.compile_nrt_functions = _runtime


def _rebuilt(target_context: Any, library: Any, description: Any, environment: Any, *rest: Any) -> Any:
    """As Numba's `CompileResult._rebuild`, with a library that is `_Loaded`."""
    signature, is_object, lifted, annotation, reload_init, environments = rest
    for action in reload_init:
        action()
    names = (description.llvm_func_name, description.llvm_cpython_wrapper_name, description.llvm_cfunc_wrapper_name)
    codegen = target_context.codegen()
    made = _loaded(codegen, library)
    codegen._engine._defined_symbols.update(names)
    entry = target_context.get_executable(made, description, environment)
    for each in environments:
        codegen.set_env(each.env_name, each)
    kinds: Any = CompileResult
    return kinds(
        target_context=target_context, typing_context=target_context.typing_context, library=made,
        environment=environment, entry_point=entry, fndesc=description, type_annotation=annotation,
        signature=signature, objectmode=is_object, lifted=lifted, typing_error=None, call_helper=None, metadata=None,
        reload_init=reload_init, referenced_envs=environments,
    )  # fmt: skip


def _mark_used(path: Path) -> None:
    """Renew an entry's time, once a day at most."""
    with suppress(OSError):
        if time.time() - path.stat().st_mtime > _DAY:
            os.utime(path)


_NAME = re.compile(r"(?P<part>\.)?\w+\.\w+\.[0-9a-f]{32}(?(part)\.[0-9a-f]+\.part)")
"""Names of entries and of their temporary files; other files in the folder are never removed."""


@cache
def _remove_unused(folder: Path) -> None:
    """Remove entries unused for `UNUSED_DAYS` and temporary files of killed processes, once in a process."""
    now = time.time()
    for path in folder.iterdir():
        with suppress(OSError):
            allowed = 1 if path.suffix == ".part" else UNUSED_DAYS
            if _NAME.fullmatch(path.name) and path.is_file() and now - path.stat().st_mtime > allowed * _DAY:
                path.unlink()
