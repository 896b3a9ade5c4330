"""Every notebook runs, and everything in it shows itself."""

import json
import re
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parent.parent.parent / "examples"
SHOWN = ("text/html", "application/vnd.plotly.v1+json")
"""What a notebook draws; plain text is for arrays and one-line descriptions."""


def without_numbers(text):
    return re.sub(r"[-−]?[0-9]+(\.[0-9]*)?(e[-+][0-9]+)?", "#", text)


def stored_words(cell):
    """What is stored of a cell, printed lines and the tables of results, without numbers, whose last digits differ
    between computers."""
    for output in cell["outputs"]:
        found = output["text"] if output["output_type"] == "stream" else output["data"].get("text/html", "")
        if output["output_type"] in ("stream", "execute_result") and found:
            yield without_numbers("".join(found))


@pytest.fixture
def run_cell(tmp_path, monkeypatch):
    """Runs a cell as a notebook does and gives what it displays: text that is printed, and mime bundles."""
    import plotly.io
    from IPython.core.interactiveshell import InteractiveShell
    from IPython.utils.capture import capture_output

    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("IPYTHONDIR", str(tmp_path))
    monkeypatch.setattr(plotly.io.renderers, "default", "plotly_mimetype")
    shell = InteractiveShell.instance()  # the one that `display` and the capture know
    # The formatters of a terminal are off where those of a notebook are on.
    shell.display_formatter.active_types = shell.display_formatter.format_types

    def run(source):
        with capture_output() as captured:
            result = shell.run_cell(source, store_history=False)
            value, _ = shell.display_formatter.format(result.result)  # of the last line, which `captured` has as text
        result.raise_error()
        shown = [output.data for output in captured.outputs]
        return captured.stdout, [*shown, value] if value and result.result is not None else shown

    yield run
    InteractiveShell.clear_instance()


@pytest.mark.thorough
@pytest.mark.parametrize("notebook", sorted(EXAMPLES.glob("*.ipynb")), ids=lambda path: path.stem)
def test_a_notebook_runs_and_shows_everything(notebook, run_cell):
    cells = json.loads(notebook.read_text("utf-8"))["cells"]
    code = [cell for cell in cells if cell["cell_type"] == "code"]
    assert notebook.stat().st_size < 1e6, "with pictures of figures, not the figures themselves"
    for cell in code:
        source = "".join(cell["source"])
        printed, shown = run_cell(source)
        assert printed or shown, f"nothing to see of\n{source}"
        assert cell["outputs"], "store outputs by scripts/run-notebooks.py"
        now = without_numbers("\n".join([printed, *(data.get("text/html", "") for data in shown)]))
        assert all(words in now for words in stored_words(cell)), "stale: run scripts/run-notebooks.py"
        for data in shown:
            if not any(kind in data for kind in SHOWN):
                assert len(data["text/plain"]) < 300, f"a bare repr of\n{source}"
    answers = [line.split()[-1] for line in printed.splitlines() if line.endswith(("yes", "NO"))]
    assert answers == ["yes"] * 4
