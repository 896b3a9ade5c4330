"""Part programs on machines with a tool head: the tool's pose is divided between platform and head by margins."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from gough.arrays import Array, Progress
from gough.checks.arguments import checks_arguments
from gough.dynamics.extremes import extremes
from gough.machine import Machine
from gough.motion.heads.kinematics import head_of
from gough.motion.heads.motion import HeadSpline, SharedPath
from gough.motion.heads.tool_path import follow_tool
from gough.motion.path import Framed, Path, Rates, States, carried, tool_in_platform
from gough.motion.planned_path import PlannedPath
from gough.motion.programs.moves import Program
from gough.motion.programs.program_path import Spindle, program_path
from gough.motion.segment_path import about_z
from gough.poses import PoseLike, inverse_matrices

PLACES = 240
"""Parameters at which head and roll are chosen; between them they follow splines."""


class RolledPath(Path):
    """A path whose frame is rolled about its z axis by a spline."""

    def __init__(self, path: Path, roll: HeadSpline) -> None:
        self.knots, self.breaks = np.union1d(path.knots, roll.knots), path.breaks
        self.path, self.roll = path, roll

    def states(self, s: Array, before: bool) -> States:
        """See `Path.states`."""
        X, V, A = self.path.states(s, before)
        angle, rate, acceleration = (part[:, :1] for part in self.roll(s))
        # w' = w + rate z about the frame's own axis z, whose derivative is w x z.
        z, w = X[:, :3, 2], V[:, 3:]
        alpha = A[:, 3:] + acceleration * z + rate * np.cross(w, z)
        X = X.copy()
        X[:, :3, :3] = X[:, :3, :3] @ about_z(angle[:, 0])
        return X, np.concatenate([V[:, :3], w + rate * z], axis=1), np.concatenate([A[:, :3], alpha], axis=1)

    def rates(self, low: Array, high: Array) -> Rates | None:
        """See `Path.rates`."""
        found = self.path.rates(low, high)
        if found is None:
            return None
        rate, acceleration = (bound[:, 0] for bound in self.roll.bounds(low, high))
        return Rates(found.v, found.w + rate, found.a, found.alpha + acceleration + carried(rate, found.w))


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
    """Plan a part program on a machine with a tool head: choose head joints, and the roll where it is free,
    by margins.

    At `places` along the program platform and head are chosen as by `gough.motion.heads.follow_tool`; between them the
    head's joints and the roll follow cubic splines, and the platform follows from the tool in closed form, so that the
    tool is exact everywhere. The path begins with the tool at its home pose; the platform may be elsewhere.

    Parameters
    ----------
    machine : Machine
        With a head.
    program, work, spindle, sequence, blend, feed
        As in `gough.motion.programs.program_path`.
    places : int
        Number of parameters at which head and roll are chosen.
    progress : callable, optional
        Called with the work done and its total.

    Returns
    -------
    PlannedPath
        With `head`, its joints over the path's parameter, for `gough.motion.check_path` next to the path.

    Raises
    ------
    InputError
        The machine has no head, or an argument that `program_path` refuses.

    """
    head = head_of(machine)
    held = program_path(
        machine, program, work=work, roll=0.0, spindle=spindle, sequence=sequence, blend=blend, feed=feed
    )
    # The tool's path at roll zero, from the platform's with the head held.
    bare = Framed(held.path, np.eye(4), inverse_matrices(tool_in_platform(machine)))
    s = np.linspace(*bare.span, max(places, 8))
    tips = bare(s)[0]
    # The roll is free only if no move has rotary words, and the program has tool axes at all.
    is_free = all(move.tilt_end.angles is None for move in program.moves) and program.is_tilted
    if is_free:
        track = follow_tool(machine, points=tips[:, :3, 3], axes=tips[:, :3, 2], progress=progress)
    else:
        track = follow_tool(machine, tips, progress=progress)
    # The chosen roll: the rotation about z from the tips at roll zero to those of the track.
    turned = np.swapaxes(tips[:, :3, :3], 1, 2) @ track.tip[:, :3, :3]
    angle = np.unwrap(np.arctan2(turned[:, 1, 0], turned[:, 0, 0]))
    rolls = HeadSpline(s, angle[:, None])
    tool, of_roll = RolledPath(bare, rolls) if is_free else bare, extremes(lambda x: {"roll": rolls(x)[0]}, s)["roll"]
    joints = HeadSpline(s, track.joints)
    return replace(
        held,
        path=SharedPath(machine, tool, joints),
        head=joints,
        head_speed=np.array(head.joint_speed),
        tool=tool,
        roll=(float(of_roll.lowest[0]), float(of_roll.highest[0])) if is_free else (0.0, 0.0),
    )
