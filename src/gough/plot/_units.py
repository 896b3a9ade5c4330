"""From SI to the units of a machine's file: the figures and the report write no others."""

from __future__ import annotations

from math import ceil, log10

import numpy as np
from numpy.typing import ArrayLike, NDArray

from gough.machine import Machine

Array = NDArray[np.float64]

_ANGLE_DECIMALS = {"deg": 3, "rad": 5, "mrad": 2, "urad": 0, "arcmin": 2, "arcsec": 0}


def in_file_units(machine: Machine, values: ArrayLike, si_unit: str) -> Array:
    """Values [m, rad or 1] in the units of the machine's file."""
    return np.asarray(np.asarray(values, dtype=float) / _size(machine, si_unit))


def file_unit(machine: Machine, si_unit: str) -> str:
    """Name of the file's unit for m or rad; nothing for numbers without one."""
    return {"m": machine.units.length, "rad": machine.units.angle}.get(si_unit, "")


def decimals(machine: Machine, si_unit: str) -> int:
    """Decimals that show about 1e-5 of the machine's size, or 20 microradians, or four of a plain number."""
    if si_unit == "m":
        return max(0, ceil(4.5 - log10(machine.size / machine.units.metres)))
    return _ANGLE_DECIMALS[machine.units.angle] if si_unit == "rad" else 4


def _size(machine: Machine, si_unit: str) -> float:
    return {"m": machine.units.metres, "rad": machine.units.radians}.get(si_unit, 1.0)
