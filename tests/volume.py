"""Attacks on the six-dimensional volume: how often intervals hold the truth, and whether a pose contradicts a paving.

python -m tests.volume 1000                  repeats with few samples, and so many thousand poses, of every machine
python -m tests.volume 200 --machine hexel
"""

import argparse

import numpy as np
from tests.skew import SKEW

import gough
from gough.chunks import Chunks
from gough.regions import box
from gough.regions.pave import Paver, PavingTask, classify_halves, enclosing_region
from gough.regions.paving import INNER, OUTER, UNKNOWN
from gough.regions.volume import CHUNK, Line, count_hits, estimate

TRUTH = 64
"""Times the samples of a repeat that the truth rests on."""
SIZES = (0.15, 0.05, 0.02, 0.007)
"""Of boxes of poses about home, in parts of the machine and in radians."""


def paved(m, boxes, region=None):
    """A paving of all poses, and its job."""
    region = enclosing_region(m) if region is None else region
    job = PavingTask.of(m, region, np.ones(len(gough.limits.margins(m, m.home).columns), dtype=bool))
    with Chunks(classify_halves, job, 1) as workers:
        paver = Paver(job, workers)
        paver.grow(boxes)
    return job, paver.paving


def coverage(m, repeats, samples=CHUNK, boxes=40_000):
    """How many of so many intervals miss what a long run finds, their number, and their mean relative width."""
    job, paving = paved(m, boxes)
    line = Line.of(m, job.region, job.counted, paving.cells(INNER, UNKNOWN), 0)
    with Chunks(count_hits, line, 1) as workers:
        truth = estimate(line, TRUTH * samples, workers).value
    misses, widths = 0, []
    for seed in range(1, repeats + 1):
        again = line._replace(seed=seed)
        with Chunks(count_hits, again, 1) as workers:
            found = estimate(again, samples, workers)
        misses += not found.low <= truth <= found.high
        widths.append((found.high - found.low) / truth)
    return misses, repeats, float(np.mean(widths))


def at_the_limits(m, region, count, rng):
    """Poses on lines of coordinates from home, up to a turn of a radian: the last allowed and the first that is not."""
    home = np.concatenate([m.X_home[:3, 3] + m.X_home[:3, :3] @ region.about, np.zeros(3)])
    along = rng.normal(size=(count, 6)) * np.repeat([0.5 * m.size, 0.5], 3)
    low, high = np.zeros((count, 1)), np.ones((count, 1))
    for _ in range(50):
        middle = (low + high) / 2
        allowed = gough.limits.is_allowed(m, region.poses(home + middle * along))[:, None]
        low, high = np.where(allowed, middle, low), np.where(allowed, high, middle)
    return region.poses(home + low * along), region.poses(home + high * along)


def near_home(m, boxes):
    """A paving of the largest of some boxes of poses about home in which a part is proven to be allowed."""
    middle = m.X_home[:3, 3] + m.X_home[:3, :3] @ m.platform_centre
    for size in SIZES:
        how = {"turn": size, "reference": m.home, "about": m.platform_centre}
        job, paving = paved(m, boxes, box(middle, np.full(3, size * m.size), **how))
        if len(paving.cells(INNER)) > 10:
            break
    return job, paving


def contradictions(m, poses, boxes, seed=0):
    """How many poses are not what a paving proves of them, and how many were in boxes that are proven to be allowed:
    poses of boxes of every status, corners among them, and poses at the limits."""
    wrong, proven, rng = 0, 0, np.random.default_rng(seed)
    for job, paving in (paved(m, boxes), near_home(m, boxes)):
        drawn = [job.region.sample(poses, seed), *at_the_limits(m, job.region, poses, rng)]
        for status in (INNER, OUTER, UNKNOWN):
            cells = paving.cells(status)
            if len(cells):
                k, part = rng.integers(len(cells), size=poses), rng.uniform(-1, 1, (poses, 6))
                part = np.where(rng.random((poses, 1)) < 0.3, np.sign(part), part)
                drawn.append(job.region.poses(job.region.moved_inside(cells.centre[k] + cells.half[k] * part)))
        for X in drawn:
            allowed, answer = gough.limits.is_allowed(m, X) & job.region.contains(X), paving.contains(X)
            wrong += int(np.sum((answer == INNER) & ~allowed) + np.sum((answer == OUTER) & allowed))
            proven += int(np.sum(answer == INNER))
    return wrong, proven


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("repeats", type=int)
    parser.add_argument("--machine", action="append")
    given = parser.parse_args()
    single = [each.name for each in gough.machines() if each.stages == 1]
    for name in given.machine or [*SKEW, *single]:
        m = gough.load(name)
        misses, repeats, width = coverage(m, given.repeats)
        wrong, _ = contradictions(m, 1000 * given.repeats, 100 * given.repeats)
        print(f"{m.name:16} {misses} of {repeats} intervals miss, {width:.3f} wide; {wrong} poses contradict a paving")


if __name__ == "__main__":
    main()
