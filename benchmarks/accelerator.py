"""The accelerator and the start of commands: each row is measured in processes of its own, both parties in turn.

With and without the accelerator: the first report, with nothing compiled yet, later ones, and batches. Commands for one
pose against a start of Python with NumPy and SciPy's transforms.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

from benchmarks.first_minute import GOUGH, Row, of_children

PUBLIC = "without"
IMPORTS = "import numpy, scipy.spatial"
ONE_POSE = ("inverse hexel", "margins hexel", "travel hexel", "forward hexel --joints 527,527,523,531,533,495")
REPORT = ("report", "hexel")
BATCHES = """
import json, time
import numpy as np
import gough
from benchmarks.cases import poses_near_home
from gough.limits import is_allowed

m, count = gough.load("hexel"), 4000
X = poses_near_home(m, count, 20)
q, directions = gough.inverse_kinematics(m, X), np.random.default_rng(1).normal(size=(200, 6))
calls = {
    "inverse kinematics": (count, lambda: gough.inverse_kinematics(m, X)),
    "forward kinematics": (count, lambda: gough.forward_kinematics(m, q, throw=False)),
    "Jacobian": (count, lambda: gough.jacobian(m, X)),
    "margins": (count, lambda: gough.margins(m, X)),
    "certificate": (count, lambda: gough.kinematics.certify_pose(m, q, X)),
    "travel": (len(directions), lambda: gough.travel(m, directions)),
}
times = {}
for name, (number, call) in calls.items():
    call()
    seen = []
    for _ in range(9):
        start = time.thread_time()
        call()
        seen.append(time.thread_time() - start)
    times[name] = min(seen) / number
print(json.dumps(times))
"""


def accelerator() -> list[Row]:
    """Wall and processor time [s] of reports, processor time of one core a pose [us], and of commands [s]."""
    with TemporaryDirectory() as folder:
        rows = _reports(folder)
        with_it, public = (json.loads(_run(folder, BATCHES, is_public=public)[2]) for public in (False, True))
        rows += [(f"{name}, one core", with_it[name] * 1e6, PUBLIC, public[name] * 1e6, "us") for name in with_it]
        return rows + _commands(folder)


def _reports(folder: str) -> list[Row]:
    rows: list[Row] = []
    for what, times in (("first gough report hexel", 1), ("gough report hexel", 3)):
        seen = [[_run(folder, GOUGH, *REPORT, is_public=public) for public in (False, True)] for _ in range(times)]
        for k, unit in enumerate((what, f"{what}, processor time")):
            with_it, public = (median(each[party][k] for each in seen) for party in (0, 1))
            rows.append((unit, with_it, PUBLIC, public, "s"))
    return rows


def _commands(folder: str) -> list[Row]:
    programs = {command: (GOUGH, *command.split()) for command in ONE_POSE} | {IMPORTS: (IMPORTS,)}
    seen = [{name: _run(folder, *program)[1] for name, program in programs.items()} for _ in range(9)]
    times = {name: median(each[name] for each in seen) for name in programs}
    return [(f"gough {name}, processor time", times[name], IMPORTS, times[IMPORTS], "s") for name in ONE_POSE]


def _run(folder: str, program: str, *arguments: str, is_public: bool = False) -> tuple[float, float, str]:
    """Wall time, processor time [s] and output of a process, with a cache folder for each party."""
    kept, paths = Path(folder, "public" if is_public else "accelerated"), [str(Path(__file__).parents[1]), *sys.path]
    given = {"GOUGH_CACHE_DIR": str(kept), "PYTHONPATH": os.pathsep.join(paths)}
    given["GOUGH_PLAIN_NUMBA"] = "1" if is_public else ""
    environment = {**os.environ, **given}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)  # as in any installation
    begun, used = time.perf_counter(), of_children()
    command = [sys.executable, "-c", program, *arguments]
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE, cwd=folder, env=environment, text=True)
    return time.perf_counter() - begun, of_children() - used, done.stdout
