"""Attacks on proven regions: random poses and descents in regions near their true size.

    python -m tests.certify 1000000                    every built-in machine, so many poses in each region
    python -m tests.certify 10000 --drawn 200          and 200 drawn machines of each leg kind
    python -m tests.certify 1000 --machine hexel

Of each machine a region of every shape is scaled until it is proven just below a size and refuted just above it; it
prints how far apart the two are, boxes and time.
"""

import argparse
import sys
import time
from dataclasses import replace

import numpy as np
from tests.skew import SKEW_OF_KIND

import gough
from gough.limits.table import limit_table
from gough.regions import ball, box, cylinder, ellipsoid
from gough.regions.worst import polished

CLOSE = 1e-3
"""Relative, to which sizes are bisected."""
DESCENTS = 100
BOXES = 20_000
ROUND_OFF = 1e-12
"""Of a margin, in its scale: a pose's matrix keeps its coordinates to about so much."""


def regions(m, size=0.01):
    """One of every shape about home."""
    place, extent, how = m.X_home[:3, 3], size * m.size, {"reference": m.home}
    yield box(place, [extent, extent, extent / 2], tilt=size, roll=size, **how)
    yield ball(place, extent, turn=size, **how)
    yield cylinder(place, extent, extent / 2, euler=[size, size, size], sequence="XYZ", **how)
    yield ellipsoid(place, [extent, extent / 2, extent / 3], **how)


def drawn(kind, rng):
    """A machine of a leg kind with other platform joints, which keeps its limits at home."""
    m = gough.load(SKEW_OF_KIND[kind])
    for _ in range(100):
        b_P = m.legs.b_P + 0.05 * m.size * rng.normal(size=(6, 3))
        one = replace(m, legs=replace(m.legs, b_P=b_P))
        if gough.limits.is_allowed(one, one.X_home):
            return one
    raise AssertionError(f"no machine of {kind} legs keeps its limits")


def attacked(m, region, poses, descents=DESCENTS, seed=0):
    """Smallest margin that poses and descents find in a region, in the limits' scales."""
    rng, table = np.random.default_rng(seed), limit_table(m)
    scale = np.array([column.scale for column in table.columns])
    least = np.inf
    for first in range(0, poses, 100_000):
        X = region.sample(min(100_000, poses - first), seed + first)
        least = min(least, float((gough.margins(m, X).values / scale).min()))
    for start in region.places(descents, rng):
        column = int(rng.integers(len(table.columns)))
        end = polished(m, table, region, start, column)
        least = min(least, float((gough.margins(m, region.poses(end[None])).values / scale).min()))
    return least


def judged(name, m, poses, descents=DESCENTS):
    """How many proven regions of a machine hold a pose that breaks a limit."""
    broken = 0
    for k, region in enumerate(regions(m)):
        found = gough.largest_region(m, region, rtol=CLOSE, max_boxes=BOXES)
        low, high, proof = found.scale, found.refuted, found.proof
        if proof is None:
            print(f"{name:16} {k} nothing proven; refuted from {high:.4g}", flush=True)
            continue
        began = time.perf_counter()
        gough.certify_region(m, proof.region, max_boxes=BOXES)
        took = 1e3 * (time.perf_counter() - began)
        least = attacked(m, proof.region, poses, descents, seed=k)
        is_true = least >= -ROUND_OFF
        broken += not is_true
        print(
            f"{name:16} {k} {'holds' if is_true else 'BROKEN'}  proven {low:.5g}, refuted {high:.5g}, apart "
            f"{high / low - 1:8.1e}  {proof.boxes:6} boxes {took:7.1f} ms  least margin {least:9.2e}  {proof.tightest}",
            flush=True,
        )
    return broken


def main() -> int:
    """Attack regions of machines; how many did not hold."""
    parser = argparse.ArgumentParser(prog="python -m tests.certify", description=__doc__.splitlines()[0])
    parser.add_argument("poses", nargs="?", type=int, default=10_000)
    parser.add_argument("--machine", action="append")
    parser.add_argument("--drawn", type=int, default=0, help="machines of each leg kind")
    chosen = parser.parse_args()
    names = chosen.machine or ([] if chosen.drawn else [info.name for info in gough.machines()])
    broken = 0
    for name in names:
        for k, stage in enumerate(gough.load(name).stages):
            broken += judged(name if not k else f"{name}:{k + 1}", stage, chosen.poses)
    for kind in SKEW_OF_KIND if chosen.drawn else ():
        for k in range(chosen.drawn):
            broken += judged(f"{kind} {k}", drawn(kind, np.random.default_rng([1, k])), chosen.poses)
    return broken


if __name__ == "__main__":
    sys.exit(main() > 0)
