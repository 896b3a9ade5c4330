"""`python -m benchmarks.certify [--save NOTE]`: what proofs over regions cost, against the number of coordinates and
how near a region is to the smallest size that is refuted; of all built-in machines of struts, with strokes alone too.

`--save` also writes the tables to `benchmarks/results/certify.json`, which the site shows with the note.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from dataclasses import replace

from rich.console import Console
from rich.table import Table

import gough
from benchmarks.saving import cells, save, words_and_note
from gough.machine import Limits, Machine
from gough.regions import PoseRegion

MACHINES = ("jugglebot", "nasa-msfc", "hexel", "linapod", "paradex", "sinatra2009", "hexaglide", "servo")
"""Struts without and with all limits, sliders, cranks."""
NEAR = (0.1, 0.01, 0.001)
"""Below the size that is refuted."""
SIZES = {"rtol": 2.5e-4, "max_boxes": 5000}
BOXES = 100_000
REPEATED = 20


def cost(machine: Machine, region: PoseRegion, below: float, ignore: tuple[str, ...] = ()) -> str:
    """Boxes and time of one core of the proof of a region a part smaller than the smallest that is refuted, or its
    verdict; the least of some."""
    times, refuted = [], gough.largest_region(machine, region, ignore=ignore, **SIZES).refuted
    for _ in range(REPEATED):
        began = time.process_time()
        proof = gough.certify_region(machine, region.scaled((1 - below) * refuted), ignore=ignore, max_boxes=BOXES)
        times.append(1e3 * (time.process_time() - began))
        if proof.verdict != "proven":
            return proof.verdict
    return f"{proof.boxes}, {min(times):.1f} ms"


def regions(m: Machine) -> Iterator[tuple[str, PoseRegion]]:
    """Boxes of positions, times a cone, rotation vectors or Euler angles, in proportion to the travel along and about
    axes."""
    ends = [min(-row.minus, row.plus) for row in gough.travel_table(m)]
    about = {"about": m.point_of_interest, "reference": m.home}
    turns = {"tilt": min(ends[3:5])}, {"turn": min(ends[3:])}, {"euler": ends[3:], "sequence": "XYZ"}
    for name, how in zip(("3", "5", "6", "6, Euler"), ({}, *turns), strict=True):
        yield name, gough.regions.box(m.home_point, ends[:3], **how, **about).scaled(0.5)
    yield "6, balls", gough.regions.ball(m.home_point, min(ends[:3]), turn=min(ends[3:]), **about).scaled(0.5)


def costs() -> Table:
    """Of kinds of machines, against how near the size is."""
    table = Table(title="boxes and processor time of proofs of all limits")
    for head in ("machine", "coordinates", *(f"{100 * (1 - below):g} %" for below in NEAR)):
        table.add_column(head)
    for name in MACHINES:
        m = gough.load(name)
        for coordinates, region in regions(m):
            table.add_row(name, coordinates, *(cost(m, region, below) for below in NEAR))
    return table


def strut_machines() -> Iterator[tuple[str, str, Machine, tuple[str, ...]]]:
    """Every built-in machine of struts, or stage of one, and limits that do not count: with all its limits, with
    strokes and singularity, with strokes alone."""
    for info in gough.machines():
        for k, m in enumerate(gough.load(info.name).stages):
            if m.legs.rod() is None:
                name = info.name if not k else f"{info.name}, stage {k + 1}"
                yield name, "all", m, ()
                strokes = Limits(joint_min=m.limits.joint_min, joint_max=m.limits.joint_max)
                yield name, "strokes, singularity", replace(m, limits=strokes), ()
                yield name, "strokes", replace(m, limits=strokes), ("singularity",)


def strut_costs() -> Table:
    """Of all machines of struts, at the nearest size."""
    below = min(NEAR)
    table = Table(title=f"strut machines, regions of {100 * (1 - below):g} %, by coordinates")
    for head in ("machine", "limits", "3", "5", "6", "6, Euler", "6, balls"):
        table.add_column(head)
    for name, limits, m, ignore in strut_machines():
        table.add_row(name, limits, *(cost(m, region, below, ignore) for _, region in regions(m)))
    return table


def main() -> None:
    """Print the tables."""
    _, note = words_and_note(sys.argv[1:])
    tables = [costs(), strut_costs()]
    for table in tables:
        Console(width=None if sys.stdout.isatty() else 130).print(table)
    if note is not None:
        save("certify", "python -m benchmarks.certify", note, tables=[cells(table) for table in tables])


if __name__ == "__main__":
    main()
