"""Poses of the command line: one from options, or many from a table."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from math import degrees
from typing import Literal, NamedTuple

import numpy as np

from gough.arrays import Array
from gough.cli.options import Options
from gough.cli.table import Table, note, numbers, read_table
from gough.cli.table_files import (
    ABOUT_AXES,
    ANGLES,
    AXIS,
    DIMENSIONS,
    MATRIX,
    POSITION,
    QUATERNION,
    ROLL_PITCH_YAW,
    TIME,
    UVW,
)
from gough.errors import InputError, PoseError, nearest
from gough.frames.conventions import CONVENTIONS, convention, from_convention
from gough.machine import DisplayUnits
from gough.poses import ORTHONORMAL_WITHIN, as_matrices, check_sequence, checked_matrices, pose_matrix, roll_pitch_yaw
from gough.present.show import plain
from gough.stacked import AnyMachine

ROTATIONS = (ANGLES, ROLL_PITCH_YAW, ABOUT_AXES, UVW, QUATERNION, MATRIX)
"""Groups of columns that give an orientation."""
_PARTIAL = (ROLL_PITCH_YAW, ABOUT_AXES, UVW)
"""Groups whose angles are named by their axis, so that those left out can be zero."""
ROUNDED_WITHIN = 3 * 5e-4
"""Largest Frobenius distance to the nearest rotation of a matrix whose elements are rounded to three decimals."""
UNIT_QUATERNION_WITHIN = 1e-3
"""Tolerance of a quaternion's length, which three printed digits keep; the quaternion is then normalised."""


@dataclass(frozen=True)
class Orientation:
    """Meaning of angles: a sequence, a convention, or neither."""

    sequence: str | None = None
    convention: str | None = None

    @classmethod
    def named(cls, names: Sequence[str] | None) -> Orientation:
        """Return the meaning of the names after --sequence and --convention, of which one at most may be given."""
        if not names:
            return cls()
        if len(names) > 1:
            raise InputError("specify either --sequence or --convention, once")
        (name,) = names
        if set(name.casefold()) <= set("xyz"):
            return cls(sequence=name)
        if name.lower() not in CONVENTIONS:
            meant = roll_pitch_yaw(name)
            raise InputError(
                f"--sequence {name}: expected three of x, y, z, lower case for fixed axes, upper case for moving ones, "
                f"or one of {', '.join(CONVENTIONS)}.{f' Here {meant}' if meant else nearest(name, CONVENTIONS)}"
            )
        return cls(convention=name)

    def __post_init__(self) -> None:
        if self.sequence is not None:
            check_sequence(self.sequence, "three")
        if self.convention is not None:
            convention(self.convention)

    @property
    def is_given(self) -> bool:
        """Whether angles have a meaning."""
        return self.sequence is not None or self.convention is not None

    @property
    def name(self) -> str | None:
        """The sequence or the convention."""
        return self.sequence if self.convention is None else self.convention

    def matrices(self, position: Array, angles: Array) -> Array:
        """Return poses (n, 4, 4) from positions [m] and angles [rad]."""
        if self.convention is not None:
            pose = from_convention(self.convention, position, angles, degrees=False)
            return as_matrices(pose)
        if self.sequence is None:
            raise InputError(
                "Euler angles require --sequence XYZ (moving axes), --sequence xyz (fixed axes), "
                "or --convention pi, symetrie, linuxcnc, rubin or hexel"
            )
        return pose_matrix(position, angles, self.sequence)


class PoseRows(NamedTuple):
    """Rows of a table, or one pose of options: times (n,) [s] where the table has them; poses (n, 4, 4) or (4, 4) of
    the (end) platform in the base, home without options; and the angles (..., 3) [rad] that were typed."""

    time: Array | None
    X: Array
    angles: Array | None = None


def read_pose_rows(options: Options, machine: AnyMachine) -> PoseRows:
    """Return poses of the options, or the rows of their table."""
    units = machine.units
    orientation = Orientation.named(options.sequence)
    single = [options.at, options.angles, options.quaternion]
    if options.csv is not None:
        if any(text is not None for text in single):
            raise InputError("specify either one pose by options, or several with --csv")
        table = _read(options.csv, orientation, units, "beside")
        X = poses_from_table(table, orientation)
        return PoseRows(table.columns.get("time"), X, _angles_in(table, orientation))
    if all(text is None for text in single):
        return PoseRows(None, np.asarray(machine.X_home.reshape(-1, 4, 4)[-1]))
    row = _single(options, units)
    X, angles = poses_from_table(row, orientation)[0], _angles_in(row, orientation)
    return PoseRows(None, np.asarray(X), None if angles is None else np.asarray(angles[0]))


TimeColumn = Literal["beside", "optional", "needed"]


def _read(source: str, orientation: Orientation, units: DisplayUnits, time: TimeColumn) -> Table:
    """Table of poses, with times where it has them."""

    def check(names: Collection[str]) -> list[str]:
        missing = ["Missing time; a motion needs a column time [s] and columns of poses."]
        return [*pose_faults(names, orientation), *(missing if time == "needed" and "time" not in names else [])]

    poses = [POSITION, POSITION + QUATERNION, MATRIX]
    if orientation.is_given:
        poses += [POSITION + ANGLES]
    timed = [(*TIME, *layout) for layout in poses]
    layouts = {"beside": poses, "optional": poses + timed, "needed": timed}[time]
    return read_table(source, {**TIME, **DIMENSIONS}, units, check=check, layouts=layouts)


def read_timed_poses(source: str, orientation: Orientation, units: DisplayUnits) -> tuple[Array, Array]:
    """Return times (n,) [s] and poses (n, 4, 4) from a table."""
    return _timed(_read(source, orientation, units, "needed"), orientation)


def _timed(table: Table, orientation: Orientation) -> tuple[Array, Array]:
    """Increasing times (n,) [s] and poses of a table, at least two."""
    t = table.columns["time"]
    back = np.flatnonzero(np.diff(t) <= 0)
    if len(back):
        k = int(back[0])
        where, before, after = table.place(k + 1), plain(t[k]), plain(t[k + 1])
        raise InputError(f"{where}: time {after} s comes after {before} s; times must increase")
    if len(t) < 2:
        raise InputError(f"{table.where}: a motion needs at least two poses with their times")
    return t, poses_from_table(table, orientation)


def read_tool_path(source: str, orientation: Orientation, units: DisplayUnits) -> dict[str, Array]:
    """`points` and `axes` (n, 3) of a table with columns x, y, z, i, j, k; `tips` (n, 4, 4) of one with poses."""

    def check(names: Collection[str]) -> list[str]:
        if not set(AXIS) & set(names):
            return pose_faults(names, orientation)
        is_path = set(names) == set(POSITION + AXIS)
        return [] if is_path else ["A path of the tool is x, y, z beside i, j, k, its axis, and nothing else."]

    table = read_table(source, {**dict.fromkeys(AXIS, "number"), **DIMENSIONS}, units, check=check)
    if not set(AXIS) & set(table.columns):
        return {"tips": poses_from_table(table, orientation)}
    return {"points": table.stack(POSITION), "axes": table.stack(AXIS)}


def read_path_table(source: str, orientation: Orientation, units: DisplayUnits) -> tuple[Array | None, Array]:
    """Return poses (n, 4, 4) from a table, at least two, and their times (n,) [s] where it has a column `time`."""
    table = _read(source, orientation, units, "optional")
    if "time" in table.columns:
        return _timed(table, orientation)
    X = poses_from_table(table, orientation)
    if len(X) < 2:
        raise InputError(f"{table.where}: a path needs at least two poses")
    return None, X


def displacements_note(machine: AnyMachine, X: Array) -> str:
    """Note that poses X (n, 4, 4) of the (end) platform look like displacements from home: none of them is allowed, and
    all are where the point of interest is moved, and the platform turned, by as much from home; empty otherwise."""
    from gough.displacements import displaced, displacement
    from gough.kinematics.inverse import postures
    from gough.limits.margins import is_allowed

    if len(X) < 2 or is_allowed(machine, postures(machine, X)).any():
        return ""
    moved = displaced(machine.end_home, displacement(np.eye(4), X), machine.point_of_interest)
    if not is_allowed(machine, postures(machine, moved)).all():
        return ""
    at = ", ".join(plain(x / machine.units.metres, 6) for x in machine.end_home[:3, 3])
    return (
        "no pose is allowed, and these look like displacements from home: as such all are allowed. Poses are of the "
        f"platform's frame in the base, at ({at}) {machine.units.length} at home"
    )


def parse_pose(option: str, text: str, orientation: Orientation, units: DisplayUnits) -> Array:
    """Return one pose (4, 4) from "x,y,z", "x,y,z,a,b,c" or "x,y,z,qx,qy,qz,qw" [the units given]."""
    return np.asarray(poses_from_table(Table(option, _pose_columns(option, text, units)), orientation)[0])


def _single(options: Options, units: DisplayUnits) -> Table:
    """The options as a table of one row."""
    if options.at is None:
        raise InputError("an orientation requires a position: specify --at X,Y,Z")
    columns = _pose_columns("--at", options.at, units)
    for option, text, names in (("--angles", options.angles, ANGLES), ("--quaternion", options.quaternion, QUATERNION)):
        if text is not None:
            if len(columns) > len(POSITION):
                raise InputError(
                    f"{option}: the orientation of the pose is already specified; remove one of the options"
                )
            columns |= _columns(names, numbers(option, text, (len(names),)), units)
    return Table("the options", columns)


def _pose_columns(option: str, text: str, units: DisplayUnits) -> dict[str, Array]:
    """Columns of "x,y,z", "x,y,z,a,b,c" or "x,y,z,qx,qy,qz,qw"."""
    values = numbers(option, text, (3, 6, 7))
    return _columns({3: POSITION, 6: POSITION + ANGLES, 7: POSITION + QUATERNION}[len(values)], values, units)


def _columns(names: Collection[str], values: Array, units: DisplayUnits) -> dict[str, Array]:
    scale = {"length": units.metres, "angle": units.radians, "number": 1.0}
    return {name: np.array([value * scale[DIMENSIONS[name]]]) for name, value in zip(names, values, strict=True)}


def pose_faults(names: Collection[str], orientation: Orientation, *, is_whole: bool = False) -> list[str]:
    """Return sentences on what is wrong with the columns of a pose; where `is_whole`, no angle may be left out."""
    groups = [group for group in ROTATIONS if set(names) & set(group)]
    faults = []
    if len(groups) > 1 or (groups == [MATRIX] and set(names) & set(POSITION)):
        faults = [
            "The pose is given twice; specify x, y, z with a, b, c or roll, pitch, yaw or qx, qy, qz, qw; or specify "
            "m00 to m33."
        ]
    needed = dict.fromkeys(() if MATRIX in groups else POSITION)
    needed |= dict.fromkeys(name for group in groups if is_whole or group not in _PARTIAL for name in group)
    if missing := [name for name in needed if name not in names]:
        faults.append(
            f"Missing {', '.join(missing)}; a pose is columns x, y, z, alone or with a, b, c or roll, pitch, yaw or "
            "qx, qy, qz, qw, or it is m00 to m33."
        )
    for group in groups:
        faults += filter(None, [_meaning_fault(group, orientation)])
    return faults


def _meaning_fault(group: tuple[str, ...], orientation: Orientation) -> str:
    """Why the angles of a group of columns mean nothing, or another thing than the options say."""
    names, maker, sequence = ", ".join(group), orientation.convention, orientation.sequence
    if group == ROLL_PITCH_YAW and (sequence not in (None, "xyz") or maker is not None):
        return (
            f"Columns roll, pitch, yaw mean R = Rz(yaw) Ry(pitch) Rx(roll), sequence xyz, not {sequence or maker}; "
            "name them a, b, c if they are others."
        )
    if group not in (ABOUT_AXES, UVW):
        return ""
    if maker is not None:
        makers = [each.name for each in CONVENTIONS.values() if tuple(map(str.casefold, each.angles)) == UVW]
        is_other = group == UVW and convention(maker).name not in makers
        return f"Columns {names} are angles of {' and '.join(makers)}, not of {maker}." if is_other else ""
    if sequence is None:
        return (
            f"Angles {names} mean nothing alone: specify --convention pi, symetrie, linuxcnc, rubin or hexel, or "
            "--sequence xyz (fixed axes) or XYZ (moving axes); a rotation vector is not read."
        )
    is_permutation = sorted(sequence.casefold()) == ["x", "y", "z"]
    return "" if is_permutation else f"Columns {names} are angles about x, y and z, which sequence {sequence} has not."


def poses_from_table(table: Table, orientation: Orientation) -> Array:
    """Return poses (n, 4, 4) from the columns of a table."""
    if faults := pose_faults(table.columns, orientation):
        raise InputError(f"{table.where}: {' '.join([faults[0][0].lower() + faults[0][1:], *faults[1:]])}".rstrip("."))
    given = next((group for group in ROTATIONS if set(group) & set(table.columns)), ())
    if given == MATRIX:
        return _from_matrices(table)
    position = table.stack(POSITION)
    if given == ANGLES:
        return orientation.matrices(position, table.stack(ANGLES))
    if given in _PARTIAL:
        return _about_named_axes(table, position, given, orientation)
    matrices = np.tile(np.eye(4), (len(position), 1, 1))  # positions alone have no rotation
    if given == QUATERNION:
        matrices[:, :3, :3] = _rotations(table.stack(QUATERNION), table)
    matrices[:, :3, 3] = position
    return matrices


def _about_named_axes(table: Table, position: Array, names: Sequence[str], orientation: Orientation) -> Array:
    """Poses from angles named by their axes; those that are left out are zero."""
    if missing := [name for name in names if name not in table.columns]:
        note(f"{table.where}: there are no columns {', '.join(missing)}; these angles are set to zero")
    angles = _in_order(table, names, orientation)
    if names == ROLL_PITCH_YAW:
        return pose_matrix(position, angles, "xyz")
    return orientation.matrices(position, angles)


def _in_order(table: Table, names: Sequence[str], orientation: Orientation) -> Array:
    """Angles (n, 3) of columns named by their axes, in the order of the sequence or convention; zero if left out."""
    zero = np.zeros(len(table.stack(POSITION)))
    angles = np.stack([table.columns.get(name, zero) for name in names], axis=-1)
    if names == ROLL_PITCH_YAW or orientation.sequence is None:  # every convention has the angles about x, y, z so
        return angles
    return angles[:, ["xyz".index(axis) for axis in orientation.sequence.casefold()]]


def _angles_in(table: Table, orientation: Orientation) -> Array | None:
    """Angles (n, 3) [rad] of a table as the sequence or convention means them; None where it has none."""
    given = next((group for group in (ANGLES, *_PARTIAL) if set(group) & set(table.columns)), None)
    if given is None or not orientation.is_given:
        return None
    return table.stack(ANGLES) if given == ANGLES else _in_order(table, given, orientation)


def _from_matrices(table: Table) -> Array:
    """Poses of matrices; rotations that are rounded become the nearest exact ones, with a note."""
    X = table.stack(MATRIX).reshape(-1, 4, 4)
    with np.errstate(over="ignore", invalid="ignore"):
        R = X[:, :3, :3]
        departs = np.abs(np.swapaxes(R, 1, 2) @ R - np.eye(3)).max(axis=(1, 2))
    off = np.flatnonzero((departs > 0.1 * ORTHONORMAL_WITHIN) & (departs < 1.0))
    if len(off):
        U, _, Vt = np.linalg.svd(R[off])
        turned = U @ Vt
        moved = np.linalg.norm(R[off] - turned, axis=(1, 2))
        is_rounded = (moved <= ROUNDED_WITHIN) & (np.abs(R[off]).max(axis=(1, 2)) <= 1.0) & (np.linalg.det(turned) > 0)
        if is_rounded.any():
            X[off[is_rounded], :3, :3] = turned[is_rounded]
            # The projection removes the symmetric part of the rounding errors; the skew part is about as large.
            angle = degrees(float(moved[is_rounded].max()) / np.sqrt(2))
            note(
                f"{table.where}: {int(is_rounded.sum())} of {len(X)} rotation matrices are rounded; each is replaced "
                f"by the nearest rotation, and may be off by about {plain(angle, 2)} deg"
            )
    try:
        return checked_matrices(X)
    except PoseError as error:  # it names "pose [k]", which is a row of the table
        head, _, rest = str(error).partition(": ")
        k = int(head.removeprefix("pose [").removesuffix("]"))
        raise PoseError(f"{table.place(k)}: {rest}") from None


def _rotations(quaternions: Array, table: Table) -> Array:
    from scipy.spatial.transform import Rotation

    with np.errstate(over="ignore"):  # infinite lengths are refused too
        lengths = np.linalg.norm(quaternions, axis=1)
    # Negated, so that NaN is refused too.
    off = np.flatnonzero(~(np.abs(lengths - 1.0) <= UNIT_QUATERNION_WITHIN))
    if len(off):
        index = int(off[0])
        raise PoseError(f"{table.place(index)}: the quaternion's length is {plain(lengths[index])}, expected 1")
    return np.asarray(Rotation.from_quat(quaternions).as_matrix())
