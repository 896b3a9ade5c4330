"""The drawing of a proof: a joint coordinate along one coordinate of a region, and its Taylor models."""

from __future__ import annotations

from itertools import product

import numpy as np

import gough
from _site.drawings import DRIVE, INK, MUTED, PALE, Array, dot, line, sheet, text
from gough.limits.quantities import all_legs
from gough.limits.table import limit_table
from gough.regions.models import Model, variables
from gough.regions.placing import Chart
from gough.regions.shapes import PoseRegion

MACHINE, LEG = "servo", 0
EXTENT = 0.115
"""Half width of the region along x, in sizes of the machine."""
SPARE = 0.004
"""How far the limit is above the largest joint coordinate of the region [rad]."""
PROVEN = "#15803d"
WIDTH, HEIGHT, MARGIN = 240.0, 260.0, 45.0


def models(region: PoseRegion, count: int) -> tuple[Model, Array, Array]:
    """Joint coordinates over intervals of the region's coordinate, which has values from -1 to 1; centres and half
    widths (1, n)."""
    ends = np.linspace(-1.0, 1.0, count + 1)
    centre, half = (ends[1:] + ends[:-1])[None] / 2, np.full((1, count), 1.0 / count)
    pose = Chart.of(region).pose_at(variables(centre, half))
    return all_legs(limit_table(gough.load(MACHINE)).arrays, pose).q[LEG], centre, half


def proof() -> str:
    """Intervals of one, two and four parts: a model with its remainder proves the limit where its upper end is below
    it."""
    m = gough.load(MACHINE)
    region = gough.regions.box(m.home_point, [EXTENT * m.size, 0, 0], about=m.point_of_interest, reference=m.home)
    u = np.linspace(-1.0, 1.0, 201)
    places = np.tile(region.centre, (len(u), 1))
    places[:, 0] += u * region.half[0]
    q = gough.inverse_kinematics(m, region.poses(places))[:, LEG]
    most = float(q.max()) + SPARE
    whole, _, _ = models(region, 1)
    low, high = float((whole.value - whole.change).min()), float((whole.value + whole.change).max())

    def on_page(k: int, x: Array, y: Array) -> Array:
        left = MARGIN + k * (WIDTH + MARGIN)
        return np.stack([left + WIDTH * (x + 1) / 2, 60 + HEIGHT * (high - y) / (high - low)], axis=-1)

    def curve(points: Array, colour: str, width: float) -> str:
        return (
            f'<polyline points="{_listed(points)}" fill="none" stroke="{colour}" stroke-width="{width:g}" '
            'stroke-linejoin="round"/>'
        )

    shapes = []
    for k, count in enumerate((1, 2, 4)):
        f, centre, half = models(region, count)
        t = np.linspace(-1.0, 1.0, 41)
        for j in range(count):
            x = centre[0, j] + half[0, j] * t
            middle, rest = f.c[0, j] + f.c[1, j] * t + f.c[2, j] * t * t, f.r[j]
            band = np.concatenate([on_page(k, x, middle + rest), on_page(k, x, middle - rest)[::-1]])
            colour = PROVEN if (middle + rest).max() < most else MUTED
            column = [on_page(k, np.array(a), np.array(b)) for a, b in product(x[[0, -1]], (low, high))]
            column[2:] = column[:1:-1]
            shapes += [_filled(np.stack(column), colour, 0.12), _filled(band, colour, 0.4)]
        corners = [on_page(k, np.array(a), np.array(b)) for a, b in ((-1, low), (1, low), (1, high), (-1, high))]
        shapes += [line(a, b, PALE, 1) for a, b in zip(corners, (*corners[1:], corners[0]), strict=True)]
        limit = on_page(k, np.array([-1.0, 1.0]), np.full(2, most))
        shapes += [line(*limit, DRIVE, 2, "6 4"), curve(on_page(k, u, q), INK, 2)]
        place = on_page(k, u, q)[int(q.argmax())]
        shapes.append(dot(place, INK, 3))
        shapes.append(text(corners[0] + [WIDTH / 2, 22], ("undecided", "one half proven", "proven")[k]))
    shapes.append(text(on_page(0, np.array(-1.0), np.array(most)) + [WIDTH, -6], "limit", DRIVE, 13, "end"))
    shapes.append(text([MARGIN, 20], "angle of a crank while the platform moves along x", INK, 14, "start"))
    return sheet(int(4 * MARGIN + 3 * WIDTH), int(HEIGHT + 100), "Taylor models of a crank angle", shapes)


def _filled(points: Array, colour: str, opacity: float) -> str:
    return f'<polygon points="{_listed(points)}" fill="{colour}" fill-opacity="{opacity:g}" stroke="{colour}"/>'


def _listed(points: Array) -> str:
    return " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
