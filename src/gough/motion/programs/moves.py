"""Contents of a part program: moves of the tool's tip and axis in the work frame, arcs among them, and stops.

Arcs of G2 and G3 are defined by a centre or a radius. The tolerance for ends off the circle is that of LinuxCNC: the
two radii may differ by 5 um, or by a thousandth of the radius and half a millimetre at most. The circle is then the one
through both ends with the nearest centre.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from math import atan2, copysign, dist, hypot, pi, sqrt
from typing import Literal, NamedTuple

import numpy as np

from gough.arrays import Array
from gough.checks.arguments import checks_arguments
from gough.displacements import rotations
from gough.machine import DisplayUnits
from gough.present.units import in_units, percent

Point = tuple[float, float, float]

ALWAYS = 5e-6
"""Difference of the two radii that is always accepted [m]."""
RELATIVE, MOST = 1e-3, 5e-4
"""Larger accepted difference, as part of the radius, and its upper limit [m]."""
SAME_PLACE = 1e-8
"""Distance of the ends below which an arc is a full circle [m]."""
NEAR_FULL = 0.1
"""Distance of the ends, as part of the radius, below which they do not determine the centre: the end is then moved."""


@dataclass(frozen=True, slots=True)
class Tilt:
    """Orientation of the tool in the work frame: three rotary angles A, B, C, or its axis alone.

    Attributes
    ----------
    angles : (float, float, float) or None
        [rad].
    axis : (float, float, float)
        Unit vector from the tool's tip to its spindle; ignored where there are angles.

    """

    angles: Point | None = None
    axis: Point = (0.0, 0.0, 1.0)


UPRIGHT = Tilt()
"""Along z of the work frame, as in a program without tool axes."""


@dataclass(frozen=True, slots=True)
class Arc:
    """The circular part of a move.

    Attributes
    ----------
    centre : (float, float, float)
        In the plane of the start [m].
    axis : (float, float, float)
        Unit vector of the axis of rotation, right-handed.
    angle : float
        Above 0; may exceed a turn [rad].
    climb : float
        Displacement along the axis, 0 for a flat arc [m].

    """

    centre: Point
    axis: Point
    angle: float
    climb: float

    @property
    def turning(self) -> Array:
        """The rotation vector of the whole arc (3,) [rad]."""
        return self.angle * np.asarray(self.axis)


@dataclass(frozen=True, slots=True)
class Move:
    """One move, straight or along an arc or helix, while the tool turns at a constant rate.

    Attributes
    ----------
    line : int
        Of the program, counted from 1.
    start, end : (float, float, float)
        The tip in the work frame [m].
    tilt_start, tilt_end : Tilt
    is_rapid : bool
        As fast as the machine can (G0, G28).
    feed : float or None
        Speed of the tip [m/s]; of the rotation where the tip does not move [rad/s].
    duration : float or None
        Instead of a speed (G93) [s].
    blend : float or None
        Tolerance of the rounded corner at its end [m]; None leaves it to the caller.
    arc : Arc or None

    """

    line: int
    start: Point
    end: Point
    tilt_start: Tilt
    tilt_end: Tilt
    is_rapid: bool
    feed: float | None = None
    duration: float | None = None
    blend: float | None = None
    arc: Arc | None = None

    @property
    def length(self) -> float:
        """Length of the tip's path [m]."""
        if self.arc is None:
            return float(np.linalg.norm(np.subtract(self.end, self.start)))
        radius = float(np.linalg.norm(np.subtract(self.start, self.arc.centre)))
        return hypot(radius * self.arc.angle, self.arc.climb)

    @checks_arguments
    def at(self, part: float) -> Array:
        """Compute the position of the tip (3,) after a part of the move, 0 to 1 [m], exact at its ends."""
        start, end = np.asarray(self.start), np.asarray(self.end)
        if part in (0.0, 1.0):
            return end if part else start
        if self.arc is None:
            return start + part * (end - start)
        centre, axis = np.asarray(self.arc.centre), np.asarray(self.arc.axis)
        turned = rotations(part * np.asarray(self.arc.turning)) @ (start - centre)
        return np.asarray(centre + turned + part * self.arc.climb * axis)

    def tilt_at(self, part: float) -> Tilt:
        """Compute the orientation of the tool after a part of the move, with rotary words linear in it."""
        if part == 1 or self.tilt_start.angles is None or self.tilt_end.angles is None:
            return self.tilt_end
        a, b = np.array(self.tilt_start.angles), np.array(self.tilt_end.angles)
        x, y, z = (a + part * (b - a)).tolist()
        return Tilt(angles=(x, y, z))

    def between(self, low: float, high: float) -> tuple[Array, Array, Array, Array]:
        """Return the part of the move as a `Segments` row: centre (3,), its displacement [m], rotation of the radius
        [rad], zero for lines, and radius [m]."""
        start = self.at(low)
        if self.arc is None:
            return start, self.at(high) - start, np.zeros(3), np.zeros(3)
        climb = self.arc.climb * np.asarray(self.arc.axis)
        centre = self.arc.centre + low * climb
        return centre, (high - low) * climb, (high - low) * self.arc.turning, start - centre


@dataclass(frozen=True, slots=True)
class Stop:
    """The machine comes to rest for `seconds` (G4), or until the operator resumes it (M0, M1, M6, M60): 0 s."""

    line: int
    seconds: float
    code: Literal["G4", "M0", "M1", "M6", "M60"]


@dataclass(frozen=True, eq=False)
class Program:
    """A part program.

    Attributes
    ----------
    where : str
        Its name in messages.
    items : tuple of Move and Stop
        In their order, without moves of zero length.
    lines : int
        Number of lines up to its end.
    ignored : mapping of str to int
        Words without a motion (spindle, coolant, tools, offsets), each with the line of its first occurrence.

    """

    where: str
    items: tuple[Move | Stop, ...]
    lines: int
    ignored: Mapping[str, int] = field(default_factory=dict)

    def __repr__(self) -> str:
        return f"<Program {self.where!r}: {self.lines} lines, {len(self.moves)} moves>"

    @cached_property
    def moves(self) -> tuple[Move, ...]:
        """The moves without stops."""
        return tuple(item for item in self.items if isinstance(item, Move))

    @property
    def stops(self) -> tuple[Stop, ...]:
        """The stops without moves."""
        return tuple(item for item in self.items if isinstance(item, Stop))

    @property
    def cutting_length(self) -> float:
        """Length of the tip's path in moves that are not rapid [m]."""
        return float(sum(move.length for move in self.moves if not move.is_rapid))

    @property
    def is_tilted(self) -> bool:
        """Whether the tool axis ever departs from z of the work frame."""
        return any(tilt != UPRIGHT for move in self.moves for tilt in (move.tilt_start, move.tilt_end))

    def sentences(self) -> list[str]:
        """State the numbers of lines and moves, the length with a feed, and words that do not define a motion."""
        found = [f"{self.lines} lines, {len(self.moves)} moves, {self.cutting_length:.4g} m of path with a feed"]
        words = ", ".join(f"{word} (line {k})" for word, k in self.ignored.items())
        return [*found, f"no motion here: {words}"] if words else found


class Plane(NamedTuple):
    """Plane of arcs, by indices of its two axes and its normal, right-handed in this order."""

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
        """The words of an arc's centre."""
        return "IJK"[self.first] + "IJK"[self.second]


PLANES = {"G17": Plane("G17", 0, 1, 2), "G18": Plane("G18", 2, 0, 1), "G19": Plane("G19", 1, 2, 0)}


def arc_about(
    start: Point, end: Point, centre: Point, plane: Plane, clockwise: bool, turns: int, units: DisplayUnits
) -> tuple[Arc, Point]:
    """Return the arc about a centre, and its end; `ValueError` if there is none, in the program's units."""
    a, b, c = (_in_plane(point, plane) for point in (start, end, centre))
    r_a, r_b = dist(a, c), dist(b, c)
    off = abs(r_a - r_b)
    if r_a < ALWAYS or r_b < ALWAYS:
        raise ValueError("the arc's centre lies on one of its ends: it has no radius")
    if off > MOST or (off > ALWAYS and off > RELATIVE * max(r_a, r_b)):
        at_start, at_end, apart, always, most = (in_units(units, size, "m") for size in (r_a, r_b, off, ALWAYS, MOST))
        raise ValueError(
            f"the arc's radius is {at_start} at its start but {at_end} at its end, {apart} apart; "
            f"allowed {always}, or {percent(RELATIVE)} of the radius up to {most}"
        )
    chord = dist(a, b)
    if chord > NEAR_FULL * r_a:
        # The centre moves along the chord onto its perpendicular bisector, to be at the same distance from both ends.
        shift = ((b[0] - a[0]) * (a[0] + b[0] - 2 * c[0]) + (b[1] - a[1]) * (a[1] + b[1] - 2 * c[1])) / (2 * chord**2)
        c = c[0] + shift * (b[0] - a[0]), c[1] + shift * (b[1] - a[1])
    else:
        # Short chords would move the centre far: the end is projected onto the circle of the start instead.
        b = c[0] + (b[0] - c[0]) * r_a / r_b, c[1] + (b[1] - c[1]) * r_a / r_b
    return _turned(start, end, a, b, c, plane, clockwise, turns)


def arc_of_radius(
    start: Point, end: Point, radius: float, plane: Plane, clockwise: bool, turns: int, units: DisplayUnits
) -> tuple[Arc, Point]:
    """Return the arc of a radius, below half a turn, or above for a negative radius; `ValueError` if there is
    none, in the program's units."""
    a, b = _in_plane(start, plane), _in_plane(end, plane)
    half = dist(a, b) / 2
    if 2 * half < SAME_PLACE:  # infinitely many circles of this radius pass through one point
        raise ValueError(
            "an arc by its radius (R) must end at another point; specify a full circle by its centre (I, J, K)"
        )
    short = half - abs(radius)
    if short > ALWAYS and short > RELATIVE * abs(radius):
        given, needed = (in_units(units, length, "m") for length in (abs(radius), 2 * half))
        raise ValueError(f"the radius {given} cannot reach an end {needed} away")
    # Within the tolerance the radius may be shorter than half the chord, whose middle is then the centre.
    height = sqrt(max(radius**2 - half**2, 0.0))
    # The centre is left of the chord for counterclockwise arcs below half a turn.
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
    """The arc from a to b about c in the plane's coordinates; a whole circle where a and b are the same."""
    # Clockwise arcs are counterclockwise ones about the opposite normal.
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
