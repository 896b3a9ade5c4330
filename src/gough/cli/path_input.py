"""Paths in files, read as the options say, their reports, and the distance of poses from a path."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from pathlib import Path as FilePath
from typing import TYPE_CHECKING, Any

import numpy as np

from gough.cli.inputs import Inputs
from gough.cli.pose_input import read_path_table
from gough.cli.progress import progress, watched
from gough.cli.table_files import is_netcdf
from gough.errors import InputError
from gough.machine import Machine
from gough.motion.programs.head_program import head_program
from gough.motion.programs.path_file import motion_through_poses, path_from_file, path_through_poses
from gough.motion.programs.path_file_schema import read_path_file
from gough.motion.programs.program_path import program_path, program_start
from gough.motion.programs.reader import read_program
from gough.motion.report import PathReport, path_report
from gough.present.show import plain

if TYPE_CHECKING:
    from gough.arrays import Array
    from gough.cli.request import Request
    from gough.motion.planned_path import PlannedPath
    from gough.motion.programs.program_path import Spindle
    from gough.motion.timed_path import TimedPath
    from gough.motion.uncertainty import UncertaintyLike

PROGRAMS = (".ngc", ".gcode", ".tap", ".cnc", ".nc", ".gc")
"""Endings of part programs."""
DEFAULT_BLEND = 1e-5
"""Tolerance to which corners of part programs are rounded [m]."""


def _kind(file: str) -> str:
    """The ending of a file's name; empty for netCDF, which is a table though part programs may end in .nc too."""
    return "" if is_netcdf(file) else FilePath(file).suffix.lower()


def is_program(file: str) -> bool:
    """Test whether a file is a part program, by its ending."""
    return _kind(file) in PROGRAMS


def reported(plan: PlannedPath | TimedPath, inputs: Inputs, **how: Any) -> PathReport:
    """Return the report of a path: checked, timed and simulated, with progress shown."""
    how["follow"] = "optimal" if inputs.options.timing == "optimal" else "feed"
    return watched("following the path", path_report, plan, **how)


def read_path(file: str, inputs: Inputs, spindle: Spindle | None = None) -> PlannedPath | TimedPath:
    """Return the path in a file, by its ending, or the motion of a table with times; `spindle` counts for part
    programs."""
    given, suffix = inputs.options, _kind(file)
    for name in ("feed", "acceleration", "joint_speed"):
        value = getattr(given, name)
        if value is not None and not value > 0:
            raise InputError(f"--{name.replace('_', '-')}: {plain(value)}, expected above 0")
    m = _limited(inputs)
    how: dict[str, Any] = {"work": inputs.pose("--work", given.work)}
    if suffix not in (*PROGRAMS, ".toml"):
        return _table(file, inputs, m, **how)
    how |= {"blend": inputs.amount(given.blend, "m"), "feed": inputs.amount(given.feed, "m")}
    if given.timing == "given":
        what = "a path file" if suffix == ".toml" else "a part program"
        raise InputError(f"--timing given requires a table with times; {what} has feeds")
    if suffix == ".toml":
        return path_from_file(m, read_path_file(file), file, **how)
    return _program(file, m, spindle=spindle, **how)


def _limited(inputs: Inputs) -> Machine:
    """The machine with the joint speed and acceleration of the options as its limits."""
    m, given = inputs.machine, inputs.options
    limits = {"joint_speed": given.joint_speed, "joint_acceleration": given.acceleration}
    of_each: dict[str, Any] = {
        name: np.full(6, one * m.displayed_joint_size) for name, one in limits.items() if one is not None
    }
    return replace(m, limits=replace(m.limits, **of_each)) if of_each else m


def _program(file: str, m: Machine, **how: Any) -> PlannedPath:
    how = {**how, "blend": DEFAULT_BLEND if how["blend"] is None else how["blend"]}
    with progress(f"reading {file}") as advance:
        program = read_program(file, program_start(m, work=how["work"], spindle=how["spindle"]), progress=advance)
    if m.head is not None:
        return watched("sharing the tool", head_program, m, program, **how)
    return program_path(m, program, **how)


def _table(file: str, inputs: Inputs, m: Machine, **how: Any) -> PlannedPath | TimedPath:
    given, where = inputs.options, "standard input" if file == "-" else file
    time, X = read_path_table(file, inputs.orientation, m.units)
    if how["work"] is None:  # otherwise poses are of the work frame
        inputs.note_displacements(X)
    if given.timing == "given" and time is None:
        raise InputError(f"{where}: --timing given needs a column time")
    if time is not None and given.timing in (None, "given"):
        return motion_through_poses(m, time, X, where, **how)
    blend, feed = inputs.amount(given.blend or 0.0, "m"), inputs.amount(given.feed, "m")
    return path_through_poses(m, X, where, blend=blend, feed=feed, **how)


CALIBRATION = "calibration"


def uncertainty_of(text: str, request: Request, plan: PlannedPath | TimedPath) -> UncertaintyLike:
    """Return radii, a table of radii along the path, or the covariance of a calibrated machine."""
    if text == CALIBRATION:
        from gough.calibration import pose_covariance
        from gough.calibration.remaining import has_covariance

        if not has_covariance(request.machine):
            raise InputError(
                f"--uncertainty {CALIBRATION}: machine {request.machine.name!r} has no covariance next to its file; "
                "gough calibrate --save writes both"
            )
        return partial(pose_covariance, request.machine)
    if text.lower().endswith(".csv"):
        return _along(text, request, plan)
    found = request.numbers("--uncertainty", text, (1, 2), ("m", "rad"))
    return found if len(found) > 1 else found[0]


def _along(file: str, request: Request, motion: PlannedPath | TimedPath) -> Array:
    """Rows (k, 3): parameters of the path, distances [m], angles [rad]."""
    import numpy as np

    from gough.cli.table import read_table
    from gough.motion.timed_path import TimedPath
    from gough.present.show import plain

    is_timed = isinstance(motion, TimedPath)
    plan: Any = motion.path if isinstance(motion, TimedPath) else motion
    counted = "time" if is_timed else plan.counts
    kinds = {counted: "time" if is_timed else "number", "distance": "length", "angle": "angle"}
    table = read_table(file, kinds, request.machine.units)
    for name in (counted, "distance"):
        if name not in table.columns:
            raise InputError(f"{table.where}: no column {name!r}; expected {counted}, distance and optionally angle")
    place, distance = table.columns[counted], table.columns["distance"]
    angle = table.columns.get("angle", np.zeros_like(distance))
    if not (np.diff(place) > 0).all():
        raise InputError(f"{table.where}: column {counted!r} must increase from row to row")
    number, begin = np.unique(plan.number, return_index=True)
    first, last = plan.span if is_timed else (float(number[0]), float(number[-1] + 1))
    if place[0] > first or place[-1] < last:
        raise InputError(
            f"{table.where}: column {counted!r} is from {plain(place[0])} to {plain(place[-1])}, "
            f"the path from {plain(first)} to {plain(last)}"
        )
    if not is_timed:  # numbers of lines, segments or rows become path parameters; the last one ends with the path
        place = np.interp(place, np.append(number, last), np.append(plan.begins[begin], plan.span[1]))
    return np.stack([place, distance, angle], axis=1)
