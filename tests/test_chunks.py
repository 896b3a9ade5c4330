"""Chunks in processes of this machine and on a cluster: in order, the same to the bit, and nothing is lost."""

import os
import signal
import socket
import subprocess
import sys
import threading
import time
from contextlib import suppress
from pathlib import Path
from threading import Timer

import numpy as np
import pytest
from tests.skew import SKEW

import gough
from gough.chunks import ATTEMPTS, Chunks


def squared(shared, k):
    """A chunk: the first of which ends its process, once, where `shared` names a file that is not there yet."""
    if shared is not None and k == 2 and not shared.exists():
        shared.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    time.sleep(0.02 if k < 4 else 0.0)  # the first ones are done last
    return k * k


def always_killed(_, k):
    os.kill(os.getpid(), signal.SIGKILL)


def failing(_, k):
    raise ValueError(f"chunk {k}")


@pytest.mark.parametrize("processes", [1, 2, 3])
def test_results_come_in_the_order_of_the_chunks(processes):
    done = []
    with Chunks(squared, None, processes) as chunks:
        assert chunks.run(range(12), lambda *progress: done.append(progress)) == [k * k for k in range(12)]
        assert chunks.run([]) == []
        assert chunks.run([5]) == [25]
    assert done == [(k, 12) for k in range(1, 13)]


def test_a_process_that_is_killed_loses_nothing(tmp_path):
    with Chunks(squared, tmp_path / "killed", 2) as chunks:
        assert chunks.run(range(40)) == [k * k for k in range(40)]
    assert (tmp_path / "killed").exists()


def may_compile(_, k):
    """Whether the compiler is free in this process."""
    from numba.core.compiler_lock import global_compiler_lock as compiler

    thread = threading.Thread(target=lambda: (compiler.acquire(), compiler.release()), daemon=True)
    thread.start()
    thread.join(2.0)
    return not thread.is_alive()


def test_processes_begin_when_no_other_thread_compiles():
    """They would wait for ever for a compiler whose thread they do not have."""
    gough.margins(gough.load(SKEW[0]), np.eye(4))  # kernels have been used
    from numba.core.compiler_lock import global_compiler_lock as compiler

    is_held = threading.Event()

    def compile_for_a_while():
        with compiler:
            is_held.set()
            time.sleep(0.3)

    thread = threading.Thread(target=compile_for_a_while)
    thread.start()
    is_held.wait()
    with Chunks(may_compile, None, 2) as chunks:
        assert chunks.run(range(2)) == [True, True]
    thread.join()


@pytest.mark.thorough
def test_processes_that_always_die_and_functions_that_fail_end_the_job():
    with (
        Chunks(always_killed, None, 2) as chunks,
        pytest.raises(gough.GoughError, match=f"worker processes crashed {ATTEMPTS} times"),
    ):
        chunks.run(range(3))
    for processes in (1, 2):
        with Chunks(failing, None, processes) as chunks, pytest.raises(ValueError, match=r"chunk [01]"):
            chunks.run(range(2))


@pytest.fixture(scope="module")
def cluster():
    """Two workers of one thread."""
    distributed = pytest.importorskip("distributed", reason="Dask is not installed")
    with distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=":0") as made:
        yield made


@pytest.mark.thorough
def test_a_cluster_computes_the_same_to_the_bit(cluster):
    m = gough.load(SKEW[0])
    here, there = (
        gough.workspace_volume_6d(m, rtol=0.1, max_boxes=40_000, **how)
        for how in ({"processes": 1}, {"scheduler": cluster.scheduler_address})
    )
    assert (here.volume, here.low, here.high, here.hits) == (there.volume, there.low, there.high, there.hits)
    np.testing.assert_array_equal(here.paving.status, there.paving.status)


def test_maps_and_columns_are_the_same_on_a_cluster(cluster):
    m, at = gough.load(SKEW[0]), cluster.scheduler_address
    here, there = (gough.statics.stiffness_map(m, samples=6, **how) for how in ({"processes": 1}, {"scheduler": at}))
    assert here.identical(there)
    here, there = (gough.workspace(m, samples=40, scheduler=place) for place in (None, at))
    for name in ("ends", "binding", "count"):
        np.testing.assert_array_equal(getattr(here, name), getattr(there, name))


def test_a_map_in_processes_is_the_same_and_reports_its_progress():
    m, done = gough.load(SKEW[0]), []
    how = {"x": [0.0, 0.01], "y": [0.0], "z": np.linspace(-0.1, 0.1, 5)}
    here, there = (
        gough.workspaces.map_over_positions(
            m, stiffness_at(m), m.X_home, **how, chunk=3, processes=n, progress=lambda *p: done.append(p)
        )
        for n in (1, 2)
    )
    assert here.identical(there)
    assert done == 2 * [(3, 10), (6, 10), (9, 10), (10, 10)]


def stiffness_at(m):
    """A function of poses that no other process can import."""
    return lambda X: {"determinant": ((), np.linalg.det(gough.jacobian(m, X)), {"units": "1"})}


def test_a_worker_that_is_killed_loses_nothing(cluster, tmp_path):
    with Chunks(squared, tmp_path / "killed", scheduler=cluster.scheduler_address) as chunks:
        assert chunks.run(range(200)) == [k * k for k in range(200)]  # several chunks in a task
    assert (tmp_path / "killed").exists()


def test_a_scheduler_that_does_not_answer_or_has_no_workers_is_named(monkeypatch):
    distributed = pytest.importorskip("distributed", reason="Dask is not installed")
    monkeypatch.setattr("gough.chunks.PATIENCE", 0.5)
    with pytest.raises(gough.errors.InputError, match="no Dask scheduler answers at"):
        Chunks(squared, None, scheduler="tcp://127.0.0.1:1")
    with (
        distributed.LocalCluster(n_workers=0, threads_per_worker=1, dashboard_address=":0") as empty,
        pytest.raises(gough.errors.InputError, match="has no workers"),
    ):
        Chunks(squared, None, scheduler=empty.scheduler_address)


def slow(_, seconds):
    time.sleep(seconds)
    return seconds


@pytest.mark.thorough
@pytest.mark.parametrize("ended", ["scheduler", "worker"])
def test_a_cluster_that_ends_during_the_work_is_told(monkeypatch, ended):
    pytest.importorskip("distributed")
    monkeypatch.setattr("gough.chunks.PATIENCE", 3.0)
    with socket.create_server(("127.0.0.1", 0)) as free:
        at = f"127.0.0.1:{free.getsockname()[1]}"
    run = [sys.executable, "-m"]
    options = {"cwd": Path(__file__).parents[1], "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    port = at.partition(":")[2]
    own = {
        "scheduler": subprocess.Popen(
            [*run, "distributed.cli.dask_scheduler", "--host", "127.0.0.1", "--port", port, "--no-dashboard"], **options
        ),
        "worker": subprocess.Popen(
            [*run, "distributed.cli.dask_worker", at, "--nthreads", "1", "--no-nanny", "--no-dashboard"], **options
        ),
    }
    try:
        chunks = connected(at)
        Timer(1.0, own[ended].kill).start()
        with (
            chunks,
            pytest.raises(
                gough.errors.GoughError, match=r"is no longer reachable|has lost all its workers|crashed on a chunk"
            ),
        ):
            chunks.run([1.0] * 8)
    finally:
        for process in own.values():
            process.kill()
            process.wait()


def connected(address):
    """Chunks on a cluster, as soon as it has begun."""
    for _ in range(20):
        with suppress(gough.errors.InputError):
            return Chunks(slow, None, scheduler=address)
        time.sleep(1.0)
    raise AssertionError("no cluster")
