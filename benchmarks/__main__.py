"""`python -m benchmarks [case ...] [--save NOTE]`: a table of our time, the peer's, and how many times quicker.

`--save` also writes it to `benchmarks/results/speed.json`, which the site shows with the note.
"""

from __future__ import annotations

import json
import os
import platform
import sys
from datetime import date
from pathlib import Path

from rich.console import Console
from rich.table import Table

from benchmarks import multibody
from benchmarks.cases import CASES as OTHERS
from benchmarks.first_minute import first_minute

RESULTS = Path(__file__).parent / "results" / "speed.json"
CASES = {**OTHERS, "multibody": multibody.cases, "first-minute": first_minute}


def main() -> None:
    """Measure the named cases, or all."""
    words, note = sys.argv[1:], None
    if "--save" in words:
        note = " ".join(words[words.index("--save") + 1 :])
        words = words[: words.index("--save")]
    wanted = words or list(CASES)
    unknown = [name for name in wanted if name not in CASES]
    if unknown:
        sys.exit(f"no case {unknown[0]!r}; there are {', '.join(CASES)}")
    console = Console(width=None if sys.stdout.isatty() else 130)
    table = Table(title=f"{os.cpu_count()} cores, {platform.machine()}, Python {platform.python_version()}; medians")
    for head in ("work", "Gough", "peer", "unit", "times quicker", "peer is"):
        table.add_column(head, justify="left" if head in ("work", "unit", "peer is") else "right")
    rows = []
    for name in wanted:
        console.print(f"[dim]{name} ...[/dim]")
        rows += CASES[name]()
        for what, ours, peer, theirs, unit in rows[table.row_count :]:
            table.add_row(what, f"{ours:.3g}", f"{theirs:.4g}", unit, f"{theirs / ours:.3g}", peer)
    console.print(table)
    if note is not None:
        save(rows, " ".join(["python -m benchmarks", *words]), note)


def save(rows: list[tuple[str, float, str, float, str]], command: str, note: str) -> None:
    """Write a run where the site finds it."""
    RESULTS.parent.mkdir(exist_ok=True)
    about = {"cores": os.cpu_count(), "machine": platform.machine(), "python": platform.python_version()}
    run = {"date": date.today().isoformat(), "command": command, "note": note, **about, "rows": rows}
    RESULTS.write_text(json.dumps(run, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
