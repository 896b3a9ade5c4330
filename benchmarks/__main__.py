"""`python -m benchmarks [case ...] [--save NOTE]`: a table of run times of Gough and a reference, and the speed-up.

`--save` also writes each case to `benchmarks/results/speed.json`, for the site, with the note; other cases there stay.
"""

from __future__ import annotations

import os
import platform
import sys

from rich.console import Console
from rich.table import Table

from benchmarks import multibody
from benchmarks.accelerator import accelerator
from benchmarks.cases import CASES as OTHERS
from benchmarks.first_minute import first_minute
from benchmarks.saving import save_case, words_and_note

CASES = {
    **OTHERS,
    "multibody": multibody.cases,
    "two-step": multibody.two_step,
    "first-minute": first_minute,
    "accelerator": accelerator,
}


def main() -> None:
    """Measure the named cases, or all."""
    words, note = words_and_note(sys.argv[1:])
    wanted = words or list(CASES)
    unknown = [name for name in wanted if name not in CASES]
    if unknown:
        sys.exit(f"no case {unknown[0]!r}; there are {', '.join(CASES)}")
    console = Console(width=None if sys.stdout.isatty() else 130)
    table = Table(title=f"{os.cpu_count()} cores, {platform.machine()}, Python {platform.python_version()}; medians")
    for head in ("work", "Gough", "reference", "unit", "speed-up", "reference is"):
        table.add_column(head, justify="left" if head in ("work", "unit", "peer is") else "right")
    for name in wanted:
        console.print(f"[dim]{name} ...[/dim]")
        rows = CASES[name]()
        for what, ours, peer, theirs, unit in rows:
            table.add_row(what, f"{ours:.3g}", f"{theirs:.4g}", unit, f"{theirs / ours:.3g}", peer)
        if note is not None:
            save_case(name, f"python -m benchmarks {name}", note, rows)
    console.print(table)


if __name__ == "__main__":
    main()
