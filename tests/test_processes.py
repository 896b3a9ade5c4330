"""Gough in forked, spawned and remote processes, in threads, and through pickles. Each with a watchdog."""

import copy
import multiprocessing
import os
import pickle
import signal
import subprocess
import sys
import tempfile
import threading
import time
from concurrent.futures import ProcessPoolExecutor
from functools import partial

import numpy as np
import pytest
from tests.skew import SKEW, SKEW_STACK

import gough
from gough.workers import PARALLEL_FROM, run_batch

PATIENCE = 60
"""Before a process that does not answer fails the test [s]."""
needs_fork = pytest.mark.skipif(not hasattr(os, "fork"), reason="this system cannot fork")
may_fork = pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")  # Python 3.12 and on, where threads are


@pytest.fixture(scope="module")
def hexel():
    return gough.load("hexel")


@pytest.fixture(scope="module")
def poses(hexel):
    """Enough for all cores, and over the megabyte from which Joblib and Dask hand out memory that is read-only."""
    z = hexel.X_home[2, 3] + np.linspace(-0.02, 0.02, 3 * PARALLEL_FROM)
    return gough.pose(np.column_stack([0 * z, 0 * z, z]), [3, 0, 0], "xyz", degrees=True).as_matrix()


def in_fork(task):
    """Run `task` in a bare fork; whether it returned True within the patience."""
    child = os.fork()
    if not child:
        done = False
        try:
            done = task()
        finally:
            os._exit(0 if done is True else 1)
    until = time.monotonic() + PATIENCE
    while time.monotonic() < until:
        ended, status = os.waitpid(child, os.WNOHANG)
        if ended:
            return status == 0
        time.sleep(0.01)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return False


@needs_fork
@may_fork
def test_a_fork_of_a_fork_computes_batches_after_its_parents_did(hexel, poses):
    q = gough.inverse_kinematics(hexel, poses)

    def same():
        return np.array_equal(gough.inverse_kinematics(hexel, poses), q)

    assert in_fork(lambda: same() and in_fork(same))
    assert same(), "the parent goes on"


def answers_of(submit, hexel, poses):
    """Check what came out of another process against this one."""
    found = submit(partial(gough.forward_kinematics, hexel), gough.inverse_kinematics(hexel, poses))
    assert np.abs(found.matrix - poses).max() < 1e-12
    assert found.certified.all()
    assert not found.machine.table.flags.writeable


@may_fork
@pytest.mark.parametrize("method", multiprocessing.get_all_start_methods())
def test_processes_of_each_start_method_compute_batches(method, hexel, poses):
    gough.inverse_kinematics(hexel, poses)
    with ProcessPoolExecutor(1, multiprocessing.get_context(method)) as workers:
        try:
            answers_of(lambda *task: workers.submit(*task).result(PATIENCE), hexel, poses)
        except TimeoutError:
            for process in list(workers._processes.values()):
                process.kill()
            raise


@pytest.mark.thorough
def test_joblib_workers_compute_batches(hexel, poses):
    joblib = pytest.importorskip("joblib", reason="joblib is not installed")
    run = joblib.Parallel(n_jobs=2, timeout=PATIENCE)
    answers_of(lambda task, q: run([joblib.delayed(task)(q)] * 2)[1], hexel, poses)


@pytest.mark.thorough
def test_dask_workers_compute_batches(hexel, poses):
    distributed = pytest.importorskip("distributed", reason="Dask is not installed")
    with (
        distributed.LocalCluster(n_workers=1, threads_per_worker=2, dashboard_address=":0") as cluster,
        distributed.Client(cluster) as client,
    ):
        answers_of(lambda task, q: client.submit(task, q).result(PATIENCE), hexel, poses)


def test_batches_within_batches_do_not_wait_for_themselves():
    def task(part):
        return sum(run_batch(lambda inner: inner.stop - inner.start, 10, from_count=1))

    done = []
    outer = threading.Thread(target=lambda: done.extend(run_batch(task, 10, from_count=1)), daemon=True)
    outer.start()
    outer.join(PATIENCE)
    assert set(done) == {10}


COPIES = {"pickle": lambda x: pickle.loads(pickle.dumps(x)), "deepcopy": copy.deepcopy, "copy": copy.copy}


def arrays_of(thing, where=""):
    """Every array of a machine or result, by its place."""
    if isinstance(thing, np.ndarray):
        yield where, thing
        return
    if type(thing).__module__.startswith("gough") and not callable(thing):
        names = getattr(type(thing), "__slots__", None) or vars(thing)
        parts = {name: getattr(thing, name) for name in names}
    elif isinstance(thing, dict):
        parts = thing
    else:
        parts = dict(enumerate(thing)) if isinstance(thing, tuple | list) else {}
    for name, part in parts.items():
        yield from arrays_of(part, f"{where}.{name}")


@pytest.mark.parametrize("copied", COPIES.values(), ids=COPIES)
@pytest.mark.parametrize("name", [*(info.name for info in gough.machines()), *SKEW, SKEW_STACK])
def test_copies_of_machines_are_read_only(name, copied):
    machine = gough.load(name)
    _ = [stage.table for stage in machine.stages]
    for made in (machine, copied(machine)):
        found = dict(arrays_of(made))
        assert len(found) > 5
        assert not [where for where, array in found.items() if array.flags.writeable]
    for where, array in arrays_of(copied(machine)):
        assert np.array_equal(array, dict(arrays_of(machine))[where], equal_nan=True)


@pytest.mark.thorough
def test_a_report_ends_where_its_reader_has_gone():
    """Its process tells the processes of its pool to end, and waits for the sections that they compute."""
    program = (
        "import sys, gough.cli.progress as progress\n"
        "progress.LOG_PATIENCE = 0.01\n"
        "sys.argv = ['gough', 'report', 'hexel', '--summary', '-o', 'page.html']\n"
        "from gough.cli import run_process; run_process()\n"
    )
    with (
        tempfile.TemporaryDirectory() as folder,
        subprocess.Popen(
            [sys.executable, "-c", program], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, cwd=folder
        ) as process,
    ):
        process.stdout.readline()
        process.stdout.close()
        assert process.wait(timeout=PATIENCE) == 141
