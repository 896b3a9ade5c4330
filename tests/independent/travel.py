"""How far the point of interest goes along an axis, or turns about one, until a limit: dense scan, then Brent."""

import numpy as np
from scipy.optimize import brentq
from scipy.spatial.transform import Rotation
from tests.independent.kinematics import is_singular_at_home
from tests.independent.margins import margins, size, worst

AXES = ("x", "y", "z", "rx", "ry", "rz")
STEPS, DIPS, BISECTIONS = 400, 5, 24
"""Poses of a scan, a quarter of them in directions of corners; closer scans of a dip, and of the step that ends."""
SPACING, LOWER, MOST_PEAKS = 5.0, 0.75, 24
"""Degrees between directions of a scan of all, and its peaks that are climbed: at least this part of the highest."""
NEARER = 1e-3
"""Azimuths and elevations [rad] within which a smooth maximum is as far as its surroundings but for rounding."""
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
    angles Rx Ry Rz leave the limits, by a scan, a closer one of its deepest dip, and bisection; infinite where they do
    not."""
    none = np.zeros_like(directions)
    six = np.concatenate([directions, none] if kind == "translation" else [none, directions], axis=1)
    rows = np.arange(len(six))

    def scanned(low, high, count):
        s = low[:, None] + (high - low)[:, None] * np.linspace(0, 1, count)
        s[:, -1] = high
        value = worst(m, *turned_all(m, (s[..., None] * six[:, None]).reshape(-1, 6))).reshape(s.shape)
        return s, np.where(value >= 0, value, -1.0)

    s, value = scanned(
        np.zeros(len(six)), np.full(len(six), 4 * size(m) if kind == "translation" else np.pi), STEPS // 4
    )
    is_endless = (value >= 0).all(axis=1)
    first = np.where(is_endless, s.shape[1] - 1, (value < 0).argmax(axis=1))
    low, high = s[rows, np.maximum(first - 1, 0)], s[rows, first]
    middle = np.arange(1, s.shape[1] - 1)
    is_dip = (value[:, 1:-1] <= value[:, :-2]) & (value[:, 1:-1] <= value[:, 2:]) & (middle < first[:, None])
    deepest = 1 + np.where(is_dip, value[:, 1:-1], np.inf).argmin(axis=1)
    left, right = s[rows, deepest - 1], s[rows, deepest + 1]
    for _ in range(DIPS):
        s, value = scanned(left, right, 11)
        is_out = (value < 0).any(axis=1) & is_dip.any(axis=1)
        k = np.where(is_out, (value < 0).argmax(axis=1), value.argmin(axis=1))
        low, high = np.where(is_out, left, low), np.where(is_out, s[rows, k], high)
        is_endless &= ~is_out
        left, right = s[rows, np.maximum(k - 1, 0)], np.where(is_out, high, s[rows, np.minimum(k + 1, 10)])
    for _ in range(BISECTIONS):
        s, value = scanned(low, high, 5)
        first = np.where(is_endless, 1, (value < 0).argmax(axis=1))
        low, high = s[rows, np.maximum(first - 1, 0)], s[rows, first]
    return np.where(is_endless, np.inf, low * np.hypot(*directions.T[:2]))


def turned_all(m, x):
    """`turned` of many (n, 6)."""
    D = Rotation.from_euler("XYZ", x[:, 3:]).as_matrix()
    arm = m.R0 @ m.poi
    return m.t0 + arm + x[:, :3] - D @ arm, D @ m.R0


def on_sphere(azimuth, elevation):
    """Unit vectors (..., 3)."""
    flat = np.cos(elevation)
    return np.stack(np.broadcast_arrays(flat * np.cos(azimuth), flat * np.sin(azimuth), np.sin(elevation)), axis=-1)


def farthest(m, kind, rng, count=48, rounds=12):
    """Azimuths (k,) and distances (k,) of the points of the range farthest from the z axis, by a scan and ever nearer
    random directions about its peaks; and where an interval of azimuths begins that reach equally far, or nothing."""
    azimuth, elevation = np.deg2rad(np.arange(0, 360, SPACING)), np.deg2rad(np.arange(-85, 86, SPACING))
    grid = np.stack(np.meshgrid(azimuth, elevation, indexing="ij"), axis=-1)
    radius = range_radius(m, kind, on_sphere(*grid.reshape(-1, 2).T)).reshape(grid.shape[:2])
    around = np.pad(np.pad(radius, ((1, 1), (0, 0)), mode="wrap"), ((0, 0), (1, 1)), constant_values=-np.inf)
    near = [around[i : i + len(azimuth), j : j + len(elevation)] for i in range(3) for j in range(3)]
    is_peak = (radius >= np.max(near, axis=0)) & (radius > LOWER * radius.max())
    best, reached = grid[is_peak][:MOST_PEAKS], radius[is_peak][:MOST_PEAKS]
    spread = np.deg2rad(SPACING) / 2
    for _ in range(rounds):
        tried = best[:, None] + spread * rng.normal(size=(len(best), count, 2))
        radii = range_radius(m, kind, on_sphere(*tried.reshape(-1, 2).T)).reshape(tried.shape[:2])
        k, rows = radii.argmax(axis=1), np.arange(len(best))
        is_better = radii[rows, k] > reached
        best, reached = np.where(is_better[:, None], tried[rows, k], best), np.maximum(reached, radii[rows, k])
        spread *= 0.4
    flat = azimuth[radius.max(axis=1) >= reached.max() * (1 - EQUAL)]
    return np.mod(best[:, 0] + NEARER, 2 * np.pi) - NEARER, reached, _beginning(m, kind, flat, reached.max())


def _beginning(m, kind, flat, most):
    """Where the first interval of azimuths begins that reach as far as `most`, counterclockwise from x."""

    def is_as_far(at):
        elevation = np.deg2rad(np.linspace(-89, 89, 179))
        return range_radius(m, kind, on_sphere(at, elevation)).max() >= most * (1 - EQUAL)

    if not len(flat) or not any(is_as_far(flat[0] + aside) for aside in (-NEARER, NEARER)):
        return None
    inside, outside = flat[0], flat[0] - np.deg2rad(SPACING)
    while inside > 0 and inside - outside > NEARER / 10:
        middle = (inside + outside) / 2
        inside, outside = (middle, outside) if is_as_far(middle) else (inside, middle)
    return inside


def azimuth_off(points, azimuths, radii, beginning):
    """Why the corners 2 to 7 (6, 3) are not the six of the first azimuth of those that reach farthest, or nothing."""
    own, elevation = np.hypot(*points.T[:2]), np.arctan2(points[:, 2], np.hypot(*points.T[:2]))
    most = max(own.max(), radii.max())
    first = [k for k, is_lower in ((0, elevation[0] <= elevation[1]), (5, elevation[0] < elevation[5])) if is_lower]
    first = [k for k in first if own[k] >= most * (1 - 2 * TIE)]
    if not first:
        return f"none of the first corners reaches {most:.9g}"
    stated = np.mod(np.arctan2(points[first, 1], points[first, 0]) + NEARER, 2 * np.pi) - NEARER
    ties = [beginning] if beginning is not None else azimuths[radii >= most * (1 - TIE / 2)]
    due = min(ties, default=stated[0])
    if beginning is None and stated.min() <= due + NEARER:  # a tie in doubt, or one that the random directions missed
        return ""
    return "" if np.abs(stated - due).min() <= NEARER else f"azimuth {due:.6g}, not {stated}"


def in_half_plane(m, kind, point, count=41, rounds=3):
    """How much farther from the z axis than a corner (3,) the range reaches in its half plane, and how much nearer to
    the plane of home it reaches equally far [rad]; 0 where it does neither."""
    known, own = np.hypot(*point[:2]), np.arctan2(point[2], np.hypot(*point[:2]))
    azimuth = np.arctan2(point[1], point[0])
    best, nearer = 0.0, 0.0
    upright = np.pi / 2 * (1 - 1e-9)
    middles, half = [0.0, own], upright
    for _ in range(rounds):
        elevation = np.unique(np.clip(np.add.outer(middles, half * np.linspace(-1, 1, count)), -upright, upright))
        radii = range_radius(m, kind, on_sphere(azimuth, elevation))
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
