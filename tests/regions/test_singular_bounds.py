"""Bounds about singularities, attacked: exact fractions at multiple roots, sampling and descent in boxes."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from tests.bounds.attack import shifted
from tests.skew import SKEW, SKEW_OF_KIND
from tests.thorough import thorough

import gough
from gough.machine import Limits
from gough.regions.box_limits import boxes_of_positions, limits_over
from gough.regions.requested import RegionLimits


def exact_determinant(M):
    """By Laplace's expansion, in fractions."""
    if len(M) == 1:
        return M[0][0]
    minors = ([[*row[:k], *row[k + 1 :]] for row in M[1:]] for k in range(len(M)))
    return sum(
        ((-1) ** k * M[0][k] * exact_determinant(minor) for k, minor in enumerate(minors) if M[0][k]), Fraction()
    )


def exact_singularity(m, X, position):
    """The determinant of [d, R b x d] with the origin at a position, of the doubles as they are."""
    rows = []
    for a, r in zip(m.legs.rest().tolist(), (m.b_P @ X[:3, :3].T).tolist(), strict=True):
        r = [Fraction(v) for v in r]
        d = [Fraction(t) + r[k] - Fraction(a[k]) for k, t in enumerate(position.tolist())]
        rows.append([*d, *(r[k - 2] * d[k - 1] - r[k - 1] * d[k - 2] for k in range(3))])
    return exact_determinant(rows)


@pytest.mark.parametrize("seed", range(4))
def test_bounds_enclose_a_threefold_plane(seed):
    """Flat parallel plates: the determinant is k z^3, so that the distance is the height."""
    rng = np.random.default_rng(seed)
    height, size = 10.0 ** rng.uniform(-1, 0.5), 10.0 ** rng.uniform(-3, 3)
    base, platform = (np.column_stack([rng.normal(size=(6, 2)), np.zeros(6)]) * size for _ in range(2))
    X = gough.pose_matrix([0.1 * size, 0, height * size], [0, 0, 0.1], "XYZ")
    m = gough.from_points(base, platform, home=X)
    found = gough.singularity.singular_distance(m, max_boxes=500)
    assert found.lower <= height * size <= found.upper <= height * size * (1 + 1e-12)
    assert abs(found.position[2]) <= 1e-12 * height * size
    flat = found.position.copy()
    flat[2] = 0.0
    assert exact_singularity(m, X, flat) == 0


@pytest.mark.parametrize(("name", "truth"), [("hexel", 0.4949), ("hexaglide", 0.45), ("linuxcnc", 0.02 * 25.4)])
def test_bounds_enclose_the_height_of_flat_machines(name, truth):
    m = gough.load(name)
    found = gough.singularity.singular_distance(m, max_boxes=500)
    truth = abs(m.X_home[2, 3] + m.b_P[0, 2] - m.legs.rest()[0, 2]) if name == "linuxcnc" else truth
    assert found.lower <= truth <= found.upper * (1 + 1e-15)
    assert found.upper == pytest.approx(truth, rel=2e-7)
    X = m.X_home.copy()
    X[:3, 3] = found.position - X[:3, :3] @ m.point_of_interest
    assert gough.singularity.conditioning(m, X).distance < 1e-12


@pytest.mark.parametrize("name", ["hexel", "jugglebot", "rubin-m2", SKEW[0]])
def test_the_determinant_keeps_its_sign_up_to_the_place_found(name, rng):
    """Exactly, along the way there, on tilted machines too."""
    m = gough.load(name)
    X = m.X_home @ gough.pose_matrix([0, 0, 0], [0.08, -0.14, -0.28], "XYZ")
    X[:3, 3] = m.X_home[:3, 3]
    found = gough.singularity.singular_distance(m, X, max_boxes=500)
    end = found.position - X[:3, :3] @ m.point_of_interest
    at_home = exact_singularity(m, X, X[:3, 3])
    before = exact_singularity(m, X, X[:3, 3] + (1 - 1e-9) * (end - X[:3, 3]))
    beyond = exact_singularity(m, X, X[:3, 3] + (1 + 1e-9) * (end - X[:3, 3]))
    assert before * at_home > 0 > beyond * at_home


@pytest.mark.parametrize("name", [*thorough("hexel", "rotopod"), *SKEW])
def test_no_pose_of_a_box_passes_its_bounds(name, rng):
    """Random boxes; corners, samples, and from the best of them to ever nearer ones."""
    m, seen = gough.load(name), []
    for size in (0.003, 0.02, 0.1, 0.5):
        centres = m.X_home[:3, 3] + size * m.size * rng.uniform(-2, 2, size=(12, 3))
        half = size * m.size * rng.uniform(0.3, 1.0, size=3)
        poses = np.tile(m.X_home, (12, 1, 1))
        poses[:, :3, 3] = centres
        at = np.abs(gough.margins(m, poses).values[:, -1] + m.limits.singular_value)
        bound = 0.9 * np.min(at, where=np.isfinite(at), initial=1.0)
        limits, near = RegionLimits.regular(m, bound), boxes_of_positions(m.X_home[:3, :3], centres, half)
        found = limits_over(limits, np.ones(len(limits.columns), dtype=bool), near)
        least, broken = found.lower[:, -1] + bound, found.broken[:, :-1]
        seen.append([broken.any(axis=1).mean(), (least >= bound).mean()])
        corners = np.array(np.meshgrid(*[[-1, 1]] * 3)).reshape(3, -1).T
        unit = np.concatenate([corners, rng.uniform(-1, 1, size=(250, 3))])
        for _ in range(3):
            places = centres[:, None] + half * unit
            poses = np.tile(m.X_home, (*places.shape[:2], 1, 1))
            poses[..., :3, 3] = places
            values = gough.margins(m, poses).values
            closes = np.isfinite(values).all(axis=-1)
            most = np.where(closes[..., None], values, -np.inf)
            assert (most[..., :-1] < 0)[np.broadcast_to(broken[:, None], most[..., :-1].shape)].all()
            smallest = np.where(closes, gough.singularity.conditioning(m, poses).distance, np.inf)
            assert (smallest >= least[:, None]).all()
            best = np.argmax(most[..., :-1], axis=1)  # (boxes, columns)
            away = np.take_along_axis((places - centres[:, None]) / half, best[..., None], axis=1)
            unit = np.clip(np.repeat(away, 8, axis=1) + rng.normal(size=(12, away.shape[1] * 8, 3)) * 0.15, -1, 1)
    assert max(share for share, _ in seen) > 0
    assert max(share for _, share in seen) > 0


@pytest.mark.parametrize("kind", ["PUS", "RUS"])
def test_feet_near_the_end_of_reach_move_no_farther_than_bounded(kind, rng):
    """There a foot moves with the square root of the platform's displacement, and the model's value is not the foot."""
    m = gough.load(SKEW_OF_KIND[kind])
    m = replace(m, limits=Limits(leg_radius=np.full(6, 1e-3 * m.size)))
    limits, radius, far = RegionLimits.of(m), 0.01 * m.size, []
    is_pair = np.array([column.quantity == "distance" for column in limits.columns])
    offsets = radius * rng.uniform(-1, 1, (400, 3))
    for d in rng.normal(size=(40, 3)):
        end = gough.travel(m, np.append(d, np.zeros(3)))
        if not end.binding.endswith("reach"):
            continue
        X = m.X_home.copy()
        X[:3, 3] += (end.matrix[:3, 3] - X[:3, 3]) * (1 - 1e-3)
        near = boxes_of_positions(X[:3, :3], X[None, :3, 3], np.full(3, radius))
        found = limits_over(limits, is_pair, near, is_whole=False)
        values = gough.margins(m, shifted(X, offsets)).values[:, is_pair]
        lower = found.lower[0, is_pair]
        assert (np.where(np.isnan(values), np.inf, values) >= lower).all()
        far.append(np.max(found.values[0, is_pair] - lower) / radius)
    assert max(far) > 2
