"""Attacks on every bound: thousands of places inside its domain, and descent from the worst of them.

    python -m tests.bounds 100000       each bound on each machine, so many tries; prints how closely bounds are reached

A bound claims that some quantities stay below `most` wherever in a cube [-1, 1]^d of its domain they are looked at.
The domain's size, from a millionth of the machine to more than its half, and its place are drawn at random.
"""

import sys
from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np
from scipy.optimize import minimize
from scipy.spatial.transform import Rotation
from tests.skew import SKEW

import gough
from gough import motion
from gough.kinematics.certificate import certify_pose
from gough.limits.table import limit_table
from gough.motion.check import _balls
from gough.motion.paths.spline import Spline
from gough.motion.programs.head_program import SharedPath
from gough.regions import ball_bounds as pose_balls
from gough.regions import box_bounds as singular_bounds

ROUND_OFF = 1e-10
"""Relative to the larger of a claim's value and its scale."""
SAMPLES, STEPS = 200, 50
"""Tries in one domain: places drawn, and steps of descent."""
MACHINES = ("hexel", "pitch-circle", "hexaglide", "rotopod", *SKEW)
PARTS = 40
"""Intervals of a path that are looked at together."""
UNKNOWN = 1e11
"""Bounds above it are none."""


class Claim(NamedTuple):
    """Quantities (n, k) at places (n, d) of the cube, each at most `most` (k,); NaN where nothing is claimed."""

    dimension: int
    values: Callable[[np.ndarray], np.ndarray]
    most: np.ndarray
    scale: float


class Found(NamedTuple):
    """Largest excess over a bound, relative; part of each bound that is reached, in the median over bounds."""

    excess: float
    reached: float


def attack(claim: Claim, rng) -> Found:
    """By sampling, half of it on the faces of the cube, and by descent from the worst place."""
    z = rng.uniform(-1, 1, (SAMPLES, claim.dimension))
    z[::2] /= np.abs(z[::2]).max(axis=1, keepdims=True)
    z[::4] = np.sign(z[::4])
    z[1] = 0.0
    seen = claim.values(z)
    size = np.maximum(np.abs(np.where(np.isfinite(claim.most), claim.most, 0.0)), claim.scale * 1e-9)

    def share(values):
        with np.errstate(invalid="ignore"):
            return np.clip(np.where(np.isnan(values), -np.inf, (values - claim.most) / size).max(axis=-1), -1e9, 1e9)

    best = minimize(
        lambda place: -share(claim.values(np.clip(place, -1, 1)[None]))[0],
        z[int(np.argmax(share(seen)))],
        method="Nelder-Mead",
        options={"maxfev": STEPS, "initial_simplex": _simplex(z[int(np.argmax(share(seen)))])},
    )
    seen = np.concatenate([seen, claim.values(np.clip(best.x, -1, 1)[None])])
    with np.errstate(invalid="ignore"):
        excess = np.where(np.isnan(seen), -np.inf, (seen - claim.most) / np.maximum(size, claim.scale))
    counts = (claim.most > 0) & (claim.most < UNKNOWN) & ~np.isnan(seen).all(axis=0)
    reached = np.nanmax(seen[:, counts], axis=0) / claim.most[counts]
    return Found(float(excess.max()), float(np.median(reached)) if counts.any() else np.nan)


def _simplex(z):
    """Corners about a place, to the inside of the cube."""
    return np.concatenate([z[None], z - 0.2 * np.where(z > 0, 1, -1) * np.eye(len(z))])


def ball(z):
    """The cube's places (n, 3) in the unit ball."""
    length = np.linalg.norm(z, axis=-1, keepdims=True)
    return z * np.abs(z).max(axis=-1, keepdims=True) / np.where(length > 0, length, 1.0)


def some_pose(m, rng, shift=0.15, turn=0.4):
    X = m.X_home.copy()
    X[:3, :3] = Rotation.from_rotvec(turn * rng.uniform(-1, 1, 3)).as_matrix() @ X[:3, :3]
    X[:3, 3] += shift * m.size * rng.uniform(-1, 1, 3)
    return X


def shifted(X, offsets, turns=None):
    """Poses (n, 4, 4): X moved by offsets (n, 3) and turned by rotation vectors (n, 3) about the base's axes."""
    found = np.tile(X, (len(offsets), 1, 1))
    found[:, :3, 3] += offsets
    if turns is not None:
        found[:, :3, :3] = Rotation.from_rotvec(turns).as_matrix() @ X[:3, :3]
    return found


def legs(m, rng, size) -> Claim:
    """Joint coordinates, rods and driven points, of platform joints in balls: `Legs.enclosure`."""
    X, radius = some_pose(m, rng, 0.4), size * m.size
    b_B = X[:3, 3] + m.b_P @ X[:3, :3].T
    found = m.legs.enclosure(b_B, np.full(1, radius))

    def state(z):
        Y = shifted(X, radius * ball(z))
        q = gough.inverse_kinematics(m, Y)
        p = m.legs.driven_points(q)
        d = Y[:, None, :3, 3] + m.b_P @ X[:3, :3].T - p
        return q, p, d / np.linalg.norm(d, axis=-1, keepdims=True)

    q0, p0, u0 = (part[0] for part in state(np.zeros((1, 3))))
    twice = np.where(found.is_centred, 1.0, 2.0)
    is_open = found.q_low > found.q_high
    low, high = (np.where(is_open, 0.0, end) for end in (found.q_low, found.q_high))
    middle = np.where(np.isnan(q0), (low + high) / 2, q0)

    def values(z):
        q, p, u = state(z)
        parts = [q - middle, middle - q]
        parts += [np.linalg.norm(a - b, axis=-1) for a, b in ((u, found.u), (u, u0), (p, p0))]
        return np.concatenate(parts, axis=-1)

    most = [found.q_high - middle, middle - found.q_low, found.u_shift, twice * found.u_shift, twice * found.p_shift]
    return Claim(3, values, np.concatenate(most), 1.0)


def boxes(m, rng, size) -> Claim:
    """Margins and the distance to singularity over boxes of positions: `gough.regions.box_bounds`."""
    X, table = some_pose(m, rng), limit_table(m)
    half = size * m.size * rng.uniform(0.1, 1, 3)
    region = singular_bounds.Region(m, X[:3, :3], X[None, :3, 3], half)
    enclosure = region.enclosure()
    start = gough.margins(m, X).values
    lower = [singular_bounds.smallest_singular_bound(region, enclosure)[0]]
    if m.legs.rod() is None:
        cubic = gough.singularity.singularity_cubic(m, X)
        least, most = cubic.bounds(X[:3, 3] - half, X[:3, 3] + half)
        far = np.maximum(np.maximum(least, -most), 0.0)[None] * cubic.length**9
        lower.append(singular_bounds.singular_bound_of_determinant(region, enclosure, far)[0])
    at = abs(start[-1] + m.limits.singular_value)
    upper = singular_bounds.largest_margins(region, table, enclosure, start[None])[0]

    def values(z):
        found = gough.margins(m, shifted(X, half * z)).values
        sigma = np.abs(found[:, -1:] + m.limits.singular_value)
        return np.concatenate([found - start, *[at - sigma] * len(lower)], axis=1)

    return Claim(3, values, np.concatenate([upper - start, at - np.array(lower)]), 1.0)


def balls(m, rng, size) -> Claim:
    """Margins while a platform moves and turns a little: `gough.regions.ball_bounds`."""
    X, table, kind = some_pose(m, rng), limit_table(m), rng.integers(3)
    shift, turn = size * m.size * (kind != 1), min(2 * size, 1.5) * (kind != 2)
    centre = m.platform_centre
    way = shift + 2 * np.sin(turn / 2) * np.linalg.norm(np.vstack([m.b_P, m.X_PT[:3, 3]]) - centre, axis=1)
    near = pose_balls.PoseBalls(
        X[None], way[None, :6], np.full((1, 3), way[6]), np.array([turn]), np.full((1, 6), np.inf)
    )
    start = gough.margins(m, X).values
    low, high = (bound[0] for bound in pose_balls.margin_bounds(m, table, near, start[None]))

    def values(z):
        Y = shifted(X, shift * ball(z[:, :3]), turn * ball(z[:, 3:]))
        Y[:, :3, 3] += X[:3, :3] @ centre - Y[:, :3, :3] @ centre
        found = gough.margins(m, Y).values
        return np.concatenate([found - start, start - found], axis=1)

    return Claim(6, values, np.concatenate([high - start, start - low]), 1.0)


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


def paths(m, rng, size) -> Claim:
    """Speeds and accelerations over parts of paths of every kind: `Path.rates`."""
    path = some_path(m, rng)
    low, high = np.array([part_of(path, rng, size) for _ in range(PARTS)]).T
    bounds = path.rates(low, high)

    def values(z):
        _, V, A = path(np.clip((low + high) / 2 + (high - low) / 2 * z, low, high))
        parts = (V[..., :3], V[..., 3:], A[..., :3], A[..., 3:])
        return np.concatenate([np.linalg.norm(part, axis=-1) for part in parts], axis=1)

    most = np.concatenate(bounds)
    return Claim(1, values, np.where(most > UNKNOWN, np.inf, most), 1.0)


def some_path(m, rng):
    """Of any kind, with turns up to half a circle from one pose to the next."""
    turn = rng.choice([0.1, 1.0, 1.5])
    X = gough.pose_matrix(m.size * rng.normal(size=(5, 3)), turn * rng.normal(size=(5, 3)), "XYZ")
    if turn == 1.5:
        X[:, :3, :3] = Rotation.random(5, rng).as_matrix()
    kind = rng.integers(7)
    if kind == 0:
        return motion.via(X, blend=0.05 * m.size, blend_angle=0.2)
    if kind == 1:
        return motion.arc(X[0], X[0, :3, 3] + [0, m.size, 0], [0.3, 0, 1], 2.0)
    if kind == 2:
        return Spline(np.concatenate([X, X[:1]]), closed=True)
    if kind == 3:
        return Spline(X)
    if kind == 4:
        near = np.stack([some_pose(m, rng, 0.02, 0.05) for _ in range(3)])
        return motion.joint_space.JointSpacePath(
            m, near, None if rng.uniform() < 0.5 else 0.1 * rng.normal(size=(3, 6))
        )
    if kind == 5:
        head = gough.load("hexel-head")
        s = Spline(X, at=np.arange(5.0))
        return SharedPath(head, s, motion.heads.HeadSpline(np.arange(5.0), rng.uniform(-1.5, 1.5, (5, 2))))
    return motion.path_about_pivot(m, Spline(X))


def part_of(path, rng, size):
    """An interval between two knots."""
    k = rng.integers(len(path.knots) - 1)
    low, high = path.knots[k : k + 2]
    width = (high - low) * min(1.0, 2 * size)
    begin = low + rng.uniform() * (high - low - width)
    return begin, begin + width


def journeys(m, rng, size) -> Claim:
    """Margins over parts of paths about home: what `check_path` proves from."""
    table = limit_table(m)
    X = np.stack([some_pose(m, rng, 0.1, 0.3) for _ in range(4)])
    if rng.uniform() < 0.5:
        X[:, :3, :3] = X[0, :3, :3]
    path = motion.line(X[0], X[1]) if rng.uniform() < 0.5 else Spline(X)
    low, high = part_of(path, rng, size)
    middle, h = (low + high) / 2, (high - low) / 2
    Y, V, _ = path(np.array([middle]))
    start = gough.margins(m, Y).values
    near = _balls(m, Y, V, path.rates(np.array([low]), np.array([high])), np.array([h]))
    least, most = (bound[0] for bound in pose_balls.margin_bounds(m, table, near, start))

    def values(z):
        found = gough.margins(m, path(np.clip(middle + h * z[:, 0], low, high))[0]).values
        return np.concatenate([found - start, start - found], axis=1)

    return Claim(1, values, np.concatenate([most - start[0], start[0] - least]), 1.0)


def proofs(m, rng, size) -> Claim:
    """Certificates of poses off the true one: it is within the error that is proven, or outside the proven cube."""
    X, c = some_pose(m, rng, 0.02, 0.1), m.platform_centre
    q = gough.inverse_kinematics(m, X)

    def values(z):
        offsets, turns = size * m.size * ball(z[:, :3]), size * ball(z[:, 3:])
        Y = shifted(X, offsets + X[:3, :3] @ c, turns)
        Y[:, :3, 3] -= Y[:, :3, :3] @ c
        proof = certify_pose(m, np.broadcast_to(q, (len(Y), 6)), Y)
        shift, turn = np.linalg.norm(offsets, axis=1), np.linalg.norm(turns, axis=1)
        beyond = np.maximum(shift - proof.position_error, turn - proof.rotation_error)
        inside = np.minimum(proof.position_radius - shift, proof.rotation_radius - turn)
        return np.where(proof.proven, np.minimum(beyond, inside), np.nan)[:, None]

    return Claim(6, values, np.zeros(1), 1.0)


STRUTS = ("hexel", "pitch-circle", SKEW[0])
BOUNDS = {claim.__name__: claim for claim in (legs, boxes, balls, cubics, paths, journeys, proofs)}


def attacked(name: str, machine: str, tries: int, seed: int = 0) -> Iterator[Found]:
    """What attacks on one bound of one machine find, one domain after the other."""
    m = gough.load(machine)
    for k in range(-(-tries // (SAMPLES + STEPS))):
        rng = np.random.default_rng([seed, k])
        size = 10 ** rng.uniform(-6, -0.2) if k % 2 else rng.uniform(0.01, 0.6)
        yield attack(BOUNDS[name](m, rng, size), rng)


def main(tries: int) -> int:
    """Attack everything; how many bounds did not hold."""
    broken = 0
    for name in BOUNDS:
        for machine in STRUTS if name == "cubics" else MACHINES:
            found = list(attacked(name, machine, tries))
            excess = max(one.excess for one in found)
            reached = np.nanmedian([one.reached for one in found]) if name != "proofs" else np.nan
            broken += excess > ROUND_OFF
            state = "BROKEN" if excess > ROUND_OFF else "holds"
            label = machine.rpartition("/")[2].removesuffix(".toml")
            print(f"{name:9} {label:13} {state}  excess {excess:9.2e}  reached {reached:5.2f}", flush=True)
    return broken


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]) if len(sys.argv) > 1 else 2000) > 0)
