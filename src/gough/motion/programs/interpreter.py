"""Interpreter of the blocks of a part program, in a fixed order: modes and stops first, then moves."""

from __future__ import annotations

from math import hypot, radians
from typing import Literal, cast

from gough.machine import DisplayUnits
from gough.motion.programs.moves import (
    PLANES,
    UPRIGHT,
    Arc,
    Move,
    Plane,
    Point,
    Stop,
    Tilt,
    arc_about,
    arc_of_radius,
)

MILLIMETRE, INCH = 1e-3, 0.0254
BEGIN = {"motion": "G80", "plane": "G17", "units": "G21", "distance": "G90", "arc distance": "G91.1", "feed": "G94"}
"""Initial modes of a program."""
PER_MINUTE = 1 / 60


class Interpreter:
    """Carries out blocks and collects their moves.

    Attributes
    ----------
    items : list of Move and Stop
    is_over : bool
        After M2 or M30.
    modes : dict of group to code
    at, tilt : programmed position [m] and orientation of the tool's tip
    reached : actual position: an arc's end may differ within its tolerance
    home : target of G28, with the tool upright
    feed : the F word as given, or None
    blend : as in `Move`

    """

    def __init__(self, start: Point) -> None:
        self.at = self.reached = self.home = start
        self.tilt = UPRIGHT
        self.modes = dict(BEGIN)
        self.feed: float | None = None
        self.blend: float | None = None
        self.items: list[Move | Stop] = []
        self.is_over = False

    def has(self, code: str) -> bool:
        """Test whether a code is one of the modes."""
        return code in self.modes.values()

    @property
    def unit(self) -> float:
        """Size of the length unit [m]."""
        return INCH if self.has("G20") else MILLIMETRE

    @property
    def units(self) -> DisplayUnits:
        """Units of messages: the program's length."""
        return DisplayUnits(length="in" if self.has("G20") else "mm", metres=self.unit)

    @property
    def plane(self) -> Plane:
        """Plane of arcs."""
        return PLANES[self.modes["plane"]]

    def carry_out(self, line: int, codes: dict[str, str], words: dict[str, float]) -> None:
        """Carry out a block: its codes by group and numbers by letter; `ValueError` names the error."""
        feed = words.pop("F", None)
        if feed is not None and feed < 0:
            raise ValueError(f"the feed F{feed:g} is below 0")
        # The order of execution of RS274/NGC (Kramer, Proctor and Messina 2000, table 8), whatever the order of the
        # words: modes and feed, tool change, path control, dwell, motion, stops, and the end of the program last.
        for group in ("plane", "units", "distance", "arc distance", "feed"):
            if group in codes:
                self.modes[group] = codes.pop(group)
                if group == "feed":
                    self.feed = None
        # Inverse time (G93) is not modal: every block has its own F. A change of G93 and G94 clears the feed.
        if feed is not None or self.has("G93"):
            self.feed = feed
        stops = [codes.pop(stop) for stop in ("M6", "M0", "M1", "M60") if stop in codes]
        if "M6" in stops:
            self._stop(line, stops.pop(0))
        if "path" in codes:
            self._set_path_control(codes.pop("path"), words)
        once = codes.pop("once", "")
        if once == "G4":
            self._dwell(words, line)
        is_over = bool(codes.pop("end", ""))
        if once == "G28":
            self._go_home(words, line)
        else:
            self._move(codes, words, line)
        for stop in stops:
            self._stop(line, stop)
        self.is_over = is_over

    def _stop(self, line: int, stop: str) -> None:
        self.items.append(Stop(line, 0.0, cast(Literal["M0", "M1", "M6", "M60"], stop)))

    def _set_path_control(self, code: str, words: dict[str, float]) -> None:
        """G61 keeps corners; G64 rounds them, by P at most where it is given."""
        self.blend = 0.0
        if code == "G64":
            width = words.pop("P", None)
            if width is not None and width < 0:
                raise ValueError(f"the tolerance P{width:g} of G64 is below 0")
            self.blend = None if width is None else width * self.unit

    def _dwell(self, words: dict[str, float], line: int) -> None:
        seconds = words.pop("P", None)
        if seconds is None or seconds < 0:
            raise ValueError("G4 needs P, the dwell time [s], 0 or above")
        self.items.append(Stop(line, seconds, "G4"))

    def _go_home(self, words: dict[str, float], line: int) -> None:
        """G28: through the given point, if any; then the named axes, or all, move to the program's start."""
        named = [letter for letter in "XYZABC" if letter in words]
        if any(letter in named for letter in "ABC"):
            raise ValueError("G28 with A, B or C is not read; write G28 alone, which turns the tool upright as well")
        between = self._place(words)
        self._reject_rest(words, "G28")
        self._append(Move(line, self.reached, between, self.tilt, self.tilt, True, blend=self.blend), between)
        end = cast(Point, tuple(self.home[k] if not named or "XYZ"[k] in named else between[k] for k in range(3)))
        tilt = self.tilt if named else UPRIGHT
        self._append(Move(line, self.reached, end, self.tilt, tilt, True, blend=self.blend), end)

    def _move(self, codes: dict[str, str], words: dict[str, float], line: int) -> None:
        """G0 to G3, or words without a code, to which the last of these applies."""
        if "motion" in codes:
            self.modes["motion"] = codes["motion"]
        if not words:
            return
        if self.has("G80"):
            raise ValueError(f"{self._shown(words)} without G0, G1, G2 or G3 before")
        if self.modes["motion"] in ("G2", "G3"):
            self._arc(words, line)
        else:
            self._line(words, line)

    def _line(self, words: dict[str, float], line: int) -> None:
        end, tilt = self._place(words), self._tilt(words, has_axis=True)
        self._reject_rest(words, self.modes["motion"])
        is_rapid = self.has("G0")
        feed, duration = (None, None) if is_rapid else self._feed(is_turn=end == self.reached)
        self._append(Move(line, self.reached, end, self.tilt, tilt, is_rapid, feed, duration, self.blend), end)

    def _arc(self, words: dict[str, float], line: int) -> None:
        turns = words.pop("P", 1.0)
        if turns < 1 or turns != int(turns):
            raise ValueError(f"P{turns:g}: the turns of an arc are a whole number, 1 or above")
        arc, end, reached = self._circle(words, int(turns))
        tilt = self._tilt(words, has_axis=False)
        self._reject_rest(words, self.modes["motion"])
        feed, duration = self._feed(is_turn=False)
        move = Move(line, self.reached, reached, self.tilt, tilt, False, feed, duration, self.blend, arc)
        self._append(move, end)

    def _circle(self, words: dict[str, float], turns: int) -> tuple[Arc, Point, Point]:
        """The arc, its end as programmed and its end on the circle."""
        plane = self.plane
        has_end = any(letter in words for letter in plane.letters)
        end, clockwise = self._place(words), self.has("G2")
        if "R" in words:
            mixed = [letter for letter in "IJK" if letter in words]
            if mixed:
                raise ValueError(f"an arc by its radius R cannot have {' and '.join(mixed)}; use one or the other")
            if not has_end:
                raise ValueError(
                    f"an arc by its radius (R) in {plane.name} needs its end: {' or '.join(plane.letters)}"
                )
            arc, reached = arc_of_radius(
                self.reached, end, words.pop("R") * self.unit, plane, clockwise, turns, self.units
            )
            return arc, end, reached
        # A centre: relative to the start by I, J, K (G91.1), or absolute (G90.1).
        other = next(letter for letter in "IJK" if letter not in plane.offsets)
        if other in words:
            raise ValueError(
                f"{other} is not a word of an arc in {plane.name}, whose centre is {' and '.join(plane.offsets)}"
            )
        offsets = [words.pop(letter, None) for letter in plane.offsets]
        if all(value is None for value in offsets) or (self.has("G90.1") and None in offsets):
            raise ValueError(
                f"{self.modes['motion']} needs its centre, {' and '.join(plane.offsets)}"
                + (" (both, by G90.1)" if self.has("G90.1") else ", or its radius R")
            )
        centre = [0.0, 0.0, 0.0] if self.has("G90.1") else list(self.at)
        for axis, value in zip((plane.first, plane.second), offsets, strict=True):
            centre[axis] += (value or 0.0) * self.unit
        # `end` is programmed, `reached` on the circle: offsets of the next arc count from the programmed point.
        arc, reached = arc_about(
            self.reached, end, (centre[0], centre[1], centre[2]), plane, clockwise, turns, self.units
        )
        return arc, end, reached

    def _feed(self, is_turn: bool) -> tuple[float | None, float | None]:
        """Speed [m/s, or rad/s where the tip does not move] or duration [s] of a move with a feed."""
        if self.feed is None:
            why = (
                "in G93 mode every cutting line needs an F word" if self.has("G93") else "specify the feed F before it"
            )
            raise ValueError(f"{self.modes['motion']} without a feed: {why}")
        if self.feed == 0:
            raise ValueError(f"{self.modes['motion']} at a feed of 0: the machine would never arrive")
        if self.has("G93"):
            return None, 60 / self.feed
        # The feed of a move that only turns counts in degrees per minute.
        return self.feed * PER_MINUTE * (radians(1.0) if is_turn else self.unit), None

    def _place(self, words: dict[str, float]) -> Point:
        """The position that X, Y and Z give; coordinates without a word do not change."""
        found = list(self.at)
        for k, letter in enumerate("XYZ"):
            if letter in words:
                value = words.pop(letter) * self.unit
                found[k] = found[k] + value if self.has("G91") else value
        return found[0], found[1], found[2]

    def _tilt(self, words: dict[str, float], *, has_axis: bool) -> Tilt:
        """The orientation that A, B, C give, or I, J, K in moves other than arcs."""
        rotary = [letter for letter in "ABC" if letter in words]
        axis = [letter for letter in "IJK" if letter in words] if has_axis else []
        if rotary and axis:
            raise ValueError("the tool's axis is specified twice, by A, B, C and by I, J, K; use one of them")
        if rotary:
            before = self.tilt.angles or (0.0, 0.0, 0.0)
            angles = list(before)
            for k, letter in enumerate("ABC"):
                if letter in words:
                    turn = radians(words.pop(letter))
                    angles[k] = angles[k] + turn if self.has("G91") else turn
            return Tilt(angles=(angles[0], angles[1], angles[2]))
        if axis:
            x, y, z = (words.pop(letter, 0.0) for letter in "IJK")
            size = hypot(x, y, z)
            if size == 0:
                raise ValueError("the tool's axis I, J, K has no length")
            return Tilt(axis=(x / size, y / size, z / size))
        return self.tilt

    def _append(self, move: Move, end: Point) -> None:
        """Keep a move, unless nothing moves; `end` is the programmed position from then on."""
        # A full circle has equal ends but moves: arcs are always kept.
        self.at, self.reached, self.tilt = end, move.end, move.tilt_end
        if move.arc is not None or move.start != move.end or move.tilt_start != move.tilt_end:
            self.items.append(move)

    def _reject_rest(self, words: dict[str, float], code: str) -> None:
        if words:
            raise ValueError(f"{self._shown(words)} has no meaning with {code}")

    @staticmethod
    def _shown(words: dict[str, float]) -> str:
        return ", ".join(f"{letter}{value:g}" for letter, value in words.items())
