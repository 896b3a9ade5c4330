"""Starting costs nothing that is not used: heavy packages are imported by the functions that need them."""

import json
import os
import subprocess
import sys

import pytest
from tests.thorough import thorough

from gough.cli.app import PLAIN_ROWS

COMPUTING = {"numba", "scipy", "plotly", "xarray", "jinja2"}
NEEDED_SOON = {"numpy", "pydantic", "typer", "rich"}


def packages_after(code):
    """Top-level packages a fresh interpreter has imported after running `code`; what it prints is dropped."""
    program = (
        "import contextlib, io, json, sys\n"
        f"with contextlib.redirect_stdout(io.StringIO()):\n    {code}\n"
        "print(json.dumps(sorted({name.partition('.')[0] for name in sys.modules})))"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    return set(json.loads(done.stdout))


@pytest.mark.skipif("PYTEST_XDIST_WORKER" not in os.environ, reason="of workers")
def test_what_tests_start_finds_bytecode():
    assert not sys.dont_write_bytecode
    assert not os.environ.get("PYTHONDONTWRITEBYTECODE")


def test_import_gough_imports_nothing_heavy():
    assert not packages_after("import gough") & (COMPUTING | NEEDED_SOON)


@pytest.mark.parametrize(
    "arguments", [["--help"], *thorough(["--version"], ["inverse", "--help"]), ["report", "--help"]]
)
def test_asking_for_help_imports_nothing_that_computes(arguments):
    found = packages_after(f"from gough.cli import main; assert main({arguments!r}) == 0")
    assert "typer" in found
    assert not found & (COMPUTING | {"numpy"})


@pytest.mark.parametrize("arguments", [["machines"], *thorough(["schema"], ["new", "/dev/null/no"])])
def test_describing_machines_imports_no_compiler(arguments):
    found = packages_after(f"from gough.cli import main; main({arguments!r})")
    assert "gough" in found
    assert not found & (COMPUTING - {"scipy"})


ONE_POSE = {
    "inverse": ["hexel", "--at", "0,0,900", "--angles", "5,-3,2", "--sequence", "XYZ"],
    "forward": ["hexel", "--joints", "527,527,523,531,533,495", "--sequence", "zyx"],
    "margins": ["hexel"],
    "velocity": ["hexel"],
    "forces": ["tsai2000"],
    "stiffness": ["hexel"],
    "accuracy": ["hexel"],
    "check": ["hexel"],
    "conditioning": ["hexel"],
    "capacity": ["servo"],
    "frequencies": ["dehaeze"],
    "travel": ["hexel"],
    "linear-map": ["hexel"],
    "modes": ["hexel"],
}


@pytest.mark.parametrize(
    "command", ["forward", "margins", *thorough(*sorted(PLAIN_ROWS.keys() - {"forward", "margins"}))]
)
def test_one_pose_is_answered_without_what_only_many_need(command):
    """Each of these packages takes as long to import as the rest of the command."""
    words = ["gough", command, *ONE_POSE[command]]
    found = packages_after(f"import sys; sys.argv = {words}; from gough.cli import main; assert main() == 0")
    assert not found & (COMPUTING | {"rich"})


@pytest.mark.parametrize(("words", "code"), [(["inverse", "hexel"], 0), (["inverse", "hexle"], 2)])
def test_a_process_ends_with_its_exit_code_after_all_it_has_written(words, code):
    program = (
        f"import atexit, sys; atexit.register(print, 'last'); sys.argv = {['gough', *words]}\n"
        "from gough.cli import run_process; run_process()\n"
        "print('not reached')"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert done.returncode == code
    assert done.stdout.endswith("last\n")
    assert (done.stdout != "last\n") == (code == 0)


def test_a_machine_is_loaded_without_the_compiler():
    assert not packages_after("import gough; gough.load('hexel')") & (COMPUTING - {"scipy"})


@pytest.mark.thorough
def test_a_report_needs_neither_xarray_nor_pandas():
    """Importing them takes a fifth of a report: sections hand on arrays, users get data sets."""
    made = ("conditioning", "hexel"), ("stiffness", "hexel"), ("dynamics", "dumitriu2017")
    lines = [
        "from gough.datasheet.sections import SECTIONS as S",
        "import gough; from gough.datasheet.sheet import Datasheet as D",
        *(f"assert dict((f.__name__, f) for _, f in S)[{name!r}](D(gough.load({m!r}))).shown" for name, m in made),
    ]
    assert not packages_after("; ".join(lines)) & {"xarray", "pandas", "dask"}


def test_every_kernel_is_compiled_once_whatever_poses_look_like():
    """Read-only arrays and views are other types to Numba; compiling is what a first report waits for."""
    program = """
import numpy as np, gough
from gough.limits._margins import margins_batch
from gough.limits._travel import travel_batch
from gough.kinematics._forward import forward_batch
from gough.kinematics._inverse import inverse_batch
m = gough.load("hexel")
many = gough.pose([[0, 0, 0.8]] * 3).as_matrix()
for X in (m.home, m.X_home, many, many[::2], np.broadcast_to(m.X_home, (2, 4, 4))):
    q = gough.inverse_kinematics(m, X)
    gough.margins(m, X)
    gough.forward_kinematics(m, q)
    gough.forward_kinematics(m, q, near=X)
    gough.travel(m, [1, 0, 0, 0, 0, 0], X)
gough.travel(m, np.ones((3, 6)), many)
gough.travel(m, np.ones((3, 6)))
print([len(kernel.signatures) for kernel in (margins_batch, travel_batch, forward_batch, inverse_batch)])
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == "[1, 1, 1, 1]\n"
