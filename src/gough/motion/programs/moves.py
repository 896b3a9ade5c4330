"""Contents of a part program: moves of the tool's tip and axis in the work frame, and stops."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from math import hypot
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from gough.checks.arguments import checks_arguments

Array = NDArray[np.float64]
Point = tuple[float, float, float]


@dataclass(frozen=True, slots=True)
class Tilt:
    """Orientation of the tool in the work frame: three rotary angles A, B, C, or its axis alone.

    Attributes
    ----------
    angles : (float, float, float) or None
        [rad].
    axis : (float, float, float)
        Unit vector from the tool's tip to its spindle; of no account where there are angles.

    """

    angles: Point | None = None
    axis: Point = (0.0, 0.0, 1.0)


UPRIGHT = Tilt()
"""Along z of the work frame: what a program without tool axes means."""


@dataclass(frozen=True, slots=True)
class Arc:
    """The circular part of a move.

    Attributes
    ----------
    centre : (float, float, float)
        In the plane of the start [m].
    axis : (float, float, float)
        Unit vector about which it turns, right-handed.
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
    """One move, straight or along an arc or helix, while the tool turns evenly.

    Attributes
    ----------
    line : int
        Of the program, counted from 1.
    start, end : (float, float, float)
        The tip in the work frame [m].
    tilt_start, tilt_end : Tilt
    is_rapid : bool
        As quick as the machine goes (G0, G28).
    feed : float or None
        Speed of the tip [m/s]; where the tip stays in its place, of the rotation [rad/s].
    duration : float or None
        Instead of a speed (G93) [s].
    blend : float or None
        How far the corner at its end may be rounded [m]; None leaves that to the caller.
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
        """The tip (3,) after this part of the path [m]."""
        start, end = np.asarray(self.start), np.asarray(self.end)
        if self.arc is None:
            return start + part * (end - start)
        from scipy.spatial.transform import Rotation

        centre, axis = np.asarray(self.arc.centre), np.asarray(self.arc.axis)
        turned = Rotation.from_rotvec(part * self.arc.turning).apply(start - centre)
        return np.asarray(centre + turned + part * self.arc.climb * axis)


@dataclass(frozen=True, slots=True)
class Stop:
    """The machine comes to rest, for `seconds` (G4), or until the operator resumes it (M0, M1, M6), which counts 0
    s."""

    line: int
    seconds: float
    code: Literal["G4", "M0", "M1", "M6", "M60"]


@dataclass(frozen=True, eq=False)
class Program:
    """A part program.

    Attributes
    ----------
    where : str
        What it is called.
    items : tuple of Move and Stop
        In their order; moves of zero length are left out.
    lines : int
        Of the text up to its end.
    ignored : mapping of str to int
        Words that are no motion (spindle, coolant, tools, offsets), each with the line of its first occurrence.

    """

    where: str
    items: tuple[Move | Stop, ...]
    lines: int
    ignored: Mapping[str, int] = field(default_factory=dict)

    def __repr__(self) -> str:
        return f"<Program {self.where!r}: {self.lines} lines, {len(self.moves)} moves>"

    @property
    def moves(self) -> tuple[Move, ...]:
        """The moves alone."""
        return tuple(item for item in self.items if isinstance(item, Move))

    @property
    def stops(self) -> tuple[Stop, ...]:
        """The stops alone."""
        return tuple(item for item in self.items if isinstance(item, Stop))

    @property
    def cutting_length(self) -> float:
        """Length of the tip's path in moves that are not rapid [m]."""
        return float(sum(move.length for move in self.moves if not move.is_rapid))

    @property
    def is_tilted(self) -> bool:
        """Whether the tool axis ever departs from z of the work frame."""
        return any(tilt != UPRIGHT for move in self.moves for tilt in (move.tilt_start, move.tilt_end))
