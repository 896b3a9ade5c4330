"""Part programs on machines with a tool head: platform and head share the tool's pose by margins all along."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike, NDArray

from gough.checks.arguments import checks_arguments
from gough.machine import Machine
from gough.motion.heads.kinematics import head_of
from gough.motion.heads.platform_path import UnderTool, under_tool
from gough.motion.heads.spline import HeadSpline
from gough.motion.heads.tool_path import follow_tool
from gough.motion.paths.path import Path, Rates, States, carried
from gough.motion.planned_path import PlannedPath
from gough.motion.programs.moves import Program
from gough.motion.programs.program_path import program_path
from gough.motion.programs.tool_frames import Spindle, cutter
from gough.poses import PoseLike

Array = NDArray[np.float64]
Progress = Callable[[int, int], None] | None

PLACES = 240
"""Places along the program at which head and roll are chosen; between them they follow splines."""


class ToolPath(Path):
    """The tool's tip in the base over the parameter of a plan, rolled about its z axis by a spline."""

    def __init__(self, plan: PlannedPath, X_CT: Array, roll: HeadSpline | None) -> None:
        self.knots, self.breaks = plan.path.knots, plan.path.breaks
        if roll is not None:
            self.knots = np.union1d(self.knots, roll.knots)
        self.plan, self.X_PT, self.roll = plan, plan.X_PC @ X_CT, roll

    def states(self, s: Array, before: bool) -> States:
        """See `Path.states`."""
        X_BP, V, A = self.plan.path(s, before=before)
        X = X_BP @ self.X_PT
        r = X[:, :3, 3] - X_BP[:, :3, 3]
        w, alpha = V[:, 3:], A[:, 3:]
        carried = np.cross(w, r)
        v, a = V[:, :3] + carried, A[:, :3] + np.cross(alpha, r) + np.cross(w, carried)
        if self.roll is not None:
            angle, rate, bend = (part[:, :1] for part in self.roll(s))
            z = X[:, :3, 2]
            X = X @ _about_z(angle[:, 0])
            w, alpha = w + rate * z, alpha + bend * z + rate * np.cross(w, z)
        return X, np.concatenate([v, w], axis=1), np.concatenate([a, alpha], axis=1)

    def rates(self, low: Array, high: Array) -> Rates | None:
        """See `Path.rates`."""
        found = self.plan.path.rates(low, high)
        if found is None:
            return None
        v, w, a, alpha = found
        arm = float(np.linalg.norm(self.X_PT[:3, 3]))
        v, a = v + carried(arm, w), a + carried(arm, alpha + w**2)
        if self.roll is not None:
            rate, bend = (bound[:, 0] for bound in self.roll.bounds(low, high))
            w, alpha = w + rate, alpha + bend + carried(rate, w)
        return Rates(v, w, a, alpha)


class SharedPath(Path):
    """The platform under a moving tool whose head moves as a spline says: the tool is exact everywhere."""

    def __init__(self, machine: Machine, tool: ToolPath, head: HeadSpline) -> None:
        self.knots, self.breaks = np.union1d(tool.knots, head.knots), tool.breaks
        self.machine, self.tool, self.head = machine, tool, head

    def states(self, s: Array, before: bool) -> States:
        """See `Path.states`."""
        return UnderTool(self.machine, _Side(self.tool, before), self.head)(s)

    def rates(self, low: Array, high: Array) -> Rates | None:
        """See `Path.rates`."""
        tool = self.tool.rates(low, high)
        return None if tool is None else under_tool(head_of(self.machine), self.head, tool, low, high)


class _Side:
    """A path as a motion over its parameter, on one side of its breaks."""

    def __init__(self, path: Path, before: bool) -> None:
        self.path, self.before, self.span = path, before, path.span

    def __call__(self, time: ArrayLike) -> States:
        return self.path(time, before=self.before)


@checks_arguments
def head_program(
    machine: Machine,
    program: Program,
    *,
    work: PoseLike | None = None,
    spindle: Spindle | None = None,
    sequence: str = "xyz",
    blend: float = 0.0,
    feed: float | None = None,
    places: int = PLACES,
    progress: Progress = None,
) -> PlannedPath:
    """A part program on a machine with a tool head: head joints, and the roll where it is free, by margins.

    At so many places along the program platform and head are chosen as by `gough.motion.heads.follow_tool`; between
    them the head's joints and the roll follow cubic splines, and the platform is in closed form where the tool requires
    for it, so that the tool is exact everywhere. The path begins with the tool at home, not with the platform there.

    Parameters
    ----------
    machine : Machine
        With a head.
    program, work, spindle, sequence, blend, feed
        As in `gough.motion.programs.program_path`.
    places : int
        At which head and roll are chosen.
    progress : callable, optional
        Called with how much is done and of how much.

    Returns
    -------
    PlannedPath
        With `head`, its joints over the path's parameter, for `gough.motion.check_path` beside the path.

    Raises
    ------
    InputError
        The machine has no head, or an argument that `program_path` refuses.

    """
    head = head_of(machine)
    held = program_path(
        machine, program, work=work, roll=0.0, spindle=spindle, sequence=sequence, blend=blend, feed=feed
    )
    X_CT = cutter(machine, spindle).T  # half a turn about x, or none: its own inverse
    bare = ToolPath(held, X_CT, None)
    s = np.linspace(*bare.span, max(places, 8))
    tips = bare(s)[0]
    is_free = all(move.tilt_end.angles is None for move in program.moves) and program.is_tilted
    if is_free:
        track = follow_tool(machine, points=tips[:, :3, 3], axes=tips[:, :3, 2], progress=progress)
    else:
        track = follow_tool(machine, tips, progress=progress)
    turned = np.swapaxes(tips[:, :3, :3], 1, 2) @ track.tip[:, :3, :3]
    angle = np.unwrap(np.arctan2(turned[:, 1, 0], turned[:, 0, 0]))
    roll = HeadSpline(s, angle[:, None]) if is_free else None
    joints = HeadSpline(s, track.joints)
    path = SharedPath(machine, ToolPath(held, X_CT, roll), joints)
    return replace(
        held,
        path=path,
        head=joints,
        head_speed=np.array(head.joint_speed),
        tool=path.tool,
        roll=(float(angle.min()), float(angle.max())) if is_free else (0.0, 0.0),
    )


def _about_z(angle: Array) -> Array:
    X = np.tile(np.eye(4), (len(angle), 1, 1))
    c, s = np.cos(angle), np.sin(angle)
    X[:, 0, 0], X[:, 0, 1], X[:, 1, 0], X[:, 1, 1] = c, -s, s, c
    return X
