"""Motions and paths in files, read as the other commands do, for the viewer to play."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import gough
from gough.cli.inputs import Inputs
from gough.cli.joint_input import read_joint_history
from gough.cli.options import Options
from gough.cli.pose_input import displacements_note, read_timed_poses
from gough.cli.progress import reported_to
from gough.cli.table_files import is_netcdf, parsed_title, read_file
from gough.dynamics.motions import SplineMotion
from gough.errors import InputError
from gough.motion.joint_space.joint_motion import playback
from gough.present.answer import sentence
from gough.present.read import read_netcdf
from gough.viewer.clips import Clip, clip_of_data, clip_of_motion

if TYPE_CHECKING:
    from gough.cli.progress import Listener
    from gough.machine import Machine

OPENED = (".csv", ".nc", ".ngc", ".gcode", ".tap", ".cnc", ".gc", ".toml")
"""Endings of files that can be opened."""


def read_clip(path: Path, machine: Machine, convention: str, listener: Listener | None = None) -> Clip:
    """Return a motion to play: a part program, a path file, poses or leg values in a table, a history in netCDF.

    Parameters
    ----------
    path : Path
    machine : Machine
    convention : str
        Meaning of angles in tables.
    listener : callable, optional
        Receives the progress; an exception of it ends the work.

    """
    suffix, inputs = path.suffix.lower(), Inputs(machine.name, Options(sequence=[convention]), machine)
    with reported_to(listener or (lambda what, done, total: None)):
        if is_netcdf(str(path)):
            clip = clip_of_data(machine, path.name, read_netcdf(path))
        elif suffix not in OPENED:
            raise InputError(f"{path}: the ending {suffix!r} is not known; expected {', '.join(OPENED)}")
        else:
            clip = _table(path, inputs) if suffix == ".csv" else _path(path, inputs)
        said = displacements_note(machine, clip.X)
        return clip.noted(sentence(said)) if said else clip


def _table(path: Path, inputs: Inputs) -> Clip:
    """A table by its columns: leg values, poses over time, both (a history), or poses without times (a path)."""
    m, names = inputs.machine, {parsed_title(title)[0] for title in read_file(str(path)).titles}
    if "q1" in names and names & {"x", "m00"}:  # poses are exact, legs would need forward kinematics
        return _table_history(path, inputs)
    if "q1" in names:
        return clip_of_data(m, path.name, playback(m, *read_joint_history(str(path), m)))
    if "time" not in names:  # poses alone are a path
        return _path(path, inputs)
    return clip_of_motion(m, path.name, SplineMotion(*read_timed_poses(str(path), inputs.orientation, m.units)))


def _table_history(path: Path, inputs: Inputs) -> Clip:
    """Poses of a history over time; the legs follow by inverse kinematics."""
    m = inputs.machine
    time, X = read_timed_poses(str(path), inputs.orientation, m.units)
    note = "" if m.head is None else "The table's head joints are not shown; a history in .nc has them played."
    tip = None if m.head is not None else (X @ m.X_PT)[:, :3, 3]
    return Clip(path.name, time, X, gough.inverse_kinematics(m, X), note=note, tip=tip)


def _path(path: Path, inputs: Inputs) -> Clip:
    """A path, checked and timed as by `gough path`, with its verdict in words."""
    from gough.cli.path_input import read_path, reported

    found = reported(read_path(str(path), inputs), inputs)
    first, *places = found.verdict()
    if found.history is None:
        raise InputError("\n".join([f"{path}: {first}", *places]))
    said = [*map(str.strip, places), *(f"{what}: {much}" for what, much in found.facts().items())]
    return clip_of_data(inputs.machine, path.name, found.history).noted(" ".join([first, *map(sentence, said)]))
