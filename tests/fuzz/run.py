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
from contextlib import contextmanager
from pathlib import Path

from tests.fuzz.kinds import KINDS, REFUSAL

PATIENCE = 60.0
"""A case that takes longer [s] ends the run: kernels cannot be interrupted."""


def case(seed, number, folder):
    """Run one case: its kind, how it ended, and what was handed over where it ended wrongly."""
    rng = random.Random(f"{seed}:{number}")
    kind = rng.choices([*KINDS], weights=[*KINDS.values()])[0]
    given = None
    try:
        steps = kind(rng, Path(folder))
        given = next(steps)
        next(steps, None)
    except REFUSAL as error:
        wrong = "" if str(error).strip() else "a refusal without a sentence"
        return kind.__name__, "refused", wrong and f"{wrong}\n{given!r}"
    except OSError as error:
        is_named = bool(error.strerror)
        return kind.__name__, "refused", "" if is_named else f"{error!r}\n{given!r}"
    except Exception:
        return kind.__name__, "failed", f"{traceback.format_exc(limit=-4)}{given!r}"[:6000]
    return kind.__name__, "answered", ""


def cases(seed, numbers):
    """Ends of many cases, counted; and the failures, each with its number. Warnings are failures."""
    counts, failures = Counter(), {}
    with watchdog() as note, warnings.catch_warnings():
        warnings.simplefilter("error")
        for number in numbers:
            with tempfile.TemporaryDirectory() as folder, inside(folder):
                note(f"seed {seed}, case {number}")
                kind, end, wrong = case(seed, number, folder)
            counts[kind, end] += 1
            if wrong:
                failures[number] = f"{kind}: {wrong}"
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
def watchdog():
    """A function that notes what is under way; the process ends with all stacks where that takes too long."""
    state, done = {"what": "", "since": time.monotonic()}, threading.Event()

    def watch():
        while not done.wait(1.0):
            if time.monotonic() - state["since"] > PATIENCE:
                print(f"HANGS: {state['what']}", file=sys.__stderr__, flush=True)
                faulthandler.dump_traceback(file=sys.__stderr__)
                os._exit(3)

    thread = threading.Thread(target=watch, daemon=True)
    thread.start()
    try:
        yield lambda what: state.update(what=what, since=time.monotonic())
    finally:
        done.set()
        thread.join()
