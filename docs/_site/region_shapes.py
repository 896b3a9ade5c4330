"""The drawing of the keys that name regions of poses."""

from __future__ import annotations

from _site.drawings import DRIVE, INK, MUTED, PALE, arc, arrow, circle, dot, line, sheet, text
from _site.key_shapes import P, key, plate, polar, span


def region() -> str:
    """Shapes of positions, sets of orientations, and the point they are about."""
    o, c = P([60.0, 280.0]), P([170.0, 150.0])
    shapes = [arrow(o, o + P([60, 0]), INK, 1.5), arrow(o, o - P([0, 60]), INK, 1.5), text(o + P([-14, 14]), "B")]
    shapes += [arrow(o, c, MUTED, 1.5), key((o + c) / 2 + P([26, 26]), "position")]
    shapes.append(f'<rect x="{c[0] - 70}" y="{c[1] - 45}" width="140" height="90" fill="{PALE}" stroke="{DRIVE}"/>')
    shapes += [dot(c), *span(c, c + P([70, 0]), "box", -14)]
    ball, pillar, egg = P([330.0, 150.0]), P([450.0, 150.0]), P([580.0, 150.0])
    shapes += [circle(ball, 45, DRIVE, ""), dot(ball), *span(ball, polar(ball, 45, 40), "ball", -14)]
    shapes.append(
        f'<rect x="{pillar[0] - 28}" y="{pillar[1] - 50}" width="56" height="100" fill="none" stroke="{DRIVE}"/>'
    )
    shapes += [line(pillar - P([0, 66]), pillar + P([0, 66]), MUTED, 1, "4 3"), key(pillar - P([0, 78]), "axis")]
    shapes += [dot(pillar), *span(pillar, pillar + P([28, 0]), "radius", -34)]
    shapes += span(pillar + P([0, 0]), pillar + P([0, 50]), "half_height", -62)
    shapes.append(
        f'<ellipse cx="{egg[0]}" cy="{egg[1]}" rx="62" ry="38" fill="none" stroke="{DRIVE}"/>',
    )
    shapes += [dot(egg), *span(egg, egg + P([62, 0]), "ellipsoid", -14)]
    point, middle = P([780.0, 200.0]), P([780.0, 100.0])
    shapes += [
        plate(middle, 70, "P"),
        dot(point),
        arrow(middle, point, MUTED, 1.5),
        key(point + P([14, 8]), "about", "start"),
    ]
    shapes += [line(middle, middle - P([0, 80]), INK, 1.5, "5 3"), line(middle, polar(middle, 80, 62), INK, 2)]
    shapes += [
        arc(middle, 62, 62, 90),
        key(polar(middle, 98, 72), "tilt, turn"),
        key(middle - P([0, 88]), "reference", "end"),
    ]
    shapes += [arc(middle, 24, 200, 340), key(middle + P([-30, 34]), "roll, euler", "end")]
    return sheet(900, 310, "Regions of poses", shapes)
