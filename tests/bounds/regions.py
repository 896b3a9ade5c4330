"""Bounds over balls and boxes of poses: legs, margins, singular values, determinants, certificates."""

from dataclasses import replace

import numpy as np
from scipy.spatial.transform import Rotation
from tests.bounds.attack import NOTHING, Claim, about_centre, ball, shifted, some_pose, some_radius

import gough
from gough.accuracy import ResolutionLimit
from gough.kinematics.certificate import certify_pose
from gough.limits.table import limit_table
from gough.regions import SpeedLimit, box_limits
from gough.regions import box as box_region
from gough.regions.box_limits import limits_over_cells
from gough.regions.branching import Boxes, Search
from gough.regions.cells import Cells, Motion
from gough.regions.pave import INNER, OUTER, UNKNOWN, PavingTask, classify, first_order_bounds
from gough.regions.placing import Chart
from gough.regions.requested import RegionLimits
from gough.statics import ForceLimit, StiffnessLimit


def legs(m, rng, size) -> Claim:
    """Joint coordinates, rods and driven points, of platform joints in balls: `Legs.enclosure`."""
    X, (radius, looked) = some_pose(m, rng, 0.4), some_radius(m, rng, size)
    b_B = X[:3, 3] + m.b_P @ X[:3, :3].T
    found = m.legs.enclosure(b_B, np.full(1, radius))

    def state(z):
        Y = shifted(X, looked * ball(z))
        q = gough.inverse_kinematics(m, Y)
        p = m.legs.driven_points(q)
        d = Y[:, None, :3, 3] + m.b_P @ X[:3, :3].T - p
        return q, p, d / np.linalg.norm(d, axis=-1, keepdims=True)

    q0, p0, u0 = (part[0] for part in state(np.zeros((1, 3))))
    twice = np.where(found.is_centred, 1.0, 2.0)
    is_known = np.isfinite(found.q_low) & np.isfinite(found.q_high)
    low, high = (np.where(is_known, end, 0.0) for end in (found.q_low, found.q_high))
    middle = np.where(np.isnan(q0), (low + high) / 2, q0)

    def values(z):
        q, p, u = state(z)
        parts = [q - middle, middle - q]
        parts += [np.linalg.norm(a - b, axis=-1) for a, b in ((u, found.u), (u, u0), (p, p0))]
        return np.concatenate(parts, axis=-1)

    most = [found.q_high - middle, middle - found.q_low, found.u_shift, twice * found.u_shift, twice * found.p_shift]
    return Claim(3, values, np.concatenate(most), 1.0)


def boxes(m, rng, size) -> Claim:
    """Margins and the least singular value over boxes of positions: what `free_of_singularities` proves from."""
    X = some_pose(m, rng)
    half = size * m.size * rng.uniform(0.1, 1, 3)
    start = gough.margins(m, X).values
    at = abs(start[-1] + m.limits.singular_value)
    limits = [RegionLimits.of(m)] + [RegionLimits.regular(m, max(part * at, 1e-12)) for part in (0.0, 0.9)]
    near, every = box_limits.boxes_of_positions(X[:3, :3], X[None, :3, 3], half), np.ones(len(start), dtype=bool)
    found = [box_limits.limits_over(each, every, near, is_whole=bool(k)) for k, each in enumerate(limits)]
    broken = found[0].broken[0]
    lower = [
        found[0].lower[0],
        *(each.lower[0, -1:] + one.columns[-1].bound for each, one in zip(found[1:], limits[1:], strict=True)),
    ]

    def values(z):
        there = gough.margins(m, shifted(X, half * z)).values
        sigma = np.abs(there[:, -1:] + m.limits.singular_value)
        return np.concatenate([start - there, at - sigma, at - sigma, np.where(broken, there, np.nan)], axis=1)

    first = np.concatenate([start - lower[0], at - lower[1], at - lower[2]])
    return Claim(3, values, np.concatenate([np.where(np.isfinite(first), first, np.inf), np.zeros(len(every))]), 1.0)


def cells(m, rng, size) -> Claim:
    """Margins over boxes of positions and orientations, in every kind of coordinates: `gough.regions.cells`, and by the
    bounds of first order that pavings are judged by; what is judged of the limit that is nearest."""
    table = limit_table(m)
    region, place, half = _some_cell(m, rng, size)
    cell, every = Cells(place[None], half[None]), np.ones(len(table.columns), dtype=bool)
    bounds = limits_over_cells(RegionLimits.of(m), region, cell, every)
    start = gough.margins(m, region.poses(place[None])).values[0]
    _, low, high = (
        found[0] for found in first_order_bounds(PavingTask.of(m, region, every), Motion.over(region, cell))
    )

    nearest = np.arange(len(every)) == np.nanargmin(np.abs(start))
    nearest |= [column.quantity == "reach" for column in table.columns]  # without it there is no pose
    halves = half * 2.0 ** -np.arange(30.0)[:, None]
    verdicts = classify(PavingTask.of(m, region, nearest), Cells(np.tile(place, (len(halves), 1)), halves))
    k = int(np.argmax(verdicts != UNKNOWN))  # the largest box of which anything is proven
    judged, side = halves[k], {INNER: -1.0, OUTER: 1.0, UNKNOWN: np.nan}[int(verdicts[k])]
    is_missed = np.isneginf(high).all()  # then every pose of the box breaks some limit, beyond the legs' reach

    def values(z):
        found = gough.margins(m, region.poses(place + half * z)).values
        fall = start - found
        rise = np.where(is_missed, np.nan, -fall)
        missed = np.where(is_missed, found.min(axis=1), np.nan)
        near = gough.margins(m, region.poses(place + judged * z)).values
        wrong = side * np.where(np.isnan(near), -np.inf, near)[:, nearest].min(axis=1)
        return np.concatenate([fall, fall, rise, missed[:, None], wrong[:, None]], axis=1)

    least = np.concatenate([bounds.lower[0], low])
    most = [np.where(np.isneginf(least), np.inf, np.tile(start, 2) - least), high - start, np.zeros(2)]
    return Claim(6, values, np.concatenate(most), 1.0)


def _some_cell(m, rng, size):
    """A box in a region, in some kind of coordinates: the region, the box's centre and half widths."""
    X, kind = some_pose(m, rng, 0.1), rng.integers(4)
    sets = ({}, {"turn": 3.0}, {"tilt": 3.0, "roll": 3.0}, {"euler": [3.0] * 3, "sequence": rng.choice(["XYZ", "zyz"])})
    about = m.size * rng.uniform(-0.3, 0.3, 3)
    centre = X[:3, :3] @ about + X[:3, 3]
    region = box_region(centre, [m.size] * 3, about=about, reference=X[:3, :3], **sets[kind])
    if rng.uniform() < 0.5:
        region = replace(region, directions=Rotation.random(random_state=rng).as_matrix())
    place = region.centre + np.repeat([0.0, 0.2], 3) * rng.uniform(-1, 1, 6) * region.half
    half = min(size, 0.3) * rng.uniform(0, 1, 6) * np.repeat([m.size, 2.0], 3) * (region.half > 0)
    return region, place, half


def _requests(m, rng):
    """Every limit on request, of motions, loads and steps in all directions; a stiffness where the file has none."""
    vectors, point = rng.normal(size=(2, 6)), m.size * rng.uniform(-0.3, 0.3, 3)
    a = m.actuators
    if a.stiffness is None and a.axial_rigidity is None:
        m = replace(m, actuators=replace(a, axial_rigidity=rng.uniform(1, 2, 6), base_joint_stiffness=np.full(6, 3.0)))
    amounts = rng.uniform(0, 1, 4) * (rng.uniform(size=4) < 0.7)
    return RegionLimits.of(
        m,
        [
            SpeedLimit(translation=amounts[0], rotation=amounts[1], twist=vectors, joint_speed=1.0, point=point),
            SpeedLimit(rotation=1.0, joint_speed=1.0),
            ForceLimit(
                force=amounts[2],
                moment=amounts[3],
                wrench=vectors[:1],
                gravity=m.has_weight and rng.normal(size=3),
                actuator_force=1.0,
                point=point,
            ),
            ForceLimit(force=1.0, actuator_force=1.0),
            StiffnessLimit(translation=1e-3, rotation=1e-3),
            ResolutionLimit(translation=1.0, rotation=1.0, joint_step=rng.uniform(1, 2, 6), point=point),
        ],
    )


def requested(m, rng, size) -> Claim:
    """Speeds, forces, stiffnesses and steps over boxes of positions and orientations: `gough.regions.requested`."""
    limits = _requests(m, rng)
    region, place, half = _some_cell(m, rng, min(size, 0.1))
    own = len(limits.own.columns)
    every = np.ones(len(limits.columns), dtype=bool)
    bounds = limits_over_cells(limits, region, Cells(place[None], half[None]), every)
    start, lower = limits.margins(region.poses(place[None]))[0, own:], bounds.lower[0, own:]
    scale = np.maximum(np.abs(start - [column.bound for column in limits.columns[own:]]), 1e-300)

    def values(z):
        return (start - limits.margins(region.poses(place + half * z))[:, own:]) / scale

    return Claim(6, values, np.where(np.isfinite(lower), (start - lower) / scale, np.inf), 1.0)


def cubics(m, rng, size) -> Claim:
    """The determinant of struts over boxes: `SingularityCubic.bounds`."""
    X = some_pose(m, rng)
    cubic, half = gough.singularity.singularity_cubic(m, X), size * m.size * rng.uniform(0.1, 1, 3)
    low, high = (float(bound) for bound in cubic.bounds(X[:3, 3] - half, X[:3, 3] + half))

    def values(z):
        found = cubic(X[:3, 3] + half * z)[:, None]
        return np.concatenate([found, -found], axis=1)

    top = max(abs(low), abs(high))
    start = float(cubic(X[:3, 3]))
    return Claim(3, lambda z: values(z) - [start, -start], np.array([high - start, start - low]), top)


def proofs(m, rng, size) -> Claim:
    """Certificates of poses off the true one: it is within the error that is proven, or outside the proven cube."""
    X = some_pose(m, rng, 0.02, 0.1)
    q = gough.inverse_kinematics(m, X)

    def values(z):
        offsets, turns = size * m.size * ball(z[:, :3]), size * ball(z[:, 3:])
        Y = about_centre(m, X, offsets, turns)
        proof = certify_pose(m, np.broadcast_to(q, (len(Y), 6)), Y)
        return _part_of_error(proof, np.linalg.norm(offsets, axis=1), np.linalg.norm(turns, axis=1))[:, None]

    return Claim(6, values, np.ones(1), 1.0)


def _part_of_error(proof, shift, turn):
    """How far true poses (n) are off, as part of the proven errors, where they are within the proven radii; else NaN:
    another pose may be there."""
    is_near = proof.proven & (shift < proof.position_radius) & (turn < proof.rotation_radius)
    with np.errstate(invalid="ignore"):
        return np.where(is_near, np.maximum(shift / proof.position_error, turn / proof.rotation_error), np.nan)


def solutions(m, rng, size) -> Claim:
    """The certificates of what forward kinematics finds, of each stage: the pose that the joints come from is as near
    as they say, or outside of what they speak of."""
    h = min(size, 0.3)
    starts = [some_pose(part, rng, 0.02, 0.1) for part in m.stages]

    def values(z):
        moves = np.split(h * z, len(m.stages), axis=1)
        true = [
            shifted(X, part.size * move[:, :3], move[:, 3:])
            for part, X, move in zip(m.stages, starts, moves, strict=True)
        ]
        q = [gough.inverse_kinematics(part, X) for part, X in zip(m.stages, true, strict=True)]
        solution = gough.forward_kinematics(m, np.concatenate(q, axis=1), throw=False)
        found = []
        for part, X, own in zip(m.stages, true, getattr(solution, "stages", (solution,)), strict=True):
            Y = own.matrix
            shift = (Y - X)[:, :3, :3] @ part.platform_centre + (Y - X)[:, :3, 3]
            apart = np.swapaxes(Y[:, :3, :3], 1, 2) @ (X - Y)[:, :3, :3]  # less the unit matrix, without cancellation
            chord = np.linalg.norm(apart, axis=(1, 2)) / np.sqrt(8)
            turn = 2 * np.arcsin(np.clip(chord, 0, 1))
            found.append(_part_of_error(own.certificate, np.linalg.norm(shift, axis=1), turn))
        return np.stack(found, axis=1)

    return Claim(6 * len(m.stages), values, np.ones(len(m.stages)), 1.0)


def cuts(m, rng, size) -> Claim:
    """What a search drops of a box: limits are kept at its places, and where their bounds prove them."""
    X = gough.travel(m, rng.normal(size=6) * np.repeat([m.size, 1.0], 3)).matrix  # a limit is nearly broken here
    region, _, _ = _cell_at_the_rim(replace(m, X_home=X), rng, size)
    limits = RegionLimits.of(m)
    search = Search(limits, Chart.of(region), np.ones(len(limits.columns), dtype=bool))
    d = len(search.chart.free)
    if not d:
        return NOTHING
    task = search.tasks[rng.integers(len(search.tasks))]
    item = np.array([rng.integers(task.count)])
    columns = task.columns[:, item]
    centre, half = rng.uniform(-0.5, 0.5, (d, 1)), rng.uniform(0, 1, (d, 1))
    box = Boxes(centre, half, item, columns >= 0, np.full(columns.shape, -np.inf))
    bounded = search.bound(task, box)
    left, own = search.halved(task, box, bounded), np.unique(columns[columns >= 0])
    proven = bounded.lower[:, 0]
    least = np.array([proven[columns[:, 0] == c].min() for c in own])
    scale = np.array([limits.columns[c].scale for c in own])

    def values(z):
        y = centre + half * z.T
        found = gough.margins(m, region.poses(search.chart.coordinates(y))).values[:, own] / scale
        inside = np.abs(search.chart.moved_inside(y) - y).max(axis=0) == 0
        away = np.abs(y[:, :, None] - left.centre[:, None]) - left.half[:, None] * (1 + 1e-9)
        is_out = inside & ~(away <= 1e-15).all(axis=0).any(axis=1)
        dropped = np.where(is_out, -np.nan_to_num(found, nan=np.inf).min(axis=1), np.nan)
        return np.concatenate([np.where(inside[:, None], -found, np.nan), dropped[:, None]], axis=1)

    tolerance = max(limits.columns[c].tolerance / limits.columns[c].scale for c in own)
    return Claim(d, values, np.append(-least / scale, tolerance), 1.0)


def _cell_at_the_rim(m, rng, size):
    """A box and a region of some shape that it has a part of."""
    region, place, half = _some_cell(m, rng, size)
    place = np.where(np.repeat([False, rng.uniform() < 0.5], 3), region.centre, place)
    half = half * np.repeat([[1, 1], [0, 1], [1, 0.01], [0.05, 1]][rng.integers(4)], 3)
    groups = tuple(group for group in region.groups if group[0] >= 3)
    groups = (((0,), (1,), (2,)) if rng.uniform() < 0.5 else ((0, 1, 2),)) + groups
    away = half * rng.uniform(-1, 1, 6)
    region = replace(region, centre=place + away, half=half * rng.uniform(1, 2, 6), groups=groups)
    return region, place, half
