"""How far poses may be from a path, as `gough path` takes it."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, cast

import numpy as np

from gough.arrays import Array
from gough.cli.table import Table, read_table
from gough.errors import InputError

if TYPE_CHECKING:
    from gough.cli.inputs import Inputs
    from gough.cli.path_input import ReadPath
    from gough.motion.uncertainty import UncertaintyLike

CALIBRATION = "calibration"


def read_uncertainty(text: str, inputs: Inputs, read: ReadPath) -> UncertaintyLike:
    """Radii, radii along the path of a table, or the covariance of a calibrated machine."""
    if text == CALIBRATION:
        from gough.calibration import pose_covariance
        from gough.calibration.remaining import has_covariance

        if not has_covariance(inputs.machine):
            raise InputError(
                f"--uncertainty {CALIBRATION}: machine {inputs.machine.name!r} has no covariance beside its file; "
                "gough calibrate --save writes both"
            )
        return partial(pose_covariance, inputs.machine)
    if text.lower().endswith(".csv"):
        return _along(text, inputs, read)
    found = inputs.numbers("--uncertainty", text, (1, 2), ("m", "rad"))
    return found if len(found) > 1 else found[0]


def _along(file: str, inputs: Inputs, read: ReadPath) -> Array:
    """Rows (k, 3): parameters of the path, distances [m], angles [rad]."""
    counted = "time" if read.is_timed else read.counts
    kinds = {counted: "time" if read.is_timed else "number", "distance": "length", "angle": "angle"}
    table = read_table(file, kinds, inputs.machine.units)
    for name in (counted, "distance"):
        if name not in table.columns:
            raise InputError(f"{table.where}: no column {name!r}; expected {counted}, distance and, if need be, angle")
    place, distance = table.columns[counted], table.columns["distance"]
    angle = table.columns.get("angle", np.zeros_like(distance))
    if not (np.diff(place) > 0).all():
        raise InputError(f"{table.where}: column {counted!r} does not rise from row to row")
    return np.stack([_parameters(table, place, counted, read), distance, angle], axis=1)


def _parameters(table: Table, place: Array, counted: str, read: ReadPath) -> Array:
    """Of the path, at times or where the lines, segments or rows begin; the last one ends with the path."""
    from gough.motion.planned_path import PlannedPath
    from gough.motion.timing.timed_path import TimedPath

    plan = cast(PlannedPath, read.plan.path if isinstance(read.plan, TimedPath) else read.plan)
    (low, high), begins, number = plan.span, plan.begins, plan.number
    first, last = (low, high) if read.is_timed else (float(number[0]), float(number[-1] + 1))
    if place[0] > first or place[-1] < last:
        raise InputError(
            f"{table.where}: column {counted!r} is from {place[0]:g} to {place[-1]:g}, "
            f"the path from {first:g} to {last:g}"
        )
    if read.is_timed:
        return place
    whole, at = np.unique(number, return_index=True)
    return np.asarray(np.interp(place, np.append(whole, last), np.append(begins[at], high)))
