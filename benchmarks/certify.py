"""`python -m benchmarks.certify [--save NOTE]`: what proofs over regions cost, against the number of coordinates and
how near a region is to the smallest size that is refuted.

`--save` also writes the table to `benchmarks/results/certify.json`, which the site shows with the note.
"""

from __future__ import annotations

import sys
import time

from rich.console import Console
from rich.table import Table

import gough
from benchmarks.saving import cells, save, words_and_note

MACHINES = ("jugglebot", "nasa-msfc", "hexel", "linapod", "paradex", "sinatra2009", "hexaglide", "servo")
"""Struts without and with all limits, sliders, cranks."""
NEAR = (0.1, 0.01, 0.001)
"""Below the size that is refuted."""
SIZES = {"rtol": 2.5e-4, "max_boxes": 2000}
BOXES = 20_000
REPEATED = 3


def cost(machine: gough.Machine, region: gough.regions.PoseRegion, refuted: float, below: float) -> str:
    """Boxes and time of one core of the proof of a region, or its verdict."""
    times = []
    for _ in range(REPEATED):
        began = time.process_time()
        proof = gough.certify_region(machine, region.scaled((1 - below) * refuted), max_boxes=BOXES)
        times.append(1e3 * (time.process_time() - began))
    return f"{proof.boxes}, {min(times):.0f} ms" if proof.verdict == "proven" else proof.verdict


def costs() -> Table:
    """Boxes of positions, times a cone, times rotation vectors, in proportion to the travel along and about axes."""
    table = Table(title="boxes and processor time of proofs of all limits, with at most 20,000 boxes")
    for head in ("machine", "coordinates", *(f"{100 * (1 - below):g} %" for below in NEAR)):
        table.add_column(head)
    for name in MACHINES:
        m = gough.load(name)
        ends = [min(-row.minus, row.plus) for row in gough.travel_table(m)]
        sets: dict[int, dict[str, float]] = {3: {}, 5: {"tilt": min(ends[3:5])}, 6: {"turn": min(ends[3:])}}
        for coordinates, turns in sets.items():
            about = {"about": m.point_of_interest, "reference": m.home}
            region = gough.regions.box(m.home_point, ends[:3], **turns, **about).scaled(0.5)
            refuted = gough.largest_region(m, region, **SIZES).refuted
            table.add_row(name, str(coordinates), *(cost(m, region, refuted, below) for below in NEAR))
    return table


def main() -> None:
    """Print the table."""
    _, note = words_and_note(sys.argv[1:])
    table = costs()
    Console(width=None if sys.stdout.isatty() else 130).print(table)
    if note is not None:
        save("certify", "python -m benchmarks.certify", note, tables=[cells(table)])


if __name__ == "__main__":
    main()
