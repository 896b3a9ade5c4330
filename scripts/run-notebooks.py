"""Run the notebooks of `examples/` and store what they show, tables and pictures of figures, for readers of GitHub.

Needs what the package does not: `pip install nbclient ipykernel kaleido`, and Chromium; BROWSER_PATH says where it is.
"""

import os
from pathlib import Path

import nbformat
from nbclient import NotebookClient

EXAMPLES = Path(__file__).parents[1] / "examples"
WIDE = "import plotly.io; plotly.io.defaults.default_width = 960"
"""Pictures are as wide as figures in a notebook [pixels]."""


def run(path: Path) -> None:
    """Run a notebook and write it again, with outputs and without what differs from run to run."""
    notebook = nbformat.read(path, as_version=4)
    for cell in notebook.cells:
        if cell.cell_type == "code":
            cell.outputs, cell.execution_count = [], None
    notebook.cells.insert(0, nbformat.v4.new_code_cell(WIDE))
    client = NotebookClient(notebook, resources={"metadata": {"path": str(EXAMPLES)}}, record_timing=False)
    with client.setup_kernel():
        for number, cell in enumerate(notebook.cells):
            client.execute_cell(cell, number, store_history=number > 0)
    del notebook.cells[0]
    notebook.metadata.language_info = {"name": "python"}
    nbformat.write(notebook, path)


if __name__ == "__main__":
    os.environ["PLOTLY_RENDERER"] = "png"
    for path in sorted(EXAMPLES.glob("*.ipynb")):
        run(path)
