"""Views that are kept: as a file, as a link, and what is said of broken ones; the loop behind the page."""

import threading
import time
from dataclasses import replace

import numpy as np
import pytest

import gough
from gough.viewer.saved_view import SavedView, from_document, from_link, restored, saved_view
from gough.viewer.scheduler import Loop
from gough.viewer.store import initial

PATIENCE = 10.0


def test_a_view_survives_a_file_and_a_link():
    machine = gough.load("hexel-head")
    X = gough.frames.displaced(machine, gough.pose([0.01, 0.02, 0.03], [0.1, 0.2, 0.3], "XYZ")).as_matrix()
    view = SavedView("hexel-head", [X.tolist()], [0.1, -0.2], {"pivot": "tool"}, ["workspace"], {"limits": False})
    for found in (from_document(view.document(), "a file"), from_link("?" + view.link())):
        assert found == view
        np.testing.assert_array_equal(found.poses[0], X)
    assert len(view.link()) < 2000


def test_a_state_that_was_saved_is_restored():
    state = initial("hexel-head", gough.load("hexel-head"))
    X = gough.frames.displaced(state.stage.machine, gough.pose([0.01, 0.02, 0.9], [0.1, 0.2, 0.3], "XYZ")).as_matrix()
    load = state.force_inputs._replace(mass=2.0, force=(1.0, 2.0, 3.0))
    state = state.moved(state.stage.limited(False).to(X).with_head([0.1, -0.2]), "test").with_forces(load)
    state = replace(state, pivot="tool", convention="hexel", origin="base", frames=True, overlays=frozenset({"modes"}))
    view = from_link(saved_view(state).link())
    again = restored(initial("hexel-head", gough.load("hexel-head")), view)
    assert saved_view(again) == view
    assert not again.stage.margins.is_allowed  # beyond the limits, as it was
    np.testing.assert_array_equal(again.stage.X, X)
    assert again.coordinates.origin == "base"
    assert again.force_inputs == load


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        "[]",
        "3",
        '{"gough_view": 1}',
        '{"gough_view": 1, "machine": "hexel", "poses": [[1]]}',
        '{"machine": "x"}',
        '{"gough_view": 1, "machine": "hexel", "poses": [], "load": {"mass": ["heavy"]}}',
    ],
)
def test_what_is_no_view_is_told(text):
    with pytest.raises(gough.errors.InputError, match="is not a view saved by gough view"):
        from_document(text, "my.json")


def test_the_loop_does_the_newest_action_of_each_key_and_survives_errors():
    failed, done, gate = [], [], threading.Event()
    loop = Loop("test", failed.append)
    loop.post("gate", lambda: gate.wait(PATIENCE))
    time.sleep(0.05)
    for k in range(100):
        loop.post("drag", lambda k=k: done.append(k))
    loop.post("bad", lambda: 1 / 0)
    loop.post("last", lambda: done.append("last"))
    gate.set()
    end = time.monotonic() + PATIENCE
    while "last" not in done and time.monotonic() < end:
        time.sleep(0.01)
    loop.stop()
    assert done == [99, "last"]
    assert [type(error) for error in failed] == [ZeroDivisionError]


def test_a_later_action_waits_and_keeps_the_sooner_time():
    done = []
    loop = Loop("test", done.append)
    loop.post("slow", lambda: done.append("first"), 0.1)
    loop.post("slow", lambda: done.append("second"), 5.0)
    end = time.monotonic() + PATIENCE
    while not done and time.monotonic() < end:
        time.sleep(0.01)
    loop.stop()
    assert done == ["second"]
