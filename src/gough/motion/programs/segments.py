"""The moves of a part program as segments: divided where they turn far, and rolled about the tool where it is free.

A tool axis without a roll is reached from z of the work frame by the shortest turn; the roll about the tool is then
chosen, given, or zero.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from gough.arrays import Array, Indices
from gough.errors import InputError, PathFileError
from gough.limits.margins import margins
from gough.machine import Machine
from gough.motion.paths.segment_path import Segments, turn_between
from gough.motion.programs.moves import UPRIGHT, Move, Program, Tilt
from gough.poses import inverse_matrices, rotation_matrix

Roll = float | Literal["margins"] | None

ROTARY = "xyz"
"""Axes of A, B, C as LinuxCNC's genhexkins has them: R = Rz(C) Ry(B) Rx(A)."""
LARGEST_TURN = np.pi / 2
"""By which one segment turns a rotary word; moves that turn one further are divided."""
MOST_PARTS = 40_000
"""Of one move."""
SAME = 1e-12
"""Lengths [m] and turns [rad] below this count as zero."""
STRAIGHT_DOWN = 1e-6
"""1 + cos of a tool axis against z of the work frame below which no shortest turn leads there."""
LOOKS = 200
"""Places at which rolls are judged."""
STEPS = 72
"""Rolls all round that are looked at, 5 degrees apart."""
CLOSER = 10
"""How much closer the next look about the best is."""
REACH = 2
"""Steps of roll from one place to the next at most, where it has to change along the path."""


class Pieces(NamedTuple):
    """The n pieces of a program before the roll is known, home's turn first."""

    tip: Segments
    """Of the tip, over 0 to 1, with the orientation of the begin at roll zero."""
    R_end: Array
    """Orientations of the cutter at the ends (n, 3, 3), at roll zero where the roll is free."""
    is_free: NDArray[np.bool_]
    """Whether the roll at the end is free."""
    move: Indices
    """Number of the program's move; -1 for the turn from home."""

    @property
    def ends(self) -> Array:
        """Poses (n, 4, 4) of the cutter in the work frame at the ends."""
        X = np.tile(np.eye(4), (len(self.move), 1, 1))
        X[:, :3, :3], X[:, :3, 3] = self.R_end, self.tip.at(np.ones(len(self.move)))[0]
        return X


def program_segments(program: Program, sequence: str, home: Array) -> Pieces:
    """The moves as pieces, divided where they turn far, after the turn from the home pose (4, 4) in the work frame."""
    moves = _with_upright(program.moves)
    parts = np.array([_parts(move) for move in moves])
    index = np.repeat(np.arange(len(moves)), parts)
    first = np.arange(len(index)) - np.repeat(np.cumsum(parts) - parts, parts)
    places = list(zip(index, first / parts[index], (first + 1) / parts[index], strict=True))
    start = np.array(moves[0].start)
    rows = [(start, *np.zeros((3, 3))), *(_tip(moves[k], low, high) for k, low, high in places)]
    c, v, k, r = np.moveaxis(np.array(rows), 1, 0)
    tilts = [moves[0].tilt_start, *(_tilt(moves[k], high) for k, _, high in places)]
    R_end, is_free = _orientations(program, np.append(index[:1], index), tilts, sequence)
    R = np.concatenate([home[None, :3, :3], R_end[:-1]])
    tip = Segments(c, v, k, r, R, np.zeros_like(c), np.ones(len(c)))
    return Pieces(tip, R_end, is_free, np.append(-1, index))


def rolled(program: Program, pieces: Pieces, rolls: Array) -> tuple[Segments, Indices]:
    """Segments with rolls (n,) at the ends of the pieces, of those that lead anywhere, and the moves they belong to."""
    tip = pieces.tip
    R = tip.R @ about_z(np.concatenate([[0.0], rolls[:-1]]))
    turn = turn_between(R, pieces.R_end @ about_z(rolls))
    half = np.flatnonzero(np.linalg.norm(turn, axis=1) > np.pi - 1e-9)
    if len(half):
        line = program.moves[max(pieces.move[half[0]], 0)].line
        what = "the tool turns by half a turn, whose sense is undetermined; turn it in two moves"
        raise PathFileError(program.where, [f"line {line}: {what}"])
    segments = Segments.over(tip.c, tip.v, tip.k, tip.r, R, turn)
    leads = np.flatnonzero(segments.length > SAME)
    return segments[leads], pieces.move[leads]


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


def _tip(move: Move, low: float, high: float) -> tuple[Array, Array, Array, Array]:
    """Centre, its displacement, turn of the radius and radius (3,) of a piece; of lines the last two are zero."""
    start = move.at(low)
    if move.arc is None:
        return start, move.at(high) - start, np.zeros(3), np.zeros(3)
    climb = move.arc.climb * np.asarray(move.arc.axis)
    centre = move.arc.centre + low * climb
    return centre, (high - low) * climb, (high - low) * move.arc.turning, start - centre


def _tilt(move: Move, part: float) -> Tilt:
    """Orientation of the tool at a part of a move, whose rotary words change linearly."""
    if part == 1 or move.tilt_start.angles is None or move.tilt_end.angles is None:
        return move.tilt_end
    a, b = np.array(move.tilt_start.angles), np.array(move.tilt_end.angles)
    x, y, z = (a + part * (b - a)).tolist()
    return Tilt(angles=(x, y, z))


def _orientations(
    program: Program, index: Indices, tilts: list[Tilt], sequence: str
) -> tuple[Array, NDArray[np.bool_]]:
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


def turned_to(axis: Array) -> Array:
    """Rotations (n, 3, 3) that take z by the smallest turn to unit vectors (n, 3), none of them against z.

    They depend on the axis alone, so that closed paths of the axis close.
    """
    x, y, z = axis.T
    k = 1 / (1 + z)
    rows = [1 - k * x * x, -k * x * y, x, -k * x * y, 1 - k * y * y, y, -x, -y, z]
    return np.stack(rows, axis=-1).reshape(-1, 3, 3)


def about_z(angle: Array) -> Array:
    """Rotations (..., 3, 3) about z."""
    c, s, zero = np.cos(angle), np.sin(angle), np.zeros_like(angle)
    return np.stack([c, -s, zero, s, c, zero, zero, zero, zero + 1], axis=-1).reshape(*np.shape(angle), 3, 3)


def chosen_rolls(machine: Machine, program: Program, pieces: Pieces, X_BW: Array, X_PC: Array, roll: Roll) -> Array:
    """Rolls (n,) [rad] at the ends of the pieces; zero where the program gives them."""
    if roll is None:
        roll = "margins" if program.is_tilted else 0.0
    places = np.flatnonzero(pieces.is_free)
    if not isinstance(roll, str):
        return np.where(pieces.is_free, float(roll), 0.0)
    if roll != "margins":
        raise InputError(f"roll: {roll!r} is not known, expected an angle or 'margins'")
    if not len(places):
        return np.zeros(len(pieces.move))
    places = places[np.unique(np.linspace(0, len(places) - 1, LOOKS).astype(int))]
    found, _ = best_roll(machine, X_BW @ pieces.ends[places], inverse_matrices(X_PC))
    return np.where(pieces.is_free, np.interp(np.arange(len(pieces.move)), places, found), 0.0)


def best_roll(machine: Machine, X_BC: Array, X_CP: Array) -> tuple[Array, float]:
    """Rolls (n,) [rad] at poses X_BC (n, 4, 4) of the cutter, and the smallest relative margin with them.

    One roll for all of them where one keeps every limit: of these the one whose smallest relative margin is largest.
    Otherwise a roll that changes from place to place by ten degrees at most, such that the smallest margin is largest.

    Parameters
    ----------
    machine : Machine
    X_BC : (n, 4, 4) array
        The cutter in the base at roll zero, in the order of the path.
    X_CP : (4, 4) array
        The platform in the cutter's frame.

    """
    rolls = np.linspace(-np.pi, np.pi, STEPS, endpoint=False)
    least = _least(machine, X_BC, X_CP, rolls)
    best = int(np.argmax(least.min(axis=0)))
    if least[:, best].min() < 0:
        chosen = _wandering(least)
        return np.unwrap(rolls[chosen]), float(least[np.arange(len(chosen)), chosen].min())
    near = rolls[best] + np.linspace(-1, 1, 2 * CLOSER + 1) * 2 * np.pi / STEPS
    least = _least(machine, X_BC, X_CP, near)
    best = int(np.argmax(least.min(axis=0)))
    return np.full(len(X_BC), near[best]), float(least[:, best].min())


def _least(machine: Machine, X_BC: Array, X_CP: Array, rolls: Array) -> Array:
    """Smallest relative margins (n, r) at every place for every roll."""
    Z = np.tile(np.eye(4), (len(rolls), 1, 1))
    Z[:, :3, :3] = about_z(rolls)
    relative = margins(machine, X_BC[:, None] @ Z @ X_CP).relative
    return np.asarray(np.where(np.isnan(relative), np.inf, relative).min(axis=-1))


def _wandering(least: Array) -> NDArray[np.intp]:
    """Which roll at each place, neighbours at most `REACH` apart, makes the smallest of `least` (n, r) largest."""
    n, count = least.shape
    steps = sorted(range(-REACH, REACH + 1), key=abs)
    value, came = least[0].copy(), np.zeros((n, count), dtype=np.intp)
    for k in range(1, n):
        before = np.stack([np.roll(value, -step) for step in steps])
        best = np.argmax(before, axis=0)
        came[k] = (np.arange(count) + np.array(steps)[best]) % count
        value = np.minimum(least[k], before[best, np.arange(count)])
    chosen = np.empty(n, dtype=np.intp)
    chosen[-1] = int(np.argmax(value))
    for k in range(n - 1, 0, -1):
        chosen[k - 1] = came[k, chosen[k]]
    return chosen
