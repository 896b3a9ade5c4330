"""The six-dimensional volume of a machine's allowed poses: estimated with an interval, and bounded by proof."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from gough.checks.arguments import checks_arguments
from gough.chunks import Chunks
from gough.errors import InputError
from gough.machine import Machine
from gough.present.units import bound_in_words
from gough.quantity import derived, quantity, result
from gough.regions.measure import check_measurable
from gough.regions.pave import Paver, PavingTask, classify_halves, enclosing_region, limit_names_for_paving
from gough.regions.paving import Paving
from gough.regions.sampling import CONFIDENCE, Line, count_hits, estimate, needed_samples
from gough.regions.shapes import PoseRegion
from gough.results import Result

Progress = Callable[[str, float, float], None] | None

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
        """The estimate, its interval, and the proven bounds."""
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
    progress: Progress = None,
) -> PoseVolume:
    """Six-dimensional volume of the poses that keep every limit: estimated, and between proven bounds.

    Volume of positions times the invariant (Haar) measure of rotations (Chirikjian and Kyatkin 2001), of which all are
    8 pi^2 rad3; for small rotations that of rotation vectors [m3 rad3]. Allowed is what `gough.margins` allows, on
    home's side of singularities; whether a path within the limits leads there from home is not checked. A paving by
    boxes, of which those without an allowed pose are left out by proof, is sampled.

    Parameters
    ----------
    machine : Machine
    region : PoseRegion, optional
        Poses that count; all, if not given: `gough.regions.enclosing_region`.
    rtol : float
        Half of the interval's width, as a part of the volume, for which samples are drawn.
    max_boxes : int, optional
        Of the paving, for closer proven bounds; as many as the estimate is quick with, if not given.
    max_samples : int
        Where these do not suffice, the interval is wider than `rtol`.
    seed : int
        Of the random numbers.
    ignore : tuple of str
        Names of limits that do not count.
    processes : int, optional
        Processes of this machine that share the work; as many as it has cores, if not given.
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
