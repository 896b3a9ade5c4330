"""Which tests run which lines and how long each takes: with kernels compiled, and with kernels as Python."""

from __future__ import annotations

import gc
import json
import os
import signal
import sys
import time
import traceback
from collections import Counter
from collections.abc import Callable, Iterable
from contextlib import suppress
from functools import partial
from importlib import import_module
from pathlib import Path
from types import FrameType
from typing import Any, NamedTuple, NoReturn
from unittest import mock

import coverage
from mutants import ROOT, SOURCE, Mutant

RECORD = ROOT / ".mutation"
KINDS = ("compiled", "interpreted")
"""Ways to run kernels."""
REWRITTEN = "ignore::pytest.PytestAssertRewriteWarning"
IMPORTS = """
numpy.random numba numba.core.typing numba.np.arrayobj plotly.graph_objects plotly.subplots viser jsonschema pytest
scipy.integrate scipy.interpolate scipy.linalg scipy.ndimage scipy.optimize scipy.signal scipy.sparse.linalg
scipy.spatial scipy.spatial.transform mujoco toppra
"""
"""What children of the process need not import again."""
WITHOUT_KERNELS = ("architecture", "cli", "fuzz", "plot", "datasheet", "viewer")
"""Folders of tests that are not tried with kernels as Python."""
QUICK, CASES = 0.12, 3
"""With kernels as Python: tests that take at most so long when compiled [s], and cases of each."""
INTERPRETED_LIMIT = 1.2
"""Such a test may take so long [s]; others of its cases are then left out."""
FILE_LIMIT = 1800.0
"""A file of tests is given up after so long [s]; what is recorded until then counts."""
COMPILING = 40.0
"""What compiling the kernels of a room anew takes [s]."""
STAGES = (3.0, 10.0, 25.0)
"""Tests of a mutant are tried in groups of so much recorded time [s]; what is beyond is not tried."""


READING = 0.5
"""Tests of the sources take no longer [s]."""


class TooSlowError(BaseException):
    """Ends a test, whatever it catches."""


class Recorder:
    """Plugin of pytest: coverage notes lines under the test that runs them; the times are kept of those that pass."""

    def __init__(self, kind: str, name: str, tracer: coverage.Coverage) -> None:
        self.is_interpreted, self.path, self.tracer = kind == "interpreted", RECORD / f"{kind}.{name}.json", tracer
        self.times, self.failed, self.slow, self.now = dict[str, float](), set[str](), set[str](), ""
        self.known: dict[str, float] = times_of("compiled") if self.is_interpreted else {}
        for number in (signal.SIGALRM, signal.SIGPROF):
            signal.signal(number, self._end)

    def _end(self, _: int, frame: FrameType | None) -> None:
        """Ends a test, but not within coverage.py, which would keep its lock for ever: a moment later then."""
        while frame is not None:
            if Path(frame.f_code.co_filename).parent.name == "coverage":
                signal.setitimer(signal.ITIMER_REAL, 0.01, 2.0)
                return
            frame = frame.f_back
        self.slow.add(self.now.partition("[")[0])
        raise TooSlowError

    def pytest_collection_modifyitems(self, items: list[Any]) -> None:  # noqa: D102
        kept = [item for item in items if "browser" not in item.fixturenames]
        if self.is_interpreted:
            cases = Counter[str]()
            kept = [item for item in kept if self.known.get(item.nodeid, QUICK) < QUICK]
            for item in kept:
                cases[item.nodeid.partition("[")[0]] += 1
                item.case = cases[item.nodeid.partition("[")[0]]
            kept = [item for item in kept if item.case <= CASES or "skew" in item.nodeid]
        items[:] = kept

    def pytest_runtest_setup(self, item: Any) -> None:  # noqa: D102
        if item.nodeid.partition("[")[0] in self.slow:
            import pytest

            pytest.skip("slow with other arguments")

    def pytest_runtest_logstart(self, nodeid: str) -> None:  # noqa: D102
        self.now = nodeid
        self.tracer.switch_context(nodeid)
        self.times[nodeid] = time.process_time()
        if self.is_interpreted:
            signal.setitimer(signal.ITIMER_PROF, INTERPRETED_LIMIT)
            signal.setitimer(signal.ITIMER_REAL, 10 * INTERPRETED_LIMIT, 2.0)

    def pytest_runtest_logreport(self, report: Any) -> None:  # noqa: D102
        if not report.passed:
            self.failed.add(report.nodeid)

    def pytest_runtest_logfinish(self, nodeid: str) -> None:  # noqa: D102
        for timer in (signal.ITIMER_PROF, signal.ITIMER_REAL):
            signal.setitimer(timer, 0)
        self.times[nodeid] = time.process_time() - self.times[nodeid]
        if len(self.times) % 10 == 0:
            self.keep()

    def pytest_sessionfinish(self) -> None:  # noqa: D102
        self.keep()

    def keep(self) -> None:
        """Write what is known until now."""
        self.tracer.get_data()
        self.path.write_text(json.dumps({test: t for test, t in self.times.items() if test not in self.failed}))


def warm() -> None:
    """Import what all children need, and nothing of Gough."""
    for name in IMPORTS.split():
        with suppress(ImportError):
            import_module(name)
    from numba.core.registry import cpu_target

    with mock.patch("numba.core.entrypoints._already_initialized", True):  # or it imports Gough
        cpu_target.typing_context.refresh()
        cpu_target.target_context.refresh()
    assert "gough" not in sys.modules, "children would test what this process has imported"
    gc.freeze()


def in_child(work: Callable[[], None], seconds: float) -> bool:
    """Run `work` in a fork, whose process group is ended after it; whether it took less than `seconds`."""
    sys.stdout.flush()
    child = os.fork()
    if child == 0:
        os.setsid()
        try:
            work()
        except BaseException:
            traceback.print_exc()
        os._exit(1)
    deadline = time.monotonic() + seconds
    while not (is_over := os.waitpid(child, os.WNOHANG)[0] != 0) and time.monotonic() < deadline:
        time.sleep(0.02)
    with suppress(ProcessLookupError):
        os.killpg(child, signal.SIGKILL)  # with what it has started
    if not is_over:
        os.waitpid(child, 0)
    return is_over


def use_sources_of(root: Path, is_interpreted: bool) -> None:
    """Make this process, and what it starts, test a copy of the repository with kernels of one kind."""
    os.chdir(root)
    sys.path[:0] = [str(root / "src")]
    sys.dont_write_bytecode = True
    path = os.pathsep.join([str(root / "src"), os.environ.get("PYTHONPATH", "")])
    os.environ.update(PYTHONPATH=path, PYTHONDONTWRITEBYTECODE="1")
    if is_interpreted:
        import numba
        import numpy as np

        numba.core.config.DISABLE_JIT, os.environ["NUMBA_DISABLE_JIT"] = True, "1"
        np.seterr(all="ignore")  # as in compiled code


def record_file(kind: str, tests: str) -> None:
    """Run the tests of one file in this process."""
    import pytest

    use_sources_of(ROOT, kind == "interpreted")
    if kind == "interpreted":
        os.cpu_count = lambda: 1  # a test that is ended must leave no thread behind
    os.environ["COVERAGE_CORE"] = "ctrace"
    name = tests.replace("/", "-")
    tracer = coverage.Coverage(data_file=str(RECORD / f"{kind}.{name}"), source=[str(SOURCE)])
    tracer.start()
    arguments = ["-q", "-p", "no:cacheprovider", "--tb=no", "-W", REWRITTEN, tests]
    pytest.main(arguments, plugins=[Recorder(kind, name, tracer)])
    tracer.stop()
    tracer.save()


def record(tests: list[str], workers: int) -> int:
    """Run files of tests, each in a process of its own, and join what they say."""
    RECORD.mkdir(exist_ok=True)
    warm()
    for kind in KINDS:
        chosen = [name for name in tests if kind == "compiled" or name.split("/")[1] not in WITHOUT_KERNELS]
        started = [os.fork() or _record_files(kind, chosen[k::workers]) for k in range(workers)]
        for child in started:
            os.waitpid(child, 0)
        parts = [str(part) for part in RECORD.glob(f"{kind}.*") if part.suffix != ".json"]
        coverage.Coverage(data_file=str(RECORD / kind)).combine(parts, strict=True)
    return 0


def _record_files(kind: str, tests: list[str]) -> NoReturn:
    """Run files of tests one after the other, and end this process."""
    for name in tests:
        if not in_child(partial(record_file, kind, name), FILE_LIMIT):
            print(f"{name} is given up after {FILE_LIMIT:g} s", flush=True)
    os._exit(0)


def times_of(kind: str) -> dict[str, float]:
    """Tests that pass, with their times [s]."""
    return {test: t for part in RECORD.glob(f"{kind}.*json") for test, t in json.loads(part.read_text()).items()}


class Tests(NamedTuple):
    """Tests to try together."""

    names: list[str]
    is_interpreted: bool
    seconds: float


class Choice:
    """Which tests to try for a mutant."""

    def __init__(self, kind: str) -> None:
        self.data, self.is_interpreted = coverage.CoverageData(str(RECORD / kind)), kind == "interpreted"
        self.data.read()
        self.times, self.size = times_of(kind), Counter[str]()
        for name in self.data.measured_files():
            for tests in self.data.contexts_by_lineno(name).values():
                self.size.update(tests)

    def __call__(self, mutant: Mutant) -> tuple[list[str], list[str]]:
        """Tests that run the statement, and others that may see it; best first.

        Those are tests in the files of the former (what their fixtures run is told of the first test alone), those that
        run functions of its file, and of a file that only other processes run its folder's.
        """
        direct, of_file = self.running(mutant)
        files = {test.partition("::")[0] for test in direct}
        of_room = set() if of_file else {test for test in self.times if test.split("/")[1] == mutant.room}
        beside = {test for test in self.times if test.partition("::")[0] in files}
        return self.ordered(direct, mutant.room), self.ordered((beside | of_file | of_room) - direct, mutant.room)

    def readers(self) -> list[str]:
        """Tests that read sources instead of running them."""
        return [test for test, t in self.times.items() if test.startswith("tests/architecture/") and t < READING]

    def running(self, mutant: Mutant) -> tuple[set[str], set[str]]:
        """Tests that run the statement, and all that run its file, whether they pass or not."""
        lines = self.data.contexts_by_lineno(str(mutant.path))
        of_file = {test for tests in lines.values() for test in tests}
        return set() if mutant.is_import else {test for k in mutant.lines for test in lines.get(k, [])}, of_file

    def ordered(self, tests: Iterable[str], room: str) -> list[str]:
        """Those of the room first; short and specific ones, and one case of each before the second."""
        known = sorted((t for t in tests if t in self.times), key=lambda t: (self.times[t] + 0.02) * self.size[t])
        rank, seen = dict[str, int](), Counter[str]()
        for test in known:
            rank[test] = seen[test.partition("[")[0]]
            seen[test.partition("[")[0]] += 1
        return sorted(known, key=lambda test: (test.split("/")[1] != room, rank[test]))

    def stages(self, tests: list[str]) -> list[Tests]:
        """Groups of tests, each with the time it may take."""
        groups, rest = list[Tests](), list(tests)
        for limit in STAGES:
            chosen, spent = list[str](), 0.0
            while rest and (spent + self.times[rest[0]] < limit or not chosen):
                spent += self.times[rest[0]]
                chosen.append(rest.pop(0))
            if chosen:
                groups.append(Tests(chosen, self.is_interpreted, spent))
        return groups


def groups_for(mutant: Mutant, compiled: Choice, interpreted: Choice) -> list[Tests]:
    """Tests of a mutant, in groups, best first.

    What compiled code is made of is tried as Python first: an edit there makes kernels of its room be compiled anew.
    """
    direct, others = compiled(mutant)
    groups = compiled.stages(direct)
    if mutant.room == "legs" or mutant.path.name.startswith("_"):
        runs, near = interpreted.running(mutant)
        anew = [
            tests._replace(seconds=tests.seconds + COMPILING)
            for tests in compiled.stages(compiled.ordered(runs or near, mutant.room))
        ]
        return interpreted.stages(interpreted(mutant)[0]) + groups + anew[:2]
    slow = interpreted.stages(interpreted(mutant)[0]) + compiled.stages(others)
    return groups + compiled.stages(compiled.readers())[:2] + slow


def all_tests() -> list[str]:
    """Files of tests, relative to the repository."""
    return sorted(path.relative_to(ROOT).as_posix() for path in Path(ROOT / "tests").rglob("test_*.py"))
