"""How far the point of interest goes along an axis, or turns about one, until a limit: dense scan, then Brent."""

import numpy as np
from scipy.optimize import brentq
from scipy.spatial.transform import Rotation
from tests.independent.kinematics import is_singular_at_home
from tests.independent.margins import margins, size, worst

AXES = ("x", "y", "z", "rx", "ry", "rz")
STEPS = 400
EQUAL = 1e-12  # parts of a distance: more than the rounding of the scan's last bracket
TIE = 1e-5  # parts of a scale: limits as close as this at the end have ended it together


def displaced(m, shift, turn):
    """The pose with the point of interest moved by shift [m] and the platform turned by the rotation vector turn."""
    D = Rotation.from_rotvec(turn).as_matrix()
    arm = m.R0 @ m.poi
    return m.t0 + arm + shift - np.einsum("...ij,j->...i", D, arm), D @ m.R0


def turned(m, x):
    """The pose moved by x[:3] and turned by R = Rx Ry Rz of the angles x[3:], as corners of ranges are given."""
    return displaced(m, x[:3], Rotation.from_euler("XYZ", x[3:]).as_rotvec())


def along(m, direction, s):
    """The poses at s along the direction, six numbers of which three turn."""
    s = np.asarray(s, float)[..., None]
    e = np.asarray(direction, float)
    return displaced(m, s * e[:3], s * e[3:])


def travel(m, direction):
    """Distance along the direction from home to the first limit, and the relative margins there."""
    far = 4 * size(m) if np.any(direction[:3]) else np.pi
    start, reach = 0.0, far / 256  # a fine scan where the machine is small, a wide one where it is not
    while start < far:
        s = np.linspace(start, reach, STEPS)
        out = np.flatnonzero(worst(m, *along(m, direction, s)) < 0)
        if out.size:
            return _first(m, direction, s, out[0])
        start, reach = reach, min(2 * reach, far)
    return np.inf, {}


def range_radius(m, kind, directions):
    """Distance from the z axis (n,) at which straight paths from home along directions (n, 3) of displacements or of
    angles Rx Ry Rz leave the limits, by a scan and bisection; infinite where they do not."""
    none = np.zeros_like(directions)
    six = np.concatenate([directions, none] if kind == "translation" else [none, directions], axis=1)
    rows, is_endless = np.arange(len(six)), np.zeros(len(six), dtype=bool)
    low, high = np.zeros(len(six)), np.full(len(six), 4 * size(m) if kind == "translation" else np.pi)
    for _ in range(8):  # a scan of the whole, then of the step in which a limit is violated
        s = low[:, None] + (high - low)[:, None] * np.linspace(0, 1, STEPS // 4)
        s[:, -1] = high
        x = (s[..., None] * six[:, None]).reshape(-1, 6)
        out = ~(worst(m, *turned_all(m, x)) >= 0).reshape(s.shape)
        is_endless |= ~out.any(axis=1)
        first = np.where(is_endless, 0, out.argmax(axis=1))
        low, high = s[rows, np.maximum(first - 1, 0)], s[rows, first]
    return np.where(is_endless, np.inf, low * np.hypot(*directions.T[:2]))


def turned_all(m, x):
    """`turned` of many (n, 6)."""
    D = Rotation.from_euler("XYZ", x[:, 3:]).as_matrix()
    arm = m.R0 @ m.poi
    return m.t0 + arm + x[:, :3] - D @ arm, D @ m.R0


def farther(m, kind, points, rng, count=120, rounds=4):
    """How much farther from the z axis than the corners 2 to 7 (6, 3) the range reaches: random directions, then random
    ones closer and closer about the best; 0 where none is farther."""
    known = np.linalg.norm(points[:, :2], axis=1).max()
    e = rng.normal(size=(count, 3))
    best, spread = 0.0, 0.3
    for _ in range(rounds):
        e /= np.linalg.norm(e, axis=1, keepdims=True)
        radii = range_radius(m, kind, e)
        best = max(best, radii.max())
        e = e[np.argsort(-radii)[:4]][rng.integers(4, size=count // 2)] + spread * rng.normal(size=(count // 2, 3))
        spread *= 0.3
    return max(0.0, best / known - 1.0)


def in_half_plane(m, kind, point, count=41, rounds=3):
    """How much farther from the z axis than a corner (3,) the range reaches in its half plane, and how much nearer to
    the plane of home it reaches equally far [rad]; 0 where it does neither."""
    known, own = np.hypot(*point[:2]), np.arctan2(point[2], np.hypot(*point[:2]))
    out = np.array([*point[:2], 0.0]) / known
    best, nearer = 0.0, 0.0
    upright = np.pi / 2 * (1 - 1e-9)
    middles, half = [0.0, own], upright
    for _ in range(rounds):
        elevation = np.unique(np.clip(np.add.outer(middles, half * np.linspace(-1, 1, count)), -upright, upright))
        radii = range_radius(m, kind, np.outer(np.cos(elevation), out) + np.outer(np.sin(elevation), [0, 0, 1.0]))
        best = max(best, radii.max() / known - 1)
        as_far = elevation[radii >= known * (1 - EQUAL)]
        nearer = max([nearer, *(abs(own) - np.abs(as_far))])
        middles, half = elevation[np.argsort(-radii)[:3]], 4 * half / count
    return best, nearer


def _first(m, direction, s, k):
    if k == 0:
        return s[0], {}

    def least(x):
        value = float(worst(m, *along(m, direction, x)))
        return value if np.isfinite(value) else -1.0

    end = brentq(least, s[k - 1], s[k], xtol=1e-15 * s[k], rtol=1e-14, maxiter=300)
    return end, at_end(m, *along(m, direction, end * (1 - 1e-12)))


def relative(m, t, R):
    """Margins of a pose over their scales, by name."""
    return {name: float(value / scale) for name, (value, scale, _) in margins(m, t, R).items()}


def at_end(m, t, R):
    """The same of a pose where a travel ends, which a singularity does not where home is singular already."""
    found = relative(m, t, R)
    if is_singular_at_home(m):
        del found["singularity"]
    return found


def tie_off(found, named, spread=2.0):
    """Limits that tie with the smallest relative margin and are not among the named, and the other way round; those
    about the tolerance of a tie may be either."""
    least = min(value for value in found.values() if np.isfinite(value))
    surely = {name for name, value in found.items() if value - least < TIE / spread}
    perhaps = {name for name, value in found.items() if value - least < TIE * spread}
    return sorted((surely - set(named)) | (set(named) - perhaps))


def table(m):
    """Axis -> (minus, relative margins there, plus, relative margins there)."""
    found = {}
    for axis, e in zip(AXES, np.eye(6), strict=True):
        (minus, at_minus), (plus, at_plus) = travel(m, -e), travel(m, e)
        found[axis] = -minus, at_minus, plus, at_plus
    return found
