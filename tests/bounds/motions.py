"""Bounds over motions: speeds and accelerations of paths of every kind, margins along them, heads, rounded corners."""

from dataclasses import replace

import numpy as np
from scipy.spatial.transform import Rotation
from tests.bounds.attack import NOTHING, UNKNOWN, Claim, ball, shifted, some_pose

import gough
from gough import motion
from gough.head import Head, HeadJoint
from gough.motion.heads import HeadSpline
from gough.motion.heads.kinematics import head_columns
from gough.motion.heads.motion import SharedPath, joint_bounds, tip_on_platform, tip_rates
from gough.motion.joint_space import JointSpacePath
from gough.motion.path import Framed
from gough.motion.path_models import PathModels
from gough.motion.programs import parse_program, program_path, program_start
from gough.motion.programs.head_program import RolledPath
from gough.motion.recorded import RecordedMotion
from gough.motion.smooth import Spline
from gough.motion.tube import Tube
from gough.motion.uncertainty import Uncertainty
from gough.poses import inverse_matrices
from gough.regions.box_limits import limits_over
from gough.regions.requested import RegionLimits

PARTS = 40
"""Intervals of a path that are looked at together."""
MOST = 3000
"""Intervals that a check of a path may look at."""
MARGIN = 1 - 1e-9
"""Of a span, whose end rounding must not pass."""


def some_head(rng):
    """Up to four joints askew, of all kinds."""
    turning = ["revolute"] if rng.uniform() < 0.6 else []
    kinds = [*rng.choice(["prismatic", *turning], 1), *rng.choice(["prismatic", "fixed", *turning], 3)]
    rows = (
        HeadJoint(
            name=f"J{k}",
            kind=str(kind),
            a=rng.normal(0, 0.1),
            alpha=rng.uniform(-3, 3),
            d=rng.normal(0, 0.1),
            theta=rng.uniform(-3, 3),
            minimum=-1.0,
            maximum=np.inf if k == 2 else 2.0,
        )
        for k, kind in enumerate(kinds)
    )
    count = sum(kind != "fixed" for kind in kinds)
    X_PH, X_NT = (gough.pose_matrix(rng.normal(0, 0.1, 3), rng.normal(size=3), "XYZ") for _ in range(2))
    convention = "standard" if rng.uniform() < 0.5 else "modified"
    return Head(joints=tuple(rows), convention=convention, X_PH=X_PH, X_NT=X_NT, q=np.zeros(count))


def some_joints(head, knots, rng, most=1.5):
    """A motion of the head's joints."""
    return HeadSpline(knots, rng.uniform(-most, most, (len(knots), len(head.moving))))


def part_of(knots, rng, size):
    """An interval between two knots."""
    k = rng.integers(len(knots) - 1)
    low, high = knots[k : k + 2]
    width = (high - low) * min(1.0, 2 * size)
    begin = low + rng.uniform() * (high - low - width)
    return begin, begin + width


def wild(m, rng):
    """Poses (5, 4, 4) with turns up to half a circle from one to the next."""
    turn = rng.choice([0.1, 1.0, 1.5])
    X = gough.pose_matrix(m.size * rng.normal(size=(5, 3)), turn * rng.normal(size=(5, 3)), "XYZ")
    if turn == 1.5:
        X[:, :3, :3] = Rotation.random(5, rng).as_matrix()
    return X


def near_home(m, rng):
    """Poses (5, 4, 4); half of the time all of one orientation."""
    X = np.stack([some_pose(m, rng, 0.1, 0.3) for _ in range(5)])
    if rng.uniform() < 0.5:
        X[:, :3, :3] = X[0, :3, :3]
    return X


def extent(X):
    """Of a path through these poses [m]."""
    return float(np.linalg.norm(X[1, :3, 3] - X[0, :3, 3]))


def some_arc(m, X, rng):
    centre = X[0, :3, 3] + extent(X) * rng.normal(size=3)
    options = ({}, {"orientation": "carried"}, {"end": X[1], "rise": 0.3 * extent(X)})[rng.integers(3)]
    return motion.arc(X[0], centre, rng.normal(size=3), rng.uniform(0.2, 2.0), **options)


def in_pieces(m, X, rng):
    """Arc, spline and line."""
    first = some_arc(m, X, rng)
    return motion.concatenate([first, Spline(np.stack([first.end, *X[1:4]])), motion.line(X[3], X[4])])


def in_joints(m, X, rng):
    near = np.stack([some_pose(m, rng, 0.02, 0.05) for _ in range(3)])
    return JointSpacePath(m, near, None if rng.uniform() < 0.5 else 0.1 * rng.normal(size=(3, 6)))


def recorded(m, X, rng):
    t = np.cumsum(rng.uniform(0.5, 1.5, 12))
    poses = Spline(X)(np.linspace(0, Spline(X).span[1] * MARGIN, 12))[0]
    found = RecordedMotion(t, poses, cutoff=None if rng.uniform() < 0.5 else rng.uniform(0.1, 0.3))
    return found if rng.uniform() < 0.5 else motion.path_about_pivot(m, found.relative("first"), start=X[0])


def under_head(m, X, rng):
    """The platform while the tool of a head goes along a plan, or nearly rests, rolled and with its joints moved."""
    m = replace(m, head=some_head(rng))
    if rng.uniform() < 0.5:
        X = np.stack([shifted(X[0], 1e-6 * m.size * rng.normal(size=(1, 3)))[0] for _ in range(5)])
    s = Spline(X, at=np.arange(5.0))
    tip = gough.pose_matrix(rng.normal(0, 0.1, 3), rng.normal(size=3), "XYZ")
    tool = Framed(s, np.eye(4), inverse_matrices(tip))
    if rng.uniform() < 0.5:
        tool = RolledPath(tool, HeadSpline([0.0, 1.5, 4.0], rng.normal(size=(3, 1))))
    return SharedPath(m, tool, some_joints(m.head, np.arange(5.0), rng))


def programmed(m, X, rng):
    """Lines and arcs of all planes in G-code, half of the corners rounded."""
    reach = 1e3 * extent(X)
    at = rng.uniform(-reach, reach, (6, 3))
    ends = [f"X{x:.6f} Y{y:.6f} Z{z:.6f}" for x, y, z in at]
    plane = rng.integers(3)
    used = [(0, 1), (0, 2), (1, 2)][plane]
    radius = float(np.linalg.norm(np.diff(at[2:4, used], axis=0))) * rng.uniform(0.51, 2.0)
    turn = np.degrees(np.linalg.norm(Rotation.from_matrix(X[0, :3, :3].T @ X[1, :3, :3]).as_rotvec()))
    a, b = rng.uniform(-min(turn, 60.0), min(turn, 60.0), 2)
    lines = [
        "G21 G90 G94 F1000",
        f"G64 P{rng.uniform(0.001, 0.2) * reach:.6f}" if rng.uniform() < 0.5 else "G61",
        f"G1 {ends[0]} A{a:.4f} B{b:.4f}",
        f"G1 {ends[1]} C{b:.4f}",
        f"G1 {ends[2]}",
        f"G{17 + plane} G{rng.integers(2, 4)} {ends[3]} R{radius:.6f}",
        f"G1 {ends[4]} A{b:.4f}",
        f"G0 {ends[5]} B{a:.4f}",
    ]
    program = parse_program("\n".join(lines), program_start(m))
    return program_path(m, program, blend=1e-4 * reach)


KINDS = {
    "rounded": lambda m, X, rng: motion.via(X, blend=rng.uniform(0, 0.2) * extent(X), blend_angle=0.2),
    "straight": lambda m, X, rng: motion.line(X[0], X[1]),
    "arc": some_arc,
    "spline": lambda m, X, rng: Spline(X),
    "closed": lambda m, X, rng: Spline(np.concatenate([X, X[:1]]), closed=True),
    "about a pivot": lambda m, X, rng: motion.path_about_pivot(m, Spline(gough.frames.displacement(m, X))),
    "of the tool": lambda m, X, rng: motion.in_frame(m, Spline(inverse_matrices(X[4]) @ X @ m.X_PT), work=X[4]),
    "in pieces": in_pieces,
    "joints": in_joints,
    "recorded": recorded,
    "under a head": under_head,
    "program": programmed,
}


def paths(m, rng, size) -> Claim:
    """Speeds and accelerations over parts of paths of every kind: `Path.rates`."""
    path = KINDS[rng.choice(list(KINDS))](m, wild(m, rng), rng)
    low, high = np.array([part_of(path.knots, rng, size) for _ in range(PARTS)]).T
    bounds = path.rates(low, high)

    def values(z):
        s = np.clip((low + high) / 2 + (high - low) / 2 * z, low, high)
        V, A = (np.where(z[..., None] > 0, *sides) for sides in zip(path(s, before=True)[1:], path(s)[1:], strict=True))
        parts = (V[..., :3], V[..., 3:], A[..., :3], A[..., 3:])
        return np.concatenate([np.linalg.norm(part, axis=-1) for part in parts], axis=1)

    most = np.concatenate(bounds)
    return Claim(1, values, np.where(most > UNKNOWN, np.inf, most), 1.0)


def journeys(m, rng, size) -> Claim:
    """Margins over parts of paths about home: what `check_path` proves from."""
    limits, path = RegionLimits.of(m), KINDS[rng.choice(list(KINDS))](m, near_home(m, rng), rng)
    low, high = part_of(path.knots, rng, size)
    middle, h, every = (low + high) / 2, (high - low) / 2, np.ones(len(limits.columns), dtype=bool)
    models = PathModels.of(path, np.array([low]), np.array([high]))
    found = [limits_over(limits, every, models.family(), is_whole=is_whole) for is_whole in (False, True)]
    start, lower, broken = found[0].values[0], np.concatenate([each.lower[0] for each in found]), found[0].broken[0]

    def values(z):
        there = gough.margins(m, path(np.clip(middle + h * z[:, 0], low, high))[0]).values
        return np.concatenate([start - there, start - there, np.where(broken, there, np.nan)], axis=1)

    first = np.where(np.isfinite(lower), np.tile(start, 2) - lower, np.inf)
    return Claim(1, values, np.concatenate([first, np.zeros(len(every))]), 1.0)


def some_uncertainty(m, path, rng):
    """Balls or ellipsoids of displacements, the same all along or not."""
    sizes = 10 ** rng.uniform(-5, -1.5, (2, 2)) * [m.size, 1.0]
    if rng.uniform() < 0.5:
        sizes *= rng.uniform(size=2) < 0.8
        sizes[0] += 1e-6 * m.size
        return Uncertainty.of(np.column_stack([path.span, sizes]), path, 0.5)
    A = rng.normal(size=(2, 6, 6)) * np.repeat(sizes, 3, axis=1)[..., None] / 4
    C = A @ np.swapaxes(A, 1, 2)
    return Uncertainty.of(lambda X: np.linspace(*(C if rng.uniform() < 0.5 else C[[0, 0]]), len(X)), path, 0.5)


def displacements(uncertainty, s, z):
    """Of the sets at parameters s (n,), by places z (n, 6) of the cube."""
    if uncertainty.ellipsoids is None:
        radii = np.stack([np.interp(s, uncertainty.s, column) for column in uncertainty.radii.T], axis=1)
        return np.repeat(radii, 3, axis=1) * np.concatenate([ball(z[:, :3]), ball(z[:, 3:])], axis=1)
    k = np.clip(np.searchsorted(uncertainty.s, s) - 1, 0, len(uncertainty.s) - 2)
    t = ((s - uncertainty.s[k]) / np.diff(uncertainty.s)[k])[:, None, None]
    M = (1 - t) * uncertainty.ellipsoids[k] + t * uncertainty.ellipsoids[k + 1]
    values, vectors = np.linalg.eigh(M)
    return np.einsum("nij,nj->ni", vectors * np.sqrt(np.maximum(values, 0.0))[:, None], ball(z))


def tubes(m, rng, size) -> Claim:
    """Margins of poses near parts of paths, and along paths that are displaced: what `check_path` says of tubes."""
    path = KINDS[rng.choice(list(KINDS))](m, near_home(m, rng), rng)
    low, high = part_of(path.knots, rng, min(size, 0.05))
    middle, h = (low + high) / 2, (high - low) / 2
    tube, ends = Tube(RegionLimits.of(m), some_uncertainty(m, path, rng)), (np.array([low]), np.array([high]))
    models, near = PathModels.of(path, *ends), tube.uncertainty.over(*ends)
    bounds = tube.bounds(models, near)
    start, lower = bounds.values[0], bounds.lower[0]

    def around(s, z):
        return tube.displaced(path(s)[0], displacements(tube.uncertainty, s, z))

    fixed = near.lowest(rng.normal(size=(1, 1, 6)))[0]
    along = tube.along(models.displaced(fixed, tube.point))
    there, broken = along.values[0], along.broken[0]

    def values(z):
        s = np.clip(middle + h * z[:, 0], low, high)
        still = tube.displaced(path(s)[0], np.repeat(fixed, len(z), axis=0))
        found, moved = (gough.margins(m, poses).values for poses in (around(s, z[:, 1:]), still))
        return np.concatenate([start - found, there - moved, np.where(broken, moved, np.nan)], axis=1)

    first = [np.where(np.isfinite(low), at - low, np.inf) for at, low in ((start, lower), (there, along.lower[0]))]
    return Claim(7, values, np.concatenate([*first, np.zeros(len(broken))]), 1.0)


def heads(m, rng, size) -> Claim:
    """A head's joints, their margins and its tip: `HeadSpline.bounds`, `joint_bounds`, `tip_rates`."""
    m = replace(m, head=some_head(rng))
    joints, columns = some_joints(m.head, np.cumsum(rng.uniform(0.2, 2.0, 5)), rng), head_columns(m)
    low, high = np.array([part_of(joints.knots, rng, size)]).T
    start, least, most = (bound[0] for bound in joint_bounds(columns, joints, low, high))
    own, of_tip = np.concatenate(joints.bounds(low, high), axis=1)[0], tip_rates(m.head, joints, low, high)
    ends, sides = np.array([(c.bound, 1.0 if c.is_lower else -1.0) for _, c in columns]).T

    def values(z):
        q, qd, qdd = joints(np.clip((low + high) / 2 + (high - low) / 2 * z[:, 0], low, high))
        margins = (q[:, [k for k, _ in columns]] - ends) * sides - start
        place, v, a, w, alpha = (np.linalg.norm(part, axis=1) for part in tip_on_platform(m.head, q, qd, qdd))
        return np.concatenate(
            [np.abs(qd), np.abs(qdd), margins, -margins, np.stack([place, v, w, a, alpha], 1)], axis=1
        )

    return Claim(1, values, np.concatenate([own, most - start, start - least, *of_tip]), 1.0)


def corners(m, rng, size) -> Claim:
    """How far rounded corners leave the segments, in position and in rotation: `via`, `concatenate`, G64 P."""
    X = wild(m, rng)
    blend, turn = size * m.size * rng.uniform(0.1, 1), size * rng.uniform(0.1, 1)
    parts = [motion.line(X[0], X[1]), some_arc(m, X[1:], rng)]
    parts.append(motion.line(parts[1].end, X[3]))
    sharp = motion.concatenate(parts)
    path = motion.concatenate(parts, blend=blend, blend_angle=turn)
    k = rng.integers(2)
    corner, d = path.joints[1 + k], path.reach[k]

    def away(s, poses):
        """Distance and angle (2, n) of poses from the sharp path's at s (2, n) for either."""
        Y = sharp(np.clip(s, *sharp.span))[0]
        R = np.swapaxes(Y[1, :, :3, :3], 1, 2) @ poses[:, :3, :3]
        return np.stack([np.linalg.norm(Y[0, :, :3, 3] - poses[:, :3, 3], axis=1), Rotation.from_matrix(R).magnitude()])

    def values(z):
        poses = path(corner + d * z[:, 0])[0]
        found = []
        for low, high in ((corner - d, corner), (corner, corner + d)):
            a, b = np.full((2, len(z)), low), np.full((2, len(z)), high)
            for _ in range(30):  # golden section: on either segment distances have one minimum, or one is at the end
                x, y = a + 0.381966 * (b - a), b - 0.381966 * (b - a)
                is_left = away(x, poses) < away(y, poses)
                a, b = np.where(is_left, a, x), np.where(is_left, y, b)
            found += [away((a + b) / 2, poses), away(np.full_like(a, low), poses), away(np.full_like(a, high), poses)]
        return np.min(found, axis=0).T

    return Claim(1, values, np.array([blend, turn]), 1.0)


def verdicts(m, rng, size) -> Claim:
    """Where `check_path` says that every limit is kept: all along, or before the first crossing."""
    X = np.stack([some_pose(m, rng, 0.25 * size, 0.8 * size) for _ in range(5)])
    m = replace(m, head=some_head(rng)) if rng.uniform() < 0.5 else m
    path = KINDS[rng.choice(["spline", "in pieces", "rounded", "joints"])](m, X, rng)
    joints = None if m.head is None else some_joints(m.head, path.knots, rng, 0.8)
    found = motion.check_path(m, path, head=joints, max_boxes=MOST, tolerance=1e-6)
    first, last = path.span
    proven = [part.start for part in (*found.broken, *found.undecided)]
    last = min([last, *proven]) - (4e-6 * (last - first) if proven else 0.0)

    def values(z):
        s = first + (last - first) * (z[:, 0] + 1) / 2
        X = path(s)[0]
        return -(gough.margins(m, X) if joints is None else joints.margins(m, X, s)).values

    return Claim(1, values, np.zeros(len(found.columns)), 1.0) if last > first else NOTHING
