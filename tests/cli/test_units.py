"""Every number that a command writes as CSV against the functions of Python by the unit beside it.

Nothing here knows which unit a machine's file is in: what stands beside a number is read, its size and dimension are
those that SciPy has by CODATA, and the number in SI is compared with what the function gives. A column that nobody
expects fails, and so does one that is missing.
"""

import re

import numpy as np
import pytest
from scipy import constants as c
from scipy.spatial.transform import Rotation
from tests.skew import SKEW

import gough

DIGITS, SEARCHED = 1e-9, 1e-5
"""CSV has 15 digits; poses are known to 12 after they were read, and a minimum to the root of rounding. Relative."""
WRENCH = (11.0, -7.0, 23.0, 1.3, -0.7, 2.1)
TWIST = (1.0, -2.0, 3.0, 40.0, -50.0, 60.0)
AXES = ("x", "y", "z", "rx", "ry", "rz")
UNITS = {
    "m": (1, "m"), "cm": (c.centi, "m"), "mm": (c.milli, "m"), "um": (c.micro, "m"), "in": (c.inch, "m"),
    "ft": (c.foot, "m"), "rad": (1, "rad"), "mrad": (c.milli, "rad"), "deg": (c.degree, "rad"),
    "arcmin": (c.arcminute, "rad"), "arcsec": (c.arcsecond, "rad"), "s": (1, "s"), "N": (1, "N"),
    "µm": (c.micro, "m"), "kg": (1, "kg"), "W": (1, "W"), "%": (1e-2, ""), "lbf": (c.pound_force, "N"),
}  # fmt: skip


def parsed(unit):
    """Size in SI of a unit as columns and tables write it, and its dimension; None if it is none."""
    size, dimension, sign = 1.0, [], 1
    for part in re.split(r"[ _]|(/)", unit.replace("_per_", "/")):
        if part == "/":
            sign = -1
        elif part in UNITS:
            size *= UNITS[part][0] ** sign
            dimension += [f"{UNITS[part][1]}^{sign}"] if UNITS[part][1] else []
        elif part and part not in ("1", None):
            return None
    return size, sorted(dimension)


def in_si(unit, expected):
    found = parsed(unit)
    assert found is not None, unit
    assert found[1] == parsed(expected)[1], f"{unit}, expected {expected}"
    return found[0]


def six(name, values, unit):
    """Of six columns by leg or axis; `unit` of all, or of translations and rotations."""
    units = [unit] * 6 if isinstance(unit, str) else [unit[0]] * 3 + [unit[1]] * 3
    legs = AXES if not isinstance(unit, str) else range(1, 7)
    return {name.format(leg): (np.asarray(values)[..., k], units[k]) for k, leg in enumerate(legs)}


def joint(m):
    return "m" if m.legs.joint == "length" else "rad"


def own_load(m, X):
    return gough.statics.capacity.at_origin(m, X, np.array(WRENCH))


def inverse(m, X):
    return six("q{}", gough.inverse_kinematics(m, X), joint(m))


def margins(m, X):
    found = gough.margins(m, X)
    names = (re.sub("[ -]", "_", column.name) for column in found.columns)
    return {name: (found.values[..., k], found.units[k]) for k, name in enumerate(names)}


def travel(m, X):
    there, back = (gough.travel(m, s * np.eye(6), X[..., None, :, :]).distance for s in (1, -1))
    return six("{}_plus", there, ("m", "rad")) | six("{}_minus", -back, ("m", "rad"))


def velocity(m, X):
    e = gough.velocity_envelope(m, X)
    found = six("top_{}", np.stack([e.speed(d) for d in np.eye(6)], axis=-1), ("m/s", "rad/s"))
    for motion, unit in (("translation", "m/s"), ("rotation", "rad/s")):
        found[f"every_direction_{motion}"] = e.guaranteed(motion), unit
        found[f"fastest_{motion}"] = e.fastest(motion), unit
    return found


def rates(m, X):
    V = np.array(TWIST) * ([m.units.metres] * 3 + [m.units.radians] * 3)
    found = gough.velocity_envelope(m, X).joint_rates(V)
    return six("q{}", found, f"{joint(m)}/s") | six("used_q{}", np.abs(found) / m.limits.joint_speed, "")


def forces(m, X):
    load = own_load(m, X)
    actuator = gough.leg_forces(m, X, load, gravity=m.has_weight)
    found = six("actuator_{}", actuator, "N" if joint(m) == "m" else "N m")
    found |= six("rod_{}", gough.statics.axial_forces(m, X, load, gravity=m.has_weight), "N")
    return found | six("used_{}", np.abs(actuator) / m.limits.actuator_force, "")


def stiffness(m, X):
    p = m.point_of_interest
    principal = gough.statics.principal_stiffness(gough.stiffness(m, X, point=p))
    found = {f"translation_{k + 1}": (principal.translation[..., k], "N/m") for k in range(3)}
    found |= {f"rotation_{k + 1}": (principal.rotation[..., k], "N m/rad") for k in range(3)}
    V = gough.statics.deflection(m, X, WRENCH, point=p)
    moved = six("{}", V, ("m", "rad"))
    found |= {key if key.startswith("r") else f"d{key}": value for key, value in moved.items()}
    changes = changes_of_angles(X, V[..., 3:])
    found |= {f"d{letter}": (changes[..., k], "rad") for k, letter in enumerate("abc")}
    return found | six("leg_{}", gough.statics.axial_forces(m, X, WRENCH, point=p), "N")


def changes_of_angles(X, turns):
    """Changes of angles about the fixed axes x, y, z by small rotations, each angle about its own axis."""
    angles = Rotation.from_matrix(X[..., :3, :3].reshape(-1, 3, 3)).as_euler("xyz")
    by_b, by_c = (Rotation.from_rotvec(angles * axis) for axis in np.eye(3)[1:])
    about_x, about_y = (by_c * by_b).apply([1, 0, 0]), by_c.apply([0, 1, 0])
    E = np.stack([about_x, about_y, np.broadcast_to([0, 0, 1], angles.shape)], axis=-1)
    return np.linalg.solve(E, turns.reshape(-1, 3, 1)).reshape(turns.shape)


def accuracy(m, X):
    error = float(TOLERANCE) * m.units.metres
    steps, budget = gough.accuracy.resolution(m, X), gough.accuracy.pose_error(m, X, error)
    found = {}
    for what, one in (("resolution", steps), ("error", budget)):
        found |= six(f"{what}_worst_case_{{}}", one.worst_case, ("m", "rad"))
        found |= six(f"{what}_rms_{{}}", one.rms, ("m", "rad"))
    return found


def parameters(m, X):
    return six("{}", gough.accuracy.parameter_sensitivity(m, X).T, ("m/m", "rad/m"))


def capacity(m, X):
    poses, found = X.reshape(-1, 4, 4), {}
    rows = [gough.statics.payload_table(m, one) for one in poses]
    for k, row in enumerate(rows[0]):
        found[f"payload_{row.mounting.replace(' ', '_')}"] = np.array([each[k].mass for each in rows]), "kg"
    loads = [gough.statics.capacity_table(m, one, gravity=m.has_weight) for one in poses]
    for k, row in enumerate(loads[0]):
        unit = "N" if row.axis[0] == "f" else "N m"
        found[row.axis] = np.array([each[k].plus for each in loads]), unit
        found[f"minus_{row.axis}"] = np.array([each[k].minus for each in loads]), unit
    for kind, unit in (("force", "N"), ("moment", "N m")):
        found[f"every_{kind}"] = gough.statics.guaranteed_wrench(m, X, kind, gravity=m.has_weight), unit
    return found


def nearest(m, X):
    found = [gough.nearest_pose(m, one) for one in X.reshape(-1, 4, 4)]
    columns = pose(np.stack([one.matrix for one in found]))
    columns["distance"] = np.array([one.distance for one in found]), "m"
    for name, unit in (("translation", "m"), ("rotation", "rad")):
        values = np.stack([getattr(one, name) for one in found])
        word = {"translation": "shift", "rotation": "turn"}[name]
        columns |= {f"{word}_{axis}": (values[:, k], unit) for k, axis in enumerate("xyz")}
    return columns


def pose(X):
    angles = gough.euler_angles(X, "xyz")
    found = {axis: (X[..., k, 3], "m") for k, axis in enumerate("xyz")}
    return found | {letter: (angles[..., k], "rad") for k, letter in enumerate("abc")}


def conditioning(m, X):
    found = gough.singularity.conditioning(m, X)
    columns = {f"singular_value_{k + 1}": (found.singular_values[..., k], "") for k in range(6)}
    for name in ("condition_number", "dexterity", "manipulability"):
        columns[name] = getattr(found, name), ""
    return columns | {"distance_to_singularity": (found.distance, "")}


TOLERANCE = "0.002"
OPTIONS = {
    "accuracy": ("accuracy", "--tolerance", TOLERANCE),
    "rates": ("velocity", "--twist", ",".join(map(str, TWIST))),
    "forces": ("forces", "--wrench", ",".join(map(str, WRENCH))),
    "stiffness": ("stiffness", "--wrench", ",".join(map(str, WRENCH)), "--sequence", "xyz"),
    "nearest": ("nearest", "--sequence", "xyz"),
    "parameters": ("accuracy", "--parameters"),
}
COLUMNS = (inverse, margins, travel, velocity, rates, forces, stiffness, accuracy, capacity, conditioning, nearest)
OF_HOME = (parameters,)


def poses(m, rng):
    X = np.tile(m.X_home, (3, 1, 1))
    X[:, :3, 3] += 0.01 * m.size * rng.uniform(-1, 1, (3, 3))
    X[2] = X[1] @ gough.pose_matrix([0.3 * m.size, 0, 0], [0.3, 0.2, 0.1], "XYZ")  # refused, for the nearest
    return X


def write_poses(path, X):
    """In units of no machine: the reader's table of units is tested with it."""
    values = [column / UNITS[unit][0] for (column, _), unit in zip(pose(X).values(), UNITS_IN, strict=True)]
    header = ",".join(f"{name}_{unit}" for name, unit in zip("xyzabc", UNITS_IN, strict=True))
    np.savetxt(path, np.stack(values, axis=-1), "%.17g", ",", header=header, comments="")


UNITS_IN = ("ft", "um", "cm", "mrad", "arcsec", "deg")


def assert_columns(rows, expected, rtol):
    numbers = {title: np.array([row[title] for row in rows]) for title in rows[0]}
    left = dict(expected)
    for title, values in numbers.items():
        if values.dtype.kind not in "fi":
            continue
        names = [name for name in left if title == name or title.startswith(f"{name}_")]
        names = [name for name in names if parsed(title.removeprefix(name).removeprefix("_")) is not None]
        assert len(names) == 1, f"{title}: expected columns {names}"
        wanted, unit = left.pop(names[0])
        size = in_si(title.removeprefix(names[0]).removeprefix("_"), unit)
        wanted = np.atleast_1d(wanted)
        scale = np.abs(wanted[np.isfinite(wanted)]).max(initial=0.0)
        np.testing.assert_allclose(size * values, wanted, rtol=rtol, atol=rtol * scale, err_msg=title)
    assert not left


@pytest.mark.parametrize("machine", SKEW)
@pytest.mark.parametrize("columns", [*COLUMNS, *OF_HOME], ids=lambda one: one.__name__)
def test_every_column_is_in_the_unit_that_it_names(run, tmp_path, rng, columns, machine):
    m = gough.load(machine)
    X = m.X_home if columns in OF_HOME else poses(m, rng)
    given = []
    if columns not in OF_HOME:
        write_poses(tmp_path / "poses.csv", X)
        given = ["--csv", tmp_path / "poses.csv"]
        given += [] if "--sequence" in OPTIONS.get(columns.__name__, ()) else ["--sequence", "xyz"]
    command, *options = OPTIONS.get(columns.__name__, (columns.__name__,))
    assert_columns(
        run(command, machine, *options, *given).rows, columns(m, X), SEARCHED if columns is nearest else DIGITS
    )


ROUNDING = re.compile(r"[\d.]+e-(1[3-9]|[2-9]\d)(?!\w)|×10⁻(¹[³⁴⁵⁶⁷⁸⁹]|[²³⁴⁵⁶⁷⁸⁹][⁰¹²³⁴⁵⁶⁷⁸⁹])")


@pytest.mark.parametrize(
    "command",
    [
        ("stiffness", "pitch-circle", "--wrench", "0,0,-100"),
        ("stiffness", "pitch-circle", "--wrench", "0,0,0,0,0,5", "--si"),
        ("forces", "pitch-circle", "--wrench", "0,0,-100"),
        ("accuracy", "pitch-circle", "--points", "0.01"),
        ("margins", "singular-home"),
        ("margins", "sinatra2009"),
        ("travel", "dumitriu2017"),
        ("velocity", "hexaglide"),
        ("frequencies", "pitch-circle"),
        ("simulate", "dumitriu2017", "--duration", "0.1"),
    ],
)
def test_what_is_rounding_is_shown_as_nothing(run, command):
    """Of symmetric machines under symmetric loads: no number of the table is rounding, and none is -0."""
    out = run(*command).out
    assert out
    assert not ROUNDING.search(out)
    assert not re.search(r"(?<![\w.])-0(?![\w.])", out)


def test_small_numbers_that_are_no_rounding_stay():
    from gough.present.show import without_noise

    np.testing.assert_array_equal(without_noise(np.array([3.0, 2e-16, -4e-9]), "N"), [3.0, 0.0, -4e-9])
    np.testing.assert_array_equal(without_noise(np.array([1e-9, 3e-12, 2e-16]), "m"), [1e-9, 3e-12, 0.0])
    np.testing.assert_array_equal(without_noise(np.array([np.nan, np.inf, 1.0, 1e-15]), ""), [np.nan, np.inf, 1.0, 0.0])
    np.testing.assert_array_equal(without_noise(np.array([1.7e-15, 2e-11]), "rad"), [0.0, 2e-11])
    assert without_noise(np.array(["x"])) == ["x"]
