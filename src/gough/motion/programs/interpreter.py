"""Blocks of a part program, carried out one by one in the order of RS274/NGC: what they set, then what moves."""

from __future__ import annotations

from collections.abc import Iterator
from math import hypot, radians
from typing import Literal, cast

from gough.motion.programs.arcs import arc_about, arc_of_radius
from gough.motion.programs.modal_state import ACCEPTED, ENDS, GROUP, STOPS, WITHOUT_MOTION, State
from gough.motion.programs.moves import Arc, Move, Point, Stop, Tilt
from gough.motion.programs.words import Block

PER_MINUTE = 1 / 60
LARGEST = 1e9
"""Number that is read: beyond it no machine goes, and micrometres are lost in rounding."""
_LETTERS = "ABCFGHIJKMNPRSTXYZ"


class Interpreter:
    """Reads blocks and collects their moves.

    Attributes
    ----------
    items : list of Move and Stop
    ignored : dict of word to line
    is_over : bool
        After M2 or M30.

    """

    def __init__(self, start: Point) -> None:
        self.state = State.beginning(start)
        self.items: list[Move | Stop] = []
        self.ignored: dict[str, int] = {}
        self.is_over = False

    @property
    def moves(self) -> Iterator[Move]:
        """The moves so far."""
        return (item for item in self.items if isinstance(item, Move))

    def carry_out(self, block: Block) -> None:
        """One block; `ValueError` says what is wrong with it."""
        codes, words = self._sorted(block)
        state = self.state
        if "F" in words:
            feed = words.pop("F")
            if feed < 0:
                raise ValueError(f"the feed F{feed:g} is below 0")
        else:
            feed = None
        for group in ("plane", "units", "distance", "arc distance", "feed"):
            if group in codes:
                state.set(codes.pop(group))
        if feed is not None or state.is_inverse_time:
            state.feed = feed
        for stop in (code for code in STOPS if code in codes):
            self.items.append(Stop(block.line, 0.0, cast(Literal["M0", "M1", "M6", "M60"], stop)))
            codes.pop(stop)
        if "path" in codes:
            self._set_path_control(codes.pop("path"), words)
        once = codes.pop("once", "")
        if once == "G4":
            self._dwell(words, block.line)
        is_over = bool(codes.pop("end", ""))
        if once == "G28":
            self._go_home(words, block.line)
        else:
            self._move(codes, words, block.line)
        self.is_over = is_over

    def _sorted(self, block: Block) -> tuple[dict[str, str], dict[str, float]]:
        """Codes by their group and numbers by their letter."""
        codes: dict[str, str] = {}
        words: dict[str, float] = {}
        for word in block.words:
            if word.letter not in _LETTERS:
                raise ValueError(f"unknown word {word.text}")
            if word.letter in "GM":
                group = self._group(word.code, word.text, block.line)
                if group in codes:
                    raise ValueError(f"{codes[group]} and {word.code} exclude each other on one line")
                if group:
                    codes[group] = word.code
            elif word.letter in WITHOUT_MOTION or word.letter == "H":
                if word.letter != "N":
                    self.ignored.setdefault(word.text, block.line)
            elif word.letter in words:
                raise ValueError(f"two words {word.letter} on one line")
            elif not abs(word.value) <= LARGEST:
                raise ValueError(f"the number in {word.text[:12]}... is too large")
            else:
                words[word.letter] = word.value
        return codes, words

    def _group(self, code: str, text: str, line: int) -> str:
        """Group of a code; nothing for one that is no motion."""
        if code in ACCEPTED:
            self.ignored.setdefault(code, line)
            return ""
        if code in STOPS:
            return code
        if code in ENDS:
            return "end"
        if code not in GROUP:
            raise ValueError(f"unknown word {text}; read are G0 to G4, G17 to G21, G28, G61, G64, G80, G90 to G94")
        return GROUP[code]

    def _set_path_control(self, code: str, words: dict[str, float]) -> None:
        """G61 keeps corners; G64 rounds them, by P at most where it is given."""
        self.state.blend = 0.0
        if code == "G64":
            width = words.pop("P", None)
            if width is not None and width < 0:
                raise ValueError(f"the tolerance P{width:g} of G64 is below 0")
            self.state.blend = None if width is None else width * self.state.unit

    def _dwell(self, words: dict[str, float], line: int) -> None:
        seconds = words.pop("P", None)
        if seconds is None or seconds < 0:
            raise ValueError("G4 needs P, the time to stay [s], 0 or above")
        self.items.append(Stop(line, seconds, "G4"))

    def _go_home(self, words: dict[str, float], line: int) -> None:
        """G28: through the place given, if any; then the axes named there, or all, go to where the program began."""
        state, named = self.state, [letter for letter in "XYZABC" if letter in words]
        if any(letter in named for letter in "ABC"):
            raise ValueError("G28 with A, B or C is not read; write G28 alone, which turns the tool upright as well")
        between = self._place(words)
        self._reject_rest(words, "G28")
        self._append(Move(line, state.reached, between, state.tilt, state.tilt, True, blend=state.blend), between)
        places = [state.home[k] if not named or "XYZ"[k] in named else between[k] for k in range(3)]
        tilt = state.tilt if named else state.home_tilt
        self._append(
            Move(line, state.reached, cast(Point, tuple(places)), state.tilt, tilt, True, blend=state.blend),
            cast(Point, tuple(places)),
        )

    def _move(self, codes: dict[str, str], words: dict[str, float], line: int) -> None:
        """G0 to G3, or words alone that go on with the last of them."""
        state = self.state
        if "motion" in codes:
            state.set(codes["motion"])
        if not words:
            return
        if not state.motion:
            raise ValueError(f"{self._shown(words)} without G0, G1, G2 or G3 before")
        if state.motion in ("G2", "G3"):
            self._arc(words, line)
        else:
            self._line(words, line)

    def _line(self, words: dict[str, float], line: int) -> None:
        state = self.state
        end, tilt = self._place(words), self._tilt(words, has_axis=True)
        self._reject_rest(words, state.motion)
        if state.motion == "G0":
            self._append(Move(line, state.reached, end, state.tilt, tilt, True, blend=state.blend), end)
            return
        is_turn = end == state.reached
        feed, duration = self._feed(is_turn)
        move = Move(line, state.reached, end, state.tilt, tilt, False, feed, duration, state.blend)
        self._append(move, end)

    def _arc(self, words: dict[str, float], line: int) -> None:
        state = self.state
        turns = words.pop("P", 1.0)
        if turns < 1 or turns != int(turns):
            raise ValueError(f"P{turns:g}: the turns of an arc are a whole number, 1 or above")
        arc, end, reached = self._circle(words, int(turns))
        tilt = self._tilt(words, has_axis=False)
        self._reject_rest(words, state.motion)
        feed, duration = self._feed(is_turn=False)
        move = Move(line, state.reached, reached, state.tilt, tilt, False, feed, duration, state.blend, arc)
        self._append(move, end)

    def _circle(self, words: dict[str, float], turns: int) -> tuple[Arc, Point, Point]:
        """The arc, its end as programmed and its end on the circle."""
        state, plane = self.state, self.state.plane
        has_end = any(letter in words for letter in plane.letters)
        end, clockwise = self._place(words), state.motion == "G2"
        if "R" in words:
            mixed = [letter for letter in "IJK" if letter in words]
            if mixed:
                raise ValueError(f"an arc by its radius R has no {' and '.join(mixed)}; give one or the other")
            if not has_end:
                raise ValueError(
                    f"an arc by its radius (R) in {plane.name} needs its end: {' or '.join(plane.letters)}"
                )
            arc, reached = arc_of_radius(state.reached, end, words.pop("R") * state.unit, plane, clockwise, turns)
            return arc, end, reached
        other = next(letter for letter in "IJK" if letter not in plane.offsets)
        if other in words:
            raise ValueError(
                f"{other} is no word of an arc in {plane.name}, whose centre is {' and '.join(plane.offsets)}"
            )
        offsets = [words.pop(letter, None) for letter in plane.offsets]
        if all(value is None for value in offsets) or (state.is_arc_absolute and None in offsets):
            raise ValueError(
                f"{state.motion} needs its centre, {' and '.join(plane.offsets)}"
                + (" (both, by G90.1)" if state.is_arc_absolute else ", or its radius R")
            )
        centre = [0.0, 0.0, 0.0] if state.is_arc_absolute else list(state.at)
        for axis, value in zip((plane.first, plane.second), offsets, strict=True):
            centre[axis] += (value or 0.0) * state.unit
        arc, reached = arc_about(state.reached, end, (centre[0], centre[1], centre[2]), plane, clockwise, turns)
        return arc, end, reached

    def _feed(self, is_turn: bool) -> tuple[float | None, float | None]:
        """Speed [m/s, or rad/s where the tip stays] or duration [s] of a move that cuts."""
        state = self.state
        if state.feed is None:
            why = "by G93 every line that cuts has its own F" if state.is_inverse_time else "give F, the feed, before"
            raise ValueError(f"{state.motion} without a feed: {why}")
        if state.feed == 0:
            raise ValueError(f"{state.motion} at a feed of 0: the machine would never arrive")
        if state.is_inverse_time:
            return None, 60 / state.feed
        return state.feed * PER_MINUTE * (radians(1.0) if is_turn else state.unit), None

    def _place(self, words: dict[str, float]) -> Point:
        """Where X, Y and Z lead."""
        state = self.state
        found = list(state.at)
        for k, letter in enumerate("XYZ"):
            if letter in words:
                value = words.pop(letter) * state.unit
                found[k] = found[k] + value if state.is_incremental else value
        return found[0], found[1], found[2]

    def _tilt(self, words: dict[str, float], *, has_axis: bool) -> Tilt:
        """How A, B, C, or I, J, K in moves other than arcs, turn the tool."""
        state = self.state
        rotary = [letter for letter in "ABC" if letter in words]
        axis = [letter for letter in "IJK" if letter in words] if has_axis else []
        if rotary and axis:
            raise ValueError("the tool's axis is given twice, by A, B, C and by I, J, K; give one of them")
        if rotary:
            before = state.tilt.angles or (0.0, 0.0, 0.0)
            angles = list(before)
            for k, letter in enumerate("ABC"):
                if letter in words:
                    turn = radians(words.pop(letter))
                    angles[k] = angles[k] + turn if state.is_incremental else turn
            return Tilt(angles=(angles[0], angles[1], angles[2]))
        if axis:
            x, y, z = (words.pop(letter, 0.0) for letter in "IJK")
            size = hypot(x, y, z)
            if size == 0:
                raise ValueError("the tool's axis I, J, K has no length")
            return Tilt(axis=(x / size, y / size, z / size))
        return state.tilt

    def _append(self, move: Move, end: Point) -> None:
        """Keep a move, unless nothing moves; `end` is where the program counts on from."""
        self.state.at, self.state.reached, self.state.tilt = end, move.end, move.tilt_end
        if move.arc is not None or move.start != move.end or move.tilt_start != move.tilt_end:
            self.items.append(move)

    def _reject_rest(self, words: dict[str, float], code: str) -> None:
        if words:
            raise ValueError(f"{self._shown(words)} has no meaning with {code}")

    @staticmethod
    def _shown(words: dict[str, float]) -> str:
        return ", ".join(f"{letter}{value:g}" for letter, value in words.items())
