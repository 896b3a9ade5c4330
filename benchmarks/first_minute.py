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
    "report hexel": (True, 3),
    "report servo": (False, 3),
}
"""Whether it is also timed with an empty cache, and how often afterwards."""
PEER = "import numpy, scipy"
GOUGH = "import sys; from gough.cli import main; sys.exit(main())"


def first_minute() -> list[Row]:
    """Seconds of whole processes."""
    with TemporaryDirectory() as folder:
        environment = {**os.environ, "GOUGH_CACHE_DIR": str(Path(folder, "shared"))}
        environment.pop("PYTHONDONTWRITEBYTECODE", None)  # as in any installation

        def process(*arguments: str, cache: str = "shared") -> float:
            begun = time.perf_counter()
            command = [sys.executable, "-c", *arguments]
            given = {**environment, "GOUGH_CACHE_DIR": str(Path(folder, cache))}
            subprocess.run(command, check=True, capture_output=True, cwd=folder, env=given)
            return time.perf_counter() - begun

        process(GOUGH, "report", "hexel")  # bytecode, and what the warm runs read
        process(GOUGH, "report", "servo")
        peer = median(process("import numpy, scipy.spatial, scipy.optimize") for _ in range(5))
        rows: list[Row] = []
        for number, (command, (is_cold, times)) in enumerate(COMMANDS.items()):
            words = command.split()
            if is_cold:
                took = process(GOUGH, *words, cache=str(number))
                compiled = len(list(Path(folder, str(number)).glob("*")))
                rows.append((f"gough {command}, nothing compiled yet: {compiled} kernels", took, PEER, peer, "s"))
            process(GOUGH, *words)
            rows.append((f"gough {command}", median(process(GOUGH, *words) for _ in range(times)), PEER, peer, "s"))
        return rows
