#!/usr/bin/env python3
"""Make the start systems of `gough.assembly_modes`: complex machines with all their solutions, found by monodromy.

A random dual quaternion fits a random complex machine if its constants c are chosen so. Led round closed loops
of machines that solution turns into others, until a family's number of them is complete: 40 for general machines
(Ronga and Vust 1992, Mourrain 1993); 20 pairs of mirror images for those with flat base and platform, of which one each
is kept. Writes src/gough/assembly/starts.npz. Needs nothing but Gough; takes a minute, most of it compilation.
"""

from pathlib import Path

import numpy as np

from gough.assembly.paths import REGULAR, are_same, follow, mirrored

FILE = Path(__file__).parent.parent / "src" / "gough" / "assembly" / "starts.npz"
MOST_LOOPS = 100
SPREAD = 3.0  # of the constants c on the way round


def random_complex(rng, *shape):
    """Normal numbers of this shape, of size one."""
    return (rng.normal(size=shape) + 1j * rng.normal(size=shape)) / np.sqrt(2)


def product(p, q):
    """Quaternion product."""
    return np.array([p[0] * q[0] - p[1:] @ q[1:], *(p[0] * q[1:] + q[0] * p[1:] + np.cross(p[1:], q[1:]))])


def random_points(rng, is_flat):
    """Points a and b of six legs (6, 6)."""
    points = random_complex(rng, 6, 6)
    if is_flat:
        points[:, [2, 5]] = 0.0
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


def start_system(rng, count, is_flat):
    """Legs (6, 7) and `count` solutions (count, 8) of a random machine."""
    e, g = random_complex(rng, 2, 4)
    g -= e * (e @ g) / (e @ e)
    x = np.concatenate([e, g])
    legs = machine_through(x, random_points(rng, is_flat))
    known = x[None]
    for _ in range(MOST_LOOPS):
        if len(known) == count:
            return legs, known / np.abs(known).max(axis=1, keepdims=True)
        ends = known
        corners = [np.column_stack([random_points(rng, is_flat), SPREAD * random_complex(rng, 6)]) for _ in range(2)]
        for here, there in zip([legs, *corners], [*corners, legs], strict=True):
            paths = follow(here, there, ends)
            ends = paths.ends[paths.fate == REGULAR]
        known = with_new(known, ends, is_flat)
        if len(known) > count:
            raise RuntimeError(f"{len(known)} solutions where there are {count}: a path has jumped, take another seed")
    raise RuntimeError(f"{len(known)} of {count} solutions after {MOST_LOOPS} loops")


def main():
    """Two of each family, written."""
    arrays = {}
    for family, count in (("general", 40), ("flat", 20)):
        for k in range(2):
            legs, solutions = start_system(np.random.default_rng([k, count]), count, family == "flat")
            arrays[f"{family}_{k}_legs"], arrays[f"{family}_{k}_solutions"] = legs, solutions
            print(f"{family} {k}: {len(solutions)} solutions")
    np.savez(FILE, **arrays)


if __name__ == "__main__":
    main()
