"""Bounds that searches give and stand on: reach, speeds, singular surfaces, distances and proofs, cones, envelopes."""

import numpy as np
from scipy.spatial.transform import Rotation
from tests.bounds.attack import NOTHING, Claim, ball, shifted, some_pose, sphere

import gough
from gough.errors import InputError
from gough.limits.interval_search import poses_at, reach_box
from gough.limits.table import limit_table, path_speed, walking_length
from gough.singularity.surface import RodSurface
from gough.workspaces.cones import OrientationCone

STEP = 1e-6
"""Of central differences, as part of the path's unit."""
BOXES = 2000
"""Of a search that is attacked: its bounds hold wherever it ends."""
CENTRES = 20
"""Of boxes, or starts of paths, that are looked at together."""
TRAVEL = ("shortest", "longest", "lowest", "highest", "reach", "x min", "x max", "y min", "y max", "z min", "z max")
"""Names of the limits of joints' travel and of the tool's box, by their ends."""


def reach(m, rng, size) -> Claim:
    """Where the point of interest can be while every joint keeps its travel: `reach_box`."""
    R = some_pose(m, rng, 0.0, min(2 * size, 1.5))[:3, :3]
    low, high = reach_box(m, R)
    home = _home(m)
    low, high = np.where(np.isfinite(low), low, home - m.size), np.where(np.isfinite(high), high, home + m.size)
    travel = [k for k, column in enumerate(limit_table(m).columns) if column.name.endswith(TRAVEL)]

    def values(z):
        place = (low + high) / 2 + 0.7 * (high - low) * z
        is_allowed = (gough.margins(m, poses_at(m, R, place)).values[:, travel] >= 0).all(axis=1, keepdims=True)
        return np.where(is_allowed, np.concatenate([place - home, home - place], axis=1), np.nan)

    return Claim(3, values, np.concatenate([high - home, home - low]), m.size)


def _home(m):
    """The point of interest at home."""
    return m.X_home[:3, :3] @ m.point_of_interest + m.X_home[:3, 3]


def steps(m, rng, size) -> Claim:
    """How fast the platform's joints go along a constant twist of the point of interest, or constant rates of Euler
    angles: `path_speed`, `lever`."""
    count = CENTRES
    starts = np.stack([some_pose(m, rng) for _ in range(count)])
    V = rng.normal(size=(count, 6)) * np.where(rng.uniform(size=(count, 1)) < 0.5, [1, 1, 1, 0, 0, 0], 1.0)
    V[:, 3:] /= m.size
    is_euler = bool(rng.uniform() < 0.5)
    joints = _joints_by_angles if is_euler else _joints
    most = path_speed(m, starts, V, euler=is_euler) * walking_length(m)

    def values(z):
        at = size * m.size * z[:, 0]
        found = [
            np.linalg.norm(np.diff(joints(m, X, v, at), axis=0)[0] / (2 * STEP * m.size), axis=-1).max(axis=1)
            for X, v in zip(starts, V, strict=True)
        ]
        return np.stack(found, axis=1) * (1 - 1e-7)  # what the differences cost

    return Claim(1, values, most, 1.0)


def _joints(m, X, V, at):
    """Platform joints (2, n, 6, 3) a step before and after places (n,) along the path."""
    s = np.stack([at - STEP * m.size, at + STEP * m.size])
    Y = shifted(X, np.zeros((s.size, 3)), s.reshape(-1, 1) * V[3:])
    point = X[:3, :3] @ m.point_of_interest + X[:3, 3] + s.reshape(-1, 1) * V[:3]
    Y[:, :3, 3] = point - Y[:, :3, :3] @ m.point_of_interest
    found = Y[:, None, :3, 3] + m.b_P @ np.swapaxes(Y[:, :3, :3], 1, 2)
    return found.reshape(2, len(at), 6, 3)


def _joints_by_angles(m, X, V, at):
    """The same along a straight line of the point and of the angles of R = Rx Ry Rz, added to those of X."""
    s = np.stack([at - STEP * m.size, at + STEP * m.size]).reshape(-1, 1)
    R = Rotation.from_euler("XYZ", Rotation.from_matrix(X[:3, :3]).as_euler("XYZ") + s * V[3:]).as_matrix()
    point = X[:3, :3] @ m.point_of_interest + X[:3, 3] + s * V[:3]
    found = point[:, None] + (m.b_P - m.point_of_interest) @ np.swapaxes(R, 1, 2)
    return found.reshape(2, len(at), 6, 3)


def surfaces(m, rng, size) -> Claim:
    """Boxes without a singular position: `excludes` of both kinds of surfaces. No sign changes there."""
    X = some_pose(m, rng, 0.05, 0.8)
    surface = gough.singularity.singular_surface(m, X)
    centres = X[:3, 3] + m.size * rng.uniform(-0.6, 0.6, (CENTRES, 3))
    half = m.size * rng.uniform(0.1, 1, 3)
    widths = 10.0 ** np.linspace(0.5, -3, 50)
    of_few = next((w for w in widths if surface.excludes(centres, w * half).any()), 0.3 * size)
    half *= of_few if rng.uniform() < 0.5 else 0.3 * size
    sided = RodSurface(m, X[:3, :3]).sided
    is_free, start = surface.excludes(centres, half), sided(centres)

    def values(z):
        places = centres + half * z[:, None]
        return np.where(is_free, _beyond(sided(places.reshape(-1, 3)).reshape(len(z), CENTRES), start), np.nan)

    return Claim(3, values, np.zeros(CENTRES), 1.0)


def _beyond(found, start):
    """How near a surface's values are to zero, as negative parts of those at the start; 1 if they reach it."""
    part = found / start
    return np.where(part <= 0, 1.0, -part)


def distances(m, rng, size) -> Claim:
    """No singular position is nearer than a distance's lower bound, and one is as far as the upper one."""
    X = some_pose(m, rng, 0.3 * min(size, 0.6), min(2 * size, 1.0))
    surface = RodSurface(m, X[:3, :3])
    start = surface.sided(X[None, :3, 3])[0]
    if not abs(start) > 0:
        return NOTHING
    found = gough.singularity.singular_distance(m, X, max_boxes=BOXES)
    at_end = shifted(X, np.zeros((1, 3)))
    at_end[0, :3, 3] = found.position - X[:3, :3] @ m.point_of_interest
    missed = 0.0 if np.isinf(found.upper) else float(gough.singularity.conditioning(m, at_end).distance[0])
    off = 0.0 if np.isinf(found.upper) else np.linalg.norm(at_end[0, :3, 3] - X[:3, 3])

    def values(z):
        beyond = _beyond(surface.sided(X[:3, 3] + found.lower * (1 - 1e-12) * ball(z)), start)
        ends = np.broadcast_to([off, missed, found.lower], (len(z), 3))
        return np.concatenate([beyond[:, None], ends], axis=1)

    # A place on the surface is known to rounding of the determinant, which is the cube at a multiple root.
    return Claim(3, values, np.array([0.0, found.upper * (1 + 1e-9), 1e-5, found.upper]), 1.0)


def covers(m, rng, size) -> Claim:
    """Singular values in the boxes of `free_of_singularities`, which hold all that is allowed at an orientation."""
    X, home = some_pose(m, rng, 0.0, 0.4 * size), _home(m)
    extent = size * m.size * rng.uniform(0.1, 1, 3)
    try:
        proof = gough.singularity.free_of_singularities(m, X, low=home - extent, high=home + extent, max_boxes=BOXES)
    except InputError:  # nothing there is within the joints' travel
        return NOTHING
    names = [column.name for column in limit_table(m).columns]
    others = [k for k, name in enumerate(names) if name != "singularity"]
    low, high, lower = proof.low, proof.high, proof.lower
    if not len(low):
        low, high, lower = (home - extent)[None], (home + extent)[None], np.zeros(1)

    def singular_value(place):
        """NaN where another limit is broken."""
        margins = gough.margins(m, poses_at(m, proof.R, place)).values
        found = np.abs(margins[:, names.index("singularity")] + m.limits.singular_value)
        return np.where((margins[:, others] >= 0).all(axis=1), found, np.nan)

    def values(z):
        k = np.minimum((z[:, 3] + 1) / 2 * len(low), len(low) - 1).astype(int)
        inside = (low + high)[k] / 2 + (high - low)[k] / 2 * z[:, :3]
        anywhere = home + extent * z[:, :3]
        sigma, every = singular_value(inside), singular_value(anywhere)
        is_held = ((anywhere[:, None] >= proof.low) & (anywhere[:, None] <= proof.high)).all(axis=2).any(axis=1)
        is_left = ~np.isnan(every) & ~is_held & (proof.part == "all")
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.stack([lower[k] / sigma, proof.bound / every, 1.0 * is_left], axis=1)

    return Claim(4, values, np.array([1.0, 1.0, 0.0]), 1.0)


def cones(m, rng, size) -> Claim:
    """Places of an orientation cone: near a sample, tilted by no more than its tilt, and turned by its roll."""
    cone = OrientationCone(min(size, 0.6) * 2, rng.choice([0.0, size * 3]), some_pose(m, rng, 0.0, 1.5)[:3, :3])
    samples, spacing = cone.samples(), np.maximum(cone.spacing, 1e-300)

    def values(z):
        place = cone.kept(z * [1.5 * cone.tilt, 1.5 * cone.tilt, 1.5 * cone.roll])
        away = (np.abs(place[:, None] - samples) / spacing).max(axis=2).min(axis=1)
        R = cone.rotations(place) @ cone.R.T
        n = cone.R[:, 2]
        tilt = np.arctan2(np.linalg.norm(np.cross(R @ n, n), axis=1), R @ n @ n)
        return np.stack([away, tilt, np.abs(place[:, 2])], axis=1)

    return Claim(3, values, np.array([1.0, cone.tilt, cone.roll]), 1.0)


def envelopes(m, rng, size) -> Claim:
    """Speeds, loads and steps that hold in every direction: velocity envelope, guaranteed wrench, resolution."""
    six, X = rng.uniform(1.0, 2.0, 6), some_pose(m, rng, 0.1 * size, 0.3 * size)
    e, length = gough.velocity_envelope(m, X, joint_speed=six), m.size * rng.uniform(0.1, 1)
    is_heavy = {"gravity": m.platform is not None}
    force, moment = (
        float(gough.statics.guaranteed_wrench(m, X, kind, actuator_force=1e4 * six, **is_heavy))
        for kind in ("force", "moment")
    )
    steps = gough.accuracy.resolution(m, X, joint_step=1e-6 * six)
    J_Vq, arm = np.linalg.inv(e.J_qV), X[:3, :3] @ m.point_of_interest
    mixed = float(e.guaranteed("twist", length=length))

    def used(wrench):
        """Part of the actuators' forces that a wrench at the point of interest takes."""
        return (np.abs(gough.leg_forces(m, X, wrench, **is_heavy)) / (1e4 * six)).max(axis=1)

    def values(z):
        d, zero = sphere(z[:, :3]), np.zeros((len(z), 3))
        found = []
        for pair, motion in (((d, zero), "translation"), ((zero, d), "rotation")):
            speed = e.speed(np.concatenate(pair, axis=1))
            found += [float(e.guaranteed(motion)) / speed, speed / float(e.fastest(motion))]
        twist = mixed * z / np.maximum(np.linalg.norm(z, axis=1, keepdims=True), 1e-9) / np.repeat([1.0, length], 3)
        found.append((np.abs(e.joint_rates(twist)) / six).max(axis=1))
        for load, six_of in ((force, (d, np.cross(arm, d))), (moment, (zero, d))):
            found.append(used(load * np.concatenate(six_of, axis=1)) if load > 0 else 0 * z[:, 0])
        moved = (z * 1e-6 * six) @ J_Vq.T
        found += [*(np.abs(moved) / steps.worst_case).T]
        found.append(np.linalg.norm(moved[:, :3], axis=1) / steps.worst_translation)
        found.append(np.linalg.norm(moved[:, 3:], axis=1) / steps.worst_rotation)
        return np.stack(found, axis=1)

    return Claim(6, values, np.ones(15), 1.0)


def lines(m, rng, size) -> Claim:
    """Where lines meet the singular surface: between places on two sides of it, if every leg closes on the way."""
    X = some_pose(m, rng, 0.1, 1.0)
    surface, d = gough.singularity.singular_surface(m, X), sphere(rng.normal(size=(1, 3)))[0]
    roots, width, sided = surface.along(X[:3, 3], d), size * m.size, RodSurface(m, X[:3, :3]).sided

    def values(z):
        begin = 2 * m.size * z[:, 0]
        s = begin[:, None] + np.linspace(0, width, 17)
        side = np.sign(sided((X[:3, 3] + s[..., None] * d).reshape(-1, 3))).reshape(s.shape)
        between = ((roots >= s[:, :1]) & (roots <= s[:, -1:])).sum(axis=1)
        is_missed = (side[:, 0] * side[:, -1] < 0) & (between == 0)
        return np.where(np.isnan(side).any(axis=1), np.nan, 1.0 * is_missed)[:, None]

    return Claim(1, values, np.zeros(1), 1.0)
