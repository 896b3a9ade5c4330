"""`python -m benchmarks.tightness [REGIONS] [--save NOTE]`: how close proofs over regions come to the truth, and their
cost: 60 regions of drawn machines of each leg kind, limits on request, and tubes about paths.

The size of a region is the smallest that a pose refutes, that of a limit on request the smallest bound that a pose of
the region breaks, found by refutations; the half width of a tube the smallest that a displaced pose refutes. Machines
are those of `tests.certify`, with the seeds 0, 1, ... `--save` also writes the tables to
`benchmarks/results/tightness.json`.
"""

from __future__ import annotations

import sys
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table
from tests.certify import drawn, regions, requests
from tests.skew import SKEW_OF_KIND

import gough
from benchmarks.saving import cells, save, words_and_note
from gough import motion
from gough.machine import Machine

REGIONS = 60
"""Of each leg kind: four shapes about home of one machine each, the next of the next machine."""
SIZES = (0.9, 0.99, 0.999, 1.001)
BOUNDS = (0.99, 0.999, 1.01)
TUBES = (0.5, 0.9, 1.01)
CLOSE = 2.5e-4
"""Relative, to which sizes are found."""
NEAR = 1e-2
"""The same of the half widths of tubes."""
BOXES = 20_000
STEPS = 40
"""Bisections of a bound, or of a tube's half width."""
EVERY = 5
"""One of so many machines has limits on request and a tube."""


class Verdicts:
    """Verdicts and processor times [ms] by the rows of a table."""

    def __init__(self) -> None:
        self.rows: dict[tuple[str, ...], list[tuple[str, float]]] = defaultdict(list)

    def measure(self, row: tuple[str, ...], prove: Callable[..., Any], *of: Any, **how: Any) -> Any:
        """Add what a proof says and takes."""
        began = time.process_time()
        found = prove(*of, **how)
        self.rows[row].append((getattr(found, "verdict", ""), 1e3 * (time.process_time() - began)))
        return found

    def table(self, title: str, *heads: str) -> Table:
        """Counts of proven, refuted, undecided; median, 90 % and most of the time."""
        table = Table(title=title)
        for head in (*heads, "proven", "refuted", "undecided", "median [ms]", "90 % [ms]", "most [ms]"):
            table.add_column(head)
        for row, found in sorted(self.rows.items()):
            said, took = zip(*found, strict=True)
            counts = (str(said.count(verdict)) for verdict in ("proven", "refuted", "undecided"))
            times = (f"{value:.0f}" for value in np.quantile(took, [0.5, 0.9, 1.0]))
            table.add_row(*row, *counts, *times)
        return table


def cases(count: int) -> Iterator[tuple[str, int, Machine, Any]]:
    """Leg kind, number, machine and region."""
    for kind in SKEW_OF_KIND:
        for k in range(count):
            m = drawn(kind, np.random.default_rng([1, k // 4]))
            yield kind, k, m, list(regions(m))[k % 4]


def sizes(count: int) -> Table:
    """Verdicts at parts of regions' sizes, and the largest regions."""
    found = Verdicts()
    for kind, _, m, region in cases(count):
        true = gough.largest_region(m, region, rtol=CLOSE, max_boxes=BOXES).refuted
        for part in SIZES:
            row = kind, f"{part:g}"
            found.measure(row, gough.certify_region, m, region.scaled(part * true), max_boxes=BOXES)
        closed = found.measure((kind, "largest, 0.1 %"), gough.largest_region, m, region)
        if closed.refuted > (1 + 1e-3) * closed.scale:
            print(f"{kind}: a largest region is open by {closed.refuted / closed.scale - 1:.1e}", flush=True)
    return found.table("regions, all limits, by size", "legs", "size")


def on_request(count: int) -> Table:
    """Verdicts at parts of the bounds of limits on request."""
    found = Verdicts()
    for _, k, m, region in cases(count):
        if k // 4 % EVERY:
            continue
        for kept, crossed in requests(m, region):
            name, ignore = type(kept).__name__, gough.margins(m, m.home).names
            low, high = _bound(crossed), _bound(kept)  # `crossed` is refuted
            for _ in range(STEPS):
                if abs(high / low - 1) < CLOSE:
                    break
                middle = (low + high) / 2
                proof = gough.certify_region(m, region, also=_with(kept, middle), ignore=ignore, max_boxes=BOXES)
                low, high = (middle, high) if proof.verdict == "refuted" else (low, middle)
            for part in BOUNDS:
                limit = _with(kept, low / part if low < _bound(kept) else low * part)
                how = {"also": limit, "ignore": ignore, "max_boxes": BOXES}
                found.measure((name, f"{part:g}"), gough.certify_region, m, region, **how)
    return found.table("limits on request, by part of the bound", "limit", "part")


def _bound(limit: Any) -> float:
    """The bound of a limit on request."""
    return float(getattr(limit, _name(limit)))


def _with(limit: Any, bound: float) -> Any:
    """The limit with another bound."""
    names = [name for name in vars(limit) if name in type(limit).__dataclass_fields__]
    return type(limit)(**{name: getattr(limit, name) for name in names} | {_name(limit): bound})


def _name(limit: Any) -> str:
    kind = type(limit).__name__
    if kind in ("SpeedLimit", "ForceLimit"):
        return "joint_speed" if kind == "SpeedLimit" else "actuator_force"
    return "translation" if 0 < limit.translation < np.inf else "rotation"


def tubes(count: int) -> Table:
    """Verdicts at parts of the half widths of tubes about paths."""
    found = Verdicts()
    for kind, k, m, _ in cases(count):
        if k % (4 * EVERY):
            continue
        rng = np.random.default_rng([2, k])
        steps = gough.pose_matrix(0.01 * m.size * rng.normal(size=(4, 3)), 0.01 * rng.normal(size=(4, 3)), "XYZ")
        path = motion.path_about_pivot(m, motion.Spline(steps))
        if not motion.check_path(m, path).is_proven:
            continue
        low, high = 0.0, 0.2
        for _ in range(STEPS):
            if high - low < NEAR * high:
                break
            middle = (low + high) / 2
            said = motion.check_path(m, path, uncertainty=(middle * m.size, middle), max_boxes=400).verdict
            low, high = (low, middle) if said == "refuted" else (middle, high)
        for part in TUBES:
            wide = part * high
            found.measure((kind, f"{part:g}"), motion.check_path, m, path, uncertainty=(wide * m.size, wide))
    return found.table("tubes about paths, by half width", "legs", "width")


def main() -> None:
    """Print the tables."""
    words, note = words_and_note(sys.argv[1:])
    count, tables = int(words[0]) if words else REGIONS, []
    for make in (sizes, on_request, tubes):
        tables.append(make(count))
        Console(width=None if sys.stdout.isatty() else 130).print(tables[-1])
    if note is not None:
        save("tightness", "python -m benchmarks.tightness", note, tables=[cells(table) for table in tables])


if __name__ == "__main__":
    main()
