"""Starting costs nothing that is not used: heavy packages are imported by the functions that need them."""

import json
import subprocess
import sys

import pytest

COMPUTING = {"numba", "scipy", "plotly", "xarray"}
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


@pytest.mark.parametrize("arguments", [["--help"], ["--version"], ["inverse", "--help"], ["report", "--help"]])
def test_asking_for_help_imports_nothing_that_computes(arguments):
    found = packages_after(f"from gough.cli import main; assert main({arguments!r}) == 0")
    assert "typer" in found
    assert not found & (COMPUTING | {"numpy"})


@pytest.mark.parametrize("arguments", [["machines"], ["schema"], ["check", "hexel"], ["new", "/dev/null/no"]])
def test_describing_machines_imports_no_compiler(arguments):
    found = packages_after(f"from gough.cli import main; main({arguments!r})")
    assert "gough" in found
    assert not found & (COMPUTING - {"scipy"})


def test_a_machine_is_loaded_without_the_compiler():
    assert not packages_after("import gough; gough.load('hexel')") & (COMPUTING - {"scipy"})
