"""Plants small errors in the sources, one at a time, and says which of them no test notices.

    python scripts/mutate.py record [tests/...]       which tests run which lines: once, before
    python scripts/mutate.py run --count 300 --seed 1 [--room analysis]

Each mutant is an exact edit of one expression in a scratch copy. The tests that run its line are tried, those that run
the least else first, until one fails. Compiled kernels leave no trace of their lines: for them, and for what only
fixtures run, the tests of their room and the laws are taken. Mutants that change nothing anybody could notice are named
with the reason in `scripts/equivalent-mutants.toml`. Needs coverage.py (in the extra 'dev').
"""

from __future__ import annotations

import argparse
import ast
import difflib
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
import time
import tomllib
from collections import Counter, defaultdict
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parent.parent
SOURCE = ROOT / "src" / "gough"
RECORD = ROOT / ".mutation-coverage"
EQUIVALENT = Path(__file__).with_name("equivalent-mutants.toml")
FIRST = 25
"""Tests that are tried before all others that run the line."""
SWAPPED = {ast.Add: ("+", "-"), ast.Sub: ("-", "+"), ast.Mult: ("*", "/"), ast.Div: ("/", "*"), ast.Pow: ("**", "*")}
FLIPPED = {"<": ">", ">": "<", "<=": ">", ">=": "<", "==": "!=", "!=": "=="}
PAIRS = (
    "min max",
    "minimum maximum",
    "fmin fmax",
    "sin cos",
    "any all",
    "argmin argmax",
    "floor ceil",
    "arcsin arccos",
)
OTHER = {a: b for pair in PAIRS for a, b in (pair.split(), pair.split()[::-1])}
ROOMS = {"": ["tests/laws", "tests/kinematics"], "legs": ["tests/legs", "tests/kinematics", "tests/laws"]}


class Mutant(NamedTuple):
    """An edit: bytes from `begin` to `end` of a file become `text`."""

    path: Path
    line: int
    begin: int
    end: int
    text: str

    @property
    def room(self) -> str:
        """Folder below the package."""
        return self.path.parent.name if self.path.parent != SOURCE else ""

    def applied(self, source: bytes) -> bytes:
        """The file with the error in it."""
        return source[: self.begin] + self.text.encode() + source[self.end :]


class _Finder(ast.NodeVisitor):
    """Collects the edits of one file."""

    def __init__(self, path: Path, source: bytes) -> None:
        self.path, self.source, self.found = path, source, list[Mutant]()
        self.starts = [0]
        for line in source.splitlines(keepends=True):
            self.starts.append(self.starts[-1] + len(line))

    def place(self, node: ast.expr) -> tuple[int, int]:
        assert node.end_lineno is not None
        assert node.end_col_offset is not None
        return self.starts[node.lineno - 1] + node.col_offset, self.starts[node.end_lineno - 1] + node.end_col_offset

    def text(self, node: ast.expr) -> str:
        begin, end = self.place(node)
        return self.source[begin:end].decode()

    def add(self, node: ast.expr, begin: int, end: int, text: str) -> None:
        self.found.append(Mutant(self.path, node.lineno, begin, end, text))

    def replace(self, node: ast.expr, text: str) -> None:
        self.add(node, *self.place(node), text)

    def between(self, node: ast.expr, left: ast.expr, right: ast.expr, was: str, now: str) -> None:
        """Replace an operator between two operands."""
        begin, end = self.place(left)[1], self.place(right)[0]
        found = re.search(rb"(?<![-+*/<>=!])" + re.escape(was.encode()) + rb"(?![*/<>=])", self.source[begin:end])
        if found:
            self.add(node, begin + found.start(), begin + found.end(), now)

    def visit_AnnAssign(self, node: ast.AnnAssign) -> None:
        if node.value is not None:
            self.visit(node.value)

    def visit_FunctionDef(self, node: ast.FunctionDef) -> None:
        for part in [*node.args.defaults, *(d for d in node.args.kw_defaults if d), *node.body]:
            self.visit(part)

    def visit_BinOp(self, node: ast.BinOp) -> None:
        if type(node.op) in SWAPPED:
            self.between(node, node.left, node.right, *SWAPPED[type(node.op)])
        if isinstance(node.op, ast.Add | ast.Sub):  # a term dropped, its operator with it
            self.add(node, self.place(node.left)[1], self.place(node.right)[1], "")
        if isinstance(node.op, ast.MatMult):
            self.replace(node, f"(({self.text(node.right)}) @ ({self.text(node.left)}))")
        self.generic_visit(node)

    def visit_AugAssign(self, node: ast.AugAssign) -> None:
        if type(node.op) in SWAPPED:
            was, now = SWAPPED[type(node.op)]
            self.between(node.target, node.target, node.value, f"{was}=", f"{now}=")
        self.generic_visit(node)

    def visit_UnaryOp(self, node: ast.UnaryOp) -> None:
        if isinstance(node.op, ast.USub | ast.Not):
            self.replace(node, f"({self.text(node.operand)})")
        self.generic_visit(node)

    def visit_Compare(self, node: ast.Compare) -> None:
        symbols = {ast.Lt: "<", ast.Gt: ">", ast.LtE: "<=", ast.GtE: ">=", ast.Eq: "==", ast.NotEq: "!="}
        symbol = symbols.get(type(node.ops[0]))
        if symbol:
            self.between(node, node.left, node.comparators[0], symbol, FLIPPED[symbol])
        self.generic_visit(node)

    def visit_BoolOp(self, node: ast.BoolOp) -> None:
        was, now = ("and", "or") if isinstance(node.op, ast.And) else ("or", "and")
        self.between(node, node.values[0], node.values[1], was, now)
        self.generic_visit(node)

    def visit_Constant(self, node: ast.Constant) -> None:
        if isinstance(node.value, bool):
            self.replace(node, str(not node.value))
        elif isinstance(node.value, int):
            self.replace(node, str(node.value + 1))
        elif isinstance(node.value, float):
            self.replace(node, repr(2.0 * node.value) if node.value else "1.0")

    def visit_Call(self, node: ast.Call) -> None:
        name = node.func
        if isinstance(name, ast.Attribute | ast.Name):
            word = name.attr if isinstance(name, ast.Attribute) else name.id
            end = self.place(name)[1]
            if word in OTHER:
                self.add(node, end - len(word), end, OTHER[word])
            if word == "swapaxes" and len(node.args) == 3:
                self.replace(node, f"({self.text(node.args[0])})")
        self.generic_visit(node)

    def visit_Attribute(self, node: ast.Attribute) -> None:
        if node.attr == "T":
            self.replace(node, self.text(node.value))
        self.generic_visit(node)


def mutants(room: str | None) -> list[Mutant]:
    """Every edit there is, of one room or of all."""
    found: list[Mutant] = []
    for path in sorted(SOURCE.rglob("*.py")):
        source = path.read_bytes()
        finder = _Finder(path, source)
        finder.visit(ast.parse(source))
        found += [m for m in finder.found if (room is None or m.room == room) and _is_code(m.applied(source))]
    return found


def _is_code(source: bytes) -> bool:
    try:
        ast.parse(source)
    except SyntaxError:
        return False
    return True


def pytest_runtest_logstart(nodeid: str) -> None:
    """As a plugin of pytest: coverage notes lines under the test that runs them."""
    import coverage

    current = coverage.Coverage.current()
    if current is not None:
        current.switch_context(nodeid.partition("[")[0])


def record(paths: list[str]) -> int:
    """Run tests under coverage, with the name of each beside its lines."""
    here = [str(ROOT / "src"), str(Path(__file__).parent), os.environ.get("PYTHONPATH", "")]
    env = dict(os.environ, PYTHONPATH=os.pathsep.join(here))
    env["COVERAGE_CORE"] = "ctrace"
    command = ["-m", "coverage", "run", f"--data-file={RECORD}", f"--source={SOURCE}"]
    return subprocess.run(
        [sys.executable, *command, "-m", "pytest", "-q", "-p", "mutate", *paths], check=False, cwd=ROOT, env=env
    ).returncode


class Choice:
    """Which tests to try for a line."""

    def __init__(self) -> None:
        import coverage

        self.data, self.size = coverage.CoverageData(str(RECORD)), Counter[str]()
        self.data.read()
        for name in self.data.measured_files():
            for tests in self.data.contexts_by_lineno(name).values():
                self.size.update(tests)

    def __call__(self, mutant: Mutant) -> list[str]:
        """Most specific first."""
        lines = self.data.contexts_by_lineno(str(mutant.path))
        tests = [test for test in lines.get(mutant.line, []) if test]
        room = [name for name in (f"tests/{mutant.room}",) if mutant.room and (ROOT / name).is_dir()]
        return sorted(tests, key=self.size.__getitem__) or ROOMS.get(mutant.room, [*room, "tests/laws"])


def scratch_copy(folder: Path) -> Path:
    """A copy of the repository that may be changed, with its own copy of the compiled kernels."""
    copy = folder / "gough"
    left_out = shutil.ignore_patterns(".git", ".venv", "__pycache__", ".*_cache", RECORD.name)
    shutil.copytree(ROOT, copy, ignore=left_out)
    kept = subprocess.run(
        [sys.executable, "-c", "from gough._kernel_cache import cache_folder; print(cache_folder())"],
        capture_output=True, text=True, check=True, env=dict(os.environ, PYTHONPATH=str(ROOT / "src")),
    ).stdout.strip()  # fmt: skip
    if Path(kept).is_dir():
        shutil.copytree(kept, folder / "kernels")
    return copy


def fails(tests: list[str], copy: Path, limit: float) -> bool:
    """Whether some of the tests fail in the copy, or do not come to an end."""
    here = os.pathsep.join([str(copy / "src"), os.environ.get("PYTHONPATH", "")])
    env = dict(os.environ, PYTHONPATH=here, GOUGH_CACHE_DIR=str(copy.parent / "kernels"))
    command = [sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", *tests]
    try:
        return (
            subprocess.run(command, check=False, cwd=copy, env=env, capture_output=True, timeout=limit).returncode != 0
        )
    except subprocess.TimeoutExpired:
        return True


def is_noticed(mutant: Mutant, tests: list[str], copy: Path, limit: float, sound: set[str]) -> bool:
    """Whether a test fails with the error in the copy that passes without; `sound` are those known to pass."""
    path = copy / mutant.path.relative_to(ROOT)
    source = path.read_bytes()
    for some in (tests[:FIRST], tests[FIRST:]):
        fresh = [test for test in some if test not in sound]
        if fresh and fails(fresh, copy, 4 * limit):
            sys.exit(f"some of these tests fail with no error planted, or take too long: {' '.join(fresh)}")
        sound.update(fresh)
        path.write_bytes(mutant.applied(source))
        found = bool(some) and fails(some, copy, limit)
        path.write_bytes(source)
        if found:
            return True
    return False


def difference(mutant: Mutant) -> tuple[str, str]:
    """The lines that change, before and after."""
    source = mutant.path.read_bytes()
    one, other = (text.decode().splitlines() for text in (source, mutant.applied(source)))
    changed = [line for line in difflib.unified_diff(one, other, lineterm="", n=0) if line[:3] not in ("---", "+++")]
    return tuple("\n".join(line[1:].strip() for line in changed if line[0] == sign) for sign in "-+")  # type: ignore[return-value]


def run(count: int, seed: int, room: str | None, limit: float) -> int:
    """Plant `count` errors and print the score."""
    named = tomllib.loads(EQUIVALENT.read_text()).get("mutant", [])
    reasons = {(entry["file"], entry["was"], entry["becomes"]): entry["because"] for entry in named}
    everything = mutants(room)
    chosen = random.Random(seed).sample(everything, min(count, len(everything)))
    print(f"{len(chosen)} of {len(everything)} mutants, seed {seed}", flush=True)
    choose, score, survivors, sound = Choice(), defaultdict(Counter), [], set[str]()
    with tempfile.TemporaryDirectory(prefix="gough-mutants-") as folder:
        copy = scratch_copy(Path(folder))
        for k, mutant in enumerate(chosen, 1):
            name = mutant.path.relative_to(SOURCE).as_posix()
            was, becomes = difference(mutant)
            began, state = time.monotonic(), "equivalent"
            if (name, was, becomes) not in reasons:
                state = "noticed" if is_noticed(mutant, choose(mutant), copy, limit, sound) else "SURVIVED"
            score[mutant.room][state] += 1
            print(f"{k:4} {state:10} {time.monotonic() - began:5.0f} s  {name}:{mutant.line}", flush=True)
            if state == "SURVIVED":
                survivors.append(f"{name}:{mutant.line}\n  - {was}\n  + {becomes}")
    print("\n".join(["", *survivors, ""]))
    for key in sorted(score):
        _tell(key or "(top)", score[key])
    _tell("all", sum(score.values(), Counter()))
    return len(survivors)


def _tell(room: str, score: Counter[str]) -> None:
    told = score["noticed"] + score["SURVIVED"]
    part = f"{100 * score['noticed'] / told:5.1f} %" if told else "     - "
    print(f"{room:12} {part}  {score['noticed']} of {told} noticed, {score['equivalent']} equivalent")


def main() -> int:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    commands.add_parser("record").add_argument("paths", nargs="*", default=["tests"])
    runner = commands.add_parser("run")
    runner.add_argument("--count", type=int, default=30)
    runner.add_argument("--seed", type=int, default=1)
    runner.add_argument("--room")
    runner.add_argument("--limit", type=float, default=300.0, help="time for the tests of one mutant [s]")
    given = parser.parse_args()
    if given.command == "record":
        return record(given.paths)
    return min(run(given.count, given.seed, given.room, given.limit), 1)


if __name__ == "__main__":
    sys.exit(main())
