"""From the moves of a part program to the path of a machine that carries them out."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

import numpy as np
from numpy.typing import NDArray

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
from gough.motion.strokes import Strokes
from gough.poses import PoseLike, inverse_matrices

Array = NDArray[np.float64]
Ints = NDArray[np.intp]

LOOKS = 200
"""Places at which rolls are judged."""


@dataclass(frozen=True, eq=False)
class ProgramPath:
    """A part program as a path of a machine, which begins at home.

    Attributes
    ----------
    program : Program
    machine : Machine
    path : Path
        Of the platform in the base; over the same parameter as `tool`.
    tool : Path
        Of the cutter's frame in the work frame.
    work : (4, 4) array
        X_BW, the work frame in the base.
    begins : (n,) array
        Parameters at which strokes begin; a move is one stroke, or several where it turns far.
    line : (n,) array
        The program's line of each; 0 for the turn from home into the tool's first orientation.
    speed : (n,) array
        Largest rate of the parameter that the program allows on each [1/s]; infinite for rapid moves.
    stops : tuple of (float, float)
        Parameters at which the machine comes to rest, and for how long [s].
    roll : (float, float)
        Lowest and highest roll about the tool that was taken where it was free [rad]; zeros where it was not.

    """

    program: Program
    machine: Machine
    path: Path
    tool: Path
    work: Array
    begins: Array
    line: Ints
    speed: Array
    stops: tuple[tuple[float, float], ...]
    roll: tuple[float, float]

    def stroke_at(self, s: Array) -> Ints:
        """Index of the stroke at parameters (...)."""
        return np.asarray(np.clip(np.searchsorted(self.begins, s, side="right") - 1, 0, len(self.begins) - 1))

    @property
    def is_rapid(self) -> NDArray[np.bool_]:
        """Which strokes are rapid moves (n,)."""
        return np.isinf(self.speed)


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
) -> ProgramPath:
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
    ProgramPath

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
    tool: Path = chains[0] if len(chains) == 1 else Joined(chains)
    ends = np.concatenate([[0.0], np.cumsum(strokes.length)])
    return ProgramPath(
        program=program,
        machine=machine,
        path=in_frame(machine, tool, work=X_BW, of=X_PC),
        tool=tool,
        work=X_BW,
        begins=ends[:-1],
        line=np.array([program.moves[k].line if k >= 0 else 0 for k in pieces.move]),
        speed=_speeds(program, pieces, strokes, feed),
        stops=tuple((float(ends[k]), seconds) for k, seconds in rests),
        roll=(float(free.min()), float(free.max())) if len(free) else (0.0, 0.0),
    )


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
) -> tuple[list[Chain], list[tuple[int, float]]]:
    """Chains of strokes, a new one where the program stops or rounds its corners otherwise; and before which strokes it
    stops, and how long [s]. `turns` [rad/m] makes of a blend's width that of its rotation."""
    given = [program.moves[k].blend if k >= 0 else None for k in pieces.move]
    width = np.array([blend if value is None else value for value in given])
    before = np.cumsum([isinstance(item, Move) for item in program.items])
    rests = [
        (int(np.searchsorted(pieces.move, count)), item.seconds)
        for count, item in zip(before, program.items, strict=True)
        if isinstance(item, Stop)
    ]
    cuts = {k for k, _ in rests} | set((np.flatnonzero(np.diff(width[:-1])) + 2).tolist())
    edges = sorted({0, len(strokes), *(k for k in cuts if 0 < k < len(strokes))})
    chains = []
    for a, b in pairwise(edges):
        chains.append(Chain(strokes[a:b], float(width[a]), float(width[a]) * turns))
    return chains, rests


def _speeds(program: Program, pieces: Pieces, strokes: Strokes, feed: float | None) -> Array:
    """Largest rate of the parameter on each stroke [1/s]."""
    speeds = np.full(len(strokes), np.inf)
    angle = strokes.turning * strokes.length
    way = strokes.speed * strokes.length
    for k, index in enumerate(pieces.move):
        if index < 0 or program.moves[index].is_rapid:
            continue
        move = program.moves[index]
        if move.duration is not None and feed is None:
            speeds[k] = strokes.length[pieces.move == index].sum() / move.duration
        elif way[k] > 0:
            speeds[k] = (move.feed or np.inf if feed is None else feed) * strokes.length[k] / way[k]
        elif move.feed is not None:
            speeds[k] = move.feed * strokes.length[k] / angle[k]
    return speeds
