"""Faster compilation and machine code without reference counting, for tested versions of Numba.

This file alone uses private parts of Numba. Without it everything works, with the same bits and more slowly; where
anything in it fails, `gough._compile` continues without it. `GOUGH_PLAIN_NUMBA=1` switches it off.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from importlib.metadata import version
from operator import attrgetter
from typing import Any

TESTED = ("0.68.1",)
"""Versions of Numba with which the private parts below were tested."""
TOUCHED = (
    "_dynfunc.make_function",
    "core.codegen.JITCodeLibrary.finalize",
    "core.compiler.Flags",
    "core.compiler.compile_extra",
    "core.compiler_lock.global_compiler_lock",
    "core.dispatcher._FunctionCompiler._compile_core",
    "core.types.functions.BaseFunction.get_call_type",
)
"""Private parts in use."""
_LOG = logging.getLogger("gough")


class Accelerator:
    """Whether something in this file has failed in this process."""

    has_failed = False


@cache
def is_tested() -> bool:
    """Whether the installed Numba is a tested version with all parts in use, and this file not switched off."""
    if os.environ.get("GOUGH_PLAIN_NUMBA", "") not in ("", "0") or version("numba") not in TESTED:
        return False
    try:
        for each in TOUCHED:
            attrgetter(each)(_numba())
    except AttributeError as error:
        give_up(error)
        return False
    return True


def _numba() -> Any:
    """Numba, of whose inside type checkers know nothing."""
    import numba

    return numba


def is_active() -> bool:
    """Whether kernels are compiled with the private parts."""
    return is_tested() and not Accelerator.has_failed


def give_up(error: BaseException) -> None:
    """Compile without this file from now on."""
    Accelerator.has_failed = True
    _LOG.debug("Numba %s is used by public means alone: %r", version("numba"), error)


@contextmanager
def compiling() -> Iterator[None]:
    """Look up types of operators once while this lasts, under Numba's lock.

    Numba tries all implementations of an operator at every place where it occurs.
    """
    core = _numba().core
    types, kind = core.types, core.types.functions.BaseFunction
    plain = (types.Number, types.Boolean, types.Literal, types.Array, types.BaseTuple, types.SliceType)

    def get_call_type(self: Any, context: Any, args: Any, kws: Any) -> Any:
        if kws or not all(isinstance(each, plain) for each in args):
            return public(self, context, args, kws)
        key = (self, context, tuple(args))
        if key not in _signatures():
            signature = public(self, context, args, kws)
            if self.get_impl_key(signature) is not self.typing_key:  # an overload, compiled with the caller's options
                return signature
            _signatures()[key] = signature
        return _signatures()[key]

    with core.compiler_lock.global_compiler_lock:
        public = kind.get_call_type
        kind.get_call_type = get_call_type
        try:
            yield
        finally:
            kind.get_call_type = public


@cache
def _signatures() -> dict[Any, Any]:
    return {}


def helper(function: Callable[..., Any], options: dict[str, Any], *, counts_references: bool) -> Any:
    """Numba's dispatcher of a helper, of which no machine code is made: kernels link it in and optimise it.

    Numba would optimise each helper, with all helpers in it, at each level of calls: more than half of the compilation.
    Without reference counting, which costs more than the computation, where helpers neither create nor return arrays.
    """
    made = _numba().njit(**options, _nrt=counts_references)(function)
    made._compiler.__class__ = _lowering()
    return made


@cache
def _lowering() -> type:
    """A compiler of functions that stops before machine code."""
    core, make_function = _numba().core, _numba()._dynfunc.make_function
    library_kind: Any = core.codegen.JITCodeLibrary
    compiler_kind: Any = core.dispatcher._FunctionCompiler

    class Parts(library_kind):  # type: ignore[misc]
        """A helper's code as lowered, linked with the code of its helpers."""

        def finalize(self) -> None:
            for library in dict.fromkeys(self._linking_libraries):
                self._reload_init.update(library._reload_init)
                self._final_module.link_in(library._get_module_for_linking(), preserve=True)
            self._finalized = True

    class Lowering(compiler_kind):  # type: ignore[misc]
        def _compile_core(self, args: Any, return_type: Any) -> Any:
            target, flags = self.targetdescr.target_context, core.compiler.Flags()
            self.targetdescr.options.parse_as_flags(flags, self.targetoptions)
            flags.no_compile = True
            library = Parts(target.codegen(), self.py_func.__qualname__)
            made = (args, return_type, flags, self.locals, library, self.pipeline_class)
            lowered = core.compiler.compile_extra(self.targetdescr.typing_context, target, self.py_func, *made)
            # The typing context needs an entry point; the code is linked in by name, and its address (0) never used.
            module, name = lowered.fndesc.lookup_module(), lowered.fndesc.qualname.rpartition(".")[2]
            entry = make_function(module, name, "", 0, lowered.environment, (library,))
            target.insert_user_function(entry, lowered.fndesc, [library])
            return lowered._replace(entry_point=entry)

    return Lowering
