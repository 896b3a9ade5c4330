"""Tables in a terminal and in a pipe."""

import numpy as np
import pytest

from gough.present import write

TEXTS = (
    "",
    "leg 1",
    "-12.5",
    "0.001",
    "stiffness [N/µm]",
    "x",
    "−3×10⁻⁵",
    "°",
    "between legs 1 and 2",
    "漢字",
    "a\nb",
    "e\u0301",
)


@pytest.mark.parametrize("seed", range(20))
def test_aligned_tables_are_those_that_rich_prints(capsys, seed):
    rng = np.random.default_rng(seed)
    columns = int(rng.integers(1, 6))
    texts = TEXTS if seed % 4 == 0 else TEXTS[:9]
    cells = [[str(text) for text in rng.choice(texts, columns)] for _ in range(int(rng.integers(1, 6)))]
    cells[0] = [text or "head" for text in cells[0]]
    numeric = set(np.flatnonzero(rng.random(columns) < 0.5).tolist())
    lines = write._aligned(cells, numeric)
    write._print_folded(cells, numeric)
    if lines is None:
        assert set("".join(map("".join, cells))) & set("漢字\n\u0301")
    else:
        assert capsys.readouterr().out.splitlines() == lines


def test_on_a_terminal_what_fits_is_aligned_and_what_does_not_is_folded(capsys, monkeypatch):
    monkeypatch.setattr(write.sys.stdout, "isatty", lambda: True, raising=False)
    monkeypatch.setenv("TERM", "xterm")
    for width, lines in ((80, 3), (28, 4)):
        monkeypatch.setenv("COLUMNS", str(width))
        write.print_table(("limit", "margin"), [("clearance of legs 1 and 2", "1.5")])
        printed = capsys.readouterr().out.splitlines()
        assert len(printed) == lines
        assert "\x1b[1m" in printed[0]
        assert max(len(line.replace("\x1b[1m", "").replace("\x1b[0m", "")) for line in printed) <= width
