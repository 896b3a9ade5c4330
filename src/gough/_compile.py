"""Compilation: kernels are plain Python functions that Numba compiles.

`kernel` marks a function that Python calls; `inline` and `noinline` mark helpers that kernels call. Numba is imported
when the first kernel runs compiled. Compiled code performs the operations of the source in their order, without fused
or reassociated arithmetic: a kernel gives the same bits compiled and as plain Python, on every processor.

Numba's own cache keeps the machine code, in a folder named after a digest of all sources that kernels are made of:
Numba itself looks at the file of the kernel only, not at the helpers.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager, nullcontext, suppress
from functools import cache, update_wrapper
from hashlib import sha256
from importlib import import_module
from pathlib import Path
from threading import RLock
from time import perf_counter
from typing import Any, NamedTuple, TypeVar, cast

import numpy as np

from gough import _accelerator
from gough.errors import InputError

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]

F = TypeVar("F", bound=Callable[..., Any])

LEVEL = 2
"""LLVM's optimisation level: level 3 compiles half as long again and speeds up no kernel."""
OPTIONS: dict[str, Any] = {"nogil": True, "error_model": "numpy", "no_cfunc_wrapper": True}
_HERE = Path(__file__).parent
_IS_DISABLED = os.environ.get("NUMBA_DISABLE_JIT", "0") != "0"
"""Whether Numba compiles nothing in this process."""
_LOCK = RLock()
"""Lock around the creation of dispatchers and compilation: Numba's settings are global to the process."""


class Mode:
    """Whether kernels run as plain Python, without the compiler; see `run_plain`."""

    most_rows = 0
    is_plain = _IS_DISABLED


def run_plain(most_rows: int) -> None:
    """Run the kernels of this process as plain Python for inputs of at most `most_rows` rows, see `expect_rows`.

    Importing Numba and loading machine code takes longer than a few poses in plain Python.
    """
    Mode.most_rows, Mode.is_plain = most_rows, True


def expect_rows(count: int) -> None:
    """Compile kernels from now on if an input has more rows than `run_plain` allows."""
    if count > Mode.most_rows > 0:
        compile_kernels()


def compile_kernels() -> None:
    """Compile kernels from now on."""
    Mode.most_rows, Mode.is_plain = 0, _IS_DISABLED


class Compiling(NamedTuple):
    """A kernel that is being compiled or loaded, and since when by `perf_counter` [s]."""

    name: str
    since: float


class Compilation:
    """Kernels that this process is compiling, and number and time [s] of kernels compiled so far."""

    now: list[Compiling] = []  # noqa: RUF012 - of the process
    count, seconds = 0, 0.0


@cache
def cache_folder() -> Path | None:
    """Folder of the machine code of these sources; None where it cannot be written or others can write to it."""
    try:
        root = os.environ.get("GOUGH_CACHE_DIR")
        if root is None:
            from platformdirs import user_cache_path

            root = str(user_cache_path("gough", appauthor=False) / "kernels")
        folder = Path(root).expanduser() / sources_digest().hex()[:16]
        if not folder.is_absolute():
            return None
        folder.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        folder.mkdir(mode=0o700, exist_ok=True)
        # Numba's files in it have the modes that the user's umask leaves: the group can write them, and has no access.
        is_safe = _is_own(folder.parent, 0o022) and _is_own(folder, 0o077)
        if not (is_safe and all(_is_own(path, 0o002) for path in folder.rglob("*"))):
            return None
        tempfile.TemporaryFile(dir=folder).close()
    except (OSError, RuntimeError):  # no home, no space, no permission
        return None
    return folder


def _is_own(path: Path, forbidden: int) -> bool:
    """Whether the user owns a file or folder, whose mode has none of the `forbidden` bits."""
    status = path.lstat()
    return not hasattr(os, "getuid") or (status.st_uid == os.getuid() and not status.st_mode & forbidden)


def sources_digest() -> bytes:
    """Digest of all sources that kernels are made of, and of what else decides about their machine code."""
    digest = sha256(repr((LEVEL, sorted(OPTIONS.items()), _accelerator.is_active())).encode())
    for path in sorted([*_HERE.rglob("_[!_]*.py"), *_HERE.glob("legs/*.py")]):
        digest.update(path.relative_to(_HERE).as_posix().encode() + b"\0" + path.read_bytes() + b"\0")
    return digest.digest()


@cache
def _numba() -> Any:
    """Numba, to which kernels and helpers are functions like its own."""
    import numba
    from numba.extending import typeof_impl

    typeof_impl.register(Compiled)(lambda value, _: numba.types.Dispatcher(value.dispatcher))
    return numba


@contextmanager
def _settings() -> Iterator[None]:
    """Set Numba's optimisation level and cache folder (NUMBA_OPT, NUMBA_CACHE_DIR) while this lasts."""
    with _LOCK:
        config, folder = _numba().config, cache_folder()
        before = config.OPT, config.CACHE_DIR
        config.OPT, config.CACHE_DIR = type(before[0])(LEVEL), before[1] if folder is None else str(folder)
        try:
            yield
        finally:
            config.OPT, config.CACHE_DIR = before


@contextmanager
def _alone(name: str) -> Iterator[None]:
    """Let other processes that need the kernel wait while this lasts, and then load its machine code."""
    with ExitStack() as stack:
        if (folder := cache_folder()) is not None and fcntl is not None:
            with suppress(OSError):  # no space, or a file system without locks
                fcntl.flock(stack.enter_context(open(folder / f"{name}.lock", "a")), fcntl.LOCK_EX)
        yield


class Compiled:
    """A function that Numba compiles."""

    made: dict[Compiled, Any] = {}  # noqa: RUF012 - dispatchers of all functions, dropped together
    """Numba's dispatchers."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self.py_func = function
        update_wrapper(cast(Any, self), function)

    def __reduce__(self) -> str:
        return self.py_func.__qualname__

    @property
    def dispatcher(self) -> Any:
        """Numba's dispatcher, made at first use."""
        if self not in Compiled.made:
            with _settings():
                Compiled.made.setdefault(self, self._dispatcher())
        return Compiled.made[self]

    def _dispatcher(self) -> Any:
        raise NotImplementedError


class Helper(Compiled):
    """A function that kernels call: part of their machine code, plain Python elsewhere."""

    def __init__(self, function: Callable[..., Any], *, is_inline: bool, counts: bool = True) -> None:
        super().__init__(function)
        self.is_inline, self.counts_references = is_inline, counts

    def __call__(self, *arguments: Any) -> Any:
        return self.py_func(*arguments)

    def _dispatcher(self) -> Any:
        options = {**OPTIONS, "no_cpython_wrapper": True, "forceinline": self.is_inline}
        if _accelerator.is_active():
            return _accelerator.helper(self.py_func, options, counts_references=self.counts_references)
        return _numba().njit(**options)(self.py_func)


class Kernel(Compiled):
    """A function that Python calls: compiled at its first call, without the GIL, and kept on disk."""

    def __init__(self, function: Callable[..., Any]) -> None:
        super().__init__(function)
        self._run: Callable[..., Any] = self._first

    def __call__(self, *arguments: Any) -> Any:
        return self._run(*arguments)

    @property
    def signatures(self) -> list[Any]:
        """Types of arguments for which there is machine code."""
        return cast("list[Any]", self.dispatcher.signatures) if self in Compiled.made else []

    def _dispatcher(self) -> Any:
        # Values of a closure are in no source.
        is_kept = self.py_func.__closure__ is None and cache_folder() is not None
        return _numba().njit(cache=is_kept, **OPTIONS)(self.py_func)

    def _first(self, *arguments: Any) -> Any:
        if Mode.is_plain:
            with suppress(ArithmeticError, ValueError), np.errstate(all="ignore"):
                return self.py_func(*arguments)
            # Python raised where machine code continues with inf and NaN. Kernels write before they read what they
            # return, so that nothing is to be undone.
        if _IS_DISABLED:
            raise InputError("NUMBA_DISABLE_JIT is set, and this computation needs the compiler; unset it")
        if not self.signatures:
            self.compile(tuple(map(_numba().typeof, arguments)))
        if not Mode.is_plain:
            self._run = self.dispatcher
        return self.dispatcher(*arguments)

    def compile(self, kinds: tuple[Any, ...]) -> None:
        """Compile the kernel for these types of arguments, or load its machine code.

        A damaged entry of the cache is removed, and what fails in the accelerator is compiled without it.
        """
        with _settings(), _alone(self.__name__):  # type: ignore[attr-defined]
            entry = Compiling(self.__name__, perf_counter())  # type: ignore[attr-defined]
            Compilation.now.append(entry)
            try:
                for recover in (self._remove_entries, _without_accelerator, None):
                    try:
                        with _accelerator.compiling() if _accelerator.is_active() else nullcontext():
                            self.dispatcher.compile(kinds)
                        break
                    except Exception as error:
                        if recover is None:
                            raise
                        recover(error)
            finally:
                Compilation.now.remove(entry)
            if sum(self.dispatcher.stats.cache_misses.values()) or cache_folder() is None:
                Compilation.count += 1
                Compilation.seconds += perf_counter() - entry.since

    def _remove_entries(self, _: Exception) -> None:
        """Remove the kernel's machine code on disk."""
        Compiled.made.pop(self, None)
        folder = cache_folder()
        for path in [] if folder is None else folder.rglob(f"*.{self.__name__}-*"):  # type: ignore[attr-defined]
            path.unlink(missing_ok=True)


def _without_accelerator(error: Exception) -> None:
    _accelerator.give_up(error)
    Compiled.made.clear()


def all_kernels() -> Iterable[Kernel]:
    """All kernels of Gough, whose modules are imported."""
    for path in sorted(_HERE.rglob("_[!_]*.py")):
        module = import_module(".".join(("gough", *path.relative_to(_HERE).with_suffix("").parts)))
        kernels = (value for value in vars(module).values() if isinstance(value, Kernel))
        yield from (kernel for kernel in kernels if kernel.py_func.__module__ == module.__name__)


def kernel(function: F) -> F:
    """Compile `function` at its first call and keep the machine code on disk."""
    return cast(F, Kernel(function))


def inline(function: F) -> F:
    """Compile `function` into each place where a kernel calls it: small helpers in inner loops."""
    return cast(F, Helper(function, is_inline=True))


def inline_norefcount(function: F) -> F:
    """As `inline`, for helpers with many arrays as arguments that neither create nor return any.

    The accelerator compiles them without reference counting, which would cost more than the computation.
    """
    return cast(F, Helper(function, is_inline=True, counts=False))


def noinline(function: F) -> F:
    """Compile `function` once, for kernels that call it from several places: large helpers."""
    return cast(F, Helper(function, is_inline=False))


def noinline_norefcount(function: F) -> F:
    """As `noinline`, for helpers with many arrays as arguments that neither create nor return any."""
    return cast(F, Helper(function, is_inline=False, counts=False))
