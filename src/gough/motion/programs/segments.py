"""The moves of a part program as segments: straight or round, with the orientation at both ends, home's turn first."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace

import numpy as np
from numpy.typing import NDArray

from gough.errors import InputError, PathFileError
from gough.motion.paths.segments import Segments, turn_between
from gough.motion.programs.moves import UPRIGHT, Move, Program, Tilt
from gough.motion.programs.tool_frames import STRAIGHT_DOWN, about_z, turned_to
from gough.poses import rotation_matrix

Array = NDArray[np.float64]
Ints = NDArray[np.intp]

ROTARY = "xyz"
"""Axes of A, B, C as LinuxCNC's genhexkins has them: R = Rz(C) Ry(B) Rx(A)."""
LARGEST_TURN = np.pi / 2
"""By which one segment turns a rotary word; moves that turn one further are divided."""
MOST_PARTS = 40_000
"""Of one move."""
SAME = 1e-12
"""Lengths [m] and turns [rad] below this count as zero."""


@dataclass(frozen=True, eq=False)
class ProgramSegments:
    """n segments before the roll is known.

    Attributes
    ----------
    start, end, centre, drift, turning : (n, 3) array
        Ends; centre at the begin, its displacement, and the rotation vector of the radius, the last zero for lines [m,
        rad].
    R_start, R_end : (n, 3, 3) array
        Orientations of the cutter, at roll zero where the roll is free.
    is_free : (n,) array
        Whether the roll at the end is free.
    move : (n,) array
        Number of the program's move; -1 for the turn from home.

    """

    start: Array
    end: Array
    centre: Array
    drift: Array
    turning: Array
    R_start: Array
    R_end: Array
    is_free: NDArray[np.bool_]
    move: Ints

    def __len__(self) -> int:
        return len(self.move)

    def __getitem__(self, chosen: NDArray[np.bool_]) -> ProgramSegments:
        return ProgramSegments(*(getattr(self, field.name)[chosen] for field in fields(self)))


def program_segments(program: Program, sequence: str, home: Array) -> ProgramSegments:
    """The moves as pieces, divided where they turn far, after the turn from the home pose (4, 4) in the work frame."""
    moves = _with_upright(program.moves)
    parts = np.array([_parts(move) for move in moves])
    index = np.repeat(np.arange(len(moves)), parts)
    first = np.arange(len(index)) - np.repeat(np.cumsum(parts) - parts, parts)
    low, high = first / parts[index], (first + 1) / parts[index]
    start, end, centre, drift, turning = _displacements(moves, parts, index, low, high)
    R_end, is_free = _orientations(
        program, index, [_tilt(moves[k], x) for k, x in zip(index, high, strict=True)], sequence
    )
    at_first, free_at_first = _orientations(program, index[:1], [moves[0].tilt_start], sequence)
    still, here = np.zeros((1, 3)), start[:1]
    return ProgramSegments(
        start=np.concatenate([here, start]),
        end=np.concatenate([here, end]),
        centre=np.concatenate([here, centre]),
        drift=np.concatenate([still, drift]),
        turning=np.concatenate([still, turning]),
        R_start=np.concatenate([home[None, :3, :3], at_first, R_end[:-1]]),
        R_end=np.concatenate([at_first, R_end]),
        is_free=np.concatenate([free_at_first, is_free]),
        move=np.concatenate([[-1], index]),
    )


def segments_of(program: Program, pieces: ProgramSegments, rolls: Array) -> tuple[ProgramSegments, Segments]:
    """Segments with rolls (n,) at the ends of the pieces, and those of the pieces that lead anywhere.

    Their parameter counts metres or radians, whichever is the larger number.
    """
    R_end = pieces.R_end @ about_z(rolls)
    R_start = pieces.R_start @ about_z(np.concatenate([[0.0], rolls[:-1]]))
    turn = turn_between(R_start, R_end)
    angle = np.linalg.norm(turn, axis=1)
    half = np.flatnonzero(angle > np.pi - 1e-9)
    if len(half):
        line = program.moves[max(pieces.move[half[0]], 0)].line
        what = "the tool turns by half a turn, whose sense is undetermined; turn it in two moves"
        raise PathFileError(program.where, [f"line {line}: {what}"])
    is_round = np.any(pieces.turning != 0, axis=1)
    r = np.where(is_round[:, None], pieces.start - pieces.centre, 0.0)
    path = np.linalg.norm(pieces.drift + np.cross(pieces.turning, r), axis=1)
    kept: NDArray[np.bool_] = np.maximum(path, angle) > SAME
    length: Array = np.maximum(path, angle)[kept]
    per = 1 / length[:, None]
    found = pieces[kept]
    segments = Segments(
        found.centre, found.drift * per, found.turning * per, r[kept], R_start[kept], turn[kept] * per, length
    )
    return found, segments


def _with_upright(moves: tuple[Move, ...]) -> tuple[Move, ...]:
    """The moves of a program with rotary words, upright meaning A0 B0 C0 in it: its roll is not free."""
    if not any(move.tilt_end.angles is not None for move in moves):
        return moves
    upright = {UPRIGHT: Tilt(angles=(0.0, 0.0, 0.0))}
    return tuple(
        replace(
            move,
            tilt_start=upright.get(move.tilt_start, move.tilt_start),
            tilt_end=upright.get(move.tilt_end, move.tilt_end),
        )
        for move in moves
    )


def _parts(move: Move) -> int:
    """Into how many pieces a move is divided."""
    if move.tilt_start.angles is None or move.tilt_end.angles is None:
        return 1
    most = float(np.abs(np.subtract(move.tilt_end.angles, move.tilt_start.angles)).max())
    if not most / LARGEST_TURN <= MOST_PARTS:
        raise InputError(
            f"a move turns a rotary axis by {most / (2 * np.pi):.3g} turns; give at most {MOST_PARTS // 4}"
        )
    return max(1, int(np.ceil(most / LARGEST_TURN - 1e-9)))


def _displacements(moves: tuple[Move, ...], parts: Ints, index: Ints, low: Array, high: Array) -> tuple[Array, ...]:
    """Starts, ends, centres, drifts and rotation vectors (n, 3) of the pieces."""
    start, end = (np.array([_place(moves[k], x) for k, x in zip(index, part, strict=True)]) for part in (low, high))
    is_arc = np.array([move.arc is not None for move in moves])[index]
    climb, turning = np.zeros((len(moves), 3)), np.zeros((len(moves), 3))
    centre = np.zeros((len(moves), 3))
    for k, move in enumerate(moves):
        if move.arc is not None:
            climb[k] = np.multiply(move.arc.climb / parts[k], move.arc.axis)
            turning[k], centre[k] = move.arc.turning / parts[k], move.arc.centre
    drift = np.where(is_arc[:, None], climb[index], end - start)
    middle = np.where(is_arc[:, None], centre[index] + climb[index] * (low * parts[index])[:, None], start)
    return start, end, middle, drift, turning[index]


def _place(move: Move, part: float) -> Array:
    """The tip at a part of a move; exact at its ends."""
    return np.asarray(move.start if part == 0 else move.end if part == 1 else move.at(part))


def _tilt(move: Move, part: float) -> Tilt:
    """Orientation of the tool at a part of a move, whose rotary words change linearly."""
    if part == 1 or move.tilt_start.angles is None or move.tilt_end.angles is None:
        return move.tilt_end
    a, b = np.array(move.tilt_start.angles), np.array(move.tilt_end.angles)
    x, y, z = (a + part * (b - a)).tolist()
    return Tilt(angles=(x, y, z))


def _orientations(program: Program, index: Ints, tilts: list[Tilt], sequence: str) -> tuple[Array, NDArray[np.bool_]]:
    """Rotations (n, 3, 3) at roll zero, and where the roll is free (n,)."""
    is_free = np.array([tilt.angles is None for tilt in tilts])
    axis = np.array([tilt.axis for tilt in tilts])
    down = np.flatnonzero(is_free & (1 + axis[:, 2] < STRAIGHT_DOWN))
    if len(down):
        line = program.moves[index[down[0]]].line
        raise PathFileError(program.where, [f"line {line}: the tool's axis points straight down, into the work"])
    R = np.empty((len(tilts), 3, 3))
    R[is_free] = turned_to(axis[is_free])
    if not is_free.all():
        angles = np.array([tilt.angles for tilt in tilts if tilt.angles is not None])
        R[~is_free] = rotation_matrix(angles, sequence)
    return R, is_free
