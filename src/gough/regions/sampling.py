"""Measure of the allowed poses of boxes: stratified sampling, with intervals that hold for any number of samples.

The boxes are laid end to end on a line, each as long as the upper bound of its measure (its volume times its largest
density), and each of N samples is drawn from one N-th of the line. A place of the line selects a box, in which a pose
is drawn; it is a hit where it is allowed and another random number is below its relative density (rejection sampling).
These N independent Bernoulli draws, of different probabilities, have the mean probability measure / length. Their
number of hits deviates less than that of N draws with this probability (Hoeffding 1956, theorem 5), for which Clopper
and Pearson's interval (1934) holds.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gough.arrays import Array, Bools, Progress
from gough.chunks import Chunks
from gough.limits.margins import allowed_among_many
from gough.limits.table import margin_values
from gough.machine import Machine
from gough.regions.cells import Cells
from gough.regions.measure import density, largest_density
from gough.regions.shapes import PoseRegion

CONFIDENCE = 0.99
"""Confidence of intervals."""
QUANTILE = 2.5758
"""Two-sided quantile of the normal distribution at that confidence, for the number of samples that are needed."""
SPARE = 1.15
"""Factor of that number, since the pilot may overestimate the probability of hits."""
CHUNK = 1 << 16
"""Samples that a worker draws at once."""
BLOCK = 2048
"""Samples that are evaluated together: what fits a core's cache."""
FIRST_PILOT, LAST_PILOT = CHUNK // 8, 64 * CHUNK
"""First and largest number of samples of the pilot."""
PILOT_HITS = 300
"""Hits that suffice: the probability is then known to 6 %, the width of an interval to half of that."""
PILOT, MAIN = 0, 1
"""Streams of random numbers."""


class Line(NamedTuple):
    """Boxes (n) laid end to end: `ends` (n,) are sums of upper bounds of their measures, `dense` their largest
    densities (n,)."""

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
        """Upper bound of the measure of all boxes [m3 rad3]."""
        return float(self.ends[-1]) if len(self.ends) else 0.0


class Draw(NamedTuple):
    """Samples of one chunk: the number of the random stream, the first sample, and the number of samples in all."""

    stream: int
    first: int
    total: int


class Estimate(NamedTuple):
    """A measure with its interval [m3 rad3], and the hits of so many samples."""

    value: float
    low: float
    high: float
    hits: int
    samples: int


def count_hits(line: Line, draw: Draw) -> int:
    """Number of hits in a chunk of samples; the same whichever process draws it."""
    source = np.random.SeedSequence(line.seed, spawn_key=(draw.stream, draw.first))
    rng, hits = np.random.default_rng(source), 0
    for first in range(draw.first, min(draw.first + CHUNK, draw.total), BLOCK):
        # Of each sample: its place in its part of the line, six coordinates in the box, and one number for rejection.
        u = rng.random((8, BLOCK))
        box = np.searchsorted(line.ends, (first + np.arange(BLOCK) + u[0]) * (line.length / draw.total), side="right")
        box = np.minimum(box, len(line.ends) - 1)
        z = line.cells.centre[box] + line.cells.half[box] * (2 * u[1:7].T - 1)
        accepted = np.flatnonzero(u[7] * line.dense[box] < density(line.region, z))
        hits += int(np.count_nonzero(allowed_at(line, z[accepted])))
    return hits


def allowed_at(line: Line, z: Array) -> Bools:
    """Whether the poses at coordinates (n, 6) keep the limits that count (n,)."""
    X = line.region.poses(z)
    if line.counted.all():
        return allowed_among_many(line.machine, X)
    return np.asarray((margin_values(line.machine, X)[:, line.counted] >= 0).all(axis=1))


def needed_samples(line: Line, rtol: float) -> float:
    """Number of samples for an interval of `rtol` on either side, estimated by a pilot; very large where hits are
    rare."""
    samples = FIRST_PILOT
    while (
        hits := sum(count_hits(line, draw) for draw in _draws(PILOT, samples))
    ) < PILOT_HITS and samples < LAST_PILOT:
        samples *= 8
    # Normal approximation: a relative half width of QUANTILE sqrt((1 - p) / (p N)).
    chance = max(hits, 1) / samples
    return SPARE * (QUANTILE / rtol) ** 2 * (1 - chance) / chance


def estimate(line: Line, samples: float, workers: Chunks[Line, Draw, int], progress: Progress = None) -> Estimate:
    """The measure of the allowed poses of the boxes, by `samples` rounded up to whole blocks."""
    if not len(line.ends):
        return Estimate(0.0, 0.0, 0.0, 0, 0)
    count = max(int(np.ceil(samples / BLOCK)), 1) * BLOCK
    hits = sum(workers.run(_draws(MAIN, count), progress))
    low, high = binomial_interval(hits, count)
    return Estimate(line.length * hits / count, line.length * low, line.length * high, hits, count)


def _draws(stream: int, count: int) -> list[Draw]:
    return [Draw(stream, first, count) for first in range(0, count, CHUNK)]


def binomial_interval(hits: int, samples: int, confidence: float = CONFIDENCE) -> tuple[float, float]:
    """Clopper and Pearson's interval of a probability, from `hits` of `samples` draws."""
    from scipy.special import betaincinv

    tail = (1 - confidence) / 2
    low = float(betaincinv(hits, samples - hits + 1, tail)) if hits > 0 else 0.0
    high = float(betaincinv(hits + 1, samples - hits, 1 - tail)) if hits < samples else 1.0
    return low, high
