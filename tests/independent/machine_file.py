"""Reading a machine file: TOML in any units -> one `Hexapod` in SI, as `docs/machine-files.md` says."""

import tomllib
from dataclasses import dataclass, replace
from math import pi

import numpy as np
from scipy.optimize import brentq
from scipy.spatial.transform import Rotation

INCH, POUND, STANDARD_GRAVITY = 0.0254, 0.45359237, 9.80665
POUND_FORCE = POUND * STANDARD_GRAVITY

SI = {
    "length": {"m": 1, "cm": 1e-2, "mm": 1e-3, "um": 1e-6, "nm": 1e-9, "in": INCH, "ft": 12 * INCH},
    "angle": {
        "rad": 1,
        "mrad": 1e-3,
        "urad": 1e-6,
        "deg": pi / 180,
        "arcmin": pi / 180 / 60,
        "arcsec": pi / 180 / 3600,
    },
    "mass": {"kg": 1, "g": 1e-3, "t": 1e3, "lb": POUND},
    "time": {"s": 1, "ms": 1e-3, "min": 60},
    "force": {"N": 1, "mN": 1e-3, "kN": 1e3, "lbf": POUND_FORCE},
    "torque": {"N m": 1, "N mm": 1e-3, "kN m": 1e3, "lbf in": POUND_FORCE * INCH},
    "inertia": {"kg m2": 1, "kg mm2": 1e-6, "g mm2": 1e-9, "lb in2": POUND * INCH**2},
    "stiffness": {"N/m": 1, "N/mm": 1e3, "N/um": 1e6, "lbf/in": POUND_FORCE / INCH},
    "pressure": {"Pa": 1, "MPa": 1e6, "GPa": 1e9, "psi": POUND_FORCE / INCH**2},
    "area": {"m2": 1, "cm2": 1e-4, "mm2": 1e-6, "in2": INCH**2},
}
"""What one of each unit is in SI; the first of each row is what a file means that does not say."""


@dataclass
class Body:
    """A rigid part: mass [kg], mass centre c [m] and inertia I about the mass centre [kg m2], in the part's frame."""

    mass: float
    c: np.ndarray
    I: np.ndarray  # noqa: E741


@dataclass
class Hexapod:
    """A machine in SI. Leg by leg: |t + R b - p(q)| = L(q), with p and L as `kinematics.py` has them."""

    name: str
    kind: str  # UPS, PUS, RUS
    unit: dict  # the file's units: quantity -> size in SI
    a: np.ndarray  # (6, 3) base points: feet of struts, sliders at zero, crank centres; base frame
    b: np.ndarray  # (6, 3) platform joints; platform frame
    t0: np.ndarray  # (3,) home position
    R0: np.ndarray  # (3, 3) home orientation
    tool: np.ndarray  # (3,) the tool's origin; platform frame
    tool_z: np.ndarray  # (3,) the tool's z axis; platform frame
    poi: np.ndarray  # (3,) point of interest; platform frame
    g: np.ndarray  # (3,) acceleration of free fall; base frame
    axis: np.ndarray | None  # (6, 3) guides of sliders, axes of cranks; unit vectors
    arm: np.ndarray | None  # (6, 3) from crank centre to the rod's foot with the crank at zero
    L: np.ndarray | None  # (6,) rod lengths
    branch: np.ndarray | None  # (6,) which of the two solutions
    joint_axis: np.ndarray | None  # (6, 3) first axes of the universal joints
    platform: Body | None
    head: list  # links of a tool head: Body, place and axes of its frame in the platform frame
    parts: dict  # part -> Body of each leg
    limits: dict
    actuators: dict

    @property
    def joint_unit(self):
        """Size in SI of the file's unit of the joint coordinate."""
        return self.unit["angle" if self.kind == "RUS" else "length"]


def read(path):
    """The `Hexapod` of a machine file."""
    with open(path, "rb") as file:
        return from_document(tomllib.load(file))


def carrying(m, mass, centre, inertia):
    """The machine with a payload: its mass [kg], centre [m] and moments of inertia [kg m2] in the platform frame."""
    return replace(m, head=[*m.head, (Body(mass, np.array(centre), np.diag(inertia)), np.zeros(3), np.eye(3))])


def from_document(doc):
    """The `Hexapod` of a parsed machine file."""
    unit = {what: table[doc.get("units", {}).get(what, next(iter(table)))] for what, table in SI.items()}
    length = unit["length"]
    legs, kind = doc.get("legs", {}), doc.get("legs", {}).get("kind", "UPS")
    tool, R_tool = _frame(doc.get("tool", {}), unit)
    head, tip = _head(doc["head"], unit) if "head" in doc else ([], tool)
    m = Hexapod(
        name=doc["name"],
        kind="UPS" if kind == "UCU" else kind,
        unit=unit,
        a=_points(doc["base"], unit),
        b=_points(doc["platform"], unit),
        t0=np.zeros(3),
        R0=np.eye(3),
        tool=tool,
        tool_z=R_tool[:, 2],
        poi=np.array(doc["point_of_interest"]) * length if "point_of_interest" in doc else tip,
        g=np.array(doc.get("gravity", [0, 0, -STANDARD_GRAVITY]), float),
        axis=_unit_vectors(legs.get("guide", legs.get("axis"))),
        arm=None if "arm" not in legs else np.array(legs["arm"], float) * length,
        L=None if "rod_length" not in legs else _six(legs["rod_length"]) * length,
        branch=None if "branch" not in legs else _six(legs["branch"]),
        joint_axis=_unit_vectors(legs.get("joint_axis")),
        platform=_body(doc["platform"], unit) if "mass" in doc["platform"] else None,
        head=head,
        parts={part: _bodies(table, unit) for part, table in legs.get("bodies", {}).items()},
        limits={},
        actuators={},
    )
    _find_home(m, doc)
    _complete_legs(m)
    m.limits = _limits(m, doc.get("limits", {}))
    m.actuators = _actuators(m, doc.get("actuators", {}), doc.get("limits", {}))
    return m


def _six(value):
    return np.broadcast_to(np.array(value, float), 6).copy()


def _unit_vectors(value):
    """One direction for all legs or six; None stays None."""
    if value is None:
        return None
    v = np.broadcast_to(np.array(value, float), (6, 3))
    return v / np.linalg.norm(v, axis=1, keepdims=True)


def _points(plate, unit):
    """Six joints, from `points` [and `of_leg`] or from a `pitch_circle`."""
    if "points" in plate:
        points = np.array(plate["points"], float) * unit["length"]
        return points[np.array(plate.get("of_leg", [1, 2, 3, 4, 5, 6])) - 1]
    circle = plate["pitch_circle"]
    half, turn = circle["pair_angle"] * unit["angle"] / 2, circle.get("rotation", 0) * unit["angle"]
    at = np.array([middle + side * half for middle in np.deg2rad([270, 30, 150]) for side in (-1, 1)]) + turn
    height = np.full(6, circle.get("height", 0) * unit["length"])
    radius = circle["radius"] * unit["length"]
    return np.stack([radius * np.cos(at), radius * np.sin(at), height], axis=1)


def _frame(table, unit):
    """Position and rotation matrix of [home], [tool]."""
    angles = np.array(table.get("angles", [0, 0, 0]), float) * unit["angle"]
    R = Rotation.from_euler(table.get("sequence", "XYZ"), angles).as_matrix()
    return np.array(table.get("translation", [0, 0, 0]), float) * unit["length"], R


def _body(table, unit):
    mass = table["mass"] * unit["mass"]
    c = np.array(table.get("mass_centre", [0, 0, 0]), float) * unit["length"]
    if "inertia" not in table:
        return Body(mass, c, np.zeros((3, 3)))
    xx, yy, zz, xy, xz, yz = (table["inertia"].get(k, 0) for k in ("xx", "yy", "zz", "xy", "xz", "yz"))
    I = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]], float) * unit["inertia"]  # noqa: E741
    if table.get("inertia_about") == "origin":
        I = I - mass * (c @ c * np.eye(3) - np.outer(c, c))  # noqa: E741  Steiner
    return Body(mass, c, I)


def _bodies(table, unit):
    """A part of each leg: every number is one for all legs, or six."""

    def of_leg(value, i, alone):
        if isinstance(value, dict):
            return {key: of_leg(entry, i, 0) for key, entry in value.items()}
        return value[i] if np.ndim(value) > alone else value

    own = {"mass": 0, "mass_centre": 1, "inertia": 0, "inertia_about": 0}
    return [_body({key: of_leg(value, i, own.get(key, 0)) for key, value in table.items()}, unit) for i in range(6)]


def _head(table, unit):
    """Links of the tool head with its joints at home, and the tip: Denavit and Hartenberg's rows in turn."""
    p, R = _frame(table.get("mount", {}), unit)
    links = []
    for row in table["joints"]:
        kind, q = row.get("kind", "revolute"), row.get("home", 0)
        alpha, theta = (row.get(key, 0) * unit["angle"] for key in ("alpha", "theta"))
        a, d = (row.get(key, 0) * unit["length"] for key in ("a", "d"))
        theta, d = theta + (kind == "revolute") * q * unit["angle"], d + (kind == "prismatic") * q * unit["length"]
        about_x, about_z = (Rotation.from_euler(*turn).as_matrix() for turn in (("x", alpha), ("z", theta)))
        if table["convention"] == "modified":  # Rx(alpha) Tx(a) Rz(theta) Tz(d)
            R_link = about_x @ about_z
            step = np.array([a, 0, 0]) + R_link @ [0, 0, d]
        else:  # Rz(theta) Tz(d) Tx(a) Rx(alpha)
            R_link = about_z @ about_x
            step = about_z @ [a, 0, d]
        p, R = p + R @ step, R @ R_link
        if "body" in row:
            links.append((_body(row["body"], unit), p, R))
    return links, p + R @ _frame(table.get("tool", {}), unit)[0]


def _find_home(m, doc):
    """[home], or the three rules for files without it."""
    if "home" in doc:
        m.t0, m.R0 = _frame(doc["home"], m.unit)
        return
    larger = max(np.linalg.norm(p - p.mean(axis=0), axis=1).max() for p in (m.a, m.b))
    if abs(m.a[:, 2].mean() - m.b[:, 2].mean()) > 1e-3 * larger:
        return
    limits = doc.get("limits", {})
    if m.L is not None:
        wanted = m.L
    elif "joint_min" in limits and "joint_max" in limits:
        wanted = (_six(limits["joint_min"]) + _six(limits["joint_max"])) / 2 * m.unit["length"]
    else:
        m.t0 = np.array([0, 0, np.hypot(m.a[:, 0], m.a[:, 1]).mean()])
        return
    feet = m.a + (0 if m.arm is None else m.arm)

    def too_long(z):
        return np.mean(np.sum((m.b + [0, 0, z] - feet) ** 2, axis=1)) - np.mean(wanted**2)

    flat = feet[:, 2].mean() - m.b[:, 2].mean()
    m.t0 = np.array([0, 0, brentq(too_long, flat, flat + 2 * wanted.max(), xtol=1e-15)])


def _complete_legs(m):
    """Rod lengths that put the joints at zero at home; the branch nearer to zero there."""
    from tests.independent.kinematics import joint_coordinates

    if m.kind == "UPS":
        return
    if m.L is None:
        feet = m.a + (0 if m.arm is None else m.arm)
        m.L = np.linalg.norm(m.t0 + m.b @ m.R0.T - feet, axis=1)
    if m.branch is None:
        q = []
        for sign in (-1, 1):
            m.branch = np.full(6, sign)
            q.append(np.abs(joint_coordinates(m, m.t0, m.R0)))
        m.branch = np.where(q[0] < q[1], -1, 1)


def _limits(m, table):
    """[limits] in SI; joint limits counted from zero."""
    from tests.independent.kinematics import joint_coordinates

    q0, joint, length, angle = joint_coordinates(m, m.t0, m.R0), m.joint_unit, m.unit["length"], m.unit["angle"]
    per_leg = {"joint_min": joint, "joint_max": joint, "leg_radius": length}
    per_leg |= {"base_plate_angle": angle, "platform_plate_angle": angle}
    single = {
        "radius": length,
        "tilt": angle,
        "rotation": angle,
        "singular_value": 1,
    }
    found = {key: _six(table[key]) * size for key, size in per_leg.items() if key in table}
    found |= {key: table[key] * size for key, size in single.items() if key in table}
    found |= {key: value * length for key, value in table.get("box", {}).items()}
    for side in ("min", "max"):
        if f"travel_{side}" in table:
            found[f"joint_{side}"] = q0 + _six(table[f"travel_{side}"]) * joint
    for cone in ("base_cone", "platform_cone"):
        if cone in table:
            found[cone] = _six(table[cone]["half_angle"]) * angle, _unit_vectors(table[cone].get("axis"))
    return found


def _actuators(m, table, limits):
    """[actuators], and the speeds and forces of [limits], in SI, leg by leg."""
    u, force = m.unit, m.unit["torque" if m.kind == "RUS" else "force"]
    size = {
        "resolution": m.joint_unit,
        "stiffness": u["stiffness"],
        "modulus": u["pressure"],
        "area": u["area"],
        "base_joint_stiffness": u["stiffness"],
        "platform_joint_stiffness": u["stiffness"],
        "viscous_friction": 1.0,
        "coulomb_friction": force,
        "rotor_inertia": u["inertia"],
        "screw_lead": u["length"],
        "gear_ratio": 1.0,
    }
    found = {key: _six(table[key]) * factor for key, factor in size.items() if key in table}
    if "joint_speed" in limits:
        found["joint_speed"] = _six(limits["joint_speed"]) * m.joint_unit / u["time"]
    if "joint_acceleration" in limits:
        found["joint_acceleration"] = _six(limits["joint_acceleration"]) * m.joint_unit / u["time"] ** 2
    if "actuator_force" in limits:
        found["actuator_force"] = _six(limits["actuator_force"]) * force
    return found
