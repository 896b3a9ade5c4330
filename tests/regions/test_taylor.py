"""Taylor models: what composed quantities leave of their quadratic parts is within the remainder, and comes near it."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation
from tests.skew import SKEW, SKEW_OF_KIND

import gough
from gough.regions import SpeedLimit, box
from gough.regions.cell_bounds import surroundings
from gough.regions.cells import Cells
from gough.regions.inverse_models import inverse
from gough.regions.leg_models import LegModels
from gough.regions.requested import RegionLimits
from gough.regions.taylor import Model

BOXES, PLACES = 30, 400
LOOSE = {"unit": 8.0, "longest": 3.0, "inverse": 10.0}
"""How many times what was seen the remainder may be."""
COUNTED = 1e-13
"""Rounding."""


def coordinates(rng, size):
    """Models of the six coordinates themselves, in random boxes, and places (n, m, 6) in these."""
    half, centre = size * rng.uniform(0.1, 1, (BOXES, 6)), rng.normal(size=(BOXES, 6))
    z = rng.uniform(-1, 1, (BOXES, PLACES, 6))
    z[:, ::2] = np.sign(z[:, ::2])
    gradient = np.tile(np.eye(6), (BOXES, 1, 1))
    return Model.linear(centre, gradient, np.zeros((BOXES, 6)), half), centre[:, None] + half[:, None] * z


def matrices(z):
    """Of coordinates (..., 6): regular near rotations, (..., 3, 3)."""
    R = Rotation.from_rotvec([0.3, -0.5, 0.7]).as_matrix()
    return R + 0.2 * np.stack([z[..., :3], z[..., 3:], z[..., :3] - z[..., 3:]], axis=-1)


def as_matrices(z):
    parts = [z.chosen(slice(3)), z.chosen(slice(3, 6)), z.chosen(slice(3)) - z.chosen(slice(3, 6))]
    return (
        Model.joined([part.column for part in parts], axis=2) * 0.2 + Rotation.from_rotvec([0.3, -0.5, 0.7]).as_matrix()
    )


FACTORS = np.array([[1.0, -2.0], [0.5, 3.0], [-1.0, 1.0]])
TWO_ROWS = np.array([[1.0, 0.5, -2.0, 0.0, 0.3, 1.0], [0.2, -1.0, 0.4, 3.0, 0.0, -0.6]])
ODD = np.arange(6) % 2 == 1
OPERATIONS = {
    "product": (lambda z: z[:, :3] * z[:, 3:], lambda z: z[..., :3] * z[..., 3:]),
    "square": (lambda z: z * z, lambda z: z * z),
    "cube": (lambda z: z * z * z, lambda z: z**3),
    "dot of products": (
        lambda z: (z * z).chosen(slice(3)).dot(z.chosen(slice(3, 6)) * z.chosen([0, 0, 1])),
        lambda z: np.sum(z[..., :3] ** 2 * z[..., 3:] * z[..., [0, 0, 1]], -1),
    ),
    "sum": (lambda z: (z * z).sum(1) - 2.0, lambda z: (z * z).sum(-1) - 2.0),
    "dot": (lambda z: z.chosen(slice(3)).dot(z.chosen(slice(3, 6))), lambda z: np.sum(z[..., :3] * z[..., 3:], -1)),
    "cross": (
        lambda z: z.chosen(slice(3)).cross(z.chosen(slice(3, 6))),
        lambda z: np.cross(z[..., :3], z[..., 3:]),
    ),
    "cross with numbers": (
        lambda z: (z * z).chosen(slice(3)).cross(np.array([1.0, 2, 3])),
        lambda z: np.cross((z * z)[..., :3], [1.0, 2, 3]),
    ),
    "combined": (
        lambda z: (z * z)[:, :2].combined(FACTORS),
        lambda z: (z * z)[..., :2] @ FACTORS.T,
    ),
    "reciprocal": (lambda z: (z * 0.1 + 2.0).reciprocal, lambda z: 1 / (0.1 * z + 2)),
    "root": (lambda z: (z * 0.1 + 2.0).root, lambda z: np.sqrt(0.1 * z + 2)),
    "root if any, far from zero": (lambda z: (z * 0.1 + 2.0).root_if_any(), lambda z: np.sqrt(0.1 * z + 2)),
    "left times": (
        lambda z: (z * z).left_times(np.tile(TWO_ROWS, (BOXES, 1, 1))),
        lambda z: z**2 @ TWO_ROWS.T,
    ),
    "left times a matrix": (
        lambda z: as_matrices(z + z * z * 0.5).left_times(np.tile(FACTORS.T, (BOXES, 1, 1))),
        lambda z: FACTORS.T @ matrices(z + z**2 / 2),
    ),
    "another where": (lambda z: z.or_where(ODD, z * z), lambda z: np.where(ODD, z**2, z)),
    "unit": (
        lambda z: (z.chosen(slice(3)) * 0.1 + 1.0).unit,
        lambda z: (0.1 * z[..., :3] + 1) / np.linalg.norm(0.1 * z[..., :3] + 1, axis=-1, keepdims=True),
    ),
    "longest": (lambda z: z.chosen(slice(3)).longest, lambda z: np.linalg.norm(z[..., :3], axis=-1)),
    "longest of products": (
        lambda z: (z.chosen(slice(3)) * z.chosen(slice(3, 6)) + 1.0).longest,
        lambda z: np.linalg.norm(z[..., :3] * z[..., 3:] + 1, axis=-1),
    ),
    "inverse of products": (
        lambda z: inverse(as_matrices(z + z * z * 0.5), np.array([1.0, 2.0, 0.5])),
        lambda z: np.linalg.inv(matrices(z + z**2 / 2)),
    ),
    "inverse": (lambda z: inverse(as_matrices(z), np.array([1.0, 2.0, 0.5])), lambda z: np.linalg.inv(matrices(z))),
}


def quadratic(model, x):
    """What a model says without its remainder (n, m, ...) at places (n, m, 6) seen from the boxes' centres."""
    linear = np.einsum("n...k,nmk->nm...", model.gradient, x)
    return model.value[:, None] + linear + np.einsum("n...jk,nmj,nmk->nm...", model.hessian, x, x) / 2


@pytest.mark.parametrize("size", [1e-3, 0.05])
@pytest.mark.parametrize("name", OPERATIONS)
def test_what_is_left_of_the_quadratic_part_is_within_the_rest(name, size):
    of_models, of_numbers = OPERATIONS[name]
    z, places = coordinates(np.random.default_rng(0), size)
    found, true = of_models(z), of_numbers(places)
    off = true - quadratic(found, places - z.value[:, None])
    off = np.maximum(off, 0.0) if name.startswith("longest") else np.abs(off)
    most = off.max(axis=1)
    assert (most <= found.remainder + COUNTED * (1 + np.abs(found.value))).all()
    assert np.median(found.remainder / np.maximum(most, COUNTED)) <= LOOSE.get(name.split()[0], 1.3)
    assert (np.abs(true - found.value[:, None]).max(axis=1) <= found.change + COUNTED).all() or name.startswith(
        "longest"
    )


@pytest.mark.parametrize("least", [0.0, 0.2])
@pytest.mark.parametrize("size", [0.01, 0.3, 3.0])
def test_roots_are_bounded_wherever_there_are_any(size, least):
    """Over boxes that reach below zero or what counts, by the chord; half of the remainder is reached by some place."""
    z, places = coordinates(np.random.default_rng(0), size)
    f, true = z * 1.0 + 1.0, places + 1
    with np.errstate(invalid="ignore", divide="ignore"):
        found, is_any = f.root_if_any(least), true > least
    off = np.where(is_any, np.abs(np.sqrt(np.maximum(true, 0)) - quadratic(found, places - z.value[:, None])), 0.0)
    has_some = (f.value + f.change > least) & is_any.any(axis=1)
    assert (off.max(axis=1) <= found.remainder + COUNTED)[has_some].all()
    assert np.isfinite(found.remainder[has_some]).all()
    assert np.median((off.max(axis=1) / found.remainder)[has_some]) > 0.5
    assert np.isnan(found.remainder[f.value + f.change < 0]).all()


@pytest.mark.parametrize("name", ["reciprocal", "root", "unit", "inverse"])
def test_where_nothing_is_known_the_rest_says_so(name):
    z, _ = coordinates(np.random.default_rng(0), 1e4)
    with np.errstate(invalid="ignore"):
        assert np.isfinite(OPERATIONS[name][0](z).remainder).mean() < 0.01


@pytest.mark.parametrize("name", SKEW)
def test_legs_stay_within_what_models_say_and_come_near_it(name):
    """Along one coordinate at a time, where little is lost to sums of bounds, and along x while turning about y."""
    m, rng = gough.load(name), np.random.default_rng(0)
    point = m.size * rng.uniform(-0.3, 0.3, 3)
    region = box(m.X_home[:3, 3], [m.size] * 3, turn=1.0, reference=m.home)
    closest = dict.fromkeys(("q", "rods", "u", "moments", "u in the base", "moments in the base", "twists"), 0.0)
    halves = 0.01 * np.eye(6)
    for half in [*halves, 5 * halves[0] + halves[4]] * np.repeat([m.size, 1.0], 3):
        near = surroundings(m, region, Cells(region.centre[None], half[None]))
        models = LegModels(m, near.motion)
        base = models.in_base
        found = {"q": models.q, "rods": models.rods, "u": models.u, "moments": models.moments(point, models.u)}
        found |= {"u in the base": base.u, "moments in the base": base.moments(point, base.u)}
        found["twists"] = models.twists(point)
        dz = half * np.linspace(-1, 1, 41)[:, None]
        true = at_poses(m, region.poses(region.centre + dz), m.X_home[:3, :3], point)
        for key, model in found.items():
            off = np.abs(true[key] - quadratic(model, dz[None])[0]).max(axis=0)
            assert (off <= model.remainder[0] + 1e-12 * (1 + np.abs(model.value[0]))).all(), key
            closest[key] = max(closest[key], float(np.max(off / model.remainder[0])))
    assert min(part for key, part in closest.items() if key != "twists") > (0.5 if m.leg_kind != "RUS" else 0.4)
    assert closest["twists"] > 0.05


def at_poses(m, X, R_home, point):
    """What models of legs are of, at poses: by inverse kinematics and matrices."""
    q, R = gough.inverse_kinematics(m, X), X[:, :3, :3]
    r = (m.b_P - point) @ np.swapaxes(R, 1, 2)
    d = X[:, None, :3, 3] + m.b_P @ np.swapaxes(R, 1, 2) - m.legs.driven_points(q)
    u = d / np.linalg.norm(d, axis=-1, keepdims=True)
    A = np.concatenate([u, np.cross(r, u)], axis=-1)
    turned = R @ R_home.T  # (v R) are vectors v in axes that turn with the platform
    moments, twists = np.cross(r, u), np.swapaxes(np.linalg.inv(A), 1, 2)
    in_turned = {"rods": d @ turned, "u": u @ turned, "moments": moments @ turned}
    parts = [twists[..., part] @ turned for part in (slice(3), slice(3, 6))]
    return {
        "q": q,
        "u in the base": u,
        "moments in the base": moments,
        **in_turned,
        "twists": np.concatenate(parts, -1),
    }


@pytest.mark.parametrize("kind", ["PUS", "RUS"])
def test_what_drives_lack_of_their_quadratic_part_is_of_third_order(kind):
    """In boxes half as large it is an eighth, and random poses come near it."""
    m, rng = gough.load(SKEW_OF_KIND[kind]), np.random.default_rng(0)
    region = box(m.X_home[:3, 3], [0.01 * m.size] * 3, turn=0.01, reference=m.home)
    rests = []
    for part in (1.0, 0.5):
        near = surroundings(m, region, Cells(region.centre[None], part * region.half[None]))
        models = LegModels(m, near.motion)
        z = region.scaled(part).places(PLACES, rng)
        q = gough.inverse_kinematics(m, region.poses(z))
        turn = q - models.q_centre[0]
        found = [(models.q, q)] if kind == "PUS" else list(zip(models.turn, (np.sin(turn), np.cos(turn)), strict=True))
        for model, true in found:
            off = np.abs(true - quadratic(model, (z - region.centre)[None])[0]).max(axis=0)
            assert (off <= model.remainder[0]).all()
            assert (off > 0.02 * model.remainder[0]).all()
        rests.append(np.array([model.remainder[0] for model, _ in found]))
    assert (7 * rests[1] < rests[0]).all()


@pytest.mark.parametrize("name", SKEW)
def test_coordinates_weigh_as_much_as_the_inverse_jacobian_changes_along_them(name):
    """By central differences, in axes that turn with the platform."""
    m, step = gough.load(name), 1e-5
    region = box(m.X_home[:3, 3], [0.01 * m.size] * 3, turn=0.01, reference=m.home)

    def inverse(z):
        X = region.poses(z)
        J = gough.jacobian(m, X)
        arm = (X[:, :3, :3] @ m.platform_centre)[:, None]
        twists = np.swapaxes(np.linalg.inv(J), 1, 2)
        v, w = twists[..., :3] + np.cross(twists[..., 3:], arm), twists[..., 3:] * m.characteristic_length
        return np.concatenate([v @ X[:, :3, :3], w @ X[:, :3, :3]], axis=-1)

    offsets = step * np.eye(6)
    gradients = (inverse(region.centre + offsets) - inverse(region.centre - offsets)) / (2 * step)
    expected = np.linalg.norm(np.linalg.inv(inverse(region.centre[None])) @ gradients, axis=(1, 2))
    limits = RegionLimits.of(m, SpeedLimit(translation=1.0, joint_speed=1.0))
    np.testing.assert_allclose(limits.sensitivity(region), expected, rtol=1e-6)


def test_rounding_is_in_the_rest():
    """Sums and products in long doubles are no farther off than the remainder of boxes without extent."""
    rng = np.random.default_rng(0)
    a, b = (rng.normal(size=(1, 1000)) * 10 ** rng.uniform(-6, 6, (1, 1000)) for _ in range(2))
    half = np.zeros((1, 6))
    for found, true in (
        (Model.constant(a, half) * Model.constant(b, half), a.astype(np.longdouble) * b),
        (Model.constant(a, half) + Model.constant(b, half), a.astype(np.longdouble) + b),
        (Model.constant(a * b, half).sum(1)[:], (a * b).astype(np.longdouble).sum(axis=1)),
    ):
        assert (np.abs(true - found.value) <= found.remainder).all()
        assert (found.remainder <= 1e-11 * np.abs(found.value) + 1e-11 * np.abs(a).max() * np.abs(b).max()).all()
