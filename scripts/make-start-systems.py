#!/usr/bin/env python3
"""Make the start systems of `gough.assembly_modes`: complex machines with all their solutions, found by monodromy.

A random dual quaternion fits a random complex machine if its constants c are chosen so. Led round closed loops
of machines that solution turns into all others, since those of a family whose points form a linear space are one
irreducible set; the loops end when the family's number of them is complete (gough/assembly/families.py). Where base and
platform are flat they are mirror pairs, and one each is kept. Writes src/gough/assembly/starts.npz. Needs nothing
but Gough; takes a minute, most of it compilation.
"""

from pathlib import Path

import numpy as np

from gough.assembly.families import FLAT, GENERAL, SYMMETRIC, triangle
from gough.assembly.homotopy import REGULAR, follow_paths
from gough.assembly.solve import are_same, mirrored

FILE = Path(__file__).parent.parent / "src" / "gough" / "assembly" / "starts.npz"
MOST_LOOPS = 100
SPREAD = 3.0  # of the constants c on the way round
# Of a hundred and more of each, ones whose paths take few steps and of whose paths few are lost at first.
SEEDS = {
    GENERAL: (48, 75),
    FLAT: (5, 44),
    SYMMETRIC: (198,),
    triangle(is_flat=True, is_inverse=False): (244,),
    triangle(is_flat=False, is_inverse=False): (200,),
}
THIRD = np.array([[-0.5, -np.sqrt(0.75), 0.0], [np.sqrt(0.75), -0.5, 0.0], [0.0, 0.0, 1.0]])


def random_complex(rng, *shape):
    """Normal numbers of this shape, of size one."""
    return (rng.normal(size=shape) + 1j * rng.normal(size=shape)) / np.sqrt(2)


def product(p, q):
    """Quaternion product."""
    return np.array([p[0] * q[0] - p[1:] @ q[1:], *(p[0] * q[1:] + q[0] * p[1:] + np.cross(p[1:], q[1:]))])


def hexagon(point):
    """Six points (6, 3) from one: mirrored in y = 0, and both led round by thirds of a turn."""
    pair = np.array([point, point * [1, -1, 1]])
    return np.concatenate([pair, pair @ THIRD.T, pair @ THIRD])


def random_points(rng, family):
    """Points a and b of six legs (6, 6) of a family."""
    points = random_complex(rng, 6, 6)
    if "triangle" in family.name:
        points[:, 3:] = points[[0, 0, 2, 2, 4, 4], 3:]
    if family.is_flat:
        points[:, [2, 5]] = 0.0
    if family == SYMMETRIC:
        points = np.column_stack([hexagon(points[0, :3]), hexagon(points[0, 3:])])
    return points


def machine_through(x, points):
    """Legs (6, 7) with these points that the dual quaternion x (8,) solves."""
    e, g = x[:4], x[4:]
    c = np.empty(6, complex)
    for i, (a, b) in enumerate(zip(points[:, :3], points[:, 3:], strict=True)):
        ae, eb = product(np.array([0, *a]), e), product(e, np.array([0, *b]))
        c[i] = 2 * (ae @ eb - 2 * g @ (eb - ae) - 2 * g @ g) / (e @ e)
    return np.column_stack([points, c])


def with_new(known, found, is_flat):
    """Solutions known (n, 8) and those found that are not among them, nor their mirror images."""
    for x in found:
        images = [x, mirrored(x)] if is_flat else [x]
        if not any(are_same(image, y) for image in images for y in known):
            known = np.vstack([known, x])
    return known


def start_system(rng, family):
    """Legs (6, 7) and solutions (n, 8) of a random machine of a family."""
    e, g = random_complex(rng, 2, 4)
    g -= e * (e @ g) / (e @ e)
    x = np.concatenate([e, g])
    legs = machine_through(x, random_points(rng, family))
    known = x[None]
    for _ in range(MOST_LOOPS):
        if len(known) == family.stored:
            return legs, known / np.abs(known).max(axis=1, keepdims=True)
        ends = known
        corners = [np.column_stack([random_points(rng, family), SPREAD * random_complex(rng, 6)]) for _ in range(2)]
        for here, there in zip([legs, *corners], [*corners, legs], strict=True):
            paths = follow_paths(here, there, ends)
            ends = paths.ends[paths.fate == REGULAR]
        known = with_new(known, ends, family.is_flat)
        if len(known) > family.stored:
            raise RuntimeError(
                f"{len(known)} solutions where there are {family.stored}: a path has jumped, take another seed"
            )
    raise RuntimeError(f"{len(known)} of {family.stored} solutions after {MOST_LOOPS} loops")


def main():
    """Those of all families, written."""
    arrays = {}
    for family, seeds in SEEDS.items():
        for k, seed in enumerate(seeds):
            legs, solutions = start_system(np.random.default_rng([seed, family.stored]), family)
            arrays[f"{family.name} {k} legs"], arrays[f"{family.name} {k} solutions"] = legs, solutions
            print(f"{family.name} {k}: {len(solutions)} solutions")
    np.savez(FILE, **arrays)


if __name__ == "__main__":
    main()
