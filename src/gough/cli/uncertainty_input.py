"""The distance of poses from a path, from options: radii, a table of radii, or a calibration's covariance."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from gough.errors import InputError

if TYPE_CHECKING:
    from gough.arrays import Array
    from gough.cli.request import Request
    from gough.motion import PlannedPath, TimedPath
    from gough.motion.uncertainty import UncertaintyLike

CALIBRATION = "calibration"


def uncertainty_of(text: str, request: Request, plan: PlannedPath | TimedPath) -> UncertaintyLike:
    """Radii, a table of radii along the path, or the covariance of a calibrated machine."""
    if text == CALIBRATION:
        from gough.calibration import pose_covariance
        from gough.calibration.remaining import has_covariance

        if not has_covariance(request.machine):
            raise InputError(
                f"--uncertainty {CALIBRATION}: machine {request.machine.name!r} has no covariance beside its file; "
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
            raise InputError(f"{table.where}: no column {name!r}; expected {counted}, distance and, if need be, angle")
    place, distance = table.columns[counted], table.columns["distance"]
    angle = table.columns.get("angle", np.zeros_like(distance))
    if not (np.diff(place) > 0).all():
        raise InputError(f"{table.where}: column {counted!r} does not rise from row to row")
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
