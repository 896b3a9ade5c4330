"""Every unit against CODATA's definitions, and a file all in rare units against the same file in SI."""

import tomllib
from pathlib import Path

import numpy as np
import pytest
from scipy import constants as c
from tests.rendered import unit_of
from tests.skew import SKEW

import gough
from gough.description import units as u
from gough.description.build import from_document
from gough.present.units import PREFIXED

ROUND_OFF = 1e-14
INCH2 = c.inch**2
DEFINED = {
    "LENGTH": {"m": 1, "cm": c.centi, "mm": c.milli, "um": c.micro, "nm": c.nano, "in": c.inch, "ft": c.foot},
    "ANGLE": {
        "rad": 1,
        "mrad": c.milli,
        "urad": c.micro,
        "deg": c.degree,
        "arcmin": c.arcminute,
        "arcsec": c.arcsecond,
    },
    "MASS": {"kg": 1, "g": c.gram, "t": c.metric_ton, "lb": c.pound},
    "TIME": {"s": 1, "ms": c.milli, "min": c.minute},
    "FORCE": {"N": 1, "mN": c.milli, "kN": c.kilo, "lbf": c.pound_force},
    "TORQUE": {"N m": 1, "N mm": c.milli, "kN m": c.kilo, "lbf in": c.pound_force * c.inch},
    "INERTIA": {"kg m2": 1, "kg mm2": c.milli**2, "g mm2": c.gram * c.milli**2, "lb in2": c.pound * INCH2},
    "STIFFNESS": {"N/m": 1, "N/mm": c.kilo, "N/um": c.mega, "lbf/in": c.pound_force / c.inch},
    "PRESSURE": {"Pa": 1, "MPa": c.mega, "GPa": c.giga, "psi": c.psi},
    "AREA": {"m2": 1, "cm2": c.centi**2, "mm2": c.milli**2, "in2": INCH2},
}
LENGTHS = "points arm rod_length translation mass_centre point_of_interest leg_radius radius screw_lead"
ANGLES = "angles half_angle base_plate_angle platform_plate_angle tilt rotation"
STIFF = ("stiffness", "base_joint_stiffness", "platform_joint_stiffness")
PURE = "guide axis joint_axis branch gravity gear_ratio viscous_friction singular_value name title source kind sequence"


@pytest.mark.parametrize("quantity", DEFINED)
def test_every_unit_is_as_large_as_it_is_defined(quantity):
    table = getattr(u, quantity)
    assert set(table) == set(DEFINED[quantity])
    for unit, size in DEFINED[quantity].items():
        assert table[unit] == pytest.approx(size, rel=ROUND_OFF), unit


def sizes(document):
    """Size in SI of each key's unit."""
    unit = {name.lower(): table[document["units"][name.lower()]] for name, table in DEFINED.items()}
    joint = unit["angle"] if document["legs"]["kind"] == "RUS" else unit["length"]
    effort = unit["torque"] if document["legs"]["kind"] == "RUS" else unit["force"]
    found = dict.fromkeys(PURE.split(), 1.0) | dict.fromkeys(LENGTHS.split(), unit["length"])
    found |= {f"{axis}_{side}": unit["length"] for axis in "xyz" for side in ("min", "max")}
    found |= dict.fromkeys(ANGLES.split(), unit["angle"]) | dict.fromkeys(STIFF, unit["stiffness"])
    found |= dict.fromkeys(("xx", "yy", "zz", "xy", "xz", "yz", "rotor_inertia"), unit["inertia"])
    found |= dict.fromkeys(("joint_min", "joint_max", "resolution"), joint)
    found |= dict.fromkeys(("actuator_force", "coulomb_friction"), effort)
    found |= {"joint_speed": joint / unit["time"], "joint_acceleration": joint / unit["time"] ** 2}
    return found | {"mass": unit["mass"], "modulus": unit["pressure"], "area": unit["area"]}


def converted(value, size, key=""):
    if isinstance(value, dict):
        return {name: converted(part, size, name) for name, part in value.items() if name != "units"}
    if isinstance(value, list):
        return [converted(part, size, key) for part in value]
    return value if isinstance(value, str) or size[key] == 1.0 else value * size[key]


def assert_same(one, other, where=""):
    if isinstance(one, np.ndarray | float):
        np.testing.assert_allclose(one, other, rtol=1e-12, atol=1e-14, err_msg=where)
    elif hasattr(one, "__dict__"):
        for name, value in vars(one).items():
            assert_same(value, getattr(other, name), f"{where}.{name}")
    elif isinstance(one, dict):
        for name, value in one.items():
            assert_same(value, other[name], f"{where}.{name}")


@pytest.mark.parametrize("name", SKEW)
def test_a_file_in_rare_units_is_the_same_machine_as_in_si(name):
    document = tomllib.loads(Path(name).read_text())
    machine, in_si = gough.load(name), from_document(converted(document, sizes(document)), "in SI")
    assert in_si.units.length == "m"
    for part in ("legs", "limits", "actuators", "platform", "leg_bodies"):
        assert_same(getattr(machine, part), getattr(in_si, part), part)
    for part in ("X_home", "X_PT", "point_of_interest", "gravity", "joint_axis"):
        assert_same(getattr(machine, part), getattr(in_si, part), part)


@pytest.mark.parametrize("name", PREFIXED)
def test_units_that_no_file_has_are_as_large_as_their_prefixes_say(name):
    assert PREFIXED[name] == pytest.approx(unit_of(name).size, rel=1e-14)
