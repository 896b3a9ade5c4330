"""Units of machine files; the only conversions below the datasheet and the command line."""

from __future__ import annotations

from math import pi
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from gough.machine_parts import DisplayUnits

LENGTH = {"m": 1.0, "cm": 1e-2, "mm": 1e-3, "um": 1e-6, "nm": 1e-9, "in": 0.0254, "ft": 0.3048}
ANGLE = {"rad": 1.0, "mrad": 1e-3, "urad": 1e-6, "deg": pi / 180, "arcmin": pi / 10800, "arcsec": pi / 648000}
MASS = {"kg": 1.0, "g": 1e-3, "t": 1e3, "lb": 0.45359237}
TIME = {"s": 1.0, "ms": 1e-3, "min": 60.0}
FORCE = {"N": 1.0, "mN": 1e-3, "kN": 1e3, "lbf": 4.4482216152605}
TORQUE = {"N m": 1.0, "N mm": 1e-3, "kN m": 1e3, "lbf in": 0.1129848290276167}
INERTIA = {"kg m2": 1.0, "kg mm2": 1e-6, "g mm2": 1e-9, "lb in2": 0.45359237 * 0.0254**2}
STIFFNESS = {"N/m": 1.0, "N/mm": 1e3, "N/um": 1e6, "lbf/in": 4.4482216152605 / 0.0254}
PRESSURE = {"Pa": 1.0, "MPa": 1e6, "GPa": 1e9, "psi": 6894.757293168361}
AREA = {"m2": 1.0, "cm2": 1e-4, "mm2": 1e-6, "in2": 0.0254**2}

SPELLED_OUT = {
    **dict.fromkeys(("meter", "meters", "metre", "metres"), "m"),
    **dict.fromkeys(("millimeter", "millimeters", "millimetre", "millimetres", "milimeter"), "mm"),
    **dict.fromkeys(("micron", "microns", "micrometer", "micrometre", "µm", "μm"), "um"),
    **dict.fromkeys(("inch", "inches", '"'), "in"),
    **dict.fromkeys(("foot", "feet"), "ft"),
    **dict.fromkeys(("degree", "degrees", "°"), "deg"),
    **dict.fromkeys(("radian", "radians"), "rad"),
    **dict.fromkeys(("kilogram", "kilograms", "kilo"), "kg"),
    **dict.fromkeys(("pound", "pounds", "lbs"), "lb"),
    **dict.fromkeys(("second", "seconds", "sec"), "s"),
    **dict.fromkeys(("newton", "newtons"), "N"),
    **dict.fromkeys(("Nm", "N*m", "N.m"), "N m"),
    **dict.fromkeys(("kgm2", "kg*m2", "kg m^2", "kg m²", "kg.m2"), "kg m2"),
}
"""Common other spellings of the symbols above, used for hints only."""


class Units(BaseModel):
    """Units in which the file's numbers are written; default: SI.

    Speeds and accelerations are in length (or angle) per time and per time squared; all other quantities have units of
    their own, not derived ones.
    """

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True, defer_build=True)

    length: Literal["m", "cm", "mm", "um", "nm", "in", "ft"] = Field("m", description="points, strokes, radii")
    angle: Literal["rad", "mrad", "urad", "deg", "arcmin", "arcsec"] = Field("rad", description="angles, crank angles")
    mass: Literal["kg", "g", "t", "lb"] = Field("kg", description="masses")
    time: Literal["s", "ms", "min"] = Field("s", description="in speeds and accelerations")
    force: Literal["N", "mN", "kN", "lbf"] = Field("N", description="of sliding and extending drives")
    torque: Literal["N m", "N mm", "kN m", "lbf in"] = Field("N m", description="of cranks")
    inertia: Literal["kg m2", "kg mm2", "g mm2", "lb in2"] = Field("kg m2", description="moments of inertia")
    stiffness: Literal["N/m", "N/mm", "N/um", "lbf/in"] = Field("N/m", description="of struts and joints")
    pressure: Literal["Pa", "MPa", "GPa", "psi"] = Field("Pa", description="elastic modulus")
    area: Literal["m2", "cm2", "mm2", "in2"] = Field("m2", description="cross-section of struts")

    @property
    def metres(self) -> float:
        """Metres in one length unit."""
        return LENGTH[self.length]

    @property
    def radians(self) -> float:
        """Radians in one angle unit."""
        return ANGLE[self.angle]

    def of_joint(self, joint: Literal["length", "angle"]) -> tuple[float, str]:
        """Return the size in SI and name of the unit of a joint coordinate."""
        return (self.metres, self.length) if joint == "length" else (self.radians, self.angle)

    @property
    def for_display(self) -> DisplayUnits:
        """The units that a machine keeps for output."""
        stiffness = self.stiffness.replace("um", "µm") if "stiffness" in self.model_fields_set else ""
        return DisplayUnits(
            length=self.length, angle=self.angle, metres=self.metres, radians=self.radians, stiffness=stiffness
        )

    @property
    def kilograms(self) -> float:
        """Kilograms in one mass unit."""
        return MASS[self.mass]

    @property
    def seconds(self) -> float:
        """Seconds in one time unit."""
        return TIME[self.time]

    @property
    def newtons(self) -> float:
        """Newtons in one force unit."""
        return FORCE[self.force]

    @property
    def newton_metres(self) -> float:
        """Newton metres in one torque unit."""
        return TORQUE[self.torque]


_KEYS = {
    "length": "points translation point_of_interest mass_centre arm rod_length length radius height leg_radius "
    "screw_lead a d position about box ball ellipsoid half_height x_min x_max y_min y_max z_min z_max "
    "base_points platform_points rod_lengths arms rms before after",
    "angle": "angles pair_angle heading headings rotation half_angle tilt roll turn euler alpha theta "
    "base_plate_angle platform_plate_angle guides axes",
    "joint": "joint_min joint_max travel_min travel_max resolution min max home "
    "zero sine cosine middle period joint_zeros once_per_turn",
    "per_joint": "curvature curvatures",
    "joint_speed": "joint_speed speed",
    "joint_acceleration": "joint_acceleration",
    "effort": "actuator_force coulomb_friction",
    "viscous_friction": "viscous_friction",
    "inertia": "xx yy zz xy xz yz rotor_inertia",
    "stiffness": "stiffness base_joint_stiffness platform_joint_stiffness",
    "pressure": "modulus",
    "mass": "mass",
    "area": "area",
    "gravity": "gravity",
}
"""Keys of machine files by the quantity that they give; keys of numbers without a unit are not among them."""
_QUANTITY = {key: quantity for quantity, keys in _KEYS.items() for key in keys.split()}


def unit_of(key: str, units: Units, joint: Literal["length", "angle"] = "length") -> str:
    """Return the unit of the numbers under a key of a machine file, "" where they have none.

    Parameters
    ----------
    key : str
        The last part of the key: "joint_max", "half_angle".
    units : Units
        What the file declares.
    joint : "length" or "angle"
        Kind of the joint coordinate.

    """
    quantity = _QUANTITY.get(key, "")
    coordinate = units.of_joint(joint)[1]
    is_length = joint == "length"
    derived = {
        "": "",
        "joint": coordinate,
        "per_joint": f"1/{coordinate}",
        "joint_speed": f"{coordinate}/{units.time}",
        "joint_acceleration": f"{coordinate}/{units.time}2",
        "effort": units.force if is_length else units.torque,
        "viscous_friction": "N s/m" if is_length else "N m s/rad",
        "gravity": "m/s2",
    }
    return derived[quantity] if quantity in derived else str(getattr(units, quantity))


def size_of(key: str, units: Units, joint: Literal["length", "angle"] = "length") -> float:
    """Return the size in SI of the unit of a key that is a length, an angle, a joint coordinate, one over it, or a
    number."""
    coordinate = units.of_joint(joint)[0]
    sizes = {"length": units.metres, "angle": units.radians, "joint": coordinate, "per_joint": 1.0 / coordinate}
    return sizes.get(_QUANTITY.get(key, ""), 1.0)
