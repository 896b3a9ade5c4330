"""Machine files drawn at random: three kinds of legs, several units, bases and homes turned and off centre."""

import json

import numpy as np
from scipy.spatial.transform import Rotation

UNITS = (
    {},
    {"length": "mm", "angle": "deg", "inertia": "kg mm2", "stiffness": "N/um"},
    {"length": "in", "angle": "deg", "mass": "lb", "force": "lbf", "torque": "lbf in", "inertia": "lb in2"},
    {"length": "cm", "angle": "mrad", "mass": "g", "time": "ms", "force": "mN", "stiffness": "lbf/in"},
    {"length": "um", "angle": "arcmin", "torque": "N mm", "force": "kN", "time": "min", "inertia": "g mm2"},
)


def machine(kind, seed):
    """A machine file as a document: a machine of 0.1 to 2 m whose home is allowed and well away from singularities."""
    from tests.independent.machine_file import SI

    rng = np.random.default_rng([ord(kind[0]), seed])
    units = UNITS[rng.integers(len(UNITS))]
    size = {what: table[units.get(what, next(iter(table)))] for what, table in SI.items()}
    scale = 10 ** rng.uniform(-1, 0.3)  # of all lengths [m]
    world = Rotation.from_rotvec(rng.uniform(-0.4, 0.4, 3)), rng.uniform(-1, 1, 3) * scale
    base, platform, home, legs = _geometry(kind, rng, scale)

    def length(x):
        return (np.asarray(x) / size["length"]).tolist()

    turned = world[0] * home[1]
    doc = {
        "name": f"drawn-{kind.lower()}-{seed}",
        "point_of_interest": length(rng.uniform(-0.2, 0.2, 3) * scale),
        "gravity": rng.normal(size=3).tolist(),
        "units": units,
        "base": {"points": length(world[0].apply(base) + world[1])},
        "platform": {"points": length(platform)},
        "legs": {"kind": kind},
        "home": {
            "translation": length(world[0].apply(home[0]) + world[1]),
            "angles": (turned.as_euler("ZYX") / size["angle"]).tolist(),
            "sequence": "ZYX",
        },
        "tool": {"translation": length(rng.uniform(-0.2, 0.2, 3) * scale)},
    }
    for key in ("guide", "axis"):
        if key in legs:
            doc["legs"][key] = world[0].apply(legs[key]).tolist()
    if kind == "RUS":
        doc["legs"]["arm"] = length(world[0].apply(legs["arm"]))
    if kind != "UPS":
        doc["legs"]["branch"] = legs["branch"]
    q0, span = legs["home"], legs["span"]
    joint = size["angle"] if kind == "RUS" else size["length"]
    doc["limits"] = {
        "joint_min": ((q0 - span * rng.uniform(0.5, 1, 6)) / joint).tolist(),
        "joint_max": ((q0 + span * rng.uniform(0.5, 1, 6)) / joint).tolist(),
        "joint_speed": float(rng.uniform(0.1, 1) * span / joint * size["time"]),
        "actuator_force": float(1e4 * scale / size["torque"] if kind == "RUS" else 1e4 / size["force"]),
        "base_cone": {"half_angle": float(rng.uniform(0.3, 0.8) / size["angle"])},
        "platform_cone": {"half_angle": float(rng.uniform(0.3, 0.8) / size["angle"])},
        "leg_radius": length(0.005 * scale),
    }
    if rng.random() < 0.5:
        doc["limits"] |= {"tilt": float(0.25 / size["angle"]), "rotation": float(0.3 / size["angle"])}
        doc["limits"]["radius"] = length(0.2 * scale)
    doc["actuators"] = {
        "resolution": float(1e-5 * span / joint),
        "stiffness": (rng.uniform(1, 3, 6) * 1e7 / size["stiffness"]).tolist(),
        "platform_joint_stiffness": float(1e8 / size["stiffness"]),
    }
    _masses(doc, kind, rng, scale, size, world[0])
    if rng.random() < 0.5:
        force = scale / size["torque"] if kind == "RUS" else 1 / size["force"]
        doc["actuators"]["coulomb_friction"] = (rng.uniform(0, 5, 6) * force).tolist()
    return doc


def _geometry(kind, rng, scale):
    """Joints, home and legs with the base's z axis upwards [m]."""
    jitter = 0.05 * scale
    twist = np.array([-1, 1, -1, 1, -1, 1])
    middles = np.repeat(np.deg2rad([90.0, 210, 330]), 2)
    b_at = middles + twist * rng.uniform(0.75, 0.9)  # platform joints gather between the base's pairs
    a_at = middles + twist * (rng.uniform(0.15, 0.35) + (0.3 if kind == "RUS" else 0.0))  # cranks point to each other
    platform = 0.3 * scale * _circle(b_at) + rng.uniform(-jitter, jitter, (6, 3))
    base = 0.5 * scale * _circle(a_at) + rng.uniform(-jitter, jitter, (6, 3))
    t, R = (
        np.array([*rng.uniform(-0.05, 0.05, 2), rng.uniform(0.5, 0.7)]) * scale,
        Rotation.from_rotvec(rng.uniform(-0.1, 0.1, 3)),
    )
    joints = t + R.apply(platform)
    if kind == "UPS":
        return base, platform, (t, R), {"home": np.linalg.norm(joints - base, axis=1), "span": 0.2 * scale}
    outwards = base / np.linalg.norm(base, axis=1, keepdims=True)
    if kind == "PUS":
        guide = np.array([0, 0, 1]) + rng.uniform(-0.3, 0.3, (6, 3))
        guide = guide / np.linalg.norm(guide, axis=1, keepdims=True)
        legs = {"guide": guide, "branch": -1, "home": np.zeros(6), "span": 0.2 * scale}
        return base, platform, (t, R), legs
    axis = outwards + rng.uniform(-0.3, 0.3, (6, 3))
    axis = axis / np.linalg.norm(axis, axis=1, keepdims=True)
    across = np.cross(axis, [0, 0, 1]) * twist[:, None]
    arm = 0.13 * scale * across / np.linalg.norm(across, axis=1, keepdims=True) + 0.01 * scale * axis
    legs = {"axis": axis, "arm": arm, "home": np.zeros(6), "span": 0.8}
    w = joints - base
    # on which side of the direction to the platform joint the crank stands as drawn
    flat = w - np.sum(w * axis, axis=1)[:, None] * axis
    ahead = np.sum(np.cross(flat, arm) * axis, axis=1) > 0
    legs["branch"] = np.where(ahead, 1, -1).tolist()
    return base, platform, (t, R), legs


def _circle(angles):
    return np.stack([np.cos(angles), np.sin(angles), 0 * angles], axis=1)


def _masses(doc, kind, rng, scale, size, world):
    """The platform's body with a full inertia matrix; parts that are round about the leg, uneven sliders and cranks."""
    mass = rng.uniform(5, 20)
    doc["platform"] |= _body(rng, mass, scale * rng.uniform(-0.1, 0.1, 3), 0.1 * scale, size)
    where = {
        "UPS": {"cylinder": 0.2, "piston": -0.2},
        "PUS": {"slider": None, "rod": 0.3},
        "RUS": {"crank": None, "rod": 0.3},
    }
    doc["legs"]["bodies"] = {}
    for part, z in where[kind].items():
        centre = rng.uniform(-0.05, 0.05, 3) * scale if z is None else np.array([0, 0, z * scale])
        doc["legs"]["bodies"][part] = _body(rng, rng.uniform(0.1, 1), centre, 0.1 * scale, size, is_round=z is not None)


def _body(rng, mass, centre, radius, size, *, is_round=False):
    """Mass, centre and an inertia that a body can have: that of a cloud of points."""
    cloud = rng.normal(size=(8, 3)) * radius
    if is_round:
        moments = np.diag([1.0, 1.0, 0.1]) * radius**2
    else:
        cloud -= cloud.mean(axis=0)
        moments = np.mean([p @ p * np.eye(3) - np.outer(p, p) for p in cloud], axis=0)
    moments = moments * mass / size["inertia"]
    names = {"xx": (0, 0), "yy": (1, 1), "zz": (2, 2), "xy": (0, 1), "xz": (0, 2), "yz": (1, 2)}
    inertia = {name: float(moments[k]) for name, k in names.items() if not is_round or name in ("xx", "yy", "zz")}
    return {"mass": float(mass / size["mass"]), "mass_centre": (centre / size["length"]).tolist(), "inertia": inertia}


def as_toml(doc):
    """The document as a machine file."""
    lines = [f"{key} = {json.dumps(value)}" for key, value in doc.items() if not isinstance(value, dict)]
    return "\n".join(
        lines + [line for key, table in doc.items() if isinstance(table, dict) for line in _table(key, table)]
    )


def _table(path, table):
    lines = [f"[{path}]"] + [f"{k} = {json.dumps(v)}" for k, v in table.items() if not isinstance(v, dict)]
    return lines + [line for k, v in table.items() if isinstance(v, dict) for line in _table(f"{path}.{k}", v)]
