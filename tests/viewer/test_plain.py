"""Drawing without a graphics card: coarsely in motion and without what takes long, finely at rest."""

import threading
import time
from itertools import pairwise

import pytest
from tests.viewer.conftest import until

import gough
from gough.viewer.scheduler import BackgroundTask, Loop, Throttle


@pytest.fixture
def loop():
    loop = Loop("test", lambda error: None)
    yield loop
    loop.stop()


def test_a_redraw_comes_at_once_after_a_rest(loop):
    shown = []
    throttle = Throttle(loop, "test", lambda: shown.append(1), 1e6)
    loop.post("a", throttle.note)
    assert until(lambda: shown == [1])


def test_redraws_come_once_in_a_period_and_the_last_after_the_last_change(loop):
    changes, shown = [], []
    throttle = Throttle(loop, "test", lambda: shown.append((time.monotonic(), len(changes))), 0.1)

    def change():
        changes.append(1)
        throttle.note()

    def is_shown_three_times():
        loop.post(f"change {time.monotonic()}", change)
        return len(shown) >= 3

    assert until(is_shown_three_times)
    assert until(lambda: shown[-1][1] == len(changes))
    assert all(later - earlier >= 0.1 - 1e-3 for (earlier, _), (later, _) in pairwise(shown))


def test_background_work_is_done_once_for_a_key_and_cancelled_by_another(loop):
    begun, done, gate = [], [], threading.Event()
    task = BackgroundTask(loop, "work", lambda key, value: done.append((key, value)))

    def work(key):
        def compute(check):
            begun.append(key)
            assert gate.wait(10)
            check()
            return key.upper()

        return compute

    task.request("a", work("a"))
    task.request("a", work("again"))
    assert until(lambda: begun == ["a"])
    task.request("b", work("b"))
    gate.set()
    assert until(lambda: done == [("b", "B")])
    assert begun == ["a", "b"]
    task.request("c", work("c"))
    task.request(None, work("none"))
    loop.post("last", lambda: begun.append("last"))
    assert until(lambda: "last" in begun)
    assert done == [("b", "B")]


def test_background_work_that_may_lag_shows_what_is_late_and_its_errors_are_results(loop):
    begun, done, gate = [], [], threading.Event()
    task = BackgroundTask(loop, "work", lambda key, value: done.append((key, value)), may_lag=True)

    def late(check):
        begun.append("late")
        assert gate.wait(10)
        check()
        return "late"

    def broken(check):
        raise gough.errors.InputError("no such thing")

    task.request(1, late)
    assert until(lambda: begun == ["late"])
    task.request(2, broken)
    gate.set()
    assert until(lambda: len(done) == 2)
    assert done[0] == (1, "late")
    assert (done[1][0], str(done[1][1])) == (2, "no such thing")
