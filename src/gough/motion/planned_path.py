"""Plans: a path of the tool with the feeds wanted along it, places of rest, and what it was read from."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from gough.checks.arguments import checks_arguments
from gough.machine import Machine
from gough.motion.heads.spline import HeadSpline
from gough.motion.paths.path import Path, Subpath

Array = NDArray[np.float64]
Ints = NDArray[np.intp]


@dataclass(frozen=True, eq=False, kw_only=True)
class PlannedPath:
    """A path of a machine with the feeds wanted along it.

    Attributes
    ----------
    machine : Machine
    where : str
        What it was read from.
    path : Path
        Of the platform in the base.
    section_ends : (m,) array
        Parameters at which the machine comes to rest, the path's end included.
    rests : (m,) array
        How long it rests there [s].
    work : (4, 4) array
        X_BW, the frame in which the tool's path was given.
    X_PC : (4, 4) array
        The tool in the platform, z from its tip to its spindle.
    begins : (n,) array
        Parameters at which segments begin: moves of a program, segments of a description.
    number : (n,) array
        Line of the program, or number of the segment, of each; 0 for what comes before the first.
    feed, turn_feed : (n,) array
        Speeds wanted of the tip [m/s] and of the rotation [rad/s]; infinite where none is.
    is_rapid : (n,) array
        Whether a segment is to be as quick as the machine goes.
    roll : (float, float)
        Lowest and highest roll about the tool that was chosen where it was free [rad].
    head : HeadSpline or None
        Joints of a tool head that moves along, over the path's parameter.
    head_speed : (n,) array or None
        Their top speeds [rad/s or m/s].
    tool : Path or None
        The tip in the base where a head moves it; where none does it is fixed to the platform.

    """

    machine: Machine
    where: str
    path: Path
    section_ends: Array
    rests: Array
    work: Array
    X_PC: Array
    begins: Array
    number: Ints
    feed: Array
    turn_feed: Array
    is_rapid: NDArray[np.bool_]
    roll: tuple[float, float] = (0.0, 0.0)
    head: HeadSpline | None = None
    head_speed: Array | None = None
    tool: Path | None = None

    @checks_arguments
    def segment_at(self, s: ArrayLike, *, before: bool = False) -> Ints:
        """Index of the segment at parameters (...): the later one where two meet, or with `before` the earlier."""
        found = np.searchsorted(self.begins, np.asarray(s, dtype=float), side="left" if before else "right") - 1
        return np.asarray(np.clip(found, 0, len(self.begins) - 1))

    def tip(self, X: Array, s: Array) -> Array:
        """The tool's tip in the base (n, 3) at poses of the platform (n, 4, 4) and parameters (n,) [m]."""
        return np.asarray((X @ self.X_PC if self.tool is None else self.tool(s)[0])[:, :3, 3])

    @property
    def starts(self) -> Array:
        """Parameters at which the sections between rests begin (m,)."""
        return np.concatenate([[self.path.span[0]], self.section_ends[:-1]])

    @property
    def sections(self) -> tuple[Path, ...]:
        """The path between rests, each part with its own parameter."""
        if len(self.section_ends) == 1:
            return (self.path,)
        pairs = zip(self.starts.tolist(), self.section_ends.tolist(), strict=True)
        return tuple(Subpath(self.path, start, end) for start, end in pairs)
