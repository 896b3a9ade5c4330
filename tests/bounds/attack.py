"""What a bound claims, and how it is attacked: thousands of places inside its domain, and descent from the worst."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from scipy.optimize import minimize
from scipy.spatial.transform import Rotation

SAMPLES, STEPS = 200, 50
"""Tries in one domain: places drawn, and steps of descent."""
UNKNOWN = 1e11
"""Bounds above it are none."""
FAR = 1e9
"""Of excesses while descending: what is claimed nowhere is that far below its bound."""


class Claim(NamedTuple):
    """Quantities (n, k) at places (n, d) of the cube, each at most `most` (k,); NaN where nothing is claimed."""

    dimension: int
    values: Callable[[np.ndarray], np.ndarray]
    most: np.ndarray
    scale: float


NOTHING = Claim(1, lambda z: np.full((len(z), 1), np.nan), np.zeros(1), 1.0)
"""Of a domain in which there is nothing to claim."""


class Found(NamedTuple):
    """Largest excess over a bound, relative; part of each bound that is reached: the median and the most of bounds; at
    how many places a bound was claimed."""

    excess: float
    reached: float
    closest: float
    tries: int


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
            return np.clip(np.where(np.isnan(values), -np.inf, (values - claim.most) / size).max(axis=-1), -FAR, FAR)

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
    tries = int(np.isfinite(excess).any(axis=1).sum()) + (best.nfev if best.fun < FAR else 0)
    if not counts.any():
        return Found(float(excess.max()), np.nan, np.nan, tries)
    return Found(float(excess.max()), float(np.median(reached)), float(reached.max()), tries)


def _simplex(z):
    """Corners about a place, to the inside of the cube."""
    return np.concatenate([z[None], z - 0.2 * np.where(z > 0, 1, -1) * np.eye(len(z))])


def some_radius(m, rng, size):
    """Of a ball [m], now and then so large that it bounds nothing; and how far places are looked at in it."""
    radius = m.size * (rng.choice([1e3, 1e12, np.inf]) if rng.uniform() < 0.1 else size)
    return radius, min(radius, 3 * m.size)


def ball(z):
    """The cube's places (n, d) in the unit ball."""
    length = np.linalg.norm(z, axis=-1, keepdims=True)
    return z * np.abs(z).max(axis=-1, keepdims=True) / np.where(length > 0, length, 1.0)


def sphere(z):
    """The cube's places (n, 3) on the unit sphere; z in its middle."""
    length = np.linalg.norm(z, axis=-1, keepdims=True)
    return np.where(length > 0, z / np.where(length > 0, length, 1.0), [0.0, 0.0, 1.0])


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


def about_centre(m, X, offsets, turns):
    """Poses (n, 4, 4): X with the centre of the platform's joints moved by offsets (n, 3), turned (n, 3) about it."""
    found = shifted(X, offsets + X[:3, :3] @ m.platform_centre, turns)
    found[:, :3, 3] -= found[:, :3, :3] @ m.platform_centre
    return found
