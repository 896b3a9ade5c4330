"""Parts of machines, such as limits and drives, as facts for consoles and notebooks."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gough.arrays import MachinePart
from gough.present.results import html_table, in_one_line

UNITS = {
    **dict.fromkeys(("b_P", "a_B", "c_B", "r_B", "rod_length", "leg_radius", "box", "radius", "sizes", "about"), "m"),
    **dict.fromkeys(("joint_min", "joint_max", "resolution", "zero", "sine", "cosine", "middle", "period"), "m or rad"),
    **dict.fromkeys(("half_angle", "minimum", "tilt", "rotation"), "rad"),
    **dict.fromkeys(("stiffness", "base_joint_stiffness", "platform_joint_stiffness"), "N/m"),
    **{"joint_speed": "m/s or rad/s", "joint_acceleration": "m/s2 or rad/s2", "actuator_force": "N or N m"},
    **{"axial_rigidity": "N", "coulomb_friction": "N or N m", "viscous_friction": "N s/m or N m s/rad"},
    **{"rotor_inertia": "kg m2", "transmission": "rad/m or rad/rad", "curvature": "1/m or 1/rad", "q": "rad or m"},
    **{"mass": "kg", "mass_centre": "m", "inertia": "kg m2"},
}
"""SI units of the fields that have one."""


def one_line_of_part(part: MachinePart) -> str:
    """Name of the class and what is given, shortened where that is long."""
    given = ", ".join(f"{name} {words}" for name, words in _facts(part).items())
    return in_one_line(part, given or "nothing given")


def html_of_part(part: MachinePart) -> str:
    """Name of the class and a table of what is given."""
    return html_table(type(part).__name__, ("", ""), list(_facts(part).items()))


def _facts(part: Any) -> dict[str, str]:
    """Fields of a part that are given, by name; those of its own parts behind its name."""
    found: dict[str, str] = {}
    for field in fields(part):
        name, value = field.name, getattr(part, field.name)
        if isinstance(value, MachinePart):
            found |= {f"{name} {inner}": words for inner, words in _facts(value).items()}
        elif isinstance(value, float | np.ndarray) and np.isfinite(value).any():
            found[name] = _with_unit(np.asarray(value), UNITS.get(name, ""))
        elif isinstance(value, str):
            found[name] = value
        elif isinstance(value, tuple):  # of a head
            found[name] = ", ".join(joint.name for joint in value)
    return found


def _with_unit(values: NDArray[Any], unit: str) -> str:
    """Numbers and their unit; what all legs have in common once."""
    if values.ndim and len(values) == 6 and np.array_equal(values, np.broadcast_to(values[0], values.shape)):
        return f"{_numbers(values[0])} {unit}".rstrip() + " each"
    return f"{_numbers(values)} {unit}".rstrip()


def _numbers(values: NDArray[Any]) -> str:
    """Numbers in four digits, rows in parentheses."""
    if not values.ndim:
        return f"{float(values) + 0.0:.4g}".replace("-", "\N{MINUS SIGN}")
    return ", ".join(f"({_numbers(row)})" if values.ndim > 1 else _numbers(row) for row in values)
