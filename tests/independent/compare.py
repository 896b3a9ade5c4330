"""The reader's numbers beside those of `gough report --json`: what differs by more than both sides' errors."""

from itertools import product

import numpy as np
from tests.independent import accuracy, assembly, dynamics, kinematics, motion, statics, travel, workspace
from tests.independent.compare_workspace import lowest, mean_dexterity, singular, volumes
from tests.independent.comparison import DIFFERENCES, EXACT, ROUNDING, SAMPLED, ZEROS, Comparison
from tests.independent.margins import margins, plate_angles, size, worst

POSES = 4000
"""Drawn in a proven region, half of them on its boundary."""


def compare(m, numbers, *, with_workspace=True):
    """All that both sides have of one machine."""
    c = Comparison()
    sections = {"machine": home, "legs": legs, "margins": all_margins, "travel": travels, "conditioning": conditioning,
                "regions": regions, "linear_map": linear_map, "speeds": speeds, "resolution": resolution,
                "accuracy": sensitivities, "stiffness": stiffnesses, "forces": forces, "modes": modes,
                "capacity": capacity, "corners": corners, "assembly": assembly_modes,
                "dynamics": forces_in_motion, "loaded_stiffness": loaded_stiffness,
                "loaded_modes": loaded_modes}  # fmt: skip
    for key, section in sections.items():
        if key in numbers:
            section(c, m, numbers[key])
    if with_workspace and "workspace" in numbers:
        hits = workspace.inside(m)
        if hits is not None and len(hits):
            volumes(c, m, numbers["workspace"], hits)
            mean_dexterity(c, m, numbers["workspace"], numbers.get("conditioning", {}))
            lowest(c, m, numbers, hits)
    if with_workspace and "singularity" in numbers:
        singular(c, m, numbers["singularity"])
    return c


def home(c, m, there):
    c.same("size at home", size(m), there["size"])
    c.holds("whether home is allowed", there["home_allowed"] == bool(worst(m, m.t0, m.R0) >= 0))


def legs(c, m, there):
    q, _, u, _ = kinematics.legs(m, m.t0, m.R0)
    c.same("joint coordinates", q, there["home"], scale=size(m) if m.kind != "RUS" else np.pi)
    c.same("rod directions", u, there["direction"])
    base, platform = plate_angles(m, u, m.R0)
    c.same("angles to the base", np.abs(base), there["angle_to_base_plate"], scale=1)
    c.same("angles to the platform", np.abs(platform), there["angle_to_platform_plate"], scale=1)
    low, high = m.limits.get("joint_min"), m.limits.get("joint_max")
    if low is not None and high is not None:
        c.same("stroke used", (q - low) / (high - low), there["stroke_used"], scale=size(m) / np.min(high - low))


def rows(columns):
    """The rows of a table, of which JSON has the columns."""
    return [dict(zip(columns, values, strict=True)) for values in zip(*columns.values(), strict=True)]


def all_margins(c, m, there):
    ours = margins(m, m.t0, m.R0)
    theirs = {row["name"]: row for row in rows(there["limits"])}
    c.holds(f"limits: only here {sorted(set(ours) - set(theirs))}, only there {sorted(set(theirs) - set(ours))}",
            set(ours) == set(theirs))  # fmt: skip
    for name in sorted(set(ours) & set(theirs)):
        value, scale, what = ours[name]
        row, whole = theirs[name], {"length": size(m), "angle": np.pi, "none": 1.0}[what]
        c.same(f"margin {name}", value, row["margin"], scale=whole)
        c.same(f"relative margin {name}", value / scale, row["relative"], scale=max(1, whole / scale))
    off = travel.tie_off(travel.relative(m, m.t0, m.R0), there["binding_set"])
    c.holds(f"tightest at home are {there['binding_set']}, other than here: {off}", not off)


def travels(c, m, there):
    for axis, (minus, at_minus, plus, at_plus) in travel.table(m).items():
        row = there[axis]
        for side, end, relative in (("minus", minus, at_minus), ("plus", plus, at_plus)):
            value = np.inf if row[side] is None else row[side]
            c.same(f"travel {axis} {side}", end, value, ZEROS)
            if relative:
                named, off = row[f"{side}_binding_set"], travel.tie_off(relative, row[f"{side}_binding_set"])
                c.holds(f"travel {axis} {side} ends at {named}, other than here: {off}", not off)


def regions(c, m, there):
    """No random pose of the proven region breaks a limit; the pose that breaks one in a larger region does."""
    half, most = np.array(there["half_widths"]), there["turn"]
    rng = np.random.default_rng(0)
    on_boundary = np.arange(POSES) % 2 == 1
    shift = rng.uniform(-1, 1, (POSES, 3))
    shift[on_boundary] = np.sign(shift[on_boundary])
    turn = rng.normal(size=(POSES, 3))
    turn *= (most * np.where(on_boundary, 1, rng.uniform(size=POSES)) / np.linalg.norm(turn, axis=1))[:, None]
    least = float(np.min(worst(m, *travel.displaced(m, half * shift, turn))))
    c.holds(f"proven region: a pose has the relative margin {least:.3g}", least >= -ZEROS)
    ends = {axis: min(-minus, plus) for axis, (minus, _, plus, _) in travel.table(m).items()}
    far = [ends[axis] if np.isfinite(ends[axis]) else min(ends[a] for a in "xyz") for axis in "xyz"]
    widest = np.append(far, min(np.pi, *(ends[axis] for axis in ("rx", "ry", "rz"))))
    part = np.append(half, most) / widest
    is_rounded = (part <= there["share"] * (1 + ZEROS)) & (part > there["share"] / 1.1 * (1 - ZEROS))
    c.holds(f"parts {part} of the travel are {there['share']}, rounded down", bool(is_rounded.all()))
    if "refuted" in there:
        broken = there["refuted"]
        least = float(worst(m, *travel.displaced(m, np.array(broken["shift"]), np.array(broken["turn"]))))
        inside = np.append(np.abs(broken["shift"]), np.linalg.norm(broken["turn"])) <= broken["share"] * widest + ZEROS
        c.holds(f"a larger region: its pose has the relative margin {least:.3g}", least < 0 and bool(inside.all()))


def corners(c, m, there):
    """Every corner lies on the boundary, where the limits that it names meet, and farthest in its half plane."""
    for kind, what in (("translation", slice(0, 3)), ("rotation", slice(3, 6))):
        if kind not in there:
            continue
        points = np.array(there[kind]["points"], float)
        for number, point in enumerate(points, 1):
            if np.isfinite(point).all():
                x = np.zeros(6)
                x[what] = point
                inner, outer = (float(worst(m, *travel.turned(m, x * s))) for s in (1 - 1e-6, 1 + 1e-6))
                c.holds(f"{kind} corner {number} is on the boundary: relative margins {inner:.2g}, {outer:.2g}",
                        inner >= -1e-5 and outer <= 1e-5)  # fmt: skip
                if 1 < number < 8:
                    off, nearer = travel.in_half_plane(m, kind, point)
                    c.holds(
                        f"{kind}: the half plane of corner {number} reaches farther by the part {off:.2g}", off < ZEROS
                    )
                    c.holds(
                        f"{kind} corner {number} reaches as far {nearer:.2g} rad nearer to home", nearer < travel.NEARER
                    )
                off = travel.tie_off(travel.at_end(m, *travel.turned(m, x)), there[kind]["binding_set"][number - 1])
                c.holds(f"{kind} corner {number} names limits other than here: {off}", not off)
        if np.isfinite(points).all():
            azimuths, radii, beginning = travel.farthest(m, kind, np.random.default_rng(0))
            off = radii.max() / np.hypot(*points[1:7, :2].T).max() - 1
            c.holds(f"the range of {kind} reaches farther than all corners by the part {off:.2g}", off < ZEROS)
            off = travel.azimuth_off(points[1:7], azimuths, radii, beginning)
            c.holds(f"corners of {kind} begin at another azimuth: {off}", not off)


def conditioning(c, m, there):
    values = kinematics.conditioning(m, m.t0, m.R0)
    c.same("singular values", values, np.array(there["singular_values"]))
    c.same("characteristic length", kinematics.characteristic_length(m),
           there["characteristic_length"])  # fmt: skip
    if there["condition_number"] is not None:
        c.same("condition number", values[0] / values[-1], there["condition_number"], EXACT * values[0] / values[-1])
        c.same("manipulability", 1 / np.prod(values), there["manipulability"], EXACT * values[0] / values[-1])


def linear_map(c, m, there):
    J = kinematics.jacobian(m, m.t0, m.R0, m.poi)
    theirs = np.array(there["T_inv"])
    c.same("linear map, translation", J[:, :3], theirs[:, :3])
    c.same("linear map, rotation", J[:, 3:], theirs[:, 3:])


def speeds(c, m, there):
    along, every, every_axis = kinematics.top_speeds(m, m.t0, m.R0)
    for axis, value in zip(travel.AXES, along, strict=True):
        c.same(f"top speed {axis}", value, there[axis]["top_speed"], 1e-8)
    c.same("speed in every direction", every, there["every_direction"]["speed"])
    c.same("speed about every axis", every_axis, there["every_axis"]["speed"])


def resolution(c, m, there):
    rows = accuracy.worst_and_rms(accuracy.joint_sensitivity(m), m.actuators["resolution"])
    for axis, bad, rms in zip(travel.AXES, *rows, strict=True):
        theirs = np.array([there[axis]["worst"], there[axis]["rms"]])
        c.same(f"resolution {axis}", [bad, rms], theirs, DIFFERENCES)

    parts = accuracy.joint_sensitivity(m) * m.actuators["resolution"]
    signs = np.array(list(product((1, -1), repeat=6)))
    for name, rows in (("whole_translation", parts[:3]), ("whole_rotation", parts[3:])):
        ours = np.linalg.norm(signs @ rows.T, axis=1).max(), np.linalg.norm(rows)
        c.same(f"resolution {name}", ours, [there[name]["worst"], there[name]["rms"]], DIFFERENCES)


def sensitivities(c, m, there):
    ours, theirs = accuracy.sensitivity(m), np.array(there["sensitivity"])
    for axis, row, other in zip(travel.AXES, ours, theirs, strict=True):
        c.same(f"sensitivity {axis}", row, other, DIFFERENCES)
    error = there["error_of_each_parameter"]
    for axis, bad, rms in zip(travel.AXES, *accuracy.worst_and_rms(ours, error), strict=True):
        c.same(f"pose error {axis}", [bad, rms], [there[axis]["worst"], there[axis]["rms"]], DIFFERENCES)


def stiffnesses(c, m, there):
    K = statics.stiffness(m, m.t0, m.R0, m.poi)
    for kind, values in zip(("translation", "rotation"), statics.principal_stiffnesses(K), strict=True):
        c.same(f"stiffness in {kind}", values, np.array(there[kind]["values"]))
    theirs = np.array(there["matrix_about_point_of_interest"])
    for rows in (slice(0, 3), slice(3, 6)):
        for columns in (slice(0, 3), slice(3, 6)):
            scale = np.sqrt(np.linalg.norm(K[rows, rows]) * np.linalg.norm(K[columns, columns]))
            c.same("stiffness matrix", K[rows, columns], theirs[rows, columns], scale=scale)


def forces(c, m, there):
    theirs = there["actuator_torque" if m.kind == "RUS" else "actuator_force"]
    c.same("forces at rest", dynamics.holding_forces(m), np.array(theirs), DIFFERENCES)


def forces_in_motion(c, m, there):
    if "stroke" not in there:
        return
    e, stroke = motion.direction_and_stroke(m)
    c.same("stroke of the motion", stroke, there["stroke"], ZEROS)
    c.same("time of the motion", motion.least_time(m, e, stroke), there["time"], SAMPLED)
    both = motion.forces_and_powers(m, e, there["stroke"], there["time"])
    for name, values in zip(("force", "power"), both, strict=True):
        c.same(f"peak {name} in motion", motion.peak(values), there[f"peak_{name}"], SAMPLED)
        c.same(f"RMS {name} in motion", motion.rms(values), there[f"rms_{name}"], SAMPLED)


def modes(c, m, there):
    c.same("natural frequencies", dynamics.natural_frequencies(m), there["frequency"], DIFFERENCES)


def loaded_stiffness(c, m, there):
    """The part of the matrix that is due to the load, block by block, and the principal stiffnesses."""
    K = statics.stiffness(m, m.t0, m.R0, m.poi)
    wrench = there.get("wrench")
    G = dynamics.geometric_stiffness(m, m.poi, wrench)
    K, theirs = K + G, np.array(there["matrix"])
    theirs = (theirs + theirs.T) / 2  # a moment that keeps its direction has no potential and adds -[m]x / 2
    blocks = slice(0, 3), slice(3, 6)
    for rows, columns in product(blocks, repeat=2):
        scale = np.sqrt(np.linalg.norm(G[rows, rows]) * np.linalg.norm(G[columns, columns]))
        off = DIFFERENCES * scale + ROUNDING * np.linalg.norm(K[rows, columns])
        c.same("stiffness under load", K[rows, columns], theirs[rows, columns], off, scale=1)
    for kind, values in zip(("translation", "rotation"), statics.principal_stiffnesses(K), strict=True):
        c.same(f"stiffness in {kind} under load", values, np.array(there[kind]), DIFFERENCES)
    c.holds("whether the stiffness under load is stable", there["is_stable"] == bool(np.linalg.eigvalsh(K)[0] >= 0))


def loaded_modes(c, m, there):
    for mode, (ours, theirs) in enumerate(zip(dynamics.squares_under_load(m), there["square"], strict=True), 1):
        c.same(f"squared frequency {mode} under load", ours, theirs, DIFFERENCES)
        c.holds(f"mode {mode} under load has a frequency", (there["frequency"][mode - 1] is None) == (ours < 0))


def assembly_modes(c, m, there):
    """Random starts can miss a pose, never find one too many."""
    t, R, side, dexterity, allowed, is_free = assembly.modes(m)
    c.same("real assembly modes", len(t), there["real"])
    c.same("assembly modes within limits", allowed.sum(), there["within_limits"])
    if not is_free and len(t) == len(there["modes"]["mode"]):
        turned = np.arccos(np.clip((np.trace(m.R0.T @ R, axis1=1, axis2=2) - 1) / 2, -1, 1))
        ours = np.column_stack([t / size(m), turned, side, dexterity, allowed])
        keys = ("turned", "side", "conditioning", "allowed")
        theirs = [[*np.array(e["position"]) / size(m), *(e[key] for key in keys)] for e in rows(there["modes"])]
        off = np.abs(ours[:, None] - np.array(theirs, dtype=float)).max(axis=-1)
        c.holds(f"assembly modes one by one: {off.min(axis=0).max():.2g} off", off.min(axis=0).max() < 1e-6)
    c.holds(f"a self-motion: here {is_free}, there {there['self_motion']}", is_free == there["self_motion"])
    c.holds(
        "at most 40 modes, all of them proven", there["certified"] <= there["real"] <= there["finite"] <= assembly.MOST
    )


def capacity(c, m, there):
    for key, e in zip(("fx", "fy", "fz", "mx", "my", "mz"), np.eye(6), strict=True):
        both = [statics.largest_load(m, e), statics.largest_load(m, -e)]
        c.same(f"largest {key}", both, [there["load"][key]["plus"], there["load"][key]["minus"]], DIFFERENCES)
    every = statics.load_in_every_direction(m)
    for ours, key, what in zip(every, ("every_direction", "every_axis"), ("force", "moment"), strict=True):
        c.same(f"{what}, {key}", ours, there[key][what], DIFFERENCES)
    ours = statics.payloads(m)
    for mounting, row in there.get("payload", {}).items():
        c.same(f"payload {mounting}", ours[mounting], row["mass"], DIFFERENCES)
        if row["mass"] > 0 and row["leg"]:
            felt, top = statics.felt_under(m, row["mass"], np.array(row["gravity"], float), row["leg"] - 1)
            c.same(f"force under gravity along payload.{mounting}.gravity of the base", top, felt, DIFFERENCES)
