"""Plans from path files and from tables of poses."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from typing import Literal, cast

import numpy as np
from numpy.typing import ArrayLike

from gough.arrays import Array
from gough.checks.arguments import checks_arguments
from gough.checks.numbers import numbers
from gough.description.geometry import pose_of
from gough.description.schema import Pose
from gough.description.units import ANGLE, LENGTH, TIME, Units
from gough.errors import InputError, PathFileError
from gough.machine import DisplayUnits, Machine
from gough.motion.lines import arc, arc_through, concatenate, line, via
from gough.motion.motion_limits import motion_limits
from gough.motion.path import Path, in_frame, tool_in_platform
from gough.motion.planned_path import PlannedPath
from gough.motion.programs.path_file_schema import Arc, Line, PathFile, Rest, SplineSegment, Via
from gough.motion.segment_path import SegmentPath
from gough.motion.smooth import Spline
from gough.motion.timed_path import Profile, TimedPath
from gough.poses import PoseLike, checked_matrices, inverse_matrices, pose_matrix

Moves = Literal["platform", "tool"]


@checks_arguments
def path_from_file(
    machine: Machine,
    file: PathFile,
    where: str = "the path",
    *,
    work: PoseLike | None = None,
    blend: float | None = None,
    feed: float | None = None,
) -> PlannedPath:
    """Build the path of a machine from a path file.

    Parameters
    ----------
    machine : Machine
    file : PathFile
        From `gough.motion.programs.read_path_file`.
    where : str
        Name of the file in messages.
    work : PoseLike, optional
        X_BW, the frame in which the poses are given; replaces the file's.
    blend, feed : float, optional
        Replace the file's [m, m/s].

    Returns
    -------
    PlannedPath
        The path in the base frame, with the feeds and rests of the file.

    Raises
    ------
    PathFileError
        Segments of zero length or without a meaning, by number.

    """
    scale = _Scale(file, machine.units)
    X_PM = tool_in_platform(machine) if file.moves == "tool" else np.eye(4)
    X_BW = _frame(machine, file, scale, X_PM) if work is None else checked_matrices(work)
    builder = _Builder(file, scale, inverse_matrices(X_BW) @ machine.X_home @ X_PM)
    parts: list[Path] = []
    rows: list[tuple[int, float, float, bool]] = []
    rests: dict[int, float] = {}
    for number, segment in enumerate(file.segments, 1):
        if isinstance(segment, Rest):
            # By the number of parts so far: the rest is before the part of this index.
            rests[len(parts)] = rests.get(len(parts), 0.0) + segment.duration * scale.seconds
            continue
        try:
            parts.append(builder.path(segment))
        except InputError as error:
            raise PathFileError(where, [f"segment {number} ({segment.kind}): {error}"]) from None
        speed = (segment.feed or file.feed or np.inf) * scale.metres / scale.seconds
        turning = (segment.turn_feed or file.turn_feed or np.inf) * scale.radians / scale.seconds
        rows.append((number, speed if feed is None else feed, turning, segment.rapid))
    if not parts:
        raise PathFileError(where, ["no motion found"])
    width = file.blend * scale.metres if blend is None else blend
    turns = width / machine.characteristic_length
    turns = turns if file.blend_angle is None else file.blend_angle * scale.radians
    joints = np.concatenate([[0.0], np.cumsum([part.span[1] - part.span[0] for part in parts])])
    stops = sorted({k for k in rests if 0 < k < len(parts)} | {len(parts)})
    counted, feeds, turn_feeds, rapid = zip(*rows, strict=True)
    return PlannedPath(
        machine=machine, where=where, path=in_frame(machine, _joined(parts, (width, turns), stops), work=X_BW, of=X_PM),
        work=X_BW, X_PC=X_PM, begins=joints[:-1], number=np.array(counted), counts="segment", feed=np.array(feeds),
        turn_feed=np.array(turn_feeds), is_rapid=np.array(rapid), stops=joints[stops],
        rests=np.array([rests.get(k, 0.0) for k in stops]), contents=(f"{len(file.segments)} segments",),
    )  # fmt: skip


@checks_arguments
def path_through_poses(
    machine: Machine,
    X: PoseLike,
    where: str = "the poses",
    *,
    smooth: bool = False,
    work: PoseLike | None = None,
    moves: Moves = "platform",
    blend: float = 0.0,
    feed: float | None = None,
) -> PlannedPath:
    """Build a path through poses, along straight lines or a spline.

    Parameters
    ----------
    machine : Machine
    X : PoseLike, (n, 4, 4)
        Poses of the platform in the base, or of the frame `moves` in the frame `work`.
    where : str
        Name of the poses in messages.
    smooth : bool
        Along a spline instead of straight lines.
    work : PoseLike, optional
        X_BW; default: the base.
    moves : "platform" or "tool"
    blend : float
        Tolerance of rounded corners of straight lines [m].
    feed : float, optional
        Commanded speed of the moving frame's origin [m/s].

    Returns
    -------
    PlannedPath
        Its `number` counts the rows: 1 for the segment from the first pose to the second.

    Raises
    ------
    ShapeError, InputError
        Fewer than two poses, or two successive ones that are the same.

    """
    poses = checked_matrices(X)
    X_PM, X_BW = _frames(machine, work, moves)
    path: Path = Spline(poses) if smooth else via(poses, blend=blend, blend_angle=blend / machine.characteristic_length)
    begins = path.joints[:-1] if isinstance(path, SegmentPath) else path.knots[:-1]
    framed = in_frame(machine, path, work=X_BW, of=X_PM)
    return PlannedPath.without_feeds(machine, where, framed, (X_BW, X_PM), begins, feed)


@checks_arguments
def motion_through_poses(
    machine: Machine,
    time: ArrayLike,
    X: PoseLike,
    where: str = "the poses",
    *,
    work: PoseLike | None = None,
    moves: Moves = "platform",
) -> TimedPath:
    """Build a motion through poses at specified times (n,) [s], by a spline; time starts at the first of them.

    Parameters
    ----------
    machine : Machine
    time : (n,) array
        Increasing [s].
    X : PoseLike, (n, 4, 4)
        Poses of the platform in the base, or of the frame `moves` in the frame `work`.
    where : str
        Name of the poses in messages.
    work : PoseLike, optional
        X_BW; default: the base.
    moves : "platform" or "tool"

    Returns
    -------
    TimedPath
        From time 0 to the difference of the last and the first.

    Raises
    ------
    InputError
        Times that do not increase, or fewer than two poses.

    """
    t = numbers("time", time)
    X_PM, X_BW = _frames(machine, work, moves)
    path = in_frame(machine, Spline(X, t), work=X_BW, of=X_PM)
    plan = PlannedPath.without_feeds(machine, where, path, (X_BW, X_PM), t[:-1], None)
    # Time is the parameter itself: one interval with s' = 1 and s'' = 0.
    clock = Profile.of(t[[0, -1]], np.ones(2), np.zeros((1, 2)))
    return TimedPath(plan, clock, motion_limits(machine, point=X_PM[:3, 3]))


def _frames(machine: Machine, work: PoseLike | None, moves: Moves) -> tuple[Array, Array]:
    """X_PM of the moving frame in the platform, and X_BW of the frame in which its poses are given."""
    X_PM = tool_in_platform(machine) if moves == "tool" else np.eye(4)
    return X_PM, np.eye(4) if work is None else checked_matrices(work)


class _Scale:
    """Sizes of a file's units in SI."""

    def __init__(self, file: PathFile, machine: DisplayUnits) -> None:
        units = file.units
        self.metres = machine.metres if units.length is None else LENGTH[units.length]
        self.radians = machine.radians if units.angle is None else ANGLE[units.angle]
        self.seconds = TIME[units.time]


def _frame(machine: Machine, file: PathFile, scale: _Scale, X_PM: Array) -> Array:
    """X_BW (4, 4)."""
    if isinstance(file.frame, Pose):
        X = pose_of(file.frame, Units())
        angles = np.array(file.frame.angles) * scale.radians
        return pose_matrix(X[:3, 3] * scale.metres, angles, file.frame.sequence)
    return np.eye(4) if file.frame == "base" else np.asarray(machine.X_home @ X_PM)


class _Builder:
    """Builds paths of segments, each from the end of the last one."""

    def __init__(self, file: PathFile, scale: _Scale, home: Array) -> None:
        self.file, self.scale = file, scale
        self.X = home
        if file.start is not None:
            self.X = self._pose(file.start[:3], file.start[3:] or None)

    def path(self, segment: Line | Arc | Via | SplineSegment) -> Path:
        """The path of a segment."""
        if isinstance(segment, Line):
            found: Path = line(self.X, self._pose(segment.to, segment.angles))
        elif isinstance(segment, Arc):
            found = self._arc(segment)
        else:
            poses = [self.X]
            for place in segment.points:
                self.X = self._pose(place[:3], place[3:] or None)
                poses.append(self.X)
            found = via(np.array(poses)) if isinstance(segment, Via) else Spline(np.array(poses))
        self.X = found.end
        return found

    def _arc(self, segment: Arc) -> Path:
        if segment.through is not None and segment.to is not None:
            end = self._pose(segment.to, segment.angles)
            return arc_through(self.X, np.array(segment.through) * self.scale.metres, end)
        end = self.X if segment.angles is None else self._pose([0.0, 0.0, 0.0], segment.angles)
        return arc(
            self.X,
            np.array(segment.centre) * self.scale.metres,
            np.array(segment.normal),
            (segment.angle or 0.0) * self.scale.radians,
            rise=segment.rise * self.scale.metres,
            end=end,
        )

    def _pose(self, place: Sequence[float], angles: Sequence[float] | None) -> Array:
        """Pose (4, 4) at a place; with the last rotation where no angles are given."""
        at = np.array(place) * self.scale.metres
        if angles is None:
            X = self.X.copy()
            X[:3, 3] = at
            return X
        return pose_matrix(at, np.array(angles) * self.scale.radians, self.file.sequence)


def _joined(parts: list[Path], blends: tuple[float, float], stops: list[int]) -> Path:
    """All parts; corners between lines and arcs are rounded, except at stops, given by the parts that follow them."""
    runs: list[Path] = []
    for is_chain, group in groupby(enumerate(parts), key=lambda item: isinstance(item[1], SegmentPath)):
        indices, run = zip(*group, strict=True)
        if not is_chain:
            runs += run
            continue
        # One factor for the corner before each segment of the chain: zero before a part that follows a stop.
        counts = [len(cast(SegmentPath, part)) for part in run]
        rounded = np.ones(sum(counts))
        rounded[np.cumsum([0, *counts[:-1]])[np.isin(indices, stops)]] = 0.0
        runs.append(concatenate(run, blend=rounded[1:] * blends[0], blend_angle=rounded[1:] * blends[1]))
    return runs[0] if len(runs) == 1 else concatenate(runs)
