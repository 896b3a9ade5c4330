"""`python -m benchmarks.assembly_counts [count] [--save NOTE]`: all modes of thousands of random machines, counted.

General machines, machines whose base and platform are flat, and flat ones of three-fold symmetry, each with the legs
that a random pose asks for: how many finite complex solutions and how many real poses are found, whether the pose that
made the lengths is among them, whether the evidence is that they are all, and on how many the first two runs (from
different start systems, before anything is repeated with shorter steps) disagree.
"""

from __future__ import annotations

import sys
from collections import Counter
from time import thread_time

import numpy as np
from rich.console import Console
from rich.progress import track
from rich.table import Table
from tests.assembly.machines import flat, general, random_pose, symmetric

import gough
from benchmarks.saving import cells, save, words_and_note
from gough.assembly.families import normalised
from gough.assembly.homotopy import AIM
from gough.assembly.solve import _agree, _run

FAMILIES = {"general": general, "flat plates": flat, "three-fold symmetric": symmetric}
SAME = 1e-8


def look_at(family, seed):
    """What is found on one machine: finite and real poses, found, complete, whether two runs agree, seconds."""
    rng = np.random.default_rng([seed, 11])
    machine, X = family(rng), random_pose(rng)
    q = gough.inverse_kinematics(machine, X)
    start = thread_time()
    modes = gough.assembly_modes(machine, q)
    seconds = thread_time() - start
    frames = normalised(machine.legs.driven_points(q), machine.b_P, q)
    agree = _agree(*(_run(frames, frames.family, number, AIM) for number in (0, 1)))
    found = (np.abs(modes.matrix - X).max(axis=(1, 2)) < SAME).any()
    return modes.finite_count, len(modes), found, modes.complete, agree, seconds


def main() -> None:
    """Print the tables."""
    words, note = words_and_note(sys.argv[1:])
    total = int(words[0]) if words else 1000
    console = Console(width=None if sys.stdout.isatty() else 150)
    table = Table(title=f"{total} random machines of each family")
    heads = ("family", "finite (machines)", "drawn pose missing", "not complete", "first runs disagree", "median ms")
    for head in heads:
        table.add_column(head, justify="left" if head in heads[:2] else "right")
    histogram = Table(title="machines by number of real poses")
    histogram.add_column("real poses")
    real = {}
    for name, family in FAMILIES.items():
        seeds = track(range(total), name, transient=True, disable=not console.is_terminal)
        rows = [look_at(family, seed) for seed in seeds]
        finite, poses, found, complete, agree, seconds = (np.array(column) for column in zip(*rows, strict=True))
        shown = ", ".join(f"{count} ({number})" for count, number in sorted(Counter(finite.tolist()).items()))
        bad = [str(int((~ok).sum())) for ok in (found, complete, agree)]
        table.add_row(name, shown, *bad, f"{1e3 * np.median(seconds):.1f}")
        histogram.add_column(name, justify="right")
        real[name] = Counter(poses.tolist())
    for count in sorted(set().union(*real.values())):
        histogram.add_row(str(count), *(str(counts.get(count, 0)) for counts in real.values()))
    console.print(table)
    console.print(histogram)
    if note is not None:
        save(
            "assembly_counts",
            f"python -m benchmarks.assembly_counts {total}",
            note,
            tables=[cells(table), cells(histogram)],
        )


if __name__ == "__main__":
    main()
