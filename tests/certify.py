"""Attacks on proven regions: random poses and descents in regions near their true size.

    python -m tests.certify 1000000                    every built-in machine, so many poses in each region
    python -m tests.certify 10000 --drawn 200          and 200 drawn machines of each leg kind
    python -m tests.certify 1000 --machine hexel
    python -m tests.certify 10000 --also               limits on request, 5 % looser and tighter than random poses need

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
from gough.accuracy import ResolutionLimit
from gough.regions import SpeedLimit, ball, box, cylinder, ellipsoid
from gough.regions.requested import RegionLimits
from gough.regions.worst import polished
from gough.statics import ForceLimit, StiffnessLimit
from gough.statics.weights import has_weight

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


def attacked(m, region, poses, descents=DESCENTS, seed=0, also=()):
    """Smallest margin that poses and descents find in a region, in the limits' scales."""
    rng, limits = np.random.default_rng(seed), RegionLimits.of(m, also)
    least = np.inf
    for first in range(0, poses, 100_000):
        X = region.sample(min(100_000, poses - first), seed + first)
        least = min(least, float((limits.margins(X) / limits.scales).min()))
    for start in region.places(descents, rng):
        column = int(rng.integers(len(limits.columns)))
        end = polished(limits, region, start, column)
        least = min(least, float((limits.margins(region.poses(end[None])) / limits.scales).min()))
    return least


def requests(m, region, part=0.05, poses=5000, seed=0):
    """Each limit on request that a machine can have, whose bound random poses of a region keep with some room."""
    a = m.actuators
    weighs = has_weight(m)
    load = np.array([0.1, 0.2, -0.3, 0.05 * m.size, 0.0, 0.1 * m.size]) * (100 if weighs else 1)
    motion = {"translation": 0.1, "rotation": 0.1 / m.size, "twist": [[0.1, 0.0, 0.2, 0.0, 0.1 / m.size, 0.0]]}
    makers = [
        lambda bound: SpeedLimit(**motion, joint_speed=bound),
        lambda bound: ForceLimit(force=1.0, wrench=load, gravity=weighs, actuator_force=bound),
        lambda bound: ResolutionLimit(translation=bound, joint_step=1e-6),
        lambda bound: ResolutionLimit(rotation=bound, joint_step=1e-6),
    ]
    stiff = [lambda bound: StiffnessLimit(translation=bound), lambda bound: StiffnessLimit(rotation=bound)]
    X = region.sample(poses, seed)
    for make in makers + (stiff if a.stiffness is not None or a.axial_rigidity is not None else []):
        least = float(make(1.0).margins(m, X).min())
        worst, room = (1.0 + least, -part) if make in stiff else (1.0 - least, part)
        yield make(worst * (1 + room)), make(worst * (1 - room))


def asked(name, m, poses, descents=DESCENTS):
    """How many proofs of limits on request hold a pose that breaks one, about home."""
    broken, size = 0, 0.01
    for k, region in enumerate(regions(m, size)):
        for kept, crossed in requests(m, region):
            proofs = [gough.certify_region(m, region, also=each, max_boxes=BOXES) for each in (kept, crossed)]
            words = "  ".join(f"{proof.verdict} {proof.boxes}" for proof in proofs)
            least = np.nan
            if proofs[0].verdict == "proven":
                least = attacked(m, region, poses, descents, seed=k, also=kept)
                broken += not least >= -ROUND_OFF
            broken += proofs[1].verdict == "proven"
            print(f"{name:16} {k} {type(kept).__name__:16} {words}  least margin {least:9.2e}", flush=True)
    return broken


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
    parser.add_argument("--also", action="store_true", help="limits on request instead, in regions of one size")
    chosen = parser.parse_args()
    names = chosen.machine or ([] if chosen.drawn else [info.name for info in gough.machines()])
    broken = 0
    for name in names:
        for k, stage in enumerate(gough.load(name).stages):
            words = name if not k else f"{name}:{k + 1}"
            broken += asked(words, stage, chosen.poses) if chosen.also else judged(words, stage, chosen.poses)
    for kind in SKEW_OF_KIND if chosen.drawn else ():
        for k in range(chosen.drawn):
            m = drawn(kind, np.random.default_rng([1, k]))
            broken += (asked if chosen.also else judged)(f"{kind} {k}", m, chosen.poses)
    return broken


if __name__ == "__main__":
    sys.exit(main() > 0)
