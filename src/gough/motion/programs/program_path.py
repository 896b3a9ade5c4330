"""The path of a machine that carries out the moves of a part program.

A program moves a cutter: its tip, and its axis from the tip to the spindle, z of the frame C. The z axis of the
machine's tool frame T may point either way: with the spindle along +z C is T; along -z C is T turned by half a turn
about its x axis, with the axes x_T, -y_T and -z_T.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from gough.arrays import Array, Indices
from gough.checks.arguments import checks_arguments
from gough.errors import InputError, PathFileError
from gough.machine import Machine
from gough.motion.heads.tool_path import best_roll
from gough.motion.path import in_frame, tool_in_platform
from gough.motion.planned_path import PlannedPath
from gough.motion.programs.moves import UPRIGHT, Move, Program, Stop, Tilt
from gough.motion.segment_path import SegmentPath, Segments, about_z, turn_between
from gough.poses import PoseLike, inverse_matrices, one_pose, rotation_matrix
from gough.present.show import plain, without_noise

Roll = float | Literal["margins"] | None
Spindle = Literal["+z", "-z"]

ROTARY = "xyz"
"""Axes of A, B, C as LinuxCNC's genhexkins has them: R = Rz(C) Ry(B) Rx(A)."""
LARGEST_TURN = np.pi / 2
"""Largest change of a rotary word in one segment; moves that turn further are divided."""
MOST_PARTS = 40_000
"""Largest number of segments of one move."""
ZERO_MOTION = 1e-12
"""Lengths [m] and turns [rad] below this count as zero."""
STRAIGHT_DOWN = 1e-6
"""1 + cos of the angle of a tool axis to z of the work frame below which the shortest rotation is undetermined."""
ROLL_POSES = 200
"""Number of poses by which rolls are chosen."""
HALF_TURN = np.diag([1.0, -1.0, -1.0, 1.0])
"""Half a turn about x."""
CLEAR = 0.05
"""Distance of the joints from the tip along z, as part of the machine's size, that tells the spindle's side."""
LEVEL = 1e-9
"""Deviation from a level or parallel direction, as a part of a unit vector, that is rounding."""


@checks_arguments
def program_path(
    machine: Machine,
    program: Program,
    *,
    work: PoseLike | None = None,
    roll: Roll = None,
    spindle: Spindle | None = None,
    sequence: str = ROTARY,
    blend: float = 0.0,
    feed: float | None = None,
) -> PlannedPath:
    """Build the path of a machine that executes a part program with its tool, from home.

    The position of the tip is the program's along every move; the orientation turns at a constant rate about one axis
    from the move's begin to its end. A tool axis without a roll is reached from z of the work frame by the shortest
    rotation, then rolled.

    Parameters
    ----------
    machine : Machine
        A tool head keeps its joint coordinates; `gough.motion.programs.head_program` moves it as well.
    program : Program
        From `gough.motion.programs.read_program`, read with the start that `program_start` gives.
    work : PoseLike, optional
        X_BW, the work frame in the base; default: the cutter's frame at home.
    roll : float or "margins", optional
        Angle about the tool where the program leaves it free [rad]. "margins" chooses it by margins, the default for
        programs with tool axes; 0 for others.
    spindle : "+z" or "-z", optional
        Side of the spindle along z of the tool frame, default: see `spindle_side`.
    sequence : str
        Axes of the rotary words A, B, C in SciPy's spelling.
    blend : float
        Tolerance of rounded corners where the program gives none (G61, G64 P) [m]; in rotation this over the machine's
        characteristic length.
    feed : float, optional
        Replaces all feeds of the program [m/s].

    Returns
    -------
    PlannedPath
        The path of the platform in the base frame, with feeds [m/s, rad/s] and rests [s]; its `number` counts lines.

    Raises
    ------
    PathFileError
        A move that turns the tool by half a turn, or straight down.

    """
    side = spindle_side(machine, spindle)
    X_BW, X_PC, X_WC = _frames(machine, work, side.side)
    # Pieces at roll zero first, since the roll is chosen by the poses at their ends; then segments with the roll.
    pieces = program_segments(program, sequence, X_WC)
    rolls = _chosen_rolls(machine, program, pieces, X_BW, X_PC, roll)
    free = rolls[pieces.is_free]
    segments, move = _rolled(program, pieces, rolls)
    ends, rests = _rests(program, move)
    width = _blends(program, move, ends, blend)
    path = SegmentPath(segments, width, width / machine.characteristic_length)
    feeds, turns = _feeds(program, move, segments, feed)
    return PlannedPath(
        machine=machine,
        where=program.where,
        path=in_frame(machine, path, work=X_BW, of=X_PC),
        work=X_BW,
        X_PC=X_PC,
        begins=path.joints[:-1],
        counts="line",
        contents=tuple(program.sentences()),
        spindle=side.sentence(X_BW),
        spindle_side=side.side,
        number=np.array([program.moves[k].line if k >= 0 else 0 for k in move]),
        feed=feeds,
        turn_feed=turns,
        is_rapid=np.array([k < 0 or program.moves[k].is_rapid for k in move]),
        stops=path.joints[ends],
        rests=rests,
        roll=(float(free.min()), float(free.max())) if len(free) else (0.0, 0.0),
    )


@checks_arguments
def program_start(machine: Machine, *, work: PoseLike | None = None, spindle: Spindle | None = None) -> Array:
    """Compute the position of the tip at home in the work frame (3,) [m]: the `start` for reading a program.

    Parameters
    ----------
    machine : Machine
    work : PoseLike, optional
        X_BW, the work frame in the base; default: as in `gough.motion.programs.program_path`.
    spindle : "+z" or "-z", optional
        Side of the spindle along z of the tool frame, default: see `spindle_side`.

    Returns
    -------
    (3,) array
        [m], in axes of the work frame.

    Raises
    ------
    ShapeError, PoseError
        A work frame that is not one pose.

    """
    return _frames(machine, work, spindle)[2][:3, 3]


def _frames(machine: Machine, work: PoseLike | None, spindle: Spindle | None) -> tuple[Array, Array, Array]:
    """Poses (4, 4) X_BW of the work frame in the base, X_PC of the cutter in the platform, X_WC at home."""
    X_PT = tool_in_platform(machine)
    X_PC = X_PT if spindle_side(machine, spindle).side == "+z" else X_PT @ HALF_TURN
    X_BC = machine.X_home @ X_PC
    X_BW = X_BC if work is None else one_pose(work, name="work")
    return X_BW, X_PC, inverse_matrices(X_BW) @ X_BC


class SpindleSide(NamedTuple):
    """Side of the spindle along z of the tool frame, and why."""

    side: Spindle
    reason: str

    def sentence(self, X_BW: Array) -> str:
        """Return the side, the axes of a program in a work frame (4, 4), such as "Y is base -Y", and the reason."""
        axes = ", ".join(f"{name} is {_axis_in_words(X_BW[:3, k])}" for k, name in enumerate("XYZ"))
        return f"along {self.side}: program {axes}; {self.reason}"


def spindle_side(machine: Machine, requested: Spindle | None = None) -> SpindleSide:
    """Return the side of the spindle along z of the tool frame: as requested, or the machine file's `[tool] side`, or
    the side of the platform's joints; where these lie in the tool's plane, the side that is up at home, +z where
    neither is."""
    if requested is not None:
        return SpindleSide(requested, "as requested")
    if machine.tool_side is not None:
        return SpindleSide(machine.tool_side, "by the machine file")
    X_PT = tool_in_platform(machine)
    along = float((machine.platform_centre - X_PT[:3, 3]) @ X_PT[:3, 2])
    if abs(along) > CLEAR * machine.size:
        return SpindleSide("+z" if along > 0 else "-z", "the side of the platform's joints")
    fall = float(machine.gravity @ machine.X_home[:3, :3] @ X_PT[:3, 2])
    side: Spindle = "-z" if fall > LEVEL * float(np.linalg.norm(machine.gravity)) else "+z"
    return SpindleSide(side, "assumed, as the joints lie in the plane of the tool; decide by [tool] side or `spindle`")


def _axis_in_words(direction: Array) -> str:
    """A unit vector in the base (3,): an axis, or its components."""
    k = int(np.argmax(np.abs(direction)))
    if abs(direction[k]) > 1 - LEVEL:
        return f"base {'-' if direction[k] < 0 else ''}{'XYZ'[k]}"
    return f"[{', '.join(plain(part, 4) for part in without_noise(direction, '1'))}] in the base"


class Pieces(NamedTuple):
    """The n pieces of a program before the roll is known, first the rotation from home."""

    tip: Segments
    """Motion of the tip, over 0 to 1, with the orientation of the begin at roll zero."""
    R_end: Array
    """Orientations of the cutter at the ends (n, 3, 3), at roll zero where the roll is free."""
    is_free: NDArray[np.bool_]
    """Whether the roll at the end is free."""
    move: Indices
    """Number of the program's move; -1 for the rotation from home."""

    @property
    def ends(self) -> Array:
        """Poses (n, 4, 4) of the cutter in the work frame at the ends."""
        X = np.tile(np.eye(4), (len(self.move), 1, 1))
        X[:, :3, :3], X[:, :3, 3] = self.R_end, self.tip.at(np.ones(len(self.move)))[0]
        return X


def program_segments(program: Program, sequence: str, home: Array) -> Pieces:
    """Return the moves as pieces, divided where they turn far, after a rotation from home (4, 4), a pose in the work
    frame."""
    moves = _with_upright(program.moves)
    parts = np.array([_parts(move) for move in moves])
    index = np.repeat(np.arange(len(moves)), parts)
    first = np.arange(len(index)) - np.repeat(np.cumsum(parts) - parts, parts)
    places = list(zip(index, first / parts[index], (first + 1) / parts[index], strict=True))
    start = np.array(moves[0].start)
    # Segments are centre, displacement, rotation of the radius, radius; the first only turns from home to the start.
    rows = [(start, *np.zeros((3, 3))), *(moves[k].between(low, high) for k, low, high in places)]
    c, v, k, r = np.moveaxis(np.array(rows), 1, 0)
    tilts = [moves[0].tilt_start, *(moves[k].tilt_at(high) for k, _, high in places)]
    R_end, is_free = _orientations(program, np.append(index[:1], index), tilts, sequence)
    R = np.concatenate([home[None, :3, :3], R_end[:-1]])
    tip = Segments(c, v, k, r, R, np.zeros_like(c), np.ones(len(c)))
    return Pieces(tip, R_end, is_free, np.append(-1, index))


def _rolled(program: Program, pieces: Pieces, rolls: Array) -> tuple[Segments, Indices]:
    """Segments with rolls (n,) at the ends of the pieces, without those of zero length, and their moves."""
    tip = pieces.tip
    R = tip.R @ about_z(np.concatenate([[0.0], rolls[:-1]]))
    turn = turn_between(R, pieces.R_end @ about_z(rolls))
    half = np.flatnonzero(np.linalg.norm(turn, axis=1) > np.pi - 1e-9)
    if len(half):
        line = program.moves[max(pieces.move[half[0]], 0)].line
        what = "the tool turns by half a turn, whose sense is undetermined; turn it in two moves"
        raise PathFileError(program.where, [f"line {line}: {what}"])
    segments = Segments.over(tip.c, tip.v, tip.k, tip.r, R, turn)
    moving = np.flatnonzero(segments.length > ZERO_MOTION)
    return segments[moving], pieces.move[moving]


def _with_upright(moves: tuple[Move, ...]) -> tuple[Move, ...]:
    """The moves; with rotary words anywhere in the program upright is A0 B0 C0, where the roll is not free."""
    if not any(move.tilt_end.angles is not None for move in moves):
        return moves

    def with_angles(tilt: Tilt) -> Tilt:
        return Tilt(angles=(0.0, 0.0, 0.0)) if tilt == UPRIGHT else tilt

    return tuple(
        replace(move, tilt_start=with_angles(move.tilt_start), tilt_end=with_angles(move.tilt_end)) for move in moves
    )


def _parts(move: Move) -> int:
    """Number of pieces of a move."""
    if move.tilt_start.angles is None or move.tilt_end.angles is None:
        return 1
    most = float(np.abs(np.subtract(move.tilt_end.angles, move.tilt_start.angles)).max())
    if not most / LARGEST_TURN <= MOST_PARTS:
        raise InputError(f"a move turns a rotary axis by {most / (2 * np.pi):.3g} turns, at most {MOST_PARTS // 4}")
    return max(1, int(np.ceil(most / LARGEST_TURN - 1e-9)))


def _orientations(
    program: Program, index: Indices, tilts: list[Tilt], sequence: str
) -> tuple[Array, NDArray[np.bool_]]:
    """Rotations (n, 3, 3) at roll zero, and whether the roll is free (n,)."""
    is_free = np.array([tilt.angles is None for tilt in tilts])
    axis = np.array([tilt.axis for tilt in tilts])
    down = np.flatnonzero(is_free & (1 + axis[:, 2] < STRAIGHT_DOWN))
    if len(down):
        line = program.moves[index[down[0]]].line
        raise PathFileError(program.where, [f"line {line}: the tool's axis points straight down, into the work"])
    R = np.empty((len(tilts), 3, 3))
    R[is_free] = _turned_to(axis[is_free])
    if not is_free.all():
        angles = np.array([tilt.angles for tilt in tilts if tilt.angles is not None])
        R[~is_free] = rotation_matrix(angles, sequence)
    return R, is_free


def _turned_to(axis: Array) -> Array:
    """Smallest rotations (n, 3, 3) of the z axis to unit vectors (n, 3), none of them opposite.

    They depend on the axis alone, so that closed paths of the axis close.
    """
    # Rodrigues' formula I + [w]x + [w]x^2 / (1 + z) with w = e_z x axis, written out.
    x, y, z = axis.T
    k = 1 / (1 + z)
    rows = [1 - k * x * x, -k * x * y, x, -k * x * y, 1 - k * y * y, y, -x, -y, z]
    return np.stack(rows, axis=-1).reshape(-1, 3, 3)


def _chosen_rolls(machine: Machine, program: Program, pieces: Pieces, X_BW: Array, X_PC: Array, roll: Roll) -> Array:
    """Rolls (n,) [rad] at the ends of the pieces; zero where the program gives them."""
    if roll is None:
        roll = "margins" if program.is_tilted else 0.0
    places = np.flatnonzero(pieces.is_free)
    if not isinstance(roll, str):
        return np.where(pieces.is_free, float(roll), 0.0)
    if not len(places):
        return np.zeros(len(pieces.move))
    places = places[np.unique(np.linspace(0, len(places) - 1, ROLL_POSES).astype(int))]
    found = best_roll(machine, X_BW @ pieces.ends[places], inverse_matrices(X_PC))
    # Rolls of the other ends are interpolated by index; they are continuous along the path.
    return np.where(pieces.is_free, np.interp(np.arange(len(pieces.move)), places, found), 0.0)


def _blends(program: Program, index: Indices, ends: list[int], blend: float) -> Array:
    """Tolerance of each rounded corner (n - 1,) [m]: zero where the program stops, or changes the tolerance."""
    given = [program.moves[k].blend if k >= 0 else None for k in index]
    width = np.array([blend if value is None else value for value in given])
    corner = np.where(width[1:] == width[:-1], width[1:], 0.0)
    corner[np.array(ends[:-1], dtype=int) - 1] = 0.0  # the corner before segment k is corner k - 1
    return corner


def _rests(program: Program, index: Indices) -> tuple[list[int], Array]:
    """Segments before which it rests, the end included, and durations [s]; `index` (n,) are the segments' moves."""
    stops: dict[int, float] = {}
    done = 0  # moves before the item: a stop is before the first segment of the next move that has one
    for item in program.items:
        if isinstance(item, Stop):
            place = int(np.searchsorted(index, done))
            stops[place] = stops.get(place, 0.0) + item.seconds
        done += isinstance(item, Move)
    ends = sorted({k for k in stops if 0 < k < len(index)} | {len(index)})
    return ends, np.array([stops.get(k, 0.0) for k in ends])


def _feeds(program: Program, index: Indices, segments: Segments, feed: float | None) -> tuple[Array, Array]:
    """Commanded speeds of the tip and of the rotation on each segment [m/s, rad/s]."""
    feeds, turns = np.full(len(segments), np.inf), np.full(len(segments), np.inf)
    length, angle = segments.speed * segments.length, segments.turning * segments.length
    for k, number in enumerate(index):
        move = program.moves[number]
        if number < 0 or move.is_rapid:
            continue
        if feed is not None and length[k] > 0:
            feeds[k] = feed
        elif move.duration is not None:
            # Inverse time: all segments of a move take the same part of its duration.
            part = (index == number).sum() / move.duration
            feeds[k], turns[k] = length[k] * part or np.inf, angle[k] * part or np.inf
        elif length[k] > 0:
            feeds[k] = move.feed or np.inf
        else:
            turns[k] = move.feed or np.inf
    return feeds, turns
