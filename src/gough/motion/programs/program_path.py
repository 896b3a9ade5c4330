"""From the moves of a part program to the path of a machine that carries them out."""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import NDArray

from gough.checks.arguments import checks_arguments
from gough.errors import InputError
from gough.machine import Machine
from gough.motion.paths.frames import in_frame
from gough.motion.paths.segment_path import SegmentPath
from gough.motion.paths.segments import Segments
from gough.motion.planned_path import PlannedPath
from gough.motion.programs.moves import Move, Program, Stop
from gough.motion.programs.segments import ROTARY, ProgramSegments, program_segments, segments_of
from gough.motion.programs.tool_frames import Spindle, best_roll, cutter, home_in_work, tool_in_platform, work_frame
from gough.poses import PoseLike, inverse_matrices

Array = NDArray[np.float64]

LOOKS = 200
"""Places at which rolls are judged."""


@checks_arguments
def program_path(
    machine: Machine,
    program: Program,
    *,
    work: PoseLike | None = None,
    roll: float | Literal["margins"] | None = None,
    spindle: Spindle | None = None,
    sequence: str = ROTARY,
    blend: float = 0.0,
    feed: float | None = None,
) -> PlannedPath:
    """The path of a machine that carries out a part program with its tool, from home.

    The position of the tip is the program's along every move; the orientation turns evenly about one axis from the
    move's begin to its end. A tool axis without a roll is reached from z of the work frame by the shortest turn, then
    rolled.

    Parameters
    ----------
    machine : Machine
        A tool head keeps its joint coordinates; `gough.motion.programs.head_program` moves it as well.
    program : Program
        From `gough.motion.programs.read_program`, read with the start that `program_start` gives.
    work : PoseLike, optional
        X_BW, the work frame in the base; where not given the cutter's frame at home.
    roll : float or "margins", optional
        About the tool where the program leaves it free [rad]. "margins" chooses it; so it is for programs with tool
        axes where not given, and 0 for others.
    spindle : "+z" or "-z", optional
        Sense along z of the tool frame in which the spindle is; towards the platform's joints where not given.
    sequence : str
        What rotary words A, B, C mean, as SciPy spells it.
    blend : float
        How far corners are rounded where the program does not say (G61, G64 P) [m]; in rotation by this over the
        machine's characteristic length.
    feed : float, optional
        Instead of all the program's feeds [m/s].

    Returns
    -------
    PlannedPath

    Raises
    ------
    PathFileError
        A move that turns the tool by half a turn, or straight down.

    """
    X_TC = cutter(machine, spindle)
    X_BW = work_frame(machine, work, X_TC)
    X_PC = tool_in_platform(machine) @ X_TC
    pieces = program_segments(program, sequence, home_in_work(machine, X_BW, X_TC))
    rolls = _rolls(machine, program, pieces, X_BW, X_PC, roll)
    free = rolls[pieces.is_free]
    pieces, segments = segments_of(program, pieces, rolls)
    width = _blends(program, pieces, blend)
    path = SegmentPath(segments, width, width / machine.characteristic_length)
    ends, rests = _rests(program, pieces)
    feeds, turns = _feeds(program, pieces, segments, feed)
    return PlannedPath(
        machine=machine,
        where=program.where,
        path=in_frame(machine, path, work=X_BW, of=X_PC),
        section_ends=path.joints[ends],
        rests=rests,
        work=X_BW,
        X_PC=X_PC,
        begins=path.joints[:-1],
        number=np.array([program.moves[k].line if k >= 0 else 0 for k in pieces.move]),
        feed=feeds,
        turn_feed=turns,
        is_rapid=np.array([k < 0 or program.moves[k].is_rapid for k in pieces.move]),
        roll=(float(free.min()), float(free.max())) if len(free) else (0.0, 0.0),
    )


@checks_arguments
def program_start(machine: Machine, *, work: PoseLike | None = None, spindle: Spindle | None = None) -> Array:
    """Where the tip is at home, in the work frame (3,) [m]: the `start` with which to read a program.

    Parameters
    ----------
    machine : Machine
    work : PoseLike, optional
        X_BW, the work frame in the base; where not given, as for `gough.motion.programs.program_path`.
    spindle : "+z" or "-z", optional
        Sense along z of the tool frame in which the spindle is; towards the platform's joints where not given.

    Returns
    -------
    (3,) array
        [m], in axes of the work frame.

    Raises
    ------
    InputError
        The spindle's side cannot be known from the machine.

    """
    X_TC = cutter(machine, spindle)
    return home_in_work(machine, work_frame(machine, work, X_TC), X_TC)[:3, 3]


def _rolls(
    machine: Machine,
    program: Program,
    pieces: ProgramSegments,
    X_BW: Array,
    X_PC: Array,
    roll: float | Literal["margins"] | None,
) -> Array:
    """Rolls (n,) [rad] at the ends of the pieces; zero where the program gives them."""
    if roll is None:
        roll = "margins" if program.is_tilted else 0.0
    places = np.flatnonzero(pieces.is_free)
    if isinstance(roll, str):
        if roll != "margins":
            raise InputError(f"roll: {roll!r} is not known, expected an angle or 'margins'")
        if len(places):
            places = places[np.unique(np.linspace(0, len(places) - 1, LOOKS).astype(int))]
            X_WC = np.tile(np.eye(4), (len(places), 1, 1))
            X_WC[:, :3, :3], X_WC[:, :3, 3] = pieces.R_end[places], pieces.end[places]
            found, _ = best_roll(machine, X_BW @ X_WC, inverse_matrices(X_PC))
            return np.where(pieces.is_free, np.interp(np.arange(len(pieces)), places, found), 0.0)
        roll = 0.0
    return np.where(pieces.is_free, float(roll), 0.0)


def _blends(program: Program, pieces: ProgramSegments, blend: float) -> Array:
    """How far each corner (n - 1,) is rounded [m]: not at all where the program stops, or changes how far."""
    given = [program.moves[k].blend if k >= 0 else None for k in pieces.move]
    width = np.array([blend if value is None else value for value in given])
    corner = np.where(width[1:] == width[:-1], width[1:], 0.0)
    corner[np.array(_rests(program, pieces)[0][:-1], dtype=int) - 1] = 0.0
    return corner


def _rests(program: Program, pieces: ProgramSegments) -> tuple[list[int], Array]:
    """Segments before which the sections end, the last included, and how long it rests after each section [s]."""
    stops: dict[int, float] = {}
    done = 0
    for item in program.items:
        if isinstance(item, Stop):
            place = int(np.searchsorted(pieces.move, done))
            stops[place] = stops.get(place, 0.0) + item.seconds
        done += isinstance(item, Move)
    ends = sorted({k for k in stops if 0 < k < len(pieces)} | {len(pieces)})
    return ends, np.array([stops.get(k, 0.0) for k in ends])


def _feeds(program: Program, pieces: ProgramSegments, segments: Segments, feed: float | None) -> tuple[Array, Array]:
    """Speeds wanted of the tip and of the rotation on each segment [m/s, rad/s]."""
    feeds, turns = np.full(len(segments), np.inf), np.full(len(segments), np.inf)
    length, angle = segments.speed * segments.length, segments.turning * segments.length
    for k, index in enumerate(pieces.move):
        move = program.moves[index]
        if index < 0 or move.is_rapid:
            continue
        if feed is not None and length[k] > 0:
            feeds[k] = feed
        elif move.duration is not None:
            part = (pieces.move == index).sum() / move.duration
            feeds[k], turns[k] = length[k] * part or np.inf, angle[k] * part or np.inf
        elif length[k] > 0:
            feeds[k] = move.feed or np.inf
        else:
            turns[k] = move.feed or np.inf
    return feeds, turns
