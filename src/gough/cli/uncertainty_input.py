"""How far poses may be from a path, as `gough path` takes it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from gough.cli.command import Request
from gough.cli.options import option
from gough.errors import InputError

if TYPE_CHECKING:
    from gough.arrays import Array
    from gough.cli.inputs import Inputs
    from gough.motion.planned_path import PlannedPath
    from gough.motion.timed_path import TimedPath
    from gough.motion.uncertainty import UncertaintyLike

CALIBRATION = "calibration"


@dataclass(frozen=True)
class Uncertain:
    """Options of how far poses may be from the path."""

    uncertainty: str | None = option(
        metavar="LENGTH[,ANGLE]|FILE.csv|calibration",
        help="Check all poses so near the path: how far the point of interest may be off, and how far turned; a table "
        "of these along the path; or the covariance beside the calibrated machine's file.",
    )
    confidence: float | None = option(
        metavar="PART", help="Of a calibration's errors, this part is checked; 0.95 if not given."
    )

    def of(self, request: Request, plan: PlannedPath | TimedPath) -> dict[str, Any]:
        """Keywords of `gough.motion.check_path`."""
        if self.uncertainty is None or self.uncertainty != CALIBRATION:
            request.counts_only_with(f"--uncertainty {CALIBRATION}", "confidence")
        if self.uncertainty is None:
            return {}
        found: dict[str, Any] = {"uncertainty": _read(self.uncertainty, request, plan)}
        return found if self.confidence is None else {**found, "confidence": self.confidence}


def _read(text: str, inputs: Inputs, plan: PlannedPath | TimedPath) -> UncertaintyLike:
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
        return _along(text, inputs, plan)
    found = inputs.numbers("--uncertainty", text, (1, 2), ("m", "rad"))
    return found if len(found) > 1 else found[0]


def _along(file: str, inputs: Inputs, motion: PlannedPath | TimedPath) -> Array:
    """Rows (k, 3): parameters of the path, distances [m], angles [rad]."""
    import numpy as np

    from gough.cli.table import read_table
    from gough.motion.timed_path import TimedPath

    is_timed = isinstance(motion, TimedPath)
    plan: Any = motion.path if isinstance(motion, TimedPath) else motion
    counted = "time" if is_timed else plan.counts
    kinds = {counted: "time" if is_timed else "number", "distance": "length", "angle": "angle"}
    table = read_table(file, kinds, inputs.machine.units)
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
            f"{table.where}: column {counted!r} is from {place[0]:g} to {place[-1]:g}, "
            f"the path from {first:g} to {last:g}"
        )
    if not is_timed:  # where the lines, segments or rows begin; the last one ends with the path
        place = np.interp(place, np.append(number, last), np.append(plan.begins[begin], plan.span[1]))
    return np.stack([place, distance, angle], axis=1)
