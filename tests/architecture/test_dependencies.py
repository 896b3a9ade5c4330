"""Private parts of other packages: which files use them, and the versions with which they were tested.

A new version of viser that changes one fails here, by name; of Numba, the accelerator is then not used.
"""

import inspect
import os
import tomllib
from importlib.metadata import version
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from tests.conftest import without

from gough import _accelerator

ROOT = Path(__file__).parents[2]
TESTED = {"viser": "1.1.1"}
"""Version with which all below was tested; the next minor version is shut out until it is."""


def takes(function, *names):
    """Whether a function has parameters of these names, or as many."""
    return set(names) <= set(inspect.signature(function).parameters)


def source_has(thing, *parts):
    return all(part in inspect.getsource(thing) for part in parts)


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
        "ViserServer._websock_server.unregister_handler(ShareUrlRequest, ShareUrlDisconnect)": source_has(
            _viser.ViserServer, "self._websock_server", "ShareUrlRequest", "ShareUrlDisconnect"
        )
        and takes(server.unregister_handler, "message_cls"),
        "RunJavascriptMessage(source) and GuiApi._websock_interface.queue_message": takes(
            _messages.RunJavascriptMessage, "source"
        )
        and source_has(_gui_api.GuiApi, "self._websock_interface")
        and callable(server.queue_message),
        "frames are read by message_class.deserialize": source_has(
            inspect.getmodule(server), "message_class.deserialize(raw)"
        ),
        "GuiApi._gui_input_handle_from_uuid of handles with _impl": source_has(
            _gui_api.GuiApi, "_gui_input_handle_from_uuid", "handle._impl"
        ),
        "GuiSliderHandle._marks of GuiSliderMark(value, label)": takes(_messages.GuiSliderMark, "value", "label")
        and "_marks" in inspect.get_annotations(_messages.GuiSliderProps),
    }


def test_private_parts_are_as_they_were():
    changed = [what for what, is_so in viser_parts().items() if not is_so]
    assert not changed, f"viser {version('viser')} is not as {TESTED['viser']}, which was tested: {changed}"


def test_the_accelerator_serves_the_version_of_numba_that_is_installed():
    """Where a new version is to be accelerated: try it, run the suite, and add it to the list."""
    assert _accelerator.is_tested() == (
        os.environ.get("GOUGH_PLAIN_NUMBA", "") in ("", "0") and version("numba") in _accelerator.TESTED
    )


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


@pytest.mark.parametrize(("ci", "outcome"), [("1", "Failed"), ("true", "Failed"), ("", "Skipped"), ("0", "Skipped")])
def test_where_ci_is_set_a_browser_that_is_missing_is_a_failure(monkeypatch, ci, outcome):
    monkeypatch.setitem(os.environ, "CI", ci)
    with pytest.raises(BaseException, match="chromium is not installed") as told:
        without("chromium")
    assert type(told.value).__name__ == outcome
