"""`python -m benchmarks.volume [--save NOTE]`: what the six-dimensional volume costs, how close its proven bounds come,
and how much quicker two workers are than one.

`--save` also writes the tables to `benchmarks/results/volume.json`, which the site shows with the note.
"""

from __future__ import annotations

import resource
import sys
import time

import numpy as np
from rich.console import Console
from rich.table import Table

import gough
from benchmarks.saving import cells, save, words_and_note
from gough.chunks import Chunks
from gough.regions.paving import UNKNOWN
from gough.regions.volume import CHUNK, Draw, Line, count_hits

ESTIMATED = ("hexel", "jugglebot", "linuxcnc", "rubin-m2", "hexaglide", "linapod")
BOUNDED = ("hexel", "jugglebot", "hexaglide")
BOXES = (1_000, 10_000, 100_000, 400_000)
DRAWS = 320
"""Chunks of samples for one and for two workers: seconds of work, since a cluster takes tenths of one to begin."""
ROUNDS = 4


def spent() -> float:
    """Processor time of this process and of those that it has ended [s]."""
    found = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(each.ru_utime + each.ru_stime for each in found)


def estimates() -> Table:
    """All allowed poses of machines, to 0.5 % on either side."""
    table = Table(title="all allowed poses, 99 % interval of 0.5 % on either side, two processes")
    for head in ("machine", "volume [m³ rad³]", "half interval", "boxes", "samples", "processor time [s]"):
        table.add_column(head, justify="left" if head == "machine" else "right")
    for name in ESTIMATED:
        m = gough.load(name)
        gough.workspace_volume_6d(m, rtol=0.5)
        before = spent()
        found = gough.workspace_volume_6d(m)
        part = (found.high - found.low) / found.volume / 2
        shown = f"{found.volume:.4g}", f"{100 * part:.2f} %", str(len(found.paving)), f"{found.samples:.3g}"
        table.add_row(name, *shown, f"{spent() - before:.1f}")
    return table


def bounds() -> Table:
    """Proven bounds by more and more boxes, in a ball of poses."""
    table = Table(title="proven bounds, relative to the volume: a box of poses about home, 0.1 of the size and 10 deg")
    for head in ("machine", "boxes", "lower", "upper", "processor time [s]"):
        table.add_column(head, justify="left" if head == "machine" else "right")
    for name in BOUNDED:
        m = gough.load(name)
        place = m.X_home[:3, :3] @ m.platform_centre + m.X_home[:3, 3]
        how = {"euler": np.radians([10, 10, 10]), "sequence": "XYZ", "reference": m.home, "about": m.platform_centre}
        region = gough.regions.box(place, np.full(3, 0.1 * m.size), **how)
        for boxes in BOXES:
            before = spent()
            found = gough.workspace_volume_6d(m, region, rtol=0.01, max_boxes=boxes)
            parts = found.lower / found.volume, found.upper / found.volume
            table.add_row(name, str(len(found.paving)), *(f"{part:.3f}" for part in parts), f"{spent() - before:.1f}")
    return table


def shared_work() -> Table:
    """Samples of hexel by one and by two workers, in turn; the least times."""
    table = Table(
        title=f"{DRAWS * CHUNK} samples of hexel, by one worker and by two; least wall time of {ROUNDS} rounds"
    )
    for head in ("workers", "one [s]", "two [s]", "speed-up"):
        table.add_column(head, justify="left" if head == "workers" else "right")
    m = gough.load("hexel")
    found = gough.workspace_volume_6d(m, rtol=0.5, max_boxes=100_000)
    counted = np.ones(len(gough.margins(m, m.home).names), dtype=bool)
    line = Line.of(m, found.region, counted, found.paving.cells(UNKNOWN), 0)
    draws = [Draw(1, k * CHUNK, DRAWS * CHUNK) for k in range(DRAWS)]
    for what, job in (("processes", _in_processes), ("Dask, local cluster", _on_clusters)):
        least = job(line, draws)
        table.add_row(what, *(f"{each:.2f}" for each in least), f"{least[0] / least[1]:.2f}")
    return table


def _in_processes(line: Line, draws: list[Draw]) -> list[float]:
    with Chunks(count_hits, line, 2) as two:
        return _least([Chunks(count_hits, line, 1), two], draws)


def _on_clusters(line: Line, draws: list[Draw]) -> list[float]:
    from distributed import LocalCluster

    how = {"threads_per_worker": 1, "dashboard_address": ":0"}
    with LocalCluster(n_workers=1, **how) as single, LocalCluster(n_workers=2, **how) as double:
        at = single.scheduler_address, double.scheduler_address
        with Chunks(count_hits, line, scheduler=at[0]) as one, Chunks(count_hits, line, scheduler=at[1]) as two:
            return _least([one, two], draws)


def _least(jobs: list[Chunks[Line, Draw, int]], draws: list[Draw]) -> list[float]:
    """Least times of all draws by each, in turn, once the workers have begun [s]."""
    times: list[list[float]] = [[] for _ in jobs]
    for k in range(ROUNDS + 1):
        for job, taken in zip(jobs, times, strict=True):
            began = time.perf_counter()
            job.run(draws)
            taken += [time.perf_counter() - began] * (k > 0)
    return [min(taken) for taken in times]


def main() -> None:
    """Print the tables."""
    _, note = words_and_note(sys.argv[1:])
    console, tables = Console(width=None if sys.stdout.isatty() else 130), []
    for make in (estimates, bounds, shared_work):
        tables.append(make())
        console.print(tables[-1])
    if note is not None:
        save("volume", "python -m benchmarks.volume", note, tables=[cells(table) for table in tables])


if __name__ == "__main__":
    main()
