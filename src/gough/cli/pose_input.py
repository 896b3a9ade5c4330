"""Poses of the command line: one from options, or many from a table."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

import numpy as np

from gough.arrays import Array
from gough.cli.options import Options
from gough.cli.table import Table, numbers, read_table
from gough.errors import InputError, PoseError
from gough.frames.conventions import CONVENTIONS, convention, from_convention
from gough.machine import DisplayUnits
from gough.poses import as_matrices, check_sequence, checked_matrices, pose_matrix, roll_pitch_yaw
from gough.present.show import plain
from gough.stacked import AnyMachine

POSITION = ("x", "y", "z")
ANGLES = ("a", "b", "c")
ROLL_PITCH_YAW = ("roll", "pitch", "yaw")
QUATERNION = ("qx", "qy", "qz", "qw")
AXIS = ("i", "j", "k")
MATRIX = tuple(f"m{row}{column}" for row in range(4) for column in range(4))

DIMENSIONS = {
    **dict.fromkeys(POSITION, "length"),
    **dict.fromkeys(ANGLES + ROLL_PITCH_YAW, "angle"),
    **dict.fromkeys(QUATERNION + MATRIX, "number"),
    **dict.fromkeys(("m03", "m13", "m23"), "length"),
}
_BESIDE = (
    "residual", "iterations", "status", "certified", "error", "distance", "limit", "start", "shift", "turn", "mid",
    "margin", "converged",
)  # fmt: skip
"""Columns of the answers of `gough forward`, `travel` and `nearest`, which can be piped into other commands."""

UNIT_QUATERNION_WITHIN = 1e-3
"""Tolerance of a quaternion's length, which three printed digits keep; the quaternion is then normalised."""


@dataclass(frozen=True)
class Orientation:
    """Meaning of angles: a sequence, a convention, or neither."""

    sequence: str | None = None
    convention: str | None = None

    def __post_init__(self) -> None:
        if self.sequence is not None and self.convention is not None:
            raise InputError("give --sequence or --convention, one of the two")
        _check_kind(self.sequence, self.convention)
        if self.sequence is not None:
            check_sequence(self.sequence, "three")
        if self.convention is not None:
            convention(self.convention)

    @property
    def is_given(self) -> bool:
        """Whether angles have a meaning."""
        return self.sequence is not None or self.convention is not None

    def check_roll_pitch_yaw(self, where: str) -> None:
        """`InputError` where a sequence or a convention contradicts columns roll, pitch and yaw."""
        if self.sequence not in (None, "xyz") or self.convention is not None:
            other = self.sequence if self.convention is None else self.convention
            raise InputError(
                f"{where}: columns roll, pitch, yaw mean R = Rz(yaw) Ry(pitch) Rx(roll), sequence xyz, not {other}; "
                "name them a, b, c if they are others"
            )

    def matrices(self, position: Array, angles: Array) -> Array:
        """Poses (n, 4, 4) from positions [m] and angles [rad]."""
        if self.convention is not None:
            pose = from_convention(self.convention, position, angles, degrees=False)
            return as_matrices(pose)
        if self.sequence is None:
            raise InputError(
                "angles mean nothing alone: give --sequence XYZ (moving axes), --sequence xyz (fixed axes), "
                "or --convention pi, symetrie, linuxcnc, rubin or hexel"
            )
        return pose_matrix(position, angles, self.sequence)


def _check_kind(sequence: str | None, convention: str | None) -> None:
    """`InputError` for a sequence where a convention is expected, or the reverse."""
    if sequence is not None and sequence.lower() in CONVENTIONS:
        raise InputError(f"--sequence {sequence}: it is a convention, give --convention {sequence}")
    if convention is not None and (meant := roll_pitch_yaw(convention)):
        raise InputError(f"--convention {convention}: {meant}, a sequence; give --sequence {meant[-4:-1]}")
    if convention is not None and len(convention) == 3 and set(convention.casefold()) <= set("xyz"):
        raise InputError(f"--convention {convention}: it is a sequence, give --sequence {convention}")


def read_poses(options: Options, machine: AnyMachine) -> Array:
    """Poses of the (end) platform in the base, (4, 4) from options or (n, 4, 4) from a table; else home."""
    units = machine.units
    orientation = Orientation(options.sequence, options.convention)
    single = [options.at, options.angles, options.quaternion, options.matrix]
    if options.csv is not None:
        if any(text is not None for text in single):
            raise InputError("give one pose by options or many with --csv, one of the two")
        return poses_from_table(read_table(options.csv, DIMENSIONS, units, _BESIDE), orientation)
    if all(text is None for text in single):
        return np.asarray(machine.X_home.reshape(-1, 4, 4)[-1])
    return np.asarray(poses_from_table(_single(options, units), orientation)[0])


def read_timed_poses(
    source: str, orientation: Orientation, units: DisplayUnits, *, beside: Collection[str] = ()
) -> tuple[Array, Array]:
    """Times (n,) [s] and poses (n, 4, 4) from a CSV file; `beside` are further columns that are not read."""
    dimensions = {"time": "time", **DIMENSIONS}
    table = read_table(source, dimensions, units, (*_BESIDE, *(set(beside) - set(dimensions))))
    if "time" not in table.columns:
        raise InputError(f"{table.where}: missing time; a motion is a column time [s] beside those of poses")
    return _timed(table, orientation)


def _timed(table: Table, orientation: Orientation) -> tuple[Array, Array]:
    """Increasing times (n,) [s] and poses of a table, at least two."""
    t = table.columns["time"]
    back = np.flatnonzero(np.diff(t) <= 0)
    if len(back):
        k = int(back[0])
        where, before, after = _place(table, k + 1, len(t)), plain(t[k]), plain(t[k + 1])
        raise InputError(f"{where}: time {after} s comes after {before} s; times must increase")
    if len(t) < 2:
        raise InputError(f"{table.where}: one row is no motion; give at least two poses with their times")
    return t, poses_from_table(table, orientation)


def read_tool_path(source: str, orientation: Orientation, units: DisplayUnits) -> dict[str, Array]:
    """`points` and `axes` (n, 3) of a CSV file with columns x, y, z, i, j, k; `tips` (n, 4, 4) of one with poses."""
    table = read_table(source, {**dict.fromkeys(AXIS, "number"), **DIMENSIONS}, units, _BESIDE)
    if not set(AXIS) & set(table.columns):
        return {"tips": poses_from_table(table, orientation)}
    names = POSITION + AXIS
    missing = [name for name in names if name not in table.columns]
    if missing or set(table.columns) != set(names):
        raise InputError(f"{table.where}: a path of the tool is x, y, z beside i, j, k, its axis, and nothing else")
    return {"points": table.stack(POSITION), "axes": table.stack(AXIS)}


def read_path_table(source: str, orientation: Orientation, units: DisplayUnits) -> tuple[Array | None, Array]:
    """Poses (n, 4, 4) from a CSV file, at least two, and their times (n,) [s] where it has a column `time`."""
    table = read_table(source, {"time": "time", **DIMENSIONS}, units, _BESIDE)
    if "time" in table.columns:
        return _timed(table, orientation)
    X = poses_from_table(table, orientation)
    if len(X) < 2:
        raise InputError(f"{table.where}: one row is no path; give at least two poses")
    return None, X


def parse_pose(option: str, text: str, orientation: Orientation, units: DisplayUnits) -> Array:
    """One pose (4, 4) from "x,y,z", "x,y,z,a,b,c" or "x,y,z,qx,qy,qz,qw" [the units given]."""
    values = numbers(option, text, (3, 6, 7))
    names = {3: POSITION, 6: POSITION + ANGLES, 7: POSITION + QUATERNION}[len(values)]
    return np.asarray(poses_from_table(Table(option, _columns(names, values, units)), orientation)[0])


def _single(options: Options, units: DisplayUnits) -> Table:
    """The options as a table of one row."""
    columns: dict[str, Array] = {}
    for option, text, names in (
        ("--at", options.at, POSITION),
        ("--angles", options.angles, ANGLES),
        ("--quaternion", options.quaternion, QUATERNION),
        ("--matrix", options.matrix, MATRIX),
    ):
        if text is not None:
            columns |= _columns(names, numbers(option, text, (len(names),)), units)
    if options.at is None and options.matrix is None:
        raise InputError("an orientation needs a position: give --at X,Y,Z as well")
    return Table("the options", columns)


def _columns(names: Collection[str], values: Array, units: DisplayUnits) -> dict[str, Array]:
    scale = {"length": units.metres, "angle": units.radians, "number": 1.0}
    return {name: np.array([value * scale[DIMENSIONS[name]]]) for name, value in zip(names, values, strict=True)}


def poses_from_table(table: Table, orientation: Orientation) -> Array:
    """Poses (n, 4, 4) from the columns of a table."""
    given = _orientation_columns(table)
    if given == MATRIX:
        try:
            return checked_matrices(table.stack(MATRIX).reshape(-1, 4, 4))
        except PoseError as error:  # it names "pose [k]", which is a row of the table
            head, _, rest = str(error).partition(": ")
            k, count = int(head.removeprefix("pose [").removesuffix("]")), len(table.columns["m00"])
            raise PoseError(f"{_place(table, k, count)}: {rest}") from None
    position = table.stack(POSITION)
    if given == ANGLES:
        return orientation.matrices(position, table.stack(ANGLES))
    if given == ROLL_PITCH_YAW:
        orientation.check_roll_pitch_yaw(table.where)
        return pose_matrix(position, table.stack(ROLL_PITCH_YAW), "xyz")
    matrices = np.tile(np.eye(4), (len(position), 1, 1))  # positions alone have no rotation
    if given == QUATERNION:
        matrices[:, :3, :3] = _rotations(table.stack(QUATERNION), table)
    matrices[:, :3, 3] = position
    return matrices


def _orientation_columns(table: Table) -> tuple[str, ...]:
    """The columns that give the orientation; none where there is no rotation."""
    present = set(table.columns)
    groups = [group for group in (ANGLES, ROLL_PITCH_YAW, QUATERNION, MATRIX) if present & set(group)]
    if len(groups) > 1 or (groups == [MATRIX] and present & set(POSITION)):
        raise InputError(
            f"{table.where}: the pose is given twice; give x, y, z and a, b, c or roll, pitch, yaw "
            "or qx, qy, qz, qw, or m00 to m33, one of the four"
        )
    given = groups[0] if groups else ()
    needed = given if given == MATRIX else POSITION + given
    missing = [name for name in needed if name not in present]
    if missing:
        raise InputError(
            f"{table.where}: missing {', '.join(missing)}; a pose is columns x, y, z, alone or with a, b, c "
            "or roll, pitch, yaw or qx, qy, qz, qw, or it is m00 to m33"
        )
    return given


def _rotations(quaternions: Array, table: Table) -> Array:
    from scipy.spatial.transform import Rotation

    with np.errstate(over="ignore"):  # infinite lengths are refused too
        lengths = np.linalg.norm(quaternions, axis=1)
    # Negated, so that NaN is refused too.
    off = np.flatnonzero(~(np.abs(lengths - 1.0) <= UNIT_QUATERNION_WITHIN))
    if len(off):
        index = int(off[0])
        where = _place(table, index, len(lengths))
        raise PoseError(f"{where}: the quaternion's length is {plain(lengths[index])}, expected 1")
    return np.asarray(Rotation.from_quat(quaternions).as_matrix())


def _place(table: Table, index: int, count: int) -> str:
    return f"{table.where}, row {index + 2} (the header is row 1)" if count > 1 else table.where
