"""Commands killed while they work: `python -m tests.kills [KILLS [COMMAND ...]]`.

Each run is a fork of a process that has compiled everything, ended by SIGKILL or SIGINT: half of them at any instant,
half while the file is written. What it writes must be the old file or the new one, whole; a SIGINT leaves no temporary
file, and what a SIGKILL leaves goes with the next run.
"""

import io
import os
import random
import signal
import sys
import tempfile
import time
from contextlib import redirect_stdout
from dataclasses import dataclass, field
from pathlib import Path

import gough.cli
from gough import files

OLD = b"old"
PATH_FILE = """\
moves = "tool"
frame = "home"
blend = 0.1
feed = 10

[[segments]]
kind = "line"
to = [30, 0, 0]
"""
COMMANDS = {
    "export": ["export", "mjcf", "servo"],
    "workspace": ["workspace", "hexel", "--samples", "9"],
    "path": ["path", "hexel", "square.toml", "--acceleration", "500"],
    "report": ["report", "hexel"],
    "travel": ["travel", "hexel"],
    "modes": ["modes", "dumitriu2017"],
}
TARGETS = {"export": "out.xml", "workspace": "out.nc", "path": "out.csv", "report": "out.html"}
TARGETS |= {"travel": "travel.csv", "modes": "modes.csv"}
LATE = 3.0
"""Ctrl-C ends a command within a second; a busy computer adds to that [s]."""
CRASHED = 70
PATIENCE = 300.0
"""Before a run that neither ends nor dies is a failure [s]."""
SETTLING = 0.02
"""Longest delay of a signal after writing has begun [s]: some come just after the end."""


def run(name, told):
    """In a fork: one command; tells through the pipe `told` when its file begins to be written."""
    replace_file = files.replace_file

    def telling(*arguments, **options):
        os.write(told, b"w")
        replace_file(*arguments, **options)

    files.replace_file = telling
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
    output = os.open("said", os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    os.dup2(output, 1)
    os.dup2(output, 2)
    sys.argv = ["gough", *COMMANDS[name], "-o", TARGETS[name]]
    return gough.cli.main()


@dataclass
class Run:
    """A command in a fork."""

    name: str
    process: int = 0
    status: int | None = None
    told: int = 0

    def __post_init__(self):
        self.told, writing = os.pipe()
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})  # Python's own work after a fork is no matter here
        self.process = os.fork()
        if not self.process:
            code = gough.cli.STOPPED  # where the signal comes before the command
            try:
                code = run(self.name, writing)
            except Exception:
                code = CRASHED
            finally:
                os._exit(code)
        os.close(writing)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})

    def begins_to_write(self):
        """Wait until it does, or ends without."""
        os.read(self.told, 1)

    def end(self):
        """Wait for its end; its exit code, or minus the signal that ended it."""
        until = time.monotonic() + PATIENCE
        ended = 0
        while not ended and time.monotonic() < until:
            ended, status = os.waitpid(self.process, os.WNOHANG)
            time.sleep(0.002)
        os.close(self.told)
        if not ended:
            os.kill(self.process, signal.SIGKILL)
            os.waitpid(self.process, 0)
            raise AssertionError(f"{self.name} neither ended nor died")
        return os.waitstatus_to_exitcode(status)


@dataclass
class Count:
    """What became of the runs of one command."""

    killed: int = 0
    interrupted: int = 0
    finished: int = 0
    left: int = 0
    slowest: float = 0.0
    problems: list[str] = field(default_factory=list)


def litter():
    return [path.name for path in Path().iterdir() if path.name not in {*TARGETS.values(), "said", "square.toml"}]


def kill_often(name, kills, rng):
    """Kill a command at random instants; a `Count`."""
    target, count = Path(TARGETS[name]), Count()
    began = time.monotonic()
    assert Run(name).end() == 0, Path("said").read_text()
    duration = time.monotonic() - began
    new = target.read_bytes()
    for k in range(kills):
        target.write_bytes(OLD)
        how, before = rng.choice([signal.SIGKILL, signal.SIGINT]), litter()
        killed = Run(name)
        if k % 2:
            killed.begins_to_write()
            time.sleep(rng.uniform(0, SETTLING) ** 2 / SETTLING)
        else:
            time.sleep(rng.uniform(0, duration))
        sent = time.monotonic()
        os.kill(killed.process, how)
        code, took = killed.end(), time.monotonic() - sent
        if how == signal.SIGINT:
            judge_end(count, code, took)
        judge(count, code, how, target.read_bytes(), new, set(litter()) - set(before))
    count.left = len(litter())
    if kills and (Run(name).end() != 0 or litter() or target.read_bytes() in (OLD, b"")):
        count.problems.append(f"the next run leaves {litter()} and {target.read_bytes()[:20]!r}...")
    return count


def judge(count, code, how, content, new, left):
    """Add one run to the count, with what is wrong with it."""
    count.finished += code == 0
    count.killed += code == -signal.SIGKILL
    count.interrupted += code == gough.cli.STOPPED
    allowed = {0, -signal.SIGKILL} if how == signal.SIGKILL else {0, gough.cli.STOPPED}
    said = Path("said").read_text()
    if code not in allowed or "Traceback" in said:
        count.problems.append(f"{how.name}: exit code {code}, said {said[-500:]}")
    if not (content == OLD or is_whole(content, new)):
        count.problems.append(f"{how.name}: {len(content)} bytes, neither the old file nor the new one of {len(new)}")
    if code == 0 and content == OLD:
        count.problems.append(f"{how.name}: it says it is done, and the file is the old one")
    if left and how == signal.SIGINT:
        count.problems.append(f"{how.name} leaves {left}")


def judge_end(count, code, took):
    """Whether an interrupted command ended in time, and with one word beside its progress."""
    count.slowest = max(count.slowest, round(took, 3))
    lines = [line for line in Path("said").read_text().splitlines() if not line.endswith((" ...", "segments."))]
    if took > LATE:
        count.problems.append(f"SIGINT: it ended after {took:.2f} s")
    if (
        code == gough.cli.STOPPED and lines and not lines[-1].endswith("stopped")
    ):  # before it, the answer may be printed
        count.problems.append(f"SIGINT: it said {lines[-3:]}")


def is_whole(content, new):
    """Whether it is the new file but for what names times of day."""
    return len(content) == len(new) and content[:50] == new[:50] and content[-50:] == new[-50:]


def main(kills, names):
    """Kill each command its share of `kills` times, and say what became of them; the exit code."""
    rng, wrong = random.Random(20260101), 0
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        Path("square.toml").write_text(PATH_FILE)
        for name in names:
            with redirect_stdout(io.StringIO()):
                assert gough.cli.main([*COMMANDS[name], "-o", TARGETS[name]]) == 0  # compiles, imports
            count = kill_often(name, kills // len(names), rng)
            wrong += len(count.problems)
            print(name, *(f"{key} {value}" for key, value in vars(count).items() if key != "problems"), sep=", ")
            for problem in count.problems[:5]:
                print(problem)
            sys.stdout.flush()
        os.chdir("/")
    print(f"{wrong} problems")
    return min(wrong, 1)


if __name__ == "__main__":
    sys.exit(main(int((*sys.argv, 200)[1]), sys.argv[2:] or list(COMMANDS)))
