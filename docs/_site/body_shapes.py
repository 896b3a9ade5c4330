"""Drawings of tool heads and of the parts of legs."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from _site.drawings import AXES, BODY, DRIVE, INK, MUTED, PALE, arc, arrow, dot, line, sheet, text
from _site.key_shapes import P, key, plate, span


def head() -> str:
    points = [P([90.0, 90.0]), P([230.0, 90.0]), P([350.0, 190.0]), P([490.0, 190.0])]
    shapes = [plate(points[0] - P([0, 30]), 70, "P"), line(points[0] - P([0, 26]), points[0], BODY, 10)]
    shapes += [line(a, b, INK, 8) for a, b in pairwise(points)] + [dot(p, DRIVE, 9) for p in points[:-1]]
    shapes += [
        *span(points[0] + P([0, 34]), points[1] + P([0, 34]), "a", -14),
        key(points[1] + P([40, -18]), "theta, from min to max", "start"),
    ]
    shapes += [arc(points[1], 40, -40, 0), *span(points[2] + P([0, 34]), points[3] + P([0, 34]), "d", -14)]
    shapes += [
        line(points[2], points[2] - P([0, 80]), MUTED, 1.5, "4 3"),
        key(points[2] + P([10, -66]), "alpha: twist between axes", "start"),
    ]
    shapes += [dot(points[3], AXES["z"], 6), text(points[3] + P([14, 5]), "tip (tool)", BODY, 13, "start")]
    shapes.append(text((300, 290), "a row for each joint: a, alpha, d, theta; home is where the head stands", BODY, 13))
    return sheet(640, 310, "Tool head by Denavit and Hartenberg", shapes)


def leg_parts() -> str:
    foot, top = P([150.0, 300.0]), P([290.0, 60.0])
    middle = foot + 0.55 * (top - foot)
    along = (top - foot) / np.linalg.norm(top - foot)
    shapes = [
        line(foot, middle, PALE, 34),
        line(foot, middle, BODY, 22),
        line(middle - 40 * along, top, INK, 9),
        dot(foot),
        dot(top),
    ]
    shapes += [arrow(foot, foot + 80 * along, AXES["z"]), text(foot + 86 * along + P([-18, 0]), "z", AXES["z"])]
    shapes += [arrow(foot, foot + P([70, 22]), DRIVE), key(foot + P([78, 30]), "joint_axis", "start")]
    shapes += [
        dot(foot + 110 * along + P([4, 2]), DRIVE, 6),
        key(foot + 110 * along + P([30, 6]), "mass_centre of the cylinder", "start"),
    ]
    shapes += [
        dot(top - 60 * along, DRIVE, 6),
        key(top - 60 * along + P([22, 6]), "mass_centre of the piston (z below zero)", "start"),
    ]
    shapes += [
        text(foot + P([-20, 16]), "cylinder's origin", BODY, 13, "end"),
        text(top + P([20, -10]), "piston's origin", BODY, 13, "start"),
    ]
    return sheet(640, 345, "Frames of a leg's parts", shapes)
