"""Starting costs nothing that is not used: heavy packages are imported by the functions that need them."""

import json
import subprocess
import sys

import pytest
from tests.thorough import thorough

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


@pytest.mark.parametrize("command", ["margins", *thorough("forward", "modes", "stiffness", "travel")])
def test_one_pose_is_answered_without_what_only_many_need(command):
    """Each of these packages takes as long to import as the rest of the command."""
    words = ["gough", command, *ONE_POSE[command]]
    found = packages_after(f"import sys; sys.argv = {words}; from gough.cli import main; assert main() == 0")
    assert not found & COMPUTING


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
