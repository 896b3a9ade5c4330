"""Private parts of other packages: all that Gough takes, what is relied on, and the versions with which it was tested.

A new version of Numba or viser that changes one fails here, by name. What uses private parts and is not in the table
fails too.
"""

import ast
import inspect
import os
import tomllib
from functools import cache
from importlib.metadata import version
from pathlib import Path

import numba
import pytest
from numba.core.compiler_lock import global_compiler_lock
from packaging.requirements import Requirement
from tests.conftest import without
from tests.sources import nodes

ROOT = Path(__file__).parents[2]
SOURCES = ROOT / "src" / "gough"
TESTED = {"numba": "0.68.1", "viser": "1.1.1"}
"""Version with which all below was tested; the next minor version is shut out until it is."""
USED_IN = {"numba": {"_numba.py", "_kernel_cache.py"}, "viser": {"viewer/viser_parts.py"}}
"""The only files with private parts of a package."""


def takes(function, *names):
    """Whether a function has parameters of these names, or as many."""
    return set(names) <= set(inspect.signature(function).parameters)


def source_has(thing, *parts):
    return all(part in inspect.getsource(thing) for part in parts)


def numba_parts():
    from numba import _dynfunc
    from numba.core import caching, codegen, compiler, cpu, dispatcher, options, registry, serialize, types, typing
    from numba.extending import typeof_impl

    made = numba.njit(lambda x: x)
    result = compiler.CompileResult
    return {
        "core.registry.CPUDispatcher is what njit makes": isinstance(made, registry.CPUDispatcher),
        "a dispatcher's class can be changed to a subclass": _takes_class(made, registry.CPUDispatcher),
        "Dispatcher._cache is what is asked for machine code": hasattr(made, "_cache")
        and source_has(dispatcher.Dispatcher, "self._cache.load_overload(sig,", "self._cache.save_overload(sig,"),
        "core.caching._Cache: the methods of a cache": set(caching._Cache.__abstractmethods__)
        == {"cache_path", "load_overload", "save_overload", "enable", "disable", "flush"},
        "CompileResult._reduce, _rebuild(target_context, *reduced)": takes(result._rebuild, "target_context")
        and takes(result._reduce, "self"),
        "CompileResult: library, lifted, codegen": {"library", "lifted"} <= set(compiler.CR_FIELDS)
        and hasattr(result, "codegen"),
        "core.serialize.dumps makes bytes": isinstance(serialize.dumps((1, 2)), bytes),
        "codegen.magic_tuple names the processor": isinstance(_cpu().codegen().magic_tuple(), tuple),
        "a type can be given to any object, and a dispatcher's is types.Dispatcher": hasattr(typeof_impl, "register")
        and isinstance(numba.typeof(made), types.Dispatcher),
        "typeof._typeof_ndarray(value, context) is its type of an array": takes(
            typing.typeof._typeof_ndarray, "val", "c"
        )
        and callable(numba.np.numpy_support.map_layout),
        "Dispatcher._compilation_chain_init_hook loads extensions": source_has(
            dispatcher.Dispatcher._compilation_chain_init_hook, "entrypoints.init_all()"
        ),
        "target_context.insert_user_function(entry point, fndesc, libraries)": callable(_cpu().insert_user_function),
        "runtime.rtsys.initialize is all that machine code needs, but for functions of the C library": source_has(
            cpu.CPUContext.load_additional_registries, "rtsys.initialize(self)", "Add implementations"
        )
        and source_has(cpu.CPUContext.init, "c_math_functions.install(self)"),
        "Dispatcher._cache_misses counts": made._cache_misses.total() == 0,
        "Dispatcher._compiler._compile_core(args, return_type) is what compiles": source_has(
            dispatcher._FunctionCompiler, "self._compile_core(args, return_type)", "compiler.compile_extra("
        )
        and type(made._compiler) is dispatcher._FunctionCompiler
        and {"targetdescr", "targetoptions", "locals", "pipeline_class"} <= set(vars(made._compiler)),
        "compile_extra(typingctx, targetctx, func, args, return_type, flags, locals, library, pipeline_class)": list(
            inspect.signature(compiler.compile_extra).parameters
        )
        == ["typingctx", "targetctx", "func", "args", "return_type", "flags", "locals", "library", "pipeline_class"],
        "Flags.no_compile leaves the entry point to the caller": compiler.Flags().no_compile is False,
        "_dynfunc.make_function": callable(_dynfunc.make_function),
        "JITCodeLibrary.finalize links, optimises, makes machine code": source_has(
            codegen.CPUCodeLibrary.finalize,
            "self._reload_init.update(library._reload_init)",
            "self._final_module.link_in(",
            "library._get_module_for_linking(), preserve=True",
            "self._optimize_final_module()",
            "self._finalize_final_module()",
        )
        and source_has(codegen.CPUCodeLibrary._get_module_for_linking, "self._ensure_finalized()", "linkonce_odr"),
        "BaseFunction.get_call_type asks every implementation, get_impl_key names the one found": source_has(
            types.functions.BaseFunction.get_call_type, "self._impl_keys[sig.args] = temp.get_impl_key(sig)"
        )
        and list(inspect.signature(types.functions.BaseFunction.get_call_type).parameters)
        == ["self", "context", "args", "kws"],
        "compiler_lock.global_compiler_lock is held while a dispatcher compiles": source_has(
            dispatcher.Dispatcher.compile, "global_compiler_lock"
        ),
        "config.OPT is the level of each compilation, and its type makes levels": source_has(
            codegen.CPUCodegen._pass_builder,
            "kwargs.pop('opt', config.OPT)",
        )
        and type(numba.config.OPT)(2) == 2,
        "options no_cpython_wrapper, no_cfunc_wrapper, forceinline, _nrt": {
            "no_cpython_wrapper",
            "no_cfunc_wrapper",
            "forceinline",
            "_nrt",
        }
        <= set(dir(options.DefaultOptions)),
    }


def _takes_class(made, kind):
    made.__class__ = type("Helper", (kind,), {})
    return type(made).__name__ == "Helper"


def _cpu():
    from numba.core.registry import cpu_target

    return cpu_target.target_context


def viser_parts():
    viser = pytest.importorskip("viser", reason="viser is not installed")
    from viser import _gui_api, _messages, _viser, infra

    server = infra.WebsockServer
    page = (Path(viser.__file__).parent / "client" / "build" / "index.html").read_text("utf-8")
    return {
        "client/build/index.html: <head>, <title>Viser<": "<head>" in page and "<title>Viser<" in page,
        "infra.WebsockServer(http_server_root, message_class) makes the server": takes(
            server, "http_server_root", "message_class"
        )
        and source_has(_viser.ViserServer, "infra.WebsockServer("),
        "websockets.asyncio.server.serve(handler, ..., process_request) serves it": source_has(
            server, "websockets.asyncio.server.serve(", "process_request="
        ),
        "frames are read by message_class.deserialize": source_has(
            inspect.getmodule(server), "message_class.deserialize(raw)"
        ),
        "Message.deserialize, get_subclasses": callable(_messages.Message.deserialize)
        and "GuiUpdateMessage" in {kind.__name__ for kind in _messages.Message.get_subclasses()},
        "messages of the page: GuiUpdateMessage, FileTransferStartUpload, FileTransferPart": takes(
            _messages.GuiUpdateMessage, "uuid", "updates"
        )
        and takes(_messages.FileTransferStartUpload, "source_component_uuid", "transfer_uuid", "size_bytes", "filename")
        and takes(_messages.FileTransferPart, "transfer_uuid", "content"),
        "ViserServer._websock_server.unregister_handler(ShareUrlRequest, ShareUrlDisconnect)": source_has(
            _viser.ViserServer, "self._websock_server", "ShareUrlRequest", "ShareUrlDisconnect"
        )
        and takes(server.unregister_handler, "message_cls"),
        "RunJavascriptMessage(source) and GuiApi._websock_interface.queue_message": takes(
            _messages.RunJavascriptMessage, "source"
        )
        and source_has(_gui_api.GuiApi, "self._websock_interface")
        and callable(server.queue_message),
        "GuiSliderHandle._marks of GuiSliderMark(value, label)": takes(_messages.GuiSliderMark, "value", "label")
        and "_marks" in inspect.get_annotations(_messages.GuiSliderProps),
        "GuiApi._gui_input_handle_from_uuid, handles with _impl.value, _impl.props": source_has(
            _gui_api.GuiApi, "_gui_input_handle_from_uuid", "handle._impl", "handle_state.value"
        ),
    }


@pytest.mark.parametrize(("package", "parts"), [("numba", numba_parts), ("viser", viser_parts)])
def test_private_parts_are_as_they_were(package, parts):
    with global_compiler_lock:  # a thread that compiles meanwhile looks types up in its own way
        changed = [what for what, is_so in parts().items() if not is_so]
    assert not changed, f"{package} {version(package)} is not as {TESTED[package]}, which was tested: {changed}"


@pytest.mark.parametrize("package", TESTED)
def test_bounds_say_what_was_tested(package):
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    lines = project["dependencies"] + [line for lines in project["optional-dependencies"].values() for line in lines]
    found = [asked for asked in map(Requirement, lines) if asked.name == package]
    major, minor, *_ = map(int, TESTED[package].split("."))
    assert found
    for asked in found:
        assert asked.specifier.contains(TESTED[package])
        assert not asked.specifier.contains(f"{major}.{minor + 1}.0")
        assert asked.specifier.contains(version(package)), "test with the version that is installed, then raise TESTED"


@cache
def private_uses(path):
    """Packages of whose private parts a file makes use: by imports, and of viser by attributes of its objects."""
    found = set()
    for node in nodes(path):
        modules = [node.module or ""] if isinstance(node, ast.ImportFrom) else []
        if isinstance(node, ast.ImportFrom):
            modules += [f"{node.module}.{alias.name}" for alias in node.names]
        if isinstance(node, ast.Import):
            modules += [alias.name for alias in node.names]
        for module in modules:
            package, *parts = module.split(".")
            if package in TESTED and any(part.startswith("_") or part in ("core", "infra") for part in parts):
                found.add(package)
        if isinstance(node, ast.Attribute) and node.attr.startswith("_") and not node.attr.startswith("__"):
            owner = ast.unparse(node.value).split(".")
            if {"viser", "server", "gui", "scene", "client", "handle", "connection", "connections"} & set(owner):
                found.add("viser")
    return found


@pytest.mark.parametrize("package", TESTED)
def test_private_parts_are_used_in_few_files(package):
    using = {str(path.relative_to(SOURCES)) for path in SOURCES.rglob("*.py") if package in private_uses(path)}
    assert using == USED_IN[package]


@pytest.mark.parametrize(("ci", "outcome"), [("1", "Failed"), ("true", "Failed"), ("", "Skipped"), ("0", "Skipped")])
def test_where_ci_is_set_a_browser_that_is_missing_is_a_failure(monkeypatch, ci, outcome):
    monkeypatch.setitem(os.environ, "CI", ci)
    with pytest.raises(BaseException, match="chromium is not installed") as told:
        without("chromium")
    assert type(told.value).__name__ == outcome
