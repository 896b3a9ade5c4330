"""What an installed Gough must do: load, solve both ways, say what is refused, write a file, run its command."""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

import gough


def main() -> None:
    """Stop at the first thing that fails."""
    assert "site-packages" in gough.__file__, f"not the installed package: {gough.__file__}"
    assert shutil.which("cc") is None, "a compiler is there"
    m = gough.load("hexel")
    X = gough.pose([0.02, -0.01, 0.82], [5, 0, 3], "XYZ", degrees=True)
    s = gough.forward_kinematics(m, gough.inverse_kinematics(m, X), near=m.home)
    assert s.converged
    assert np.allclose(s.matrix, X.as_matrix())
    assert "1043.68 mm" in gough.margins(m, gough.pose([0, 0, 1.3])).sentence()
    assert len(gough.machines()) > 15
    with tempfile.TemporaryDirectory() as folder:
        page = Path(folder) / "machine.html"
        gough.plot.machine(m).write_html(page)
        assert page.stat().st_size > 1e6
    command = [str(Path(sys.executable).with_name("gough")), "travel", "hexel"]
    told = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    assert "longest" in told
    print(f"Gough {gough.__version__} works in {sys.prefix}")


if __name__ == "__main__":
    main()
