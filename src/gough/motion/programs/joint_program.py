"""Programs of joint coordinates for a motion: six words a line, linearly interpolated by LinuxCNC and the like."""

from __future__ import annotations

from collections.abc import Callable
from math import ceil, log10

import numpy as np
from numpy.typing import ArrayLike

from gough.arrays import Array
from gough.checks.arguments import checks_arguments
from gough.dynamics.drive_peaks import times_between
from gough.dynamics.extremes import MOST, Extremes, extremes
from gough.dynamics.histories import between
from gough.dynamics.motions import Motion
from gough.errors import InputError
from gough.kinematics.forward import forward_kinematics
from gough.kinematics.inverse import inverse_kinematics
from gough.kinematics.rates import platform_twist
from gough.limits.margins import margins
from gough.machine import Machine
from gough.motion.planned_path import PlannedPath
from gough.present.units import with_unit
from gough.quantity import of_joints, quantity, result
from gough.results import Result

TOLERANCE = 1e-5
"""Default tolerance [m]."""
FIRST = 64
"""Smallest number of lines."""
NARROWEST = 1e-12
"""Duration of a piece, as part of the motion's, below which it is not divided: the motion jumps there."""
MOST_LINES = 2_000_000
ROUNDED = 0.01
"""Part of the tolerance for the rounding of the written numbers."""
BLENDED = 0.5
"""Part of the tolerance for the controller's own blending (G64 P)."""
LETTERS = "XYZABCUVW"


@result
class JointProgram(Result):
    """A program of joint coordinates, linear between its lines.

    Attributes
    ----------
    machine : Machine

    """

    text: str = quantity("", is_listed=False, doc="The program.")
    time: Array = quantity("s", "time", doc="Times of its points.")
    q: Array = quantity(
        of_joints(), "time", "leg",
        doc="Joint coordinates there, or readings of the encoders in the machine's file, as written.",
    )  # fmt: skip
    deviation: float = quantity(
        "m",
        doc="Largest distance of the tool's tip from the motion, by forward kinematics, between the points too.",
    )  # fmt: skip
    turn: float = quantity("rad", doc="The same of the rotation.")
    tolerance: float = quantity("m", doc="The requested tolerance.")
    machine: Machine

    def __len__(self) -> int:
        return len(self.time) - 1

    def sentence(self) -> str:
        """State the number of points, and the deviation of linear joints from the path."""
        off = with_unit(self.machine, self.deviation, "m", 3)
        return f"{len(self)} points; straight joints leave the path by {off}"


@checks_arguments
def joint_program(
    machine: Machine,
    motion: Motion,
    *,
    tolerance: float = TOLERANCE,
    letters: str = "XYZABC",
    title: str = "",
    progress: Callable[[int], None] = lambda pieces: None,
) -> JointProgram:
    """Convert a motion to a program of its joints, one point a line in inverse-time feed (G93).

    Joint coordinates are written, or the readings of the encoders in the machine's file: the commands of a controller.
    Between points the controller interpolates linearly, and so departs from the motion. Pieces are divided until the
    tip's departure |v|, and |w| l with l the machine's characteristic length, are below half the tolerance all along
    each, [v, w] = J^-1 (q_linear - q); the other half is for the controller's blending, whose width the program states
    (G64 P). Lengths are written in mm, angles in degrees, rests as G4.

    Parameters
    ----------
    machine : Machine
    motion : Motion
        A motion in time; corners in it (`breaks`, where it has them) become points.
    tolerance : float
        [m].
    letters : str
        Six of X, Y, Z, A, B, C, U, V, W, for legs 1 to 6.
    title : str
        Written into the program as a comment.
    progress : callable
        Called with the number of pieces evaluated since it was last called.

    Returns
    -------
    JointProgram
        Its text, joint coordinates (n, 6) [m or rad], times (n,) [s], and the departure of the tip [m, rad].

    Raises
    ------
    InputError
        A leg that cannot close along the path, a tolerance not above zero, a moving tool head.

    """
    if not (np.isfinite(tolerance) and tolerance > 0):
        raise InputError(f"tolerance: {tolerance:g} m, expected above 0 m")
    if len(letters) != 6 or len(set(letters) & set(LETTERS)) != 6:
        raise InputError(f"letters: {letters!r} are not six different ones of {', '.join(LETTERS)}")
    path = getattr(motion, "path", None)
    if isinstance(path, PlannedPath) and path.head is not None:
        raise InputError(
            "motion: the tool head moves too, but a program has only the six legs; hold the head fixed, as "
            "gough.motion.program_path does"
        )
    unit, name = (1e-3, "mm") if machine.legs.joint == "length" else (float(np.deg2rad(1.0)), "degrees")
    t = _divided(machine, motion, tolerance * (1 - BLENDED - ROUNDED), progress)
    X = motion(t)[0]
    reach = _sensitivity(machine, X)
    decimals = max(0, ceil(-log10(ROUNDED * tolerance / reach / unit)))
    q = np.round(_commanded(machine, inverse_kinematics(machine, X)) / unit, decimals)
    blend = BLENDED * tolerance / reach / unit
    deviation, turn = _measured(machine, motion, t, q * unit, tolerance)
    comments = [
        f"{machine.name}: {'joint coordinates' if machine.encoders is None else 'readings of the encoders'} of legs 1 "
        f"to 6 as {', '.join(letters)} in {name}",
        *([title] if title else []),
        f"for LinuxCNC with loadrt trivkins coordinates={letters}, joints 0 to 5 the legs, units mm and degrees",
        f"straight joints leave the tool's path by {with_unit(machine, deviation, 'm', 3)}, of "
        f"{with_unit(machine, tolerance, 'm')} allowed",
    ]
    head = [f"({comment.replace('(', '[').replace(')', ']')})" for comment in comments]
    head.append(f"G21 G90 G64 P{blend:.{decimals + 2}f} Q0")
    text = "\n".join([*head, *_lines(t, q, letters, decimals), "M2", ""])
    return JointProgram(text, t, q * unit, deviation, turn, tolerance, machine)


def _commanded(machine: Machine, q: Array) -> Array:
    """Commands of a controller for joint coordinates (..., 6): readings, where the machine has encoders."""
    return q if machine.encoders is None else machine.encoders.readings(q)


def _coordinates(machine: Machine, commanded: Array) -> Array:
    """Joint coordinates (..., 6) of a controller's commands."""
    return commanded if machine.encoders is None else machine.encoders.coordinates(commanded)


def _divided(machine: Machine, motion: Motion, tolerance: float, progress: Callable[[int], None]) -> Array:
    """Times between which linear joints stay within the tolerance."""
    low, high = motion.span
    corners = [t for t in np.asarray(getattr(motion, "breaks", ()), dtype=float) if low < t < high]
    t = np.union1d(np.linspace(low, high, FIRST + 1), corners)
    while True:
        off = _departures(machine, motion, t, tolerance)
        progress(len(off))
        # The departure falls with the square of a piece's length, from which the number of its parts follows.
        parts = np.where(off > tolerance, np.ceil(np.sqrt(off / tolerance)).clip(2, 16), 1).astype(int)
        if (parts == 1).all():
            return t
        if parts.sum() > MOST_LINES:
            raise InputError(f"the program would have more than {MOST_LINES} lines; allow a larger tolerance")
        length = np.diff(t)
        is_jump = (parts > 1) & (length < NARROWEST * (high - low))
        if is_jump.any():
            raise InputError(
                f"no straight joints follow the motion to {with_unit(machine, tolerance, 'm')} at "
                f"{t[:-1][is_jump][0]:.6g} s, where it jumps; use a motion without jumps"
            )
        number = np.arange(parts.sum()) - np.repeat(np.cumsum(parts) - parts, parts)
        t = np.append(np.repeat(t[:-1], parts) + number * np.repeat(length / parts, parts), high)


def _departures(machine: Machine, motion: Motion, t: Array, tolerance: float) -> Array:
    """Bounds (n,) between times t (n + 1,) of departures of the tip, and of turns times the characteristic length."""
    q = inverse_kinematics(machine, motion(t)[0])
    _check(machine, motion, t[~np.isfinite(q).all(axis=1)])
    commanded = _commanded(machine, q)

    def departure(time: Array) -> tuple[Array, Array]:
        X = motion(time)[0]
        linear = _coordinates(machine, between(time, t, commanded))
        return _sizes(machine, X, platform_twist(machine, X, linear - inverse_kinematics(machine, X)))

    found = _off(machine, motion, t, departure, tolerance)
    _check(machine, motion, [each.undefined for each in found if each.undefined is not None])
    return np.sqrt(np.maximum(*(each.bounds[:, 0] for each in found)))


def _off(
    machine: Machine, motion: Motion, t: Array, sizes: Callable[[Array], tuple[Array, Array]], tolerance: float
) -> tuple[Extremes, Extremes]:
    """Extremes and bounds of the squares, which are smooth, of two sizes (n,) at times, between times t."""
    found = extremes(
        lambda time: {name: size[:, None] ** 2 for name, size in zip("xy", sizes(time), strict=True)},
        times_between(motion, knots=t),
        noise={key: [(tolerance * machine.size, 0)] for key in "xy"},
        pieces=t,
        most=max(MOST, len(t)),
    )
    return found["x"], found["y"]


def _check(machine: Machine, motion: Motion, undefined: ArrayLike) -> None:
    """Raise `InputError` if there are times (n,) at which legs cannot close."""
    if np.size(undefined):
        t = float(np.min(undefined))
        why = margins(machine, motion(np.array([t]))[0][0]).sentences()[0]
        raise InputError(f"the motion cannot be carried out, at {t:.6g} s: {why}")


def _sizes(machine: Machine, X: Array, V: Array) -> tuple[Array, Array]:
    """Displacements (...) of the tool's origin, and rotations times the characteristic length, for small twists V."""
    arm = X[..., :3, :3] @ machine.X_PT[:3, 3]
    shift = np.linalg.norm(V[..., :3] + np.cross(V[..., 3:], arm), axis=-1)
    return shift, machine.characteristic_length * np.linalg.norm(V[..., 3:], axis=-1)


def _sensitivity(machine: Machine, X: Array) -> float:
    """Largest displacement of the tip, or rotation times characteristic length, for joint errors of at most one."""
    # The sum over the joints of each one's effect, at the worst pose: an upper estimate over all signs of errors.
    shift, turn = _sizes(machine, X[:, None], platform_twist(machine, X[:, None], np.eye(6)))
    return float(np.maximum(shift.sum(axis=1), turn.sum(axis=1)).max())


def _measured(machine: Machine, motion: Motion, t: Array, q: Array, tolerance: float) -> tuple[float, float]:
    """Largest departures of tip and rotation [m, rad] of commands q (n, 6) at times t, by forward kinematics."""

    def departure(time: Array) -> tuple[Array, Array]:
        X = motion(time)[0]
        found = forward_kinematics(machine, _coordinates(machine, between(time, t, q)), near=X).matrix
        tip = found @ machine.X_PT[:, 3:] - X @ machine.X_PT[:, 3:]
        # The vector of R - R^T has the length 2 sin(angle): for these small angles, twice the angle.
        apart = np.swapaxes(X[:, :3, :3], 1, 2) @ found[:, :3, :3]
        skew = [apart[:, i, j] - apart[:, j, i] for i, j in ((2, 1), (0, 2), (1, 0))]
        return np.linalg.norm(tip[:, :3, 0], axis=1), np.linalg.norm(skew, axis=0) / 2

    shift, turn = _off(machine, motion, t, departure, tolerance)
    return float(np.sqrt(shift.highest[0])), float(np.sqrt(turn.highest[0]))


def _lines(t: Array, q: Array, letters: str, decimals: int) -> list[str]:
    """The first point as a rapid move, the others by inverse time, rests as dwells."""
    template = " ".join(f"{letter}%.{decimals}f" for letter in letters)
    words = [template % tuple(row) for row in (q + 0.0).tolist()]  # + 0.0: no negative zeros
    lines, rest = [f"G0 {words[0]}", "G93"], 0.0
    for k in range(1, len(t)):
        # Equal words are a rest to the written decimals; their time is added up for one dwell.
        if words[k] == words[k - 1]:
            rest += t[k] - t[k - 1]
            continue
        if rest:
            lines.append(f"G4 P{rest:.6f}")
            rest = 0.0
        lines.append(f"G1 {words[k]} F{60 / (t[k] - t[k - 1]):.8g}")
    return [*lines, *([f"G4 P{rest:.6f}"] if rest else []), "G94"]
