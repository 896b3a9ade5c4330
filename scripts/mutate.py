"""Plants small errors in the sources, one at a time, and says which of them no test notices.

    python scripts/mutate.py record [--workers 2]    which tests run which lines, and how long each takes: once, before
    python scripts/mutate.py run --count 300 --seed 1 [--room limits] [--bodies]
    python scripts/mutate.py run --known            those of `scripts/known-mutants.toml`, which once went unnoticed

Each mutant is an exact edit in a scratch copy (`mutants.py`). A fork of a process that has imported everything else
tries the tests that run its line, the quickest and most specific first, until one fails; then those that run its file.
Compiled kernels leave no trace of their lines and would have to be compiled for every mutant: their tests are recorded
and tried with NUMBA_DISABLE_JIT=1. Mutants that change nothing anybody could notice are named with the reason in
`scripts/equivalent-mutants.toml`. Needs coverage.py (in the extra 'dev').
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time
import tomllib
from collections import Counter, defaultdict
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from mutants import ROOT, Mutant, difference, named, sample
from mutation_record import (
    RECORD,
    REWRITTEN,
    Choice,
    Tests,
    all_tests,
    groups_for,
    in_child,
    record,
    use_sources_of,
    warm,
)

EQUIVALENT, KNOWN = (Path(__file__).with_name(f"{name}-mutants.toml") for name in ("equivalent", "known"))


class Bench:
    """A scratch copy of the repository, and children that try tests in it."""

    def __init__(self, folder: Path, limit: float) -> None:
        self.copy, self.limit = folder / "gough", limit
        self.sound, self.unsound = set[tuple[str, bool]](), set[tuple[str, bool]]()
        left_out = shutil.ignore_patterns(".git", ".venv", "__pycache__", ".*_cache", RECORD.name)
        shutil.copytree(ROOT, self.copy, ignore=left_out)
        subprocess.run(
            [sys.executable, "-m", "compileall", "-q", str(self.copy / "src"), str(self.copy / "tests")], check=True
        )

    def first_failure(self, tests: Tests) -> str:
        """Name of the first of the tests that fails in the copy, or what else went wrong, or nothing."""
        reading, writing = os.pipe()
        is_over = in_child(partial(self._try, tests, writing), 10 * (self.limit + 3 * tests.seconds))
        os.close(writing)
        with os.fdopen(reading) as told:
            answer = (told.read() or "ended without a word") if is_over else "too slow"
        return "" if answer == "passed" else answer

    def _try(self, tests: Tests, writing: int) -> None:
        import pytest

        allowed = int(self.limit + 3 * tests.seconds)
        resource.setrlimit(resource.RLIMIT_CPU, (allowed, allowed))
        quiet = os.open(os.devnull, os.O_RDWR)
        for stream in (0, 1):
            os.dup2(quiet, stream)
        use_sources_of(self.copy, tests.is_interpreted)
        arguments = ["-q", "--tb=no", "-p", "no:cacheprovider", "-W", REWRITTEN, *tests.names]
        code = pytest.main(arguments, plugins=[FirstFailure(writing)])
        is_sound = code in (pytest.ExitCode.OK, pytest.ExitCode.USAGE_ERROR)  # the latter: an error renames a case
        os.write(writing, b"passed" if is_sound else b"pytest gives up")
        os._exit(0)

    def notices(self, mutant: Mutant, groups: list[Tests]) -> str:
        """The test that fails with the error in the copy and passes without."""
        for group in groups:
            while names := [name for name in group.names if (name, group.is_interpreted) not in self.unsound]:
                found = self._with(mutant, group._replace(names=names))
                if not found:
                    break
                if self._is_sound(found, group):
                    return found
        return ""

    def _with(self, mutant: Mutant, tests: Tests) -> str:
        """The first failure with the error in the copy."""
        path = self.copy / mutant.path.relative_to(ROOT)
        source, times = path.read_bytes(), path.stat()
        path.write_bytes(mutant.applied(source))
        found = self.first_failure(tests)
        path.write_bytes(source)
        os.utime(path, ns=(times.st_atime_ns, times.st_mtime_ns))
        return found

    def _is_sound(self, name: str, group: Tests) -> bool:
        """Whether a test passes with nothing planted; it is tried no more if not."""
        if "::" not in name or (name, group.is_interpreted) in self.sound:
            return True
        passes = not self.first_failure(Tests([name], group.is_interpreted, 10.0))
        (self.sound if passes else self.unsound).add((name, group.is_interpreted))
        return passes


class FirstFailure:
    """Plugin of pytest that tells the name of the test that failed and ends the process."""

    def __init__(self, writing: int) -> None:
        self.writing = writing

    def pytest_runtest_logreport(self, report: Any) -> None:  # noqa: D102
        self.pytest_collectreport(report)

    def pytest_collectreport(self, report: Any) -> None:  # noqa: D102
        if report.failed:
            os.write(self.writing, report.nodeid.encode())
            os._exit(0)


class Outcome(NamedTuple):
    """What became of a mutant."""

    number: int
    room: str
    state: str
    text: str


def work(mutants: list[tuple[int, Mutant]], limit: float, reasons: dict[tuple[str, str, str], str]) -> list[Outcome]:
    """Plant errors one after the other."""
    choices, outcomes = (Choice("compiled"), Choice("interpreted")), list[Outcome]()
    with tempfile.TemporaryDirectory(prefix="gough-mutants-") as folder:
        bench = Bench(Path(folder), limit)
        for number, mutant in mutants:
            was, becomes = difference(mutant)
            began, by, state = time.monotonic(), "", "equivalent"
            if (mutant.name, was, becomes) not in reasons:
                by = bench.notices(mutant, groups_for(mutant, *choices))
                state = "noticed" if by else "SURVIVED"
            seconds = time.monotonic() - began
            print(f"{number:4} {state:10} {seconds:5.0f} s  {mutant.name}:{mutant.line}  {by}", flush=True)
            text = f"{number}  {mutant.name}:{mutant.line}\n  - {was}\n  + {becomes}"
            outcomes.append(Outcome(number, mutant.room, state, text))
    return outcomes


def run(given: argparse.Namespace) -> int:
    """Plant errors in as many copies as there are workers and print the score."""
    known, equivalent = (tomllib.loads(path.read_text())["mutant"] for path in (KNOWN, EQUIVALENT))
    reasons = {(entry["file"], entry["was"], entry["becomes"]): entry["because"] for entry in equivalent}
    drawn = (
        [named(entry) for entry in known] if given.known else sample(given.count, given.seed, given.room, given.bodies)
    )
    numbered = list(enumerate(drawn, 1))
    if given.only:
        numbered = [numbered[k - 1] for k in given.only]
    warm()
    workers = []
    for k in range(given.workers):
        reading, writing = os.pipe()
        if os.fork() == 0:
            outcomes = work(numbered[k :: given.workers], given.limit, reasons)
            with os.fdopen(writing, "w") as tell:
                json.dump(outcomes, tell)
            os._exit(0)
        os.close(writing)
        workers.append(reading)
    found = list[Outcome]()
    for reading in workers:
        with os.fdopen(reading) as told:
            found += [Outcome(*outcome) for outcome in json.load(told)]
        os.wait()
    return tell_score(sorted(found))


def tell_score(found: list[Outcome]) -> int:
    """Print survivors, and the score of each room; how many survived."""
    survivors = [outcome.text for outcome in found if outcome.state == "SURVIVED"]
    score = defaultdict[str, Counter[str]](Counter)
    for outcome in found:
        score[outcome.room or "(top)"][outcome.state] += 1
    print("\n".join(["", *survivors, ""]))
    for room, counted in [*sorted(score.items()), ("all", sum(score.values(), Counter[str]()))]:
        told = counted["noticed"] + counted["SURVIVED"]
        part = f"{100 * counted['noticed'] / told:5.1f} %" if told else "     - "
        print(f"{room:12} {part}  {counted['noticed']} of {told} noticed, {counted['equivalent']} equivalent")
    return len(survivors)


def main() -> int:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    recorder = commands.add_parser("record")
    recorder.add_argument("paths", nargs="*", help="files of tests; all if left out")
    runner = commands.add_parser("run")
    for command in (recorder, runner):
        command.add_argument("--workers", type=int, default=1)
    runner.add_argument("--count", type=int, default=30)
    runner.add_argument("--seed", type=int, default=1)
    runner.add_argument("--room", help="'' is the package's own folder")
    runner.add_argument("--known", action="store_true", help="the named ones, which once went unnoticed")
    runner.add_argument("--bodies", action="store_true", help="functions that return their first argument")
    runner.add_argument("--only", type=int, nargs="+", help="numbers of mutants to try again")
    runner.add_argument(
        "--limit",
        type=float,
        default=25.0,
        help="processor time for a group of tests, beyond three times what was recorded [s]",
    )
    given = parser.parse_args()
    if given.command == "run":
        return min(run(given), 1)
    return record(given.paths or all_tests(), given.workers)


if __name__ == "__main__":
    sys.exit(main())
