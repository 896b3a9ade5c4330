"""A second process that compiles what a report needs last, while the first compiles what it needs first.

Numba compiles one kernel at a time in a process. Both keep them in one folder, so that the first finds the others made.
"""

from __future__ import annotations

import atexit
import subprocess
import sys
from contextlib import suppress

from gough import _kernel_cache
from gough.chunks import cores

PROGRAM = """
import os, sys, threading
threading.Thread(target=lambda: (sys.stdin.read(), os._exit(0)), daemon=True).start()  # when the first process ends
import gough
m = gough.load("hexel")
gough.assembly_modes(m, gough.inverse_kinematics(m, m.home))
"""
"""Kernels do not depend on the machine. These are no margins, travels or intervals, with which a report begins."""


def compile_beside() -> None:
    """From the first kernel on that is not on disk, let a second process compile, where there is a core for it."""
    if cores() > 1 and sys.executable and _kernel_cache.cache_folder() is not None:
        _kernel_cache.MISSED.append(_begin)


def _begin() -> None:
    command, nowhere = [sys.executable, "-P", "-c", PROGRAM], subprocess.DEVNULL
    with suppress(OSError):
        atexit.register(_end, subprocess.Popen(command, stdin=subprocess.PIPE, stdout=nowhere, stderr=nowhere))


def _end(process: subprocess.Popen[bytes]) -> None:
    process.kill()
    process.wait()
