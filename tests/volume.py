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
from gough.regions.cells import Cells
from gough.regions.pave import Judged, Paver, enclosing_region, judge
from gough.regions.paving import INNER, OUTER, UNKNOWN
from gough.regions.sampling import CHUNK, Line, count_hits, estimate

TRUTH = 64
"""Times the samples of a repeat that the truth rests on."""


def paved(m, boxes, region=None):
    """A paving of all poses, and its job."""
    region = enclosing_region(m) if region is None else region
    job = Judged.of(m, region, np.ones(len(gough.limits.margins(m, m.home).columns), dtype=bool))
    with Chunks(judge, job, 1) as workers:
        paver = Paver(job, workers)
        paver.grow(boxes)
    return job, paver.paving


def coverage(m, repeats, samples=CHUNK, boxes=40_000):
    """How many of so many intervals miss what a long run finds, their number, and their mean relative width."""
    job, paving = paved(m, boxes)
    inner, unknown = paving.cells(INNER), paving.cells(UNKNOWN)
    cells = Cells(*(np.concatenate(each) for each in zip(inner, unknown, strict=True)))
    line = Line.of(m, job.region, job.counted, cells, 0)
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


def contradictions(m, poses, boxes, seed=0):
    """How many poses of boxes, their corners among them, are not what a paving proves; and how `contains` answers."""
    wrong, rng = 0, np.random.default_rng(seed)
    small = box(m.X_home[:3, 3], np.full(3, 0.01 * m.size), turn=0.02, reference=m.home)
    for region in (None, small):
        job, paving = paved(m, boxes, region)
        for status in (INNER, OUTER, UNKNOWN):
            cells = paving.cells(status)
            if not len(cells):
                continue
            k = rng.integers(len(cells), size=poses)
            part = rng.uniform(-1, 1, (poses, 6))
            part = np.where(rng.random((poses, 1)) < 0.3, np.sign(part), part)
            X = job.region.poses(job.region.moved_inside(cells.centre[k] + cells.half[k] * part))
            allowed, answer = gough.limits.is_allowed(m, X), paving.contains(X)
            wrong += int(np.sum((answer == INNER) & ~allowed) + np.sum((answer == OUTER) & allowed))
        X = job.region.sample(poses, seed)
        allowed, answer = gough.limits.is_allowed(m, X), paving.contains(X)
        wrong += int(np.sum((answer == INNER) & ~allowed) + np.sum((answer == OUTER) & allowed))
    return wrong


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("repeats", type=int)
    parser.add_argument("--machine", action="append")
    given = parser.parse_args()
    single = [each.name for each in gough.machines() if each.stages == 1]
    for name in given.machine or [*SKEW, *single]:
        m = gough.load(name)
        misses, repeats, width = coverage(m, given.repeats)
        wrong = contradictions(m, 1000 * given.repeats, 100 * given.repeats)
        print(f"{m.name:16} {misses} of {repeats} intervals miss, {width:.3f} wide; {wrong} poses contradict a paving")


if __name__ == "__main__":
    main()
