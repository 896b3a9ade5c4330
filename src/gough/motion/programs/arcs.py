"""Arcs of G2 and G3: their circle from a centre or a radius, helices and full circles.

Ends that are not quite on the circle are judged as LinuxCNC does: the two radii may differ by 5 um, or by a thousandth
of the radius and half a millimetre at most. The circle is then the one through both ends whose centre is nearest.
"""

from __future__ import annotations

from math import atan2, copysign, dist, pi, sqrt
from typing import NamedTuple

from gough.motion.programs.moves import Arc, Point

ALWAYS = 5e-6
"""Difference of the two radii that always passes [m]."""
RELATIVE, MOST = 1e-3, 5e-4
"""Beyond it: part of the radius, and at most so much [m]."""
SAME_PLACE = 1e-8
"""Ends no farther apart are one: a full circle [m]."""
NEAR_FULL = 0.1
"""Ends nearer than this part of the radius do not determine the centre: the arc then ends at its own radius."""


class Plane(NamedTuple):
    """Coordinates across and along the axis of an arc: first and second span the plane, right-handed with the third."""

    name: str
    first: int
    second: int
    normal: int

    @property
    def letters(self) -> str:
        """The two axes of the plane."""
        return "XYZ"[self.first] + "XYZ"[self.second]

    @property
    def offsets(self) -> str:
        """The words of its arc's centre."""
        return "IJK"[self.first] + "IJK"[self.second]


PLANES = {"G17": Plane("G17", 0, 1, 2), "G18": Plane("G18", 2, 0, 1), "G19": Plane("G19", 1, 2, 0)}


def arc_about(start: Point, end: Point, centre: Point, plane: Plane, clockwise: bool, turns: int) -> tuple[Arc, Point]:
    """Arc about a centre, and where it ends; `ValueError` says why there is none."""
    a, b, c = (_in_plane(point, plane) for point in (start, end, centre))
    r_a, r_b = dist(a, c), dist(b, c)
    off = abs(r_a - r_b)
    if r_a < ALWAYS or r_b < ALWAYS:
        raise ValueError("the arc's centre lies on one of its ends: it has no radius")
    if off > MOST or (off > ALWAYS and off > RELATIVE * max(r_a, r_b)):
        raise ValueError(
            f"the arc's radius is {_mm(r_a)} at its start but {_mm(r_b)} at its end, {_mm(off)} apart; "
            f"allowed {_mm(ALWAYS)}, or {100 * RELATIVE:g} % of the radius up to {_mm(MOST)}"
        )
    chord = dist(a, b)
    if chord > NEAR_FULL * r_a:
        shift = ((b[0] - a[0]) * (a[0] + b[0] - 2 * c[0]) + (b[1] - a[1]) * (a[1] + b[1] - 2 * c[1])) / (2 * chord**2)
        c = c[0] + shift * (b[0] - a[0]), c[1] + shift * (b[1] - a[1])
    else:
        b = c[0] + (b[0] - c[0]) * r_a / r_b, c[1] + (b[1] - c[1]) * r_a / r_b
    return _turned(start, end, a, b, c, plane, clockwise, turns)


def arc_of_radius(
    start: Point, end: Point, radius: float, plane: Plane, clockwise: bool, turns: int
) -> tuple[Arc, Point]:
    """Arc of a radius, below half a turn, or above for a negative one; `ValueError` says why there is none."""
    a, b = _in_plane(start, plane), _in_plane(end, plane)
    half = dist(a, b) / 2
    if 2 * half < SAME_PLACE:
        raise ValueError("an arc by its radius (R) must end elsewhere; give a full circle by its centre (I, J, K)")
    short = half - abs(radius)
    if short > ALWAYS and short > RELATIVE * abs(radius):
        raise ValueError(f"the radius {_mm(abs(radius))} cannot reach an end {_mm(2 * half)} away")
    height = sqrt(max(radius**2 - half**2, 0.0))
    # The centre lies left of the path for counterclockwise arcs below half a turn.
    side = copysign(height, radius) * (-1 if clockwise else 1) / (2 * half)
    c = (a[0] + b[0]) / 2 - side * (b[1] - a[1]), (a[1] + b[1]) / 2 + side * (b[0] - a[0])
    return _turned(start, end, a, b, c, plane, clockwise, turns)


def _turned(
    start: Point,
    end: Point,
    a: tuple[float, float],
    b: tuple[float, float],
    c: tuple[float, float],
    plane: Plane,
    clockwise: bool,
    turns: int,
) -> tuple[Arc, Point]:
    """The arc from a to b about c in the plane's coordinates; where they are one place, a whole circle."""
    sign = -1.0 if clockwise else 1.0
    angle = sign * (atan2(b[1] - c[1], b[0] - c[0]) - atan2(a[1] - c[1], a[0] - c[0]))
    angle %= 2 * pi
    if dist(a, b) < SAME_PLACE:
        b, angle = a, 2 * pi
    axis = [0.0, 0.0, 0.0]
    axis[plane.normal] = sign
    level = start[plane.normal]
    climb = sign * (end[plane.normal] - level)
    arc = Arc(_in_space(c, level, plane), (axis[0], axis[1], axis[2]), angle + 2 * pi * (turns - 1), climb)
    return arc, _in_space(b, end[plane.normal], plane)


def _in_plane(point: Point, plane: Plane) -> tuple[float, float]:
    return point[plane.first], point[plane.second]


def _in_space(place: tuple[float, float], level: float, plane: Plane) -> Point:
    point = [0.0, 0.0, 0.0]
    point[plane.first], point[plane.second], point[plane.normal] = place[0], place[1], level
    return point[0], point[1], point[2]


def _mm(length: float) -> str:
    return f"{1e3 * length:.6g} mm"
