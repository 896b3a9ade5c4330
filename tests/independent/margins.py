"""Distance of a pose to every limit: positive inside, zero on it, negative beyond."""

from itertools import combinations

import numpy as np
from tests.independent.kinematics import driven_points, joint_coordinates, legs, platform_joints, singular_value, turned


def angle(v, w):
    """Angle between vectors, well conditioned everywhere."""
    return np.arctan2(np.linalg.norm(np.cross(v, w), axis=-1), np.sum(v * w, axis=-1))


def size(m):
    """Largest distance between any two joints at home, base side (driven points) and platform."""
    q0 = joint_coordinates(m, m.t0, m.R0)
    joints = np.concatenate([driven_points(m, q0), platform_joints(m, m.t0, m.R0)])
    return np.linalg.norm(joints[:, None] - joints, axis=-1).max()


def margins(m, t, R):
    """Name of the limit -> (margin, scale, quantity); margins have the batch's shape, NaN where a leg cannot close."""
    q, p, u, _ = legs(m, t, R)
    found = {}
    found |= _joints(m, q)
    found |= _reach(m, t, R)
    found |= _cones(m, q, u, R)
    found |= _plates(m, u, R)
    found |= _clearances(m, t, R, p)
    found |= _tool(m, t, R)
    limit = m.limits.get("singular_value", 0.0)
    found["singularity"] = singular_value(m, t, R) - limit, 1.0, "none"
    return found


def worst(m, t, R):
    """The least of all margins as parts of their scales; -inf where a leg cannot close."""
    parts = [value / scale for value, scale, _ in margins(m, t, R).values()]
    least = np.min(np.broadcast_arrays(*parts), axis=0)
    return np.where(np.isnan(least), -np.inf, least)


def allowed(m, t, R):
    """Whether no margin is negative, flat batch: each family of limits looks only at what the ones before it left."""
    good = np.ones(len(t), bool)
    for family in (_early, _cones_and_plates, _clear, _regular):
        left = np.flatnonzero(good)
        if left.size:
            parts = [value for value, _, _ in family(m, t[left], R[left]).values()]
            good[left] = np.min(np.broadcast_arrays(np.zeros(left.size), *parts), axis=0) >= 0  # NaN is not
    return good


def _early(m, t, R):
    return _joints(m, joint_coordinates(m, t, R)) | _reach(m, t, R) | _tool(m, t, R)


def _cones_and_plates(m, t, R):
    q, _, u, _ = legs(m, t, R)
    return _cones(m, q, u, R) | _plates(m, u, R)


def _clear(m, t, R):
    return _clearances(m, t, R, legs(m, t, R)[1])


def _regular(m, t, R):
    return {"singularity": (singular_value(m, t, R) - m.limits.get("singular_value", 0.0), 1.0, "none")}


def _joints(m, q):
    low, high = m.limits.get("joint_min"), m.limits.get("joint_max")
    if m.kind == "RUS" and (low is not None or high is not None):
        # within half a turn of the middle of the range, of home where it has one end
        both = low is not None and high is not None
        middle = (np.asarray(low) + high) / 2 if both else joint_coordinates(m, m.t0, m.R0)
        q = middle + np.arctan2(np.sin(q - middle), np.cos(q - middle))
    what = "angle" if m.kind == "RUS" else "length"
    both = low is not None and high is not None
    scale = (high - low) / 2 if both else np.full(6, size(m) if what == "length" else np.pi)
    names = ("shortest", "longest") if m.kind == "UPS" else ("lowest", "highest")
    found = {}
    for i in range(6):
        if low is not None:
            found[f"leg {i + 1} {names[0]}"] = q[..., i] - low[i], scale[i], what
        if high is not None:
            found[f"leg {i + 1} {names[1]}"] = high[i] - q[..., i], scale[i], what
    return found


def _reach(m, t, R):
    """How far a platform joint may move before its rod cannot close: the rod's length less (or more) than needed."""
    if m.kind == "UPS":
        return {}
    w = platform_joints(m, t, R) - m.a
    rise = np.sum(w * m.axis, axis=-1)
    rho = np.linalg.norm(w - rise[..., None] * m.axis, axis=-1)
    if m.kind == "PUS":
        spare = m.L - rho
    else:  # nearest and farthest point of the circle on which the rod's foot runs
        lift = np.sum(m.arm * m.axis, axis=-1)
        r = np.linalg.norm(m.arm - lift[:, None] * m.axis, axis=-1)
        spare = np.minimum(m.L - np.hypot(rho - r, rise - lift), np.hypot(rho + r, rise - lift) - m.L)
    return {f"leg {i + 1} reach": (spare[..., i], m.L[i], "length") for i in range(6)}


def reach_margin(m, t, R):
    """Least relative margin of all limits reach; endless for struts."""
    return np.min([np.full(t.shape[:-1], np.inf), *(v / scale for v, scale, _ in _reach(m, t, R).values())], axis=0)


def _cones(m, q, u, R):
    found = {}
    q0, _, u0, _ = legs(m, m.t0, m.R0)
    if "base_cone" in m.limits:
        half, axis = m.limits["base_cone"]
        if m.kind == "RUS":  # the cone turns with the crank; its axis is given with the crank at zero
            at_zero = turned(m.axis, -q0, u0) if axis is None else axis
            axis = turned(m.axis, q, at_zero)
        else:
            axis = u0 if axis is None else axis
        off = angle(u, axis)
        found |= {f"leg {i + 1} base cone": (half[i] - off[..., i], half[i], "angle") for i in range(6)}
    if "platform_cone" in m.limits:
        half, axis = m.limits["platform_cone"]
        axis = u0 @ m.R0 if axis is None else axis
        off = angle(u, np.einsum("...ij,kj->...ki", R, axis))
        found |= {f"leg {i + 1} platform cone": (half[i] - off[..., i], half[i], "angle") for i in range(6)}
    return found


def plate_angles(m, u, R):
    """Angles of the legs to the xy planes of base and platform, (..., 6) each; positive on the side of home."""
    _, _, u0, _ = legs(m, m.t0, m.R0)
    z = R[..., :, 2]
    up, down = u[..., 2], np.einsum("...ki,...i->...k", u, z)
    base = np.arctan2(up * np.sign(u0[:, 2]), np.hypot(u[..., 0], u[..., 1]))
    across = np.linalg.norm(u - down[..., None] * z[..., None, :], axis=-1)
    return base, np.arctan2(down * np.sign(u0 @ m.R0[:, 2]), across)


def _plates(m, u, R):
    found = {}
    for name, angles in zip(("base", "platform"), plate_angles(m, u, R), strict=True):
        if f"{name}_plate_angle" in m.limits:
            least = m.limits[f"{name}_plate_angle"]
            for i in range(6):
                found[f"leg {i + 1} {name} plate angle"] = angles[..., i] - least[i], np.pi / 2 - least[i], "angle"
    return found


def _clearances(m, t, R, p):
    if "leg_radius" not in m.limits:
        return {}
    radius, P = m.limits["leg_radius"], platform_joints(m, t, R)
    p0 = driven_points(m, joint_coordinates(m, m.t0, m.R0))  # at home
    pairs = []
    for i, j in combinations(range(6), 2):
        least = radius[i] + radius[j]
        closest = min(np.linalg.norm(m.b[i] - m.b[j]), np.linalg.norm(p0[i] - p0[j]))
        if closest > least:  # joints closer than the legs are thick: no clearance to speak of
            pairs.append((i, j))
    if not pairs:
        return {}
    i, j = np.array(pairs).T
    least = radius[i] + radius[j]
    gap = distance_of_segments(*(points[..., k, :] for k in (i, j) for points in (p, P))) - least
    names = (f"legs {i + 1}-{j + 1} clearance" for i, j in pairs)
    return {name: (gap[..., k], least[k], "length") for k, name in enumerate(names)}


def distance_of_segments(A, B, C, D):
    """Least distance of segments AB and CD: of their lines where both feet lie inside, else of an end to the other."""

    def to_segment(P, A, B):
        d = B - A
        s = np.clip(np.sum((P - A) * d, axis=-1) / np.sum(d * d, axis=-1), 0, 1)
        return np.linalg.norm(P - A - s[..., None] * d, axis=-1)

    ends = [to_segment(A, C, D), to_segment(B, C, D), to_segment(C, A, B), to_segment(D, A, B)]
    d, e, n = B - A, D - C, np.cross(B - A, D - C)
    nn = np.sum(n * n, axis=-1)
    with np.errstate(invalid="ignore", divide="ignore"):
        s = np.sum(np.cross(C - A, e) * n, axis=-1) / nn
        r = np.sum(np.cross(C - A, d) * n, axis=-1) / nn
        lines = np.abs(np.sum((C - A) * n, axis=-1)) / np.sqrt(nn)
    inside = (s >= 0) & (s <= 1) & (r >= 0) & (r <= 1)
    return np.where(inside, np.fmin(lines, np.min(ends, axis=0)), np.min(ends, axis=0))


def _tool(m, t, R):
    found, place = {}, t + R @ m.tool
    box = [(f"{axis}_{side}", k, side) for k, axis in enumerate("xyz") for side in ("min", "max")]
    for key, k, side in box:
        if key in m.limits:
            other = f"{key[0]}_{'max' if side == 'min' else 'min'}"
            scale = abs(m.limits[key] - m.limits[other]) / 2 if other in m.limits else size(m)
            spare = (place[..., k] - m.limits[key]) * (1 if side == "min" else -1)
            found[f"tool {key[0]} {side}"] = spare, scale, "length"
    if "radius" in m.limits:
        off = np.hypot(*np.moveaxis((place - (m.t0 + m.R0 @ m.tool))[..., :2], -1, 0))
        found["tool radius"] = m.limits["radius"] - off, m.limits["radius"], "length"
    if "tilt" in m.limits:
        found["tool tilt"] = m.limits["tilt"] - angle(R @ m.tool_z, m.R0 @ m.tool_z), m.limits["tilt"], "angle"
    if "rotation" in m.limits:
        found["tool rotation"] = m.limits["rotation"] - np.abs(twist_about_z(R @ m.R0.T)), m.limits["rotation"], "angle"
    return found


def twist_about_z(D):
    """The twist of swing and twist of a turn D about z: 2 arctan2(z, w) of its quaternion, from its matrix."""
    turn = np.arctan2(D[..., 1, 0] - D[..., 0, 1], D[..., 0, 0] + D[..., 1, 1])
    return turn
