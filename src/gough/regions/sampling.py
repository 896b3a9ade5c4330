"""How many poses of boxes are allowed: stratified sampling, with intervals that hold for any number of samples.

The boxes lie one behind the other on a line, each as long as its measure at the most (its volume times its largest
density); N samples take one N-th of the line each. A place of the line is a box; one of its places is drawn, and counts
where the pose is allowed and a second draw is below its density. So N independent draws that are yes or no, with
chances of their own, have a mean chance of the measure of the allowed poses by the length of the line. Their number is
nearer its mean than that of N equal draws would be (Hoeffding 1956, theorem 5), for which Clopper and Pearson's
interval (1934) holds.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gough.arrays import Array, Bools, Progress
from gough.chunks import Chunks
from gough.limits.margins import is_allowed
from gough.limits.table import margin_values
from gough.machine import Machine
from gough.regions.cells import Cells
from gough.regions.measure import density, largest_density
from gough.regions.shapes import PoseRegion

CONFIDENCE = 0.99
"""Of intervals."""
QUANTILE = 2.5758
"""Of the normal distribution at that confidence, for the number of samples that an interval needs."""
SPARE = 1.15
"""Times as many are drawn: the pilot's chance may be too large."""
CHUNK = 1 << 16
"""Samples that a worker draws at once."""
BLOCK = 2048
"""Samples that are judged together: what fits a core's cache."""
FIRST_PILOT, LAST_PILOT = CHUNK // 8, 64 * CHUNK
"""Samples that the pilot begins with, and after which it ends."""
PILOT_HITS = 300
"""Hits after which its chance is good enough: to 6 %, of which an interval's width has half."""
PILOT, MAIN = 0, 1
"""Streams of random numbers."""


class Line(NamedTuple):
    """Boxes (n) one behind the other: `ends` (n,) of their measures at the most, and their largest densities (n,)."""

    machine: Machine
    region: PoseRegion
    counted: Bools
    cells: Cells
    ends: Array
    dense: Array
    seed: int

    @classmethod
    def of(cls, machine: Machine, region: PoseRegion, counted: Bools, cells: Cells, seed: int) -> Line:
        """The line of boxes."""
        dense = largest_density(region, cells)
        return cls(machine, region, counted, cells, np.cumsum(np.prod(2 * cells.half, axis=1) * dense), dense, seed)

    @property
    def length(self) -> float:
        """Measure of all boxes, at the most [m3 rad3]."""
        return float(self.ends[-1]) if len(self.ends) else 0.0


class Draw(NamedTuple):
    """Samples of one chunk: the stream's number, the first sample, and how many there are in all."""

    stream: int
    first: int
    total: int


class Estimate(NamedTuple):
    """A measure with its interval [m3 rad3], and how many samples of how many it rests on."""

    value: float
    low: float
    high: float
    hits: int
    samples: int


def count_hits(line: Line, draw: Draw) -> int:
    """How many samples of a chunk count."""
    source = np.random.SeedSequence(line.seed, spawn_key=(draw.stream, draw.first))
    rng, hits = np.random.default_rng(source), 0
    for first in range(draw.first, min(draw.first + CHUNK, draw.total), BLOCK):
        u = rng.random((8, BLOCK))
        box = np.searchsorted(line.ends, (first + np.arange(BLOCK) + u[0]) * (line.length / draw.total), side="right")
        box = np.minimum(box, len(line.ends) - 1)
        z = line.cells.centre[box] + line.cells.half[box] * (2 * u[1:7].T - 1)
        dense = np.flatnonzero(u[7] * line.dense[box] < density(line.region, z))
        hits += int(np.count_nonzero(allowed_at(line, z[dense])))
    return hits


def allowed_at(line: Line, z: Array) -> Bools:
    """Whether the poses at coordinates (n, 6) keep the limits that count (n,)."""
    X = line.region.poses(z)
    if line.counted.all():
        return is_allowed(line.machine, X)
    return np.asarray((margin_values(line.machine, X)[:, line.counted] >= 0).all(axis=1))


def needed_samples(line: Line, rtol: float) -> float:
    """How many samples an interval of `rtol` on either side needs, as a pilot sees it: more than it may be worth where
    few poses count."""
    samples = FIRST_PILOT
    while (
        hits := sum(count_hits(line, draw) for draw in _draws(PILOT, samples))
    ) < PILOT_HITS and samples < LAST_PILOT:
        samples *= 8
    chance = max(hits, 1) / samples
    return SPARE * (QUANTILE / rtol) ** 2 * (1 - chance) / chance


def estimate(line: Line, samples: float, workers: Chunks[Line, Draw, int], progress: Progress = None) -> Estimate:
    """The measure of the allowed poses of the boxes, by so many samples or a few more."""
    if not len(line.ends):
        return Estimate(0.0, 0.0, 0.0, 0, 0)
    count = max(int(np.ceil(samples / BLOCK)), 1) * BLOCK
    hits = sum(workers.run(_draws(MAIN, count), progress))
    low, high = binomial_interval(hits, count)
    return Estimate(line.length * hits / count, line.length * low, line.length * high, hits, count)


def _draws(stream: int, count: int) -> list[Draw]:
    return [Draw(stream, first, count) for first in range(0, count, CHUNK)]


def binomial_interval(hits: int, samples: int, confidence: float = CONFIDENCE) -> tuple[float, float]:
    """Clopper and Pearson's interval of a chance, of which so many draws of so many came true."""
    from scipy.special import betaincinv

    tail = (1 - confidence) / 2
    low = float(betaincinv(hits, samples - hits + 1, tail)) if hits > 0 else 0.0
    high = float(betaincinv(hits + 1, samples - hits, 1 - tail)) if hits < samples else 1.0
    return low, high
