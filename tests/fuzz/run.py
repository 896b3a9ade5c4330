"""Cases one after the other, each known by its seed and number, each under a watchdog."""

import faulthandler
import os
import random
import sys
import tempfile
import threading
import time
import traceback
import warnings
from collections import Counter
from contextlib import contextmanager, nullcontext
from pathlib import Path

from tests.fuzz.kinds import KINDS, REFUSAL

PATIENCE = 60.0
"""A case that computes longer [s] ends the run, or waits ten times as long: kernels cannot be interrupted."""
REPORT_EVERY = 5.0
"""Seconds between two reports of what has been done."""


def case(seed, number, folder, kinds=None):
    """Run one case: its kind, how it ended, and what was handed over where it ended wrongly."""
    rng = random.Random(f"{seed}:{number}")
    kind = rng.choices([*(kinds or KINDS)], weights=[*(kinds or KINDS).values()])[0]
    name, given, end = kind.__name__, None, "answered"
    try:
        steps = kind(rng, Path(folder))
        given = next(steps)
        name = f"gough {given[0]}" if isinstance(given, list) else name
        end = next(steps, end)
        next(steps, None)
    except REFUSAL as error:
        wrong = _wrong_of(error)
        return name, "refused", wrong and f"{wrong}\n{given!r}"
    except OSError as error:
        is_named = bool(error.strerror)
        return name, "refused", "" if is_named else f"{error!r}\n{given!r}"
    except Exception:
        return name, "failed", f"{traceback.format_exc(limit=-4)}{given!r}"[:6000]
    return name, end, ""


def _wrong_of(error):
    """What a refusal lacks: a sentence, and one line for each problem."""
    problems = getattr(error, "problems", [str(error)])
    is_told = problems and all(problem.strip(": \n") and "\n" not in problem for problem in problems)
    return "" if is_told else f"a refusal that is no sentence: {str(error)!r}"


def cases(seed, numbers, report=lambda: None, counts=None, failures=None, kinds=None):
    """Ends of many cases, counted; and the failures, each with its number. Warnings are failures.

    `counts` and `failures` grow as it goes; `report` is called every few seconds, and where a case hangs.
    """
    counts, failures = Counter() if counts is None else counts, {} if failures is None else failures
    since = time.monotonic()
    with watchdog(report) as note, warnings.catch_warnings(), tempfile.TemporaryDirectory() as shared:
        warnings.simplefilter("error")
        for number in numbers:
            # Small cases write the same files again and again, and have one folder.
            with tempfile.TemporaryDirectory() if kinds is None else nullcontext(shared) as folder, inside(folder):
                note(f"seed {seed}, case {number}")
                kind, end, wrong = case(seed, number, folder, kinds)
            counts[kind, end] += 1
            if wrong:
                failures[number] = f"{kind}: {wrong}"
            if time.monotonic() - since > REPORT_EVERY:
                report()
                since = time.monotonic()
    return counts, failures


@contextmanager
def inside(folder):
    """Work in a folder for a while."""
    before = Path.cwd()
    os.chdir(folder)
    try:
        yield
    finally:
        os.chdir(before)


@contextmanager
def watchdog(report):
    """A function that notes what is under way; the process ends with all stacks where that takes too long."""
    state, done = {"what": "", "since": (time.process_time(), time.monotonic())}, threading.Event()

    def watch():
        while not done.wait(1.0):
            computing, waiting = state["since"]
            if time.process_time() - computing > PATIENCE or time.monotonic() - waiting > 10 * PATIENCE:
                print(f"HANGS: {state['what']}", file=sys.__stderr__, flush=True)
                faulthandler.dump_traceback(file=sys.__stderr__)
                report()
                os._exit(3)

    thread = threading.Thread(target=watch, daemon=True)
    thread.start()
    try:
        yield lambda what: state.update(what=what, since=(time.process_time(), time.monotonic()))
    finally:
        done.set()
        thread.join()
