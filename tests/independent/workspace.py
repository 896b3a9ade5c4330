"""Volumes, extents, shares and worst places: quasi-Monte-Carlo with its standard error, and `scipy.optimize`.

A position is that of the point of interest in the base frame; the orientation is home's, if nothing else is said.
"""

from dataclasses import dataclass

import numpy as np
from scipy import ndimage
from scipy.optimize import minimize
from scipy.spatial.transform import Rotation
from scipy.stats import qmc
from tests.independent import margins
from tests.independent.kinematics import conditioning, is_singular_at_home, singularity_rows
from tests.independent.margins import size, worst
from tests.independent.travel import displaced

REPLICATES = 16


@dataclass
class Estimate:
    """A mean over scrambled Sobol sequences, and its standard error."""

    value: float
    error: float


def at(m, positions):
    """Poses with the point of interest at the positions, turned as at home."""
    t = positions - m.R0 @ m.poi
    return t, np.broadcast_to(m.R0, (*t.shape[:-1], 3, 3))


def reach_box(m):
    """A box that holds every allowed position: no platform joint leaves the box of its leg."""
    high = m.limits.get("joint_max")
    if m.kind == "UPS":
        if high is None:
            return None
        low, top = (m.a + s * high[:, None] for s in (-1, 1))
    elif m.kind == "PUS":
        if high is None or "joint_min" not in m.limits:
            return None
        ends = np.stack([m.a + m.limits[k][:, None] * m.axis for k in ("joint_min", "joint_max")])
        low, top = ends.min(axis=0) - m.L[:, None], ends.max(axis=0) + m.L[:, None]
    else:
        r = (np.linalg.norm(m.arm, axis=1) + m.L)[:, None]
        low, top = m.a - r, m.a + r
    offset = (m.poi - m.b) @ m.R0.T
    return (low + offset).max(axis=0), (top + offset).min(axis=0)


def sobol(low, high, power, seed):
    """2^power points of a box, scrambled."""
    return low + (high - low) * qmc.Sobol(len(low), seed=seed).random_base2(power)


def inside(m, power=14):
    """Allowed positions, evenly spread: the box of reach, narrowed about what is found until it holds many."""
    box = reach_box(m)
    if box is None:
        return None
    found, home = np.empty((0, 3)), m.t0 + m.R0 @ m.poi
    for turn in range(12):
        positions = sobol(*box, power, turn)
        hits = positions[margins.allowed(m, *at(m, positions))]
        found = np.concatenate([found, hits])
        if len(hits) > len(positions) / 20:
            break
        known = np.concatenate([found, home[None]])
        slack = 0.06 * np.ptp(known, axis=0) + 1e-2 * (box[1] - box[0])
        box = np.maximum(box[0], known.min(axis=0) - slack), np.minimum(box[1], known.max(axis=0) + slack)
    return found


def volume(m, box, power=11, allowed=None):
    """Volume of the allowed positions in a box, the workspace's extent [m3]."""
    allowed = allowed or (lambda positions: margins.allowed(m, *at(m, positions)))
    shares = [np.mean(allowed(sobol(*box, power, 100 + k))) for k in range(REPLICATES)]
    whole = np.prod(box[1] - box[0])
    return Estimate(whole * np.mean(shares), whole * np.std(shares, ddof=1) / np.sqrt(REPLICATES))


def mean_dexterity(m, box, power=11):
    """Mean of smallest over largest singular value over the allowed positions of a box with home's y."""
    box, means = np.array(box, float), []
    box[:, 1] = (m.t0 + m.R0 @ m.poi)[1]
    for k in range(REPLICATES):
        positions = np.insert(sobol(*box[:, [0, 2]], power, 300 + k), 1, box[0, 1], axis=1)
        t, R = at(m, positions[margins.allowed(m, *at(m, positions))])
        values = conditioning(m, t, R)
        means.append(np.mean(values[:, -1] / values[:, 0]))
    return Estimate(np.mean(means), np.std(means, ddof=1) / np.sqrt(REPLICATES))


def cone_allowed(m, positions, tilt):
    """Whether every sampled tilt of the platform's z axis up to `tilt` is allowed at the positions."""
    good = np.ones(len(positions), bool)
    tilts = [np.zeros(3)] + [
        part * tilt * np.array([np.cos(a), np.sin(a), 0.0])
        for part in (1.0, 0.5)
        for a in np.linspace(0, 2 * np.pi, 24, endpoint=False)
    ]
    for w in tilts:
        left = np.flatnonzero(good)
        R = m.R0 @ Rotation.from_rotvec(w).as_matrix()
        t = positions[left] - R @ m.poi
        good[left] = margins.allowed(m, t, np.broadcast_to(R, (len(left), 3, 3)))
    return good


def share_of_orientations(m, power=11):
    """Part of all orientations about the point of interest at home that is allowed: rotation vectors w, |w| <= pi.

    The invariant measure is 2 (1 - cos |w|) / |w|^2 d3w, of 8 pi^2 in all. Sampled in a ball that holds all allowed.
    """
    radius, means = _largest_turn(m), []
    for k in range(REPLICATES):
        w = sobol(-radius * np.ones(3), radius * np.ones(3), power, 200 + k)
        weight = np.where(np.linalg.norm(w, axis=1) <= radius, _measure(w), 0)
        is_in = weight > 0
        weight[is_in] *= margins.allowed(m, *displaced(m, np.zeros(3), w[is_in]))
        means.append(np.mean(weight) * (2 * radius) ** 3 / (8 * np.pi**2))
    return Estimate(np.mean(means), np.std(means, ddof=1) / np.sqrt(REPLICATES))


def share_of_orientations_around_home(m, nodes=81):
    """The part of them that is connected with home's: allowed nodes of a grid of rotation vectors, from w = 0 on."""
    line = np.linspace(-1, 1, nodes) * _largest_turn(m)
    w = np.stack(np.meshgrid(line, line, line, indexing="ij"), axis=-1).reshape(-1, 3)
    is_in = np.linalg.norm(w, axis=1) <= np.pi
    is_in[is_in] = margins.allowed(m, *displaced(m, np.zeros(3), w[is_in]))
    parts, _ = ndimage.label(is_in.reshape(nodes, nodes, nodes), np.ones((3, 3, 3)))
    own = parts.ravel() == parts[(nodes // 2,) * 3]
    return np.sum(_measure(w) * own) * (line[1] - line[0]) ** 3 / (8 * np.pi**2)


def _largest_turn(m):
    """Radius of a ball of rotation vectors that holds all that are allowed."""
    directions, reached, step = _sphere(100), 0.0, np.pi
    for _ in range(3):  # how far any of many turns is allowed, looked at ever more closely
        fine = np.linspace(0, reached + step, 200)
        w = (directions[:, None] * fine[:, None]).reshape(-1, 3)
        reached = np.where(margins.allowed(m, *displaced(m, np.zeros(3), w)), np.linalg.norm(w, axis=1), 0).max()
        step = fine[1]
    return min(np.pi, 1.1 * reached + step)


def _measure(w):
    """Density of the invariant measure at rotation vectors (n, 3)."""
    angle = np.maximum(np.linalg.norm(w, axis=1), 1e-9)
    return 2 * (1 - np.cos(angle)) / angle**2


def extent(m, hits):
    """Least and greatest x, y, z of allowed positions, (2, 3)."""
    return np.array([[_farthest(m, hits, k, sign) for k in range(3)] for sign in (-1, 1)])


def _farthest(m, hits, k, sign):
    """Samples in smaller and smaller boxes about the farthest allowed one, then SLSQP along the limits."""
    best = hits[np.argmax(sign * hits[:, k])]
    half = np.ptp(hits, axis=0) / 2
    for turn in range(40):
        tried = sobol(best - half, best + half, 8, turn)
        tried = tried[sign * tried[:, k] > sign * best[k]]
        good = tried[margins.allowed(m, *at(m, tried))]
        if len(good):
            best = good[np.argmax(sign * good[:, k])]
        else:
            half = half * 0.6
    L = size(m)

    def spare(x):  # beyond reach only the limit "reach" has a value, and it leads back
        parts = [value / scale for value, scale, _ in margins.margins(m, *at(m, x * L)).values()]
        return np.nan_to_num(np.stack(parts, axis=-1), nan=0.1)

    def slopes(x, h=1e-7):
        ends = spare(x + h * np.concatenate([np.eye(3), -np.eye(3)]))
        return (ends[:3] - ends[3:]).T / (2 * h)

    for start in (best, *_apart(hits[np.argsort(-sign * hits[:, k])][: max(8, len(hits) // 5)], 8)):
        found = minimize(lambda x: -sign * x[k], start / L, method="SLSQP", jac=lambda x: -sign * np.eye(3)[k],
                         constraints={"type": "ineq", "fun": spare, "jac": slopes},
                         options={"ftol": 1e-13, "maxiter": 60})  # fmt: skip
        if sign * found.x[k] * L > sign * best[k] and worst(m, *at(m, found.x * L)) > -1e-9:
            best = found.x * L
    return best[k]


def _apart(points, count):
    """A few of the points, each as far as can be from those before it."""
    chosen = [points[0]]
    while len(chosen) < count:
        chosen.append(points[np.argmax(np.min([np.linalg.norm(points - p, axis=1) for p in chosen], axis=0))])
    return chosen


LINES, ALONG = 3000, 120


def boundary_shares(m, box):
    """Part of the boundary that each limit ends: alone, and with others at the same place; how many places were met.

    By Crofton's formula: lines drawn evenly through a ball round the workspace meet every part of a surface as often as
    its area says. Scanned along each line, then bisected.
    """
    rng = np.random.default_rng(0)
    middle, radius = (box[0] + box[1]) / 2, np.linalg.norm(box[1] - box[0]) / 2
    e = rng.normal(size=(LINES, 3))
    e /= np.linalg.norm(e, axis=1, keepdims=True)
    across = np.cross(e, rng.normal(size=(LINES, 3)))
    across *= np.sqrt(rng.uniform(size=(LINES, 1))) / np.linalg.norm(across, axis=1, keepdims=True)
    foot = middle + radius * across
    with np.errstate(divide="ignore"):  # where each line enters and leaves the box
        ends = (np.stack(box)[:, None] + np.array([-1e-3, 1e-3])[:, None, None] * (box[1] - box[0]) - foot) / e
    begin, end = ends.min(axis=0).max(axis=1), ends.max(axis=0).min(axis=1)
    foot, e, begin, end = (values[begin < end] for values in (foot, e, begin, end))
    s = begin[:, None] + (end - begin)[:, None] * np.linspace(0, 1, ALONG)
    places = (foot[:, None] + s[..., None] * e[:, None]).reshape(-1, 3)
    is_in = margins.allowed(m, *at(m, places)).reshape(s.shape)
    line, k = np.nonzero(is_in[:, 1:] != is_in[:, :-1])
    inner, outer = (np.where(is_in[line, k], s[line, k + a], s[line, k + 1 - a]) for a in (0, 1))
    for _ in range(45):
        half = (inner + outer) / 2
        is_good = margins.allowed(m, *at(m, foot[line] + half[:, None] * e[line]))
        inner, outer = np.where(is_good, half, inner), np.where(is_good, outer, half)
    return (*_named(m, foot[line] + (outer + 1e-9 * radius * np.sign(outer - inner))[:, None] * e[line]), len(line))


def _named(m, places):
    """Part of the places just outside at which each limit alone is broken, and at which it is."""
    found = margins.margins(m, *at(m, places))
    broken = np.array([~(value >= 0) for value, _, _ in found.values()])
    reach = np.array([name.endswith("reach") for name in found])
    beyond = broken[reach].any(axis=0)  # where a leg cannot close nothing else has a value
    broken[:, beyond] &= reach[:, None]
    alone = broken & (broken.sum(axis=0) == 1)
    return tuple({name: float(part) for name, part in zip(found, rows.mean(axis=1), strict=True) if part > 0}
                 for rows in (alone, broken))  # fmt: skip


def nearest_singular(m, within):
    """Distance at home's orientation to the nearest singular position within a radius: rays, ever better aimed.

    An upper bound: what no ray meets is not seen. Infinite where none is met.
    """
    if is_singular_at_home(m):
        return 0.0
    home = m.t0 + m.R0 @ m.poi

    def determinant(positions):
        A = singularity_rows(m, *at(m, positions))
        closed = np.isfinite(A).all(axis=(-1, -2))
        return np.where(closed, np.linalg.det(np.where(closed[..., None, None], A, np.eye(6))), np.nan)

    def first(directions, radius):
        """Where the determinant changes sign first along rays from home, and its smallest value up to there."""
        e = directions / np.linalg.norm(directions, axis=-1, keepdims=True)
        low, high = np.zeros(len(e)), np.full(len(e), float(radius))
        closed = np.isfinite(determinant(home + e * high[:, None]))
        for _ in range(30):  # where the legs close no longer, as far as they do
            middle = (low + high) / 2
            inside = closed | np.isfinite(determinant(home + e * middle[:, None]))
            low, high = np.where(inside, middle, low), np.where(inside, high, middle)
        s = np.linspace(0, 1, 200) * np.where(closed, radius, low)[:, None]
        value = determinant(home + e[:, None] * s[..., None])
        change = value[:, :-1] * value[:, 1:] < 0
        met = change.any(axis=1)
        k = change.argmax(axis=1)
        rows = np.arange(len(e))
        low, high = s[rows, k], s[rows, k + 1]
        for _ in range(45):  # bisection: holds for roots of any order
            middle = (low + high) / 2
            same = determinant(home + e * middle[:, None]) * value[rows, k] > 0
            low, high = np.where(same, middle, low), np.where(same, high, middle)
        return np.where(met, high, np.inf), np.nanmin(np.abs(value), axis=1)

    directions = np.concatenate([_sphere(400), np.eye(3), -np.eye(3)])
    met, least = first(directions, within)
    for spread in () if np.isfinite(met).any() else (0.1, 0.03, 0.01):  # none: about those that come closest to zero
        nearest = directions[np.argsort(least)[:20]]
        directions = (nearest[:, None] + spread * _sphere(40)).reshape(-1, 3)
        met, least = first(directions, within)
        if np.isfinite(met).any():
            break
    best = np.argmin(met)
    if not np.isfinite(met[best]):
        return np.inf
    distance, nearest, spread = met[best], directions[best], 0.2
    while spread > 1e-8:  # narrower and narrower cones of rays about the best one
        rays = nearest + spread * _sphere(40)
        met, _ = first(rays, 1.05 * distance)
        spread *= 0.75
        if met.min() < distance:
            distance, nearest = met.min(), rays[np.argmin(met)] / np.linalg.norm(rays[np.argmin(met)])
    return distance


def _sphere(count):
    """Directions spread evenly over the sphere (Fibonacci)."""
    k = np.arange(count) + 0.5
    z, turn = 1 - 2 * k / count, np.pi * (1 + np.sqrt(5)) * k
    r = np.sqrt(1 - z**2)
    return np.stack([r * np.cos(turn), r * np.sin(turn), z], axis=1)
