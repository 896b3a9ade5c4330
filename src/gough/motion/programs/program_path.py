"""From the moves of a part program to the path of a machine that carries them out.

A program moves a cutter: its tip, and its axis from the tip to the spindle, z of the frame C. The machine's tool
frame T has its z axis in either sense: C is T, or T turned by half a turn about x.
"""

from __future__ import annotations

from typing import Literal

import numpy as np

from gough.arrays import Array, Indices
from gough.checks.arguments import checks_arguments
from gough.errors import InputError
from gough.machine import Machine
from gough.motion.paths.path import in_frame
from gough.motion.paths.segment_path import SegmentPath, Segments
from gough.motion.planned_path import PlannedPath
from gough.motion.programs.moves import Move, Program, Stop
from gough.motion.programs.segments import ROTARY, Roll, chosen_rolls, program_segments, rolled
from gough.poses import PoseLike, inverse_matrices, one_pose

Spindle = Literal["+z", "-z"]

HALF_TURN = np.diag([1.0, -1.0, -1.0, 1.0])
"""About x."""
CLEAR = 0.05
"""Part of the machine's size by which the joints must be behind the tip for the spindle's side to be known."""


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
        The path of the platform in the base frame, with feeds [m/s, rad/s] and rests [s]; its `number` counts lines.

    Raises
    ------
    PathFileError
        A move that turns the tool by half a turn, or straight down.

    """
    X_TC = cutter(machine, spindle)
    X_BW = work_frame(machine, work, X_TC)
    X_PC = tool_in_platform(machine) @ X_TC
    pieces = program_segments(program, sequence, home_in_work(machine, X_BW, X_TC))
    rolls = chosen_rolls(machine, program, pieces, X_BW, X_PC, roll)
    free = rolls[pieces.is_free]
    segments, move = rolled(program, pieces, rolls)
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


def spindle_side(machine: Machine, X_PT: Array) -> Spindle:
    """Where along z of the tool frame the spindle is: on the side of the platform's joints, "-z" if they have none."""
    along = (machine.platform_centre - X_PT[:3, 3]) @ X_PT[:3, 2]
    return "+z" if along > CLEAR * machine.size else "-z"


def tool_in_platform(machine: Machine) -> Array:
    """X_PT (4, 4) of the tool's tip; of a head in its present joint coordinates."""
    return np.array(machine.X_PT if machine.head is None else machine.head.tip())


def cutter(machine: Machine, spindle: Spindle | None = None) -> Array:
    """X_TC (4, 4): the cutter in the tool frame."""
    if spindle not in (None, "+z", "-z"):
        raise InputError(f"spindle: {spindle!r} is not known, expected '+z' or '-z'")
    side = spindle_side(machine, tool_in_platform(machine)) if spindle is None else spindle
    return np.eye(4) if side == "+z" else HALF_TURN.copy()


def work_frame(machine: Machine, work: PoseLike | None, X_TC: Array) -> Array:
    """X_BW (4, 4): the one given, or the cutter's frame at home."""
    if work is None:
        return np.asarray(machine.X_home @ tool_in_platform(machine) @ X_TC)
    return one_pose(work, name="work")


def home_in_work(machine: Machine, X_BW: Array, X_TC: Array) -> Array:
    """X_WC (4, 4) with the machine at home."""
    return np.asarray(inverse_matrices(X_BW) @ machine.X_home @ tool_in_platform(machine) @ X_TC)


def _blends(program: Program, index: Indices, ends: list[int], blend: float) -> Array:
    """How far each corner (n - 1,) is rounded [m]: not at all where the program stops, or changes how far."""
    given = [program.moves[k].blend if k >= 0 else None for k in index]
    width = np.array([blend if value is None else value for value in given])
    corner = np.where(width[1:] == width[:-1], width[1:], 0.0)
    corner[np.array(ends[:-1], dtype=int) - 1] = 0.0
    return corner


def _rests(program: Program, index: Indices) -> tuple[list[int], Array]:
    """Segments before which it rests, the end included, and for how long [s]; `index` (n,) are the segments' moves."""
    stops: dict[int, float] = {}
    done = 0
    for item in program.items:
        if isinstance(item, Stop):
            place = int(np.searchsorted(index, done))
            stops[place] = stops.get(place, 0.0) + item.seconds
        done += isinstance(item, Move)
    ends = sorted({k for k in stops if 0 < k < len(index)} | {len(index)})
    return ends, np.array([stops.get(k, 0.0) for k in ends])


def _feeds(program: Program, index: Indices, segments: Segments, feed: float | None) -> tuple[Array, Array]:
    """Speeds wanted of the tip and of the rotation on each segment [m/s, rad/s]."""
    feeds, turns = np.full(len(segments), np.inf), np.full(len(segments), np.inf)
    length, angle = segments.speed * segments.length, segments.turning * segments.length
    for k, number in enumerate(index):
        move = program.moves[number]
        if number < 0 or move.is_rapid:
            continue
        if feed is not None and length[k] > 0:
            feeds[k] = feed
        elif move.duration is not None:
            part = (index == number).sum() / move.duration
            feeds[k], turns[k] = length[k] * part or np.inf, angle[k] * part or np.inf
        elif length[k] > 0:
            feeds[k] = move.feed or np.inf
        else:
            turns[k] = move.feed or np.inf
    return feeds, turns
