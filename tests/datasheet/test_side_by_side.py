"""Work shared with other processes: the same results whoever computes them, nothing lost, nothing that hangs."""

import os
import signal
import sys
import threading
import time

import pytest

import gough
from gough._compile import kernel
from gough.batches import is_alone
from gough.compilation import Compilation
from gough.datasheet.side_by_side import side_by_side
from gough.workers import FORKS, cores, idle_cores

forks = pytest.mark.skipif(not FORKS, reason="workers are new interpreters here")


def squared(slow, k):
    """A chunk: one process is slower than the others."""
    time.sleep(0.03 if os.getpid() == slow else 0.001)
    return k * k, os.getpid()


@pytest.mark.parametrize("processes", [1, 2, 3])
def test_results_come_in_order_from_all_processes_this_one_included(processes):
    begun = []
    slow = os.getpid() if processes > 1 else None
    made = side_by_side(squared, slow, range(30), processes, lambda k, done: begun.append((k, done)))
    assert [square for square, _ in made] == [k * k for k in range(30)]
    at_work = {process for _, process in made}
    assert os.getpid() in at_work
    assert len(at_work) == processes
    own = [k for k, (_, process) in enumerate(made) if process == os.getpid()]
    assert set(own) <= {k for k, _ in begun}
    assert processes == 1 or len(own) < 15, "whoever is free takes the next"
    done = [count for _, count in begun]
    assert done == sorted(done)
    assert done[0] == 0
    assert done[-1] < 30
    assert side_by_side(squared, None, [], processes, lambda k, done: None) == []


def killed(parent, k):
    if os.getpid() != parent:
        os.kill(os.getpid(), signal.SIGKILL)
    time.sleep(0.02)
    return -k


@forks
def test_chunks_of_a_process_that_dies_are_computed_here():
    assert side_by_side(killed, os.getpid(), range(8), 3, lambda k, done: None) == [-k for k in range(8)]


def failing(where, k):
    if (os.getpid() == where["parent"]) == where["here"]:
        raise gough.errors.InputError(f"chunk {k}: no such thing")
    time.sleep(0.05)


@pytest.mark.parametrize("here", [True, False])
def test_an_error_arrives_as_it_was_raised(here):
    with pytest.raises(gough.errors.InputError, match=r"^chunk \d: no such thing$"):
        side_by_side(failing, {"parent": os.getpid(), "here": here}, range(9), 2, lambda k, done: None)


def test_what_hears_of_the_progress_may_end_the_work():
    def stop(k, done):
        if done:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        side_by_side(squared, None, range(30), 2, stop)


INHERITED = sys.stderr, sys.stdout


def surroundings(parent, _):
    time.sleep(0.05)
    if os.getpid() == parent:
        return None
    deaf = signal.getsignal(signal.SIGINT) is signal.SIG_IGN
    return deaf, sys.stderr in INHERITED, sys.stdout in INHERITED, idle_cores()


@forks
def test_workers_leave_ctrl_c_to_this_process_and_share_no_stream_that_a_thread_may_hold(monkeypatch):
    """A thread that is writing when they are forked would hold a shared one for ever."""
    monkeypatch.setattr(f"{__name__}.INHERITED", (sys.stderr, sys.stdout))
    found = side_by_side(surroundings, os.getpid(), range(4), 2, lambda k, done: None)
    assert {each for each in found if each} == {(True, False, False, 1)}


@kernel
def twice(x):
    return 2.0 * x


def compiled(parent, _):
    if os.getpid() == parent:
        time.sleep(0.3)
        return 3.0
    return twice(1.5)


@forks
def test_what_workers_compile_is_known_here(monkeypatch, tmp_path):
    """While they do, and how many kernels it was."""
    here, seen = Compilation(), []
    monkeypatch.setattr("gough.workers.COMPILATION", here)
    monkeypatch.setattr("gough._numba.COMPILATION", here)
    monkeypatch.setenv("GOUGH_CACHE_DIR", str(tmp_path))
    over = threading.Event()
    watch = threading.Thread(target=lambda: [seen.extend(here.now) for _ in iter(lambda: over.wait(0.002), True)])
    watch.start()
    assert side_by_side(compiled, os.getpid(), range(2), 2, lambda k, done: None) == [3.0, 3.0]
    over.set()
    watch.join()
    assert {name for name, _ in seen} == {"twice"}
    assert (here.count, here.now) == (1, [])
    assert 0 < here.seconds < 60


def test_a_process_of_others_shares_its_work_with_none(monkeypatch):
    """Nor may it: a daemonic process has no children."""
    assert idle_cores() == (cores() if FORKS else 1)
    found = []
    thread = threading.Thread(target=lambda: (gough.batches.stay_on_this_thread(), found.append(idle_cores())))
    thread.start()
    thread.join()
    monkeypatch.setattr("gough.workers.current_process", lambda: type("Process", (), {"daemon": True}))
    assert [*found, idle_cores()] == [1, 1]


def alone(_, k):
    return is_alone()


def test_processes_side_by_side_do_not_divide_their_batches():
    """Each keeps a core busy; afterwards this one divides them again."""
    assert side_by_side(alone, None, range(6), 2, lambda k, done: None) == [True] * 6
    assert not is_alone()
    with pytest.raises(KeyboardInterrupt):
        side_by_side(alone, None, range(6), 2, interrupted)
    assert not is_alone()


def interrupted(k, done):
    raise KeyboardInterrupt
