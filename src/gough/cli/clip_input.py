"""Files of motions and paths as the viewer plays them, read and reported as the other commands do."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import xarray

    from gough.cli.pose_input import Orientation
    from gough.cli.progress import Listener
    from gough.machine import Machine
    from gough.viewer.clips import Clip

SIGNATURES = (b"CDF", b"\x89HDF")
"""Begins of netCDF files; whatever else is called .nc is a part program."""
OPENED = (".csv", ".nc", ".ngc", ".gcode", ".tap", ".cnc", ".gc", ".toml")
"""Endings of what can be opened."""


def read_clip(path: Path, machine: Machine, convention: str, listener: Listener | None = None) -> Clip:
    """A motion to play: a part program, a path file, poses or leg values in a table, a history in netCDF.

    Parameters
    ----------
    path : Path
    machine : Machine
    convention : str
        What angles of tables mean.
    listener : callable, optional
        Receives the progress; what it raises ends the work.

    """
    from gough.cli.pose_input import Orientation
    from gough.cli.progress import reported_to

    with reported_to(listener or (lambda what, done, total: None)):
        return _read(path, machine, Orientation(convention=convention))


def _read(path: Path, machine: Machine, orientation: Orientation) -> Clip:
    from gough.viewer.clips import clip_of_data

    suffix = path.suffix.lower()
    if suffix == ".nc" and _begin(path).startswith(SIGNATURES):
        return clip_of_data(machine, path.name, _history(path))
    if suffix not in OPENED:
        from gough.errors import InputError

        raise InputError(f"{path}: the ending {suffix!r} is not known; expected {', '.join(OPENED)}")
    if suffix == ".csv":
        return _table(path, machine, orientation)
    return _path(path, machine, orientation)


def _begin(path: Path) -> bytes:
    """The first bytes of a file, or `OSError`, which has words of its own."""
    with path.open("rb") as file:
        return file.read(4)


def _table(path: Path, machine: Machine, orientation: Orientation) -> Clip:
    """A table by its columns: leg values, poses over time, both (a history), or poses without times (a path)."""
    from gough.cli.joint_input import read_joint_history
    from gough.cli.pose_input import read_timed_poses
    from gough.dynamics.motions import SplineMotion
    from gough.motion.joint_space.playback import playback
    from gough.viewer.clips import clip_of_data, clip_of_motion

    header = path.read_text("utf-8-sig", errors="replace").partition("\n")[0]
    columns = [title.strip() for title in header.replace(";", ",").replace("\t", ",").split(",")]
    names = {title.partition("_")[0] for title in columns}
    if "q1" in names and names & {"x", "m00"}:
        return _table_history(path, machine, orientation, names)
    if "q1" in names:
        return clip_of_data(machine, path.name, playback(machine, *read_joint_history(str(path), machine)))
    if "time" not in names:
        return _path(path, machine, orientation)
    return clip_of_motion(machine, path.name, SplineMotion(*read_timed_poses(str(path), orientation, machine.units)))


def _table_history(path: Path, machine: Machine, orientation: Orientation, names: set[str]) -> Clip:
    """Poses of a history over time, as they are; the legs follow from them."""
    import gough
    from gough.cli.pose_input import read_timed_poses
    from gough.viewer.clips import Clip

    time, X = read_timed_poses(str(path), orientation, machine.units, beside=names)
    note = "" if machine.head is None else "The table's head joints are not shown; a history in .nc has them played."
    tip = None if machine.head is not None else (X @ machine.X_PT)[:, :3, 3]
    return Clip(path.name, time, X, gough.inverse_kinematics(machine, X), note=note, tip=tip)


def _path(path: Path, machine: Machine, orientation: Orientation) -> Clip:
    """A path that is judged and timed as `gough path` does, its verdict in words."""
    from gough.cli.path import reported
    from gough.cli.path_input import PathOptions, read_path
    from gough.cli.path_output import verdict
    from gough.errors import InputError
    from gough.viewer.clips import clip_of_data

    given = PathOptions()
    read = read_path(str(path), machine, orientation, given)
    found = reported(read, machine, given)
    said = [verdict(found, read), *found.sentences(read.counts)]
    if found.history is None:
        raise InputError("\n".join([f"{path}: {said[0]}", *said[1:], f"it cannot be timed: {found.why_not}"]))
    clip = clip_of_data(machine, path.name, found.history)
    takes = f"It takes {clip.duration:.4g} s; leg {found.work.hardest} works hardest." if found.work else ""
    return clip.noted(" ".join([*(line if line.endswith((".", ":")) else f"{line}." for line in said), takes]))


def _history(path: Path) -> xarray.Dataset:
    """A history in netCDF, read whole."""
    import xarray

    from gough.errors import InputError

    try:
        return xarray.load_dataset(path, engine="scipy")
    except (ValueError, TypeError, KeyError, IndexError, AssertionError):
        raise InputError(f"{path} is not a netCDF file that Gough wrote") from None
