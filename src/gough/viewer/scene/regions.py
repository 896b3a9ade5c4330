"""Regions of poses as pieces: the outline of their positions in the colour of the verdict, which is written on top."""

from __future__ import annotations

from itertools import product

import numpy as np

import gough
from gough.arrays import Array
from gough.machine import Machine
from gough.plot._solids import Solid, hull
from gough.plot._solids import ball as unit_ball
from gough.regions.guaranteed import guaranteed_region
from gough.regions.proof import RegionProof, Verdict
from gough.regions.shapes import PoseRegion
from gough.viewer.scene.batch import rim
from gough.viewer.scene.pieces import Lines, Piece, Progress, Surface, Words

COLOURS: dict[Verdict, str] = {"proven": "#15803d", "refuted": "#b91c1c", "undecided": "#b45309"}
ROUND = 32
"""Points on a circle."""
SHARP = np.deg2rad(10.0)
"""Angle between faces beyond which their edge is drawn [rad]."""
FLAT = 1e-4
"""Half width at which half widths of zero are drawn, as a part of the machine's size."""
MOST_BOXES = 10_000
"""Largest number of boxes of a proof."""


def named_regions(machine: Machine, X: Array, progress: Progress) -> list[Piece]:
    """The regions that the machine's file names, or else the guaranteed region, which its datasheet leads with."""
    named = gough.regions.named_regions(machine)
    if not named:
        headline = guaranteed_region(machine)
        return [] if headline.proof is None else _pieces(machine, headline.proof, "±")
    pieces: list[Piece] = []
    for k, (name, region) in enumerate(named.items()):
        progress(k, len(named))
        proof = gough.certify_region(
            machine, region, max_boxes=MOST_BOXES, progress=lambda *_, at=k: progress(at, len(named))
        )
        pieces += _pieces(machine, proof, name)
    return pieces


def _pieces(machine: Machine, proof: RegionProof, name: str) -> list[Piece]:
    colour = COLOURS[proof.verdict]
    pieces: list[Piece] = []
    top = np.full(3, -np.inf)
    for part in proof.region.regions:
        body = outline(part, FLAT * machine.size)
        pieces += [Surface(body.vertices, body.faces, colour, 0.2), Lines(rim(body, SHARP), colour)]
        highest = body.vertices[np.argmax(body.vertices[:, 2])]
        top = highest if highest[2] > top[2] else top
    return [*pieces, Words(f"{name} {proof.verdict}", top)]


def outline(region: PoseRegion, least: float) -> Solid:
    """Convex hull of the positions of a region, in the base, with half widths of at least `least` [m]."""
    # A region is a product of groups of coordinates: intervals, ellipses and ellipsoids by their number. Positions are
    # affine in the coordinates, so the hull of all products of points on these groups is the outline of the region.
    angle = np.linspace(0.0, 2 * np.pi, ROUND, endpoint=False)
    unit = {
        1: np.array([[-1.0], [1.0]]),
        2: np.stack([np.cos(angle), np.sin(angle)], axis=1),
        3: unit_ball(np.zeros(3), 1.0).vertices,
    }
    groups = [group for group in region.groups if group[0] < 3]
    z = np.tile(region.centre, (int(np.prod([len(unit[len(group)]) for group in groups])), 1))
    for group, points in zip(groups, zip(*product(*(unit[len(group)] for group in groups)), strict=True), strict=True):
        cols = list(group)
        z[:, cols] += np.maximum(region.half[cols], least) * np.array(points)
    return hull(region.positions(z))
