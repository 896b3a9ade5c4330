"""Drawings of the keys by which calibrated machines differ from drawn ones: encoders, and tolerances of parts."""

from __future__ import annotations

import numpy as np

from _site.drawings import BODY, DRIVE, INK, MUTED, PALE, arrow, circle, dot, line, sheet, text
from _site.key_shapes import P, key, plate, polar, span


def encoder() -> str:
    """Joint coordinate less reading, over the reading."""
    o = P([70.0, 250.0])
    r = np.linspace(0, 520, 160)
    d = r - 260
    straight = 60 + 0.16 * d
    wave = straight + 0.0006 * d**2 + 12 * np.sin(2 * np.pi * d / 130)
    shapes = [arrow(o, o + P([560, 0]), INK, 1.5), arrow(o, o - P([0, 210]), INK, 1.5)]
    shapes += [text(o + P([575, 5]), "r", INK, 15), text(o + P([-4, -220]), "q - r", INK, 15)]
    for values, colour, width in ((straight, MUTED, 1.5), (wave, INK, 3)):
        points = " ".join(f"{o[0] + x:.1f},{o[1] - y:.1f}" for x, y in zip(r, values, strict=True))
        shapes.append(f'<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="{width}"/>')
    middle = o + P([260.0, 0.0])
    shapes += [line(middle, middle - P([0, 200]), MUTED, 1, "4 3"), key(middle + P([0, 18]), "middle")]
    shapes += [*span(middle, middle - P([0, 60]), "zero", -22), key(o + P([440, -70]), "gain: slope", "start")]
    shapes += [key(o + P([500, -160]), "curvature", "end")]
    crest, after = (o + P([260 + 32.5 + 130 * k, -128.0]) for k in (0, 1))
    shapes += [*span(crest, after, "period", -12), key(o + P([140, -82]), "sine, cosine: the wave", "end")]
    return sheet(680, 290, "Encoder: what is read and where the joint is", shapes)


def tolerances() -> str:
    """Which parts of a leg may be off, and by what."""
    shapes = []
    foot, top = P([150.0, 280.0]), P([270.0, 80.0])
    shapes += [plate(foot + P([20, 16]), 120, "B"), plate(top + P([-10, -16]), 100, "P"), line(foot, top, INK, 5)]
    for at, name in ((foot, "base_points"), (top, "platform_points")):
        shapes += [circle(at, 18, DRIVE, "3 3"), dot(at), key(at + P([26, 4]), name, "start")]
    shapes += [key((foot + top) / 2 + P([-14, 0]), "joint_zeros", "end"), text((190, 335), "strut", BODY, 13)]
    low, high, b = P([420.0, 280.0]), P([600.0, 220.0]), P([560.0, 90.0])
    slider = (low + high) / 2
    shapes += [line(low, high, PALE, 12), line(low, high + P([0, 22]), DRIVE, 1.5, "5 3"), dot(slider, BODY, 8)]
    shapes += [line(slider, b, INK, 5), dot(b), key((slider + b) / 2 + P([14, 0]), "rod_lengths", "start")]
    shapes += [key(high + P([10, 26]), "guides", "start"), text((510, 335), "slider", BODY, 13)]
    centre, joint = P([760.0, 270.0]), P([830.0, 100.0])
    elbow = polar(centre, 80, 35)
    shapes += [dot(centre, BODY, 9), line(centre, elbow, INK, 8), circle(elbow, 16, DRIVE, "3 3"), dot(elbow)]
    shapes += [line(elbow, joint, INK, 5), dot(joint), key(elbow + P([22, 4]), "arms", "start")]
    shapes += [arrow(centre, centre + P([-26, -74]), DRIVE), line(centre, centre + P([-8, -78]), DRIVE, 1.5, "5 3")]
    shapes += [key(centre + P([-36, -86]), "axes"), text((790, 335), "crank", BODY, 13)]
    shapes.append(key(centre + P([0, 26]), "once_per_turn"))
    return sheet(940, 355, "Parts that may be off", shapes)
