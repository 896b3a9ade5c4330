"""The same command writes the same bytes, whatever the cache, the number of cores and the accelerator."""

import os
import platform
import re
import subprocess
import sys
from functools import partial

import pytest
from tests.skew import SKEW_OF_KIND, SKEW_STACK
from tests.thorough import thorough

STRUTS, CRANKS, SLIDERS = (SKEW_OF_KIND[kind] for kind in ("UPS", "RUS", "PUS"))
MANY = "x,y,z\n" + "".join(f"{k % 7},{k % 11},{800 + k % 5}\n" for k in range(6000))
"""Poses [mm] near the home of hexel, for which kernels are compiled and batches divided between the cores."""
FEW = (
    ("inverse", STRUTS, "--json"),
    ("inverse", "hexel", "--csv", "-"),
    ("margins", CRANKS, "--json"),
    ("workspace", SLIDERS, "--samples", "5", "--json"),
)
DOZEN = (
    *FEW,
    ("forward", "hexel", "--joints", "600,600,600,600,600,600", "--json"),
    ("margins", "hexel", "--csv", "-"),
    ("travel", SLIDERS, "--json"),
    ("modes", STRUTS, "--json"),
    ("conditioning", CRANKS, "--json"),
    ("velocity", STRUTS, "--json"),
    ("certify", "hexel", "--box", "100,100,50", "--turn", "5", "--boxes", "200", "--json"),
    ("nearest", STRUTS, "--at", "1000,0,0", "--json"),
    ("inverse", SKEW_STACK, "--json"),
    ("singularity", "hexel", "--json"),
)
PROGRAM = """
import os, sys
cores = {cores}
os.cpu_count = lambda: cores
os.sched_getaffinity = lambda _: set(range(cores))
sys.argv = ["gough", *sys.argv[1:]]
from gough.cli import run_process
run_process()
"""


def written(command, cores=2, **environment):
    """Standard output and exit code of a command in a process of its own."""
    run = [sys.executable, "-W", "error", "-c", PROGRAM.format(cores=cores), *command]
    text = MANY if "-" in command else None
    done = subprocess.run(run, capture_output=True, text=True, check=False, input=text, env=os.environ | environment)
    assert done.returncode in (0, 1), done.stderr
    return done.returncode, done.stdout


@pytest.mark.parametrize("command", [FEW[1], *thorough(*((command,) for command in (FEW[0], *FEW[2:])))], ids=" ".join)
def test_one_core_writes_the_bytes_of_two(command):
    assert written(command, cores=1) == written(command)


def assert_same_four_ways(answer, folder):
    """`answer(cores=..., **environment)` with a cold cache, a warm one, on one core and without the accelerator."""
    cold = {"GOUGH_CACHE_DIR": str(folder / "cold")}
    expected = answer(**cold)
    assert answer(**cold) == expected, "machine code read from the cache"
    assert answer(cores=1) == expected
    assert answer(GOUGH_PLAIN_NUMBA="1") == expected


@pytest.mark.thorough
@pytest.mark.parametrize("command", DOZEN, ids=" ".join)
def test_a_command_writes_the_same_bytes_four_ways(command, tmp_path):
    assert_same_four_ways(partial(written, command), tmp_path)


@pytest.mark.thorough
@pytest.mark.parametrize("machine", ["hexel", SLIDERS])
def test_a_report_has_the_same_bytes_four_ways(machine, tmp_path):
    page = tmp_path / "report.html"

    def report(**options):
        assert written(("report", machine, "-o", str(page)), **options)[0] == 0
        return re.sub(rb"\d{4}-\d\d-\d\d \d\d:\d\d UTC", b"", page.read_bytes())  # when it was made

    assert_same_four_ways(report, tmp_path)


PROCESSORS = ("Sandybridge", "Haswell")
"""Names of OpenBLAS for processors whose matrix products sum in different orders."""


@pytest.mark.thorough
@pytest.mark.skipif(platform.machine() != "x86_64", reason="names of x86 processors")
@pytest.mark.parametrize(
    "command",
    [("modes", "servo"), ("singularity", "servo"), *(c[:-1] for c in DOZEN if c[-1] == "--json" and c[0] != "inverse")],
    ids=" ".join,
)
def test_no_printed_digit_depends_on_the_processor(command):
    """Tables of joint coordinates have all digits, the last ones those of rounding."""
    expected, other = (written(command, OPENBLAS_CORETYPE=name) for name in PROCESSORS)
    assert other == expected
