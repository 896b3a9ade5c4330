"""What tests read off the sections of a report."""

import numpy as np

from gough.datasheet.model import Picture
from gough.machine import Actuators, Body, Limits
from gough.present.answer import Table

HALF_A_DIGIT = 0.5001
"""Of the last decimal: what rounding may change."""
FOUR_DIGITS = 5.01e-4
"""Of a number: what rounding it to them may change."""
BODY = Body(mass=20.0, mass_centre=np.zeros(3), inertia=np.eye(3))
EMPTY = {"limits": Limits(), "actuators": Actuators(), "platform": None, "leg_bodies": {}, "published": {},
         "calibration": {}}  # fmt: skip
CALIBRATED = {
    "date": "2026-11-22", "data": "measured.csv", "sha256": "ab", "rows": 40, "rms": 3.1e-4, "before": [1e-3] * 6,
    "after": [3e-4, 2e-4, 4e-4, 1e-4, 5e-4, 2.5e-4], "undetermined": ["zero of leg 3 against its gain: 1 combination"],
    "covariance": "",
}  # fmt: skip
"""Of a calibrated machine, as its file says it."""


def tables(section):
    return [block for block in section.shown if isinstance(block, Table)]


def shown(text):
    """The number in a cell."""
    return float(text.replace("−", "-"))


def has_data(figure):
    """Whether there is something to see: every trace has a finite number, and every map a tenth of its area."""
    return all(_is_seen(trace) for trace in figure.data) and len(figure.data) > 0


def _is_seen(trace):
    if trace.type == "heatmap":
        return np.isfinite(np.asarray(trace.z, dtype=float)).mean() >= 0.1
    values = trace.x if trace.type in ("scatter3d", "mesh3d") else trace.y
    return values is not None and any(value is not None and value == value for value in np.ravel(values).tolist())


def pictures(section):
    return [block for block in section.shown if isinstance(block, Picture)]
