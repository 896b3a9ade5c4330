"""Encoders, tolerances and the history of calibrated numbers of a machine file, in SI."""

from __future__ import annotations

from typing import Any

import numpy as np

from gough.description.problems import Problems
from gough.description.schema import MachineFile
from gough.description.units import size_of
from gough.legs import Legs
from gough.machine_parts import Encoders

_STEEP = 0.9
"""Readings and joint coordinates go the same direction, by at most this much less or more."""


def encoders_of(file: MachineFile, kind: type[Legs], problems: Problems) -> Encoders | None:
    """What the file says of its encoders; None where it says nothing."""
    given = file.encoders
    if given is None:
        return None
    size = {key: size_of(key, file.units, kind.joint) for key in type(given).model_fields}
    values = {key: np.array(value, dtype=float) * size[key] for key, value in given if value is not None}
    if given.period is None and (any(given.sine) or any(given.cosine)):
        problems.add("encoders.period", "is missing: `sine` and `cosine` return with it")
    if max(abs(gain) for gain in given.gain) > _STEEP:
        problems.add(
            "encoders.gain", f"expected less than {_STEEP:g} either side; 0.01 is a hundredth more than is read"
        )
    return Encoders(**values)


def tolerances_of(file: MachineFile, kind: type[Legs]) -> dict[str, float]:
    """Tolerances by group of parameters."""
    return {key: value * size_of(key, file.units, kind.joint) for key, value in file.tolerances if value is not None}


def calibration_of(file: MachineFile) -> dict[str, Any]:
    """Where calibrated numbers come from, residuals in metres; empty where they are no such."""
    if file.calibration is None:
        return {}
    found = file.calibration.model_dump()
    for key in ("rms", "before", "after"):
        if found[key] is not None:
            found[key] = (np.array(found[key]) * file.units.metres).tolist()
    return found
