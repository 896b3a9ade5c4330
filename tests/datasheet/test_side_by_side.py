"""Work shared with other processes: the same results whoever computes them, nothing lost, nothing that hangs."""

import os
import signal
import threading
import time

import pytest

import gough
from gough.datasheet.build import side_by_side
from gough.workers import cores, idle_cores, is_alone

PATIENCE = 60
"""Before a process that does not start fails the test [s]."""


def squared(slow, k):
    """A chunk: one process is slower than the others."""
    time.sleep(0.03 if os.getpid() == slow else 0.001)
    return k * k, os.getpid()


def together(common, k):
    """As `squared`, once as many processes as expected have begun a chunk: each leaves a file in the folder."""
    slow, processes, folder = common
    (folder / str(os.getpid())).touch()
    until = time.monotonic() + PATIENCE
    while len(list(folder.iterdir())) < processes and time.monotonic() < until:
        time.sleep(0.01)
    return squared(slow, k)


@pytest.mark.parametrize("processes", [1, 2, 3])
def test_results_come_in_order_from_all_processes_this_one_included(processes, tmp_path):
    begun = []
    slow = os.getpid() if processes > 1 else None
    made = side_by_side(
        together, (slow, processes, tmp_path), range(30), processes, lambda k, done: begun.append((k, done))
    )
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


def test_chunks_of_a_process_that_dies_are_computed_here():
    assert side_by_side(killed, os.getpid(), range(8), 3, lambda k, done: None) == [-k for k in range(8)]


def test_a_process_of_others_shares_its_work_with_none(monkeypatch):
    """Nor may it: a daemonic process has no children."""
    assert idle_cores() == cores()
    found = []
    thread = threading.Thread(target=lambda: (gough.workers.stay_on_this_thread(), found.append(idle_cores())))
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
