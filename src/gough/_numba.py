"""Numba's part of `gough._compile`: everything that imports the compiler.

Private parts of Numba are adapted here to halve compilation: types are looked up once, passes that kernels do not need
are left out, and helpers are not optimised before they are linked into kernels.
"""

from __future__ import annotations

import gc
import os
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any, cast

import numba
import numpy as np
from numba.core import types
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler_lock import global_compiler_lock
from numba.core.registry import CPUDispatcher
from numba.extending import typeof_impl

from gough._kernel_cache import KernelCache
from gough.compilation import COMPILATION
from gough.errors import InputError

_untyped: Any = numba
"""Numba for type checkers, where its parts have no types."""

_LEVEL = 2
"""LLVM's optimisation level for kernels: level 3 takes a fifth longer and speeds up none of them."""
_PLAIN = (types.Number, types.Boolean, types.Literal, types.Array, types.BaseTuple, types.SliceType)
_SIGNATURES: dict[Any, Any] = {}
"""Signatures of operators and functions of numbers and arrays, by function and argument types."""


@contextmanager
def _quick_compiler() -> Iterator[None]:
    """Context, under Numba's lock, in which types are looked up once and no garbage is collected.

    Numba tries all implementations of an operator at every place where it occurs: that, and garbage collection among so
    many objects, took two fifths of its own part of the compilation.
    """
    kind, config = _untyped.core.types.functions.BaseFunction, _untyped.core.config

    def get_call_type(self: Any, context: Any, args: Any, kws: Any) -> Any:
        if kws or not all(isinstance(t, _PLAIN) for t in args):
            return found(self, context, args, kws)
        key = (self, context, tuple(args))
        if key not in _SIGNATURES:
            signature = found(self, context, args, kws)
            if self.get_impl_key(signature) is not self.typing_key:  # an overload, compiled with the caller's options
                return signature
            _SIGNATURES[key] = signature
        return _SIGNATURES[key]

    with global_compiler_lock:  # read under the lock too: another thread may have replaced them
        found, level, collects = kind.get_call_type, config.OPT, gc.isenabled()
        kind.get_call_type, config.OPT = get_call_type, type(level)(min(level, _LEVEL))
        gc.disable()
        try:
            yield
        finally:
            kind.get_call_type, config.OPT = found, level
            if collects:
                gc.enable()


class _Dispatcher(CPUDispatcher):
    """A kernel's dispatcher, which reports compiling and reading from disk to `COMPILATION`."""

    _cache: KernelCache
    _cache_misses: Counter[Any]

    def _compilation_chain_init_hook(self) -> None:
        """Load no extensions of Numba: kernels use none, and to find them takes 10 ms."""

    def compile(self, sig: Any) -> Any:
        begun, before = COMPILATION.begin(self.py_func.__name__), self._cache_misses.total()
        try:
            with _quick_compiler():
                return super().compile(sig)
        finally:
            COMPILATION.end(begun, is_new=self._cache_misses.total() > before)

    def is_kept(self, arguments: tuple[Any, ...]) -> bool:
        """Whether there is machine code for these arguments on disk."""
        kinds = tuple(self.typeof_pyval(each) for each in arguments)
        with _quick_compiler():  # names of entries contain the optimisation level
            return self._cache.has(kinds, self.targetctx)


class _Passes(_untyped.core.compiler.CompilerBase):  # type: ignore[misc]
    """Numba's passes without those for closures, contexts, loops over literals, expressions of whole arrays and
    inlining of typed functions, which kernels do not use. These took a tenth of its own part of the compilation."""

    def define_pipelines(self) -> list[Any]:
        untyped, typed = _untyped.core.untyped_passes, _untyped.core.typed_passes
        passes = _untyped.core.compiler_machinery.PassManager("kernel")
        for each in (
            untyped.TranslateByteCode,
            untyped.FixupArgs,
            untyped.IRProcessing,
            untyped.RewriteSemanticConstants,
            untyped.DeadBranchPrune,
            untyped.GenericRewrites,
            untyped.ReconstructSSA,
            typed.NopythonTypeInference,
            typed.PreLowerStripPhis,
            typed.IRLegalization,
            typed.AnnotateTypes,
            typed.NativeLowering,
            typed.NoPythonBackend,
        ):
            passes.add_pass(each, each.name())
        passes.finalize()
        return [passes]


# Operations in the order of the source, none fused: kinematics and margins have the same bits compiled and as plain
# Python.
_OPTIONS: dict[str, Any] = {
    "nogil": True,
    "error_model": "numpy",
    "no_cfunc_wrapper": True,
    "pipeline_class": _Passes,
}


def kernel_code(function: Callable[..., Any]) -> Any:
    """Numba's dispatcher of a kernel, kept on disk."""
    if _untyped.config.DISABLE_JIT:
        raise InputError("NUMBA_DISABLE_JIT is set, and this computation needs the compiler; unset it")
    made = _untyped.njit(**_OPTIONS)(function)
    made.__class__ = _Dispatcher
    made._cache = KernelCache(function)
    return made


class _Parts(JITCodeLibrary):
    """A helper's code as lowered, without machine code: kernels link it in and optimise it with their own.

    Numba would optimise each helper, with all helpers in it, again at each level of calls and emit machine code for it:
    more than half of the compilation.
    """

    def finalize(self) -> None:
        for library in dict.fromkeys(self._linking_libraries):
            self._reload_init.update(library._reload_init)
            self._final_module.link_in(library._get_module_for_linking(), preserve=True)
        self._finalized = True


class _HelperCompiler(_untyped.core.dispatcher._FunctionCompiler):  # type: ignore[misc]
    """Lowers a helper and stops there."""

    def _compile_core(self, args: Any, return_type: Any) -> Any:
        compiler, target, parts = _untyped.core.compiler, self.targetdescr.target_context, cast(Any, _Parts)
        flags = compiler.Flags()
        self.targetdescr.options.parse_as_flags(flags, self.targetoptions)
        flags.no_compile = True
        library = parts(target.codegen(), self.py_func.__qualname__)
        made = (args, return_type, flags, self.locals, library, self.pipeline_class)
        lowered = compiler.compile_extra(self.targetdescr.typing_context, target, self.py_func, *made)
        # The typing context needs an entry point; the code is linked in by name, its address (0) never used.
        module, name = lowered.fndesc.lookup_module(), lowered.fndesc.qualname.rpartition(".")[2]
        entry = _untyped._dynfunc.make_function(module, name, "", 0, lowered.environment, (library,))
        target.insert_user_function(entry, lowered.fndesc, [library])
        return lowered._replace(entry_point=entry)


def helper_code(function: Callable[..., Any], options: dict[str, Any]) -> Any:
    """Numba's dispatcher of a helper, without an entry from Python."""
    made = _untyped.njit(**_OPTIONS, no_cpython_wrapper=True, **options)(function)
    made._compiler.__class__ = _HelperCompiler
    return made


@cache
def give_type(kind: type[Any]) -> None:
    """Numba's type of an instance of `kind` in compiled code: that of its dispatcher."""
    register: Any = typeof_impl.register
    register(kind)(lambda value, _context: types.Dispatcher(value.dispatcher))
    general, support = _untyped.core.typing.typeof._typeof_ndarray, _untyped.np.numpy_support

    def type_of_array(value: Any, context: Any) -> Any:
        """As Numba's own, which imports masked arrays, 10 ms, to refuse them."""
        if type(value) is not np.ndarray or value.dtype.kind not in "bifc":
            return general(value, context)
        dtype, layout = support.from_dtype(value.dtype), support.map_layout(value)
        return types.Array(dtype, value.ndim, layout, readonly=not value.flags.writeable)

    register(np.ndarray)(type_of_array)


if hasattr(os, "register_at_fork"):
    # A child forked while another thread compiles would have Numba's lock held for ever.
    os.register_at_fork(
        before=global_compiler_lock.acquire,
        after_in_parent=global_compiler_lock.release,
        after_in_child=global_compiler_lock.release,
    )
