"""The six-dimensional volume of a machine's allowed poses: estimated with an interval, and bounded by proof.

The estimate is by stratified sampling, with intervals that hold for any number of samples. The boxes are laid end to
end on a line, each as long as the upper bound of its measure (its volume times its largest density), and each of N
samples is drawn from one N-th of the line. A place of the line selects a box, in which a pose is drawn; it is a hit
where it is allowed and another random number is below its relative density (rejection sampling). These N independent
Bernoulli draws, of different probabilities, have the mean probability measure / length. Their number of hits deviates
less than that of N draws with this probability (Hoeffding 1956, theorem 5), for which Clopper and Pearson's interval
(1934) holds.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from gough.arrays import Array, Bools, Progress
from gough.checks.arguments import checks_arguments
from gough.chunks import Chunks
from gough.errors import InputError
from gough.limits.margins import allowed_among_many
from gough.limits.table import margin_values
from gough.machine import Machine
from gough.present.units import bound_in_words
from gough.quantity import derived, quantity, result
from gough.regions.cells import Cells, check_measurable, density, largest_density
from gough.regions.pave import Paver, PavingTask, classify_halves, enclosing_region, limit_names_for_paving
from gough.regions.paving import Paving
from gough.regions.shapes import PoseRegion
from gough.results import Result

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
        """Return the line of boxes."""
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
    """Return the number of hits in a chunk of samples; the same whichever process draws it."""
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
    """Test whether the poses at coordinates (n, 6) keep the limits that count (n,)."""
    X = line.region.poses(z)
    if line.counted.all():
        return allowed_among_many(line.machine, X)
    return np.asarray((margin_values(line.machine, X)[:, line.counted] >= 0).all(axis=1))


def needed_samples(line: Line, rtol: float) -> float:
    """Return the number of samples for an interval of `rtol` on either side, estimated by a pilot; very large where
    hits are rare."""
    samples = FIRST_PILOT
    while (
        hits := sum(count_hits(line, draw) for draw in _draws(PILOT, samples))
    ) < PILOT_HITS and samples < LAST_PILOT:
        samples *= 8
    # Normal approximation: a relative half width of QUANTILE sqrt((1 - p) / (p N)).
    chance = max(hits, 1) / samples
    return SPARE * (QUANTILE / rtol) ** 2 * (1 - chance) / chance


def estimate(line: Line, samples: float, workers: Chunks[Line, Draw, int], progress: Progress = None) -> Estimate:
    """Return the measure of the allowed poses of the boxes, by `samples` rounded up to whole blocks."""
    if not len(line.ends):
        return Estimate(0.0, 0.0, 0.0, 0, 0)
    count = max(int(np.ceil(samples / BLOCK)), 1) * BLOCK
    hits = sum(workers.run(_draws(MAIN, count), progress))
    low, high = binomial_interval(hits, count)
    return Estimate(line.length * hits / count, line.length * low, line.length * high, hits, count)


def _draws(stream: int, count: int) -> list[Draw]:
    return [Draw(stream, first, count) for first in range(0, count, CHUNK)]


def binomial_interval(hits: int, samples: int, confidence: float = CONFIDENCE) -> tuple[float, float]:
    """Return Clopper and Pearson's interval of a probability, from `hits` of `samples` draws."""
    from scipy.special import betaincinv

    tail = (1 - confidence) / 2
    low = float(betaincinv(hits, samples - hits + 1, tail)) if hits > 0 else 0.0
    high = float(betaincinv(hits + 1, samples - hits, 1 - tail)) if hits < samples else 1.0
    return low, high


VolumeProgress = Callable[[str, float, float], None] | None

MOST_BOXES = 1_000_000
"""Boxes of the paving, where not given."""
FIRST_UNDECIDED = 10_000
"""Undecided boxes at which the costs of sampling and of further halving are first compared."""
SAMPLES_PER_BOX = 40
"""Samples that cost twice as much as a box of the paving."""
MOST_SAMPLES = 1 << 26


@result
class PoseVolume(Result):
    """The measure of the allowed poses of a machine, or of those in a region [m3 rad3].

    Volume of positions times the invariant measure of rotations, in which all rotations are 8 pi^2 rad3 and small
    ones count as their rotation vectors do. It is the same about every point of the platform.

    Attributes
    ----------
    paving : Paving
        Boxes that are proven to hold allowed poses only, or none, or neither; `paving.contains(X)`.
    machine : Machine

    """

    volume: float = quantity("m3 rad3", doc="Estimated measure.")
    low: float = quantity(
        "m3 rad3", doc="Lower end of its interval at the confidence, which holds for any number of samples."
    )
    high: float = quantity("m3 rad3", doc="Upper end of that interval.")
    samples: int = quantity("1", doc="Poses drawn from the boxes of the paving.")
    hits: int = quantity("1", doc="Those of them that count.")
    paving: Paving
    machine: Machine
    seed: int = quantity("1", is_listed=False, doc="Seed of the random numbers.")
    confidence: float = quantity("1", default=CONFIDENCE, doc="Confidence of the interval.")

    @property
    @derived("1")
    def relative_error(self) -> float:
        """Half of the interval's width, as a part of the volume; NaN where that is zero."""
        return (self.high - self.low) / (2 * self.volume) if self.volume else float("nan")

    @property
    @derived("m3 rad3")
    def lower(self) -> float:
        """Lower bound, proven: of boxes all of whose poses are allowed."""
        return self.paving.bounds[0]

    @property
    @derived("m3 rad3")
    def upper(self) -> float:
        """Upper bound, proven: of boxes that may hold allowed poses."""
        return self.paving.bounds[1]

    @property
    def region(self) -> PoseRegion:
        """Where poses count; `enclosing_region` of the machine where none was given."""
        return self.paving.region

    def sentence(self) -> str:
        """State the estimate, its interval, and the proven bounds."""
        return (
            f"allowed poses: {self.volume:.4g} m3 rad3, {self.low:.4g} to {self.high:.4g} at a confidence of 99 %, "
            f"{bound_in_words(self.lower, 3)} to {bound_in_words(self.upper, 3, is_upper=True)} proven"
        )


@checks_arguments
def workspace_volume_6d(
    machine: Machine,
    region: PoseRegion | None = None,
    *,
    rtol: float = 0.005,
    max_boxes: int | None = None,
    max_samples: int = MOST_SAMPLES,
    seed: int = 0,
    ignore: tuple[str, ...] = (),
    processes: int | None = None,
    scheduler: str | None = None,
    progress: VolumeProgress = None,
) -> PoseVolume:
    """Compute the six-dimensional volume of the poses that keep every limit: an estimate and proven bounds.

    Volume of positions times the invariant (Haar) measure of rotations (Chirikjian and Kyatkin 2001), of which all are
    8 pi^2 rad3; for small rotations that of rotation vectors [m3 rad3]. Allowed is what `gough.margins` allows, on
    home's side of singularities; whether a path within the limits leads there from home is not checked. A paving by
    boxes, of which those without an allowed pose are left out by proof, is sampled.

    Parameters
    ----------
    machine : Machine
    region : PoseRegion, optional
        Poses that count; default: all, see `gough.regions.enclosing_region`.
    rtol : float
        Half of the interval's width, as a part of the volume, for which samples are drawn.
    max_boxes : int, optional
        Of the paving, for closer proven bounds; default: as many as the estimate is fast with.
    max_samples : int
        Where these do not suffice, the interval is wider than `rtol`.
    seed : int
        Seed of the random numbers.
    ignore : tuple of str
        Names of limits that do not count.
    processes : int, optional
        Processes of this machine that share the work; default: the number of cores.
    scheduler : str, optional
        Address of a Dask scheduler, whose workers share the work instead.
    progress : callable, optional
        Called with what is done, how much of it, and of how much.

    Returns
    -------
    PoseVolume
        The same to the bit with any number of processes or workers of one kind of processor.

    Raises
    ------
    InputError
        The legs have no largest length and no region is given; a region in which orientations count twice or that has
        no extent; a name in `ignore` that is none of the machine's limits; no cluster at the scheduler's address.

    """
    if not 1e-5 <= rtol < 1:
        raise InputError(f"rtol {rtol:g}: expected a part of the volume from 1e-5 to 1")
    names = limit_names_for_paving(machine, ignore)
    counted = np.array([name not in ignore for name in names])
    place = enclosing_region(machine, ignore) if region is None else region
    check_measurable(place)
    job = PavingTask.of(machine, place, counted, is_sharp=max_boxes is not None)

    def reported(what: str) -> Callable[[int, int], None] | None:
        return None if progress is None else lambda done, count: progress(what, done, count)

    with Chunks(classify_halves, job, processes, scheduler) as workers:
        paver = Paver(job, workers)
        line, needed = _worth_sampling(paver, rtol, max_boxes, max_samples, seed, reported("paving"))
        paving = paver.paving
    with Chunks(count_hits, line, processes, scheduler) as drawers:
        found = estimate(line, min(needed, max_samples), drawers, reported("sampling"))
    low, high = paving.bounds
    # The interval holds with its confidence, the paving's bounds always.
    return PoseVolume(
        volume=min(max(found.value, low), high),
        low=max(found.low, low),
        high=min(found.high, high),
        samples=found.samples,
        hits=found.hits,
        paving=paving,
        machine=machine,
        seed=seed,
    )


def _worth_sampling(
    paver: Paver,
    rtol: float,
    max_boxes: int | None,
    max_samples: int,
    seed: int,
    progress: Callable[[int, int], None] | None,
) -> tuple[Line, float]:
    """Grow the paving to `max_boxes`, or until more boxes would cost more than the samples they save; returns its boxes
    that may hold allowed poses, and the number of samples that these need."""
    job, undecided = paver.job, FIRST_UNDECIDED
    while True:
        paver.grow(MOST_BOXES if max_boxes is None else max_boxes, undecided if max_boxes is None else np.inf, progress)
        line = Line.of(job.machine, job.region, job.counted, paver.candidates, seed)
        needed = needed_samples(line, rtol) if len(line.cells) else 0.0
        is_enough = min(needed, max_samples) < SAMPLES_PER_BOX * paver.count
        if is_enough or max_boxes is not None or paver.is_over or paver.count >= MOST_BOXES - 1:
            return line, needed
        undecided *= 2
