"""Figures in notebooks: what Jupyter shows, and what a page of HTML that is made of the notebook shows."""

import os
import subprocess
import sys

import plotly.io
import pytest
from IPython.core.interactiveshell import InteractiveShell
from IPython.display import display
from IPython.utils.capture import capture_output

import gough

SHOWN = """
import plotly.io
plotly.io.renderers.default = {given!r}
import gough
figure = gough.plot.machine(gough.load("hexel"))
print(plotly.io.renderers.default)
"""


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("given", "variable", "used"),
    [
        ("plotly_mimetype", None, "plotly_mimetype+notebook"),
        ("plotly_mimetype", "plotly_mimetype", "plotly_mimetype"),
        ("browser", None, "browser"),
        ("notebook_connected", None, "notebook_connected"),
    ],
)
def test_figures_in_jupyter_are_html_too_unless_a_renderer_was_chosen(given, variable, used):
    surroundings = {key: value for key, value in os.environ.items() if key != "PLOTLY_RENDERER"}
    if variable:
        surroundings["PLOTLY_RENDERER"] = variable
    script = [sys.executable, "-c", SHOWN.format(given=given)]
    done = subprocess.run(script, capture_output=True, text=True, env=surroundings, check=True)
    assert done.stdout.strip() == used


@pytest.fixture
def shell(tmp_path, monkeypatch):
    """The running IPython, with what a notebook shows in place of what a terminal does."""
    monkeypatch.setenv("IPYTHONDIR", str(tmp_path))
    made = InteractiveShell.instance()
    made.display_formatter.active_types = made.display_formatter.format_types
    yield made
    InteractiveShell.clear_instance()


def test_a_machine_has_both_its_figure_for_jupyter_and_the_same_as_html(shell, monkeypatch):
    pytest.importorskip("nbformat", reason="Plotly shows figures in notebooks with nbformat")
    monkeypatch.setattr(plotly.io.renderers, "default", "plotly_mimetype+notebook")
    m = gough.load("hexel")
    with capture_output() as captured:
        display(m, m)
    bundles = [output.data for output in captured.outputs]
    figures = [data for data in bundles if "application/vnd.plotly.v1+json" in data]
    assert len(figures) == 2
    assert all("Plotly.newPlot" in data["text/html"] for data in figures)
    assert sum(len(data.get("text/html", "")) > 1e6 for data in bundles) == 1, "plotly.js is there once"
