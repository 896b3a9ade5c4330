"""Attacks on proven regions: random poses and descents in regions near their true size.

    python -m tests.certify 1000000                    every built-in machine, so many poses in each region
    python -m tests.certify 1000000 --drawn 200        200 drawn machines of each leg kind, a fifth nearly singular
    python -m tests.certify 1000000 --extremes         degenerate machines, and such as are singular at home
    python -m tests.certify 1000 --machine hexel
    python -m tests.certify 10000 --also               limits on request, 5 % looser and tighter than random poses need

Of each machine a region of every shape is scaled until it is proven just below a size and refuted just above it; it
prints how far apart the two are, boxes and processor time.
"""

import argparse
import sys
import tempfile
import time
from contextlib import suppress
from dataclasses import replace
from itertools import product
from pathlib import Path

import numpy as np
from tests.extremes import MACHINES
from tests.skew import SKEW_OF_KIND

import gough
from gough.accuracy import ResolutionLimit
from gough.limits import _margins as layout
from gough.regions import SpeedLimit, ball, box, cylinder, ellipsoid
from gough.regions.descent import local_minimum
from gough.regions.requested import RegionLimits
from gough.regions.shapes import linear_minimisers
from gough.statics import ForceLimit, StiffnessLimit

CLOSE = 1e-3
"""Relative, to which sizes are bisected."""
DESCENTS = 100
ROUNDS = 12
"""Of descents together."""
POLISHED = 3
"""Of the lowest ends."""
SLOPE_STEP = 1e-6
"""Of half widths, for central differences."""
TOGETHER = 2048
"""Poses that are judged together: what fits a core's cache."""
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


def drawn(kind, rng, *, is_singular=False):
    """A machine of a leg kind with other platform joints, which keeps its limits at home; or nearly singular there."""
    m = gough.load(SKEW_OF_KIND[kind])
    for _ in range(100):
        b_P = m.legs.b_P + 0.05 * m.size * rng.normal(size=(6, 3))
        one = replace(m, legs=replace(m.legs, b_P=flattened(b_P, rng) if is_singular else b_P))
        one = freed(one) if is_singular else one
        if gough.limits.is_allowed(one, one.X_home):
            return one
    raise AssertionError(f"no machine of {kind} legs keeps its limits")


def flattened(points, rng):
    """Points (6, 3) drawn towards a line through them, to a thousandth of their distance from it at the most."""
    middle = points.mean(axis=0)
    along = np.linalg.svd(points - middle)[2][0]
    on_line = middle + ((points - middle) @ along)[:, None] * along
    return on_line + 10 ** rng.uniform(-3, 0) * (points - on_line)


def freed(m):
    """The machine with half its smallest singular value at home allowed, strokes about home and no limits of angles."""
    q, stroke = gough.inverse_kinematics(m, m.home), m.limits.joint_max - m.limits.joint_min
    limits = replace(m.limits, joint_min=q - stroke / 2, joint_max=q + stroke / 2, singular_value=0.0)
    limits = replace(limits, base_cone=None, platform_cone=None, base_plate=None, platform_plate=None)
    value = gough.margins(replace(m, limits=limits), m.home).values[-1]
    return replace(m, limits=replace(limits, singular_value=max(float(value), 0.0) / 2))


def extremes():
    """Names and machines of `tests.extremes`, singular and degenerate ones, that are not refused."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "extreme.toml"
        for name, words in MACHINES.items():
            path.write_text(words)
            with suppress(gough.GoughError):
                yield name, gough.load(path)


def attacked(m, region, poses, descents=DESCENTS, seed=0, also=()):
    """Smallest margin that descents, and random poses that are not allowed, find in a region, in the limits' scales."""
    rng, limits = np.random.default_rng([2, seed]), RegionLimits.of(m, also)
    places = [descended(limits, region, region.places(descents, rng), rng)]
    for first in range(0, poses, TOGETHER):
        z = region.places(min(TOGETHER, poses - first), rng)
        places.append(z if also else z[~allowed(limits.own, region.poses(z))])
    return float(relative(limits, region, np.concatenate(places)).min())


def allowed(table, X):
    """Whether poses (n, 4, 4) keep all limits: a fifth of the time that margins take."""
    found = np.empty(len(X), dtype=bool)
    layout.allowed_batch(table.arrays, table.arrays._replace(sign_only=True), -table.arrays.tolerance, X, found)
    return found


def relative(limits, region, z):
    """Margins (n, k) at places, in the limits' scales; of a leg that cannot close what its reach says."""
    found = limits.margins(region.poses(z)) / limits.scales
    is_unknown = np.isnan(found)
    assert (is_unknown.all(axis=1) | (np.nanmin(found, axis=1) < 0) | ~is_unknown.any(axis=1)).all()
    return np.where(is_unknown, np.where(is_unknown.all(axis=1, keepdims=True), -np.inf, np.inf), found)


def descended(limits, region, z, rng):
    """Places (n, 6) where one limit each has a local minimum, all together: to the region's place that is lowest for
    the gradient, or as far towards it as is best (Frank and Wolfe 1956). The lowest of them are polished."""
    rows, column = np.arange(len(z)), rng.integers(len(limits.columns), size=len(z))
    steps = 0.5 ** np.arange(12)[:, None, None]

    def values(z):
        found = relative(limits, region, z.reshape(-1, 6))
        return np.take_along_axis(found.reshape(*z.shape[:-1], -1), column[:, None][None], axis=-1)[..., 0]

    free, now = np.flatnonzero(region.half > 0), values(z[None])[0]
    for _ in range(ROUNDS):
        offsets, gradient = SLOPE_STEP * region.half * np.eye(6)[free][:, None], np.zeros_like(z)
        apart = values(z + offsets) - values(z - offsets)
        gradient[:, free] = np.nan_to_num(apart / (2 * SLOPE_STEP * region.half[free][:, None]), posinf=0, neginf=0).T
        tried = z + steps * (linear_minimisers(region, gradient) - z)
        found = values(tried)
        best = np.argmin(found, axis=0)
        is_less = found[best, rows] < now
        z, now = np.where(is_less[:, None], tried[best, rows], z), np.where(is_less, found[best, rows], now)
    ends = [local_minimum(limits, region, z[k], int(column[k])) for k in np.argsort(now)[:POLISHED]]
    return np.stack([*z, *ends])


def requests(m, region, part=0.05, poses=5000, seed=0):
    """Each limit on request that a machine can have, whose bound random poses of a region keep with some room, and one
    that they break; none where it has no value."""
    a = m.actuators
    weighs = m.has_weight
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
        if not np.isfinite(least):
            continue  # a pose is singular, or a leg cannot close there: no bound is kept
        worst, room = (1.0 + least, -part) if make in stiff else (1.0 - least, part)
        yield make(worst * (1 + room)), make(worst * (1 - room))


def asked(name, m, poses, boxes=BOXES, shapes=range(4)):
    """How many proofs of limits on request hold a pose that breaks one, about home."""
    broken, every = 0, list(regions(m))
    for k in shapes:
        region = every[k]
        for kept, crossed in requests(m, region):
            proofs = [gough.certify_region(m, region, also=each, max_boxes=boxes) for each in (kept, crossed)]
            words = "  ".join(f"{proof.verdict} {proof.boxes}" for proof in proofs)
            least = np.nan
            if proofs[0].verdict == "proven":
                least = attacked(m, region, poses, seed=k, also=kept)
                broken += not least >= -ROUND_OFF
            broken += proofs[1].verdict == "proven"
            print(f"{name:16} {k} {type(kept).__name__:16} {words}  least margin {least:9.2e}", flush=True)
    return broken


def judged(name, m, poses, boxes=BOXES, shapes=range(4)):
    """How many proven regions of a machine hold a pose that breaks a limit, or are refuted by one that breaks none."""
    broken, every = 0, list(regions(m))
    for k in shapes:
        region = every[k]
        began = time.process_time()
        found = gough.largest_region(m, region, rtol=CLOSE, max_boxes=boxes)
        took = time.process_time() - began
        low, high, proof, refutation = found.scale, found.refuted, found.proof, found.refutation
        is_refuted = refutation is None or breaks(m, refutation)
        broken += not is_refuted
        if proof is None:
            print(f"{name:16} {k} nothing proven; refuted from {high:.4g}", flush=True)
            continue
        least = attacked(m, proof.region, poses, seed=k)
        is_true = least >= -ROUND_OFF
        broken += not is_true
        print(
            f"{name:16} {k} {'holds' if is_true and is_refuted else 'BROKEN'}  proven {low:.5g}, refuted {high:.5g}, "
            f"apart {high / low - 1:8.1e} in {took:5.2f} s, {proof.boxes:6} boxes  least margin {least:9.2e}  "
            f"{proof.tightest}, attacked in {time.process_time() - began - took:5.2f} s",
            flush=True,
        )
    return broken


def breaks(m, refutation):
    """Whether a refutation's witness is in its region, and breaks the limit that it names."""
    margins = gough.margins(m, refutation.witness)
    return (
        bool(refutation.region.contains(refutation.witness))
        and margins.values[margins.names.index(refutation.limit)] < 0
    )


def machines(chosen):
    """Names, machines and shapes of regions, as the command line chooses them: of drawn machines one each, then the
    next, so that whenever it is ended all kinds were attacked alike."""
    for turn, k in product(range(4 if chosen.drawn else 0), range(chosen.drawn)):
        for kind in chosen.kind or SKEW_OF_KIND:
            is_singular = k % 5 == 4
            words = f"{kind} {k}{' singular' if is_singular else ''}"
            yield words, drawn(kind, np.random.default_rng([1, k]), is_singular=is_singular), [(k + turn) % 4]
    if chosen.extremes:
        yield from ((*each, range(4)) for each in extremes())
    is_other = chosen.drawn or chosen.extremes
    for name in chosen.machine or ([] if is_other else [info.name for info in gough.machines()]):
        for k, stage in enumerate(gough.load(name).stages):
            yield name if not k else f"{name}:{k + 1}", stage, range(4)


def main() -> int:
    """Attack regions of machines; how many did not hold."""
    parser = argparse.ArgumentParser(prog="python -m tests.certify", description=__doc__.splitlines()[0])
    parser.add_argument("poses", nargs="?", type=int, default=10_000)
    parser.add_argument("--machine", action="append")
    parser.add_argument("--drawn", type=int, default=0, help="machines of each leg kind")
    parser.add_argument("--kind", action="append", choices=list(SKEW_OF_KIND), help="of drawn machines")
    parser.add_argument("--extremes", action="store_true", help="degenerate and singular machines")
    parser.add_argument("--boxes", type=int, default=BOXES, help="of each proof")
    parser.add_argument("--also", action="store_true", help="limits on request instead, in regions of one size")
    chosen = parser.parse_args()
    judge = asked if chosen.also else judged
    return sum(judge(name, m, chosen.poses, chosen.boxes, shapes) for name, m, shapes in machines(chosen))


if __name__ == "__main__":
    sys.exit(main() > 0)
