"""From the moves of a part program to the path of a machine that carries them out."""

from __future__ import annotations

from itertools import pairwise
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from gough._arguments import checks_arguments
from gough.errors import InputError
from gough.machine import Machine
from gough.motion.chain import Chain
from gough.motion.frames import in_frame
from gough.motion.gcode.moves import Move, Program, Stop
from gough.motion.gcode.pieces import ROTARY, Pieces, pieces_of, strokes_of
from gough.motion.gcode.roll import best_roll
from gough.motion.gcode.tool_frames import Spindle, cutter, home_in_work, tool_in_platform, work_frame
from gough.motion.joining import Joined
from gough.motion.path import Path
from gough.motion.plan import Plan
from gough.motion.strokes import Strokes
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
) -> Plan:
    """The path of a machine that carries out a part program with its tool, from home.

    The position of the tip is the program's along every move; the orientation turns evenly about one axis from the
    move's begin to its end. A tool axis without a roll is reached from z of the work frame by the shortest turn, then
    rolled.

    Parameters
    ----------
    machine : Machine
        A tool head stays as it stands; `gough.motion.follow_program` moves it as well.
    program : Program
        From `gough.motion.read_program`, read with the start that `program_start` gives.
    work : PoseLike, optional
        X_BW, the work frame in the base; where not given the cutter's frame at home.
    roll : float or "margins", optional
        About the tool where the program leaves it free [rad]. "margins" chooses it; so it is for programs with tool
        axes where not given, and 0 for others.
    spindle : "+z" or "-z", optional
        Which way along z of the tool frame the spindle is; towards the platform's joints where not given.
    sequence : str
        What rotary words A, B, C mean, as SciPy spells it.
    blend : float
        How far corners are rounded where the program does not say (G61, G64 P) [m]; in rotation by this over the
        machine's characteristic length.
    feed : float, optional
        Instead of all the program's feeds [m/s].

    Returns
    -------
    Plan

    Raises
    ------
    PathFileError
        A move that turns the tool by half a turn, or straight down.

    """
    X_TC = cutter(machine, spindle)
    X_BW = work_frame(machine, work, X_TC)
    X_PC = tool_in_platform(machine) @ X_TC
    pieces = pieces_of(program, sequence, home_in_work(machine, X_BW, X_TC))
    rolls = _rolls(machine, program, pieces, X_BW, X_PC, roll)
    free = rolls[pieces.is_free]
    pieces, strokes = strokes_of(program, pieces, rolls)
    chains, rests = _chained(program, pieces, strokes, blend, 1 / machine.characteristic_length)
    sections = tuple(in_frame(machine, _one(part), work=X_BW, of=X_PC) for part in chains)
    feeds, turns = _feeds(program, pieces, strokes, feed)
    return Plan(
        machine=machine,
        where=program.where,
        path=in_frame(machine, _one([chain for part in chains for chain in part]), work=X_BW, of=X_PC),
        sections=sections,
        rests=rests,
        work=X_BW,
        X_PC=X_PC,
        begins=np.concatenate([[0.0], np.cumsum(strokes.length)[:-1]]),
        number=np.array([program.moves[k].line if k >= 0 else 0 for k in pieces.move]),
        feed=feeds,
        turn_feed=turns,
        is_rapid=np.array([k < 0 or program.moves[k].is_rapid for k in pieces.move]),
        roll=(float(free.min()), float(free.max())) if len(free) else (0.0, 0.0),
    )


@checks_arguments
def program_start(machine: Machine, *, work: PoseLike | None = None, spindle: Spindle | None = None) -> Array:
    """Where the tip is at home, in the work frame (3,) [m]: the `start` with which to read a program."""
    X_TC = cutter(machine, spindle)
    return home_in_work(machine, work_frame(machine, work, X_TC), X_TC)[:3, 3]


def _rolls(
    machine: Machine,
    program: Program,
    pieces: Pieces,
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


def _chained(
    program: Program, pieces: Pieces, strokes: Strokes, blend: float, turns: float
) -> tuple[list[list[Chain]], Array]:
    """Sections of chains, a new section where the program stops, a new chain where it rounds its corners otherwise; and
    how long it rests after each section [s]. `turns` [rad/m] makes of a blend's width that of its rotation."""
    given = [program.moves[k].blend if k >= 0 else None for k in pieces.move]
    width = np.array([blend if value is None else value for value in given])
    stops: dict[int, float] = {}
    done = 0
    for item in program.items:
        if isinstance(item, Stop):
            place = int(np.searchsorted(pieces.move, done))
            stops[place] = stops.get(place, 0.0) + item.seconds
        done += isinstance(item, Move)
    ends = sorted({k for k in stops if 0 < k < len(strokes)} | {len(strokes)})
    sections = []
    for first, last in pairwise([0, *ends]):
        changes = first + 1 + np.flatnonzero(np.diff(width[first : last - 1]))
        edges = [first, *(changes + 1).tolist(), last]
        sections.append([Chain(strokes[a:b], float(width[a]), float(width[a]) * turns) for a, b in pairwise(edges)])
    return sections, np.array([stops.get(k, 0.0) for k in ends])


def _one(chains: list[Chain]) -> Path:
    return chains[0] if len(chains) == 1 else Joined(chains)


def _feeds(program: Program, pieces: Pieces, strokes: Strokes, feed: float | None) -> tuple[Array, Array]:
    """Speeds wanted of the tip and of the rotation on each stroke [m/s, rad/s]."""
    feeds, turns = np.full(len(strokes), np.inf), np.full(len(strokes), np.inf)
    way, angle = strokes.speed * strokes.length, strokes.turning * strokes.length
    for k, index in enumerate(pieces.move):
        move = program.moves[index]
        if index < 0 or move.is_rapid:
            continue
        if feed is not None and way[k] > 0:
            feeds[k] = feed
        elif move.duration is not None:
            part = (pieces.move == index).sum() / move.duration
            feeds[k], turns[k] = way[k] * part or np.inf, angle[k] * part or np.inf
        elif way[k] > 0:
            feeds[k] = move.feed or np.inf
        else:
            turns[k] = move.feed or np.inf
    return feeds, turns
