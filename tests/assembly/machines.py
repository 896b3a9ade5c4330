"""Machines of kinds that are hard for all solutions: published, general, symmetric, flat, with shared joints."""

import numpy as np

import gough

# Dietmaier, "The Stewart-Gough platform of general geometry can have 40 real postures", 1998.
DIETMAIER_BASE = [
    (0, 0, 0),
    (1.107915, 0, 0),
    (0.549094, 0.756063, 0),
    (0.735077, -0.223935, 0.525991),
    (0.514188, -0.526063, -0.368418),
    (0.590473, 0.094733, -0.205018),
]
DIETMAIER_PLATFORM = [
    (0, 0, 0),
    (0.542805, 0, 0),
    (0.956919, -0.528915, 0),
    (0.665885, -0.353482, 1.402538),
    (0.478359, 1.158742, 0.107672),
    (-0.137087, -0.235121, 0.353913),
]
DIETMAIER_LENGTHS = [1, 0.645275, 1.086284, 1.503439, 1.281933, 0.771071]


def random_pose(rng):
    return gough.pose_matrix(rng.normal(size=3) * [0.3, 0.3, 0.3] + [0, 0, 1.2], rng.uniform(-1, 1, 3), "XYZ")


def general(rng):
    return gough.from_points(rng.normal(size=(6, 3)), rng.normal(size=(6, 3)), home=gough.pose([0, 0, 1]))


def flat(rng):
    points = rng.normal(size=(2, 6, 3))
    points[..., 2] = 0.0
    return gough.from_points(points[0], points[1], home=gough.pose([0, 0, 1]))


def symmetric(rng):
    """Base and platform of three-fold symmetry: two angles, two radii, turned against each other at random."""
    rings = []
    for radius in rng.uniform(0.4, 1.5, 2):
        angle, half = rng.uniform(0, 2 * np.pi), rng.uniform(0.1, 0.9)
        at = angle + np.repeat([0, 2, 4], 2) * np.pi / 3 + np.tile([-half, half], 3)
        rings.append(radius * np.column_stack([np.cos(at), np.sin(at), np.zeros(6)]))
    return gough.from_points(rings[0], np.roll(rings[1], 1, axis=0), home=gough.pose([0, 0, 1]))
