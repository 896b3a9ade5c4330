"""The first minute: whole processes of the commands that people try first, with nothing compiled yet and afterwards.

The peer is the start of Python with NumPy and SciPy, which any program of this kind has to wait for.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

Row = tuple[str, float, str, float, str]

COMMANDS = {
    "inverse hexel": (True, 5),
    "margins hexel": (True, 5),
    "travel hexel": (True, 5),
    "forward hexel --joints 527,527,523,531,533,495": (True, 5),
    "velocity hexel": (False, 5),
    "modes hexel": (False, 5),
    "singularity hexel": (False, 5),
    "stiffness hexel": (False, 5),
    "conditioning hexel": (False, 5),
    "report hexel": (True, 3),
    "report servo": (False, 3),
}
"""Whether it is also timed with an empty cache, and how often afterwards."""
PEER = "import numpy, scipy"
GOUGH = "from gough.cli import run_process; run_process()"


def first_minute() -> list[Row]:
    """Seconds of whole processes, by the clock and of the processors."""
    with TemporaryDirectory() as folder:
        environment = {**os.environ, "GOUGH_CACHE_DIR": str(Path(folder, "shared"))}
        environment.pop("PYTHONDONTWRITEBYTECODE", None)  # as in any installation

        def process(*arguments: str, cache: str = "shared") -> tuple[float, float]:
            begun, used = time.perf_counter(), of_children()
            command = [sys.executable, "-c", *arguments]
            given = {**environment, "GOUGH_CACHE_DIR": str(Path(folder, cache))}
            subprocess.run(command, check=True, capture_output=True, cwd=folder, env=given)
            return time.perf_counter() - begun, of_children() - used

        process(GOUGH, "report", "hexel")  # bytecode, and what the warm runs read
        process(GOUGH, "report", "servo")
        peer = _medians([process("import numpy, scipy.spatial, scipy.optimize") for _ in range(5)])
        rows: list[Row] = []
        for number, (command, (is_cold, times)) in enumerate(COMMANDS.items()):
            words = command.split()
            if is_cold:
                took = process(GOUGH, *words, cache=str(number))
                compiled = len(list(Path(folder, str(number)).glob("*")))
                rows += _rows(f"gough {command}, first run, {compiled} kernels compiled", took, peer)
            process(GOUGH, *words)
            rows += _rows(f"gough {command}", _medians([process(GOUGH, *words) for _ in range(times)]), peer)
        return rows


def of_children() -> float:
    """Processor time that the processes begun here have used [s]."""
    found = os.times()
    return found.children_user + found.children_system


def _medians(times: list[tuple[float, float]]) -> tuple[float, float]:
    waited, used = zip(*times, strict=True)
    return median(waited), median(used)


def _rows(what: str, times: tuple[float, float], peer: tuple[float, float]) -> list[Row]:
    """By the clock, and of the processors, which hardly depends on what else runs."""
    return [(what, times[0], PEER, peer[0], "s"), (f"{what}, processor time", times[1], PEER, peer[1], "s")]
