"""Taylor models: what composed quantities leave of their linear parts is within the rest, and comes near it."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation
from tests.skew import SKEW

import gough
from gough.regions import box
from gough.regions.cell_bounds import surroundings
from gough.regions.cells import Cells
from gough.regions.leg_models import LegModels
from gough.regions.taylor import Model, inverse

BOXES, PLACES = 30, 400
LOOSE = {"reciprocal": 2.0, "root": 2.0, "unit": 6.0, "longest": 4.0, "inverse": 8.0}
"""How many times what was seen the rest may be; products are exact."""
COUNTED = 1e-13
"""Rounding."""


def coordinates(rng, size):
    """Models of the six coordinates themselves, in random boxes, and places (n, m, 6) in these."""
    half, centre = size * rng.uniform(0.1, 1, (BOXES, 6)), rng.normal(size=(BOXES, 6))
    z = rng.uniform(-1, 1, (BOXES, PLACES, 6))
    z[:, ::2] = np.sign(z[:, ::2])
    slope = np.tile(np.eye(6), (BOXES, 1, 1))
    return Model(centre, slope, np.zeros((BOXES, 6)), half), centre[:, None] + half[:, None] * z


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
OPERATIONS = {
    "product": (lambda z: z[:, :3] * z[:, 3:], lambda z: z[..., :3] * z[..., 3:]),
    "square": (lambda z: z * z, lambda z: z * z),
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
    "unit": (
        lambda z: (z.chosen(slice(3)) * 0.1 + 1.0).unit,
        lambda z: (0.1 * z[..., :3] + 1) / np.linalg.norm(0.1 * z[..., :3] + 1, axis=-1, keepdims=True),
    ),
    "longest": (lambda z: z.chosen(slice(3)).longest, lambda z: np.linalg.norm(z[..., :3], axis=-1)),
    "inverse": (lambda z: inverse(as_matrices(z), np.array([1.0, 2.0, 0.5])), lambda z: np.linalg.inv(matrices(z))),
}


@pytest.mark.parametrize("size", [1e-3, 0.05])
@pytest.mark.parametrize("name", OPERATIONS)
def test_what_is_left_of_the_linear_part_is_within_the_rest(name, size):
    of_models, of_numbers = OPERATIONS[name]
    z, places = coordinates(np.random.default_rng(0), size)
    found, true = of_models(z), of_numbers(places)
    moved = np.einsum("n...k,nmk->nm...", found.slope, places - z.value[:, None])
    off = true - found.value[:, None] - moved
    off = np.maximum(off, 0.0) if name == "longest" else np.abs(off)
    most = off.max(axis=1)
    assert (most <= found.rest + COUNTED * (1 + np.abs(found.value))).all()
    assert np.median(found.rest / np.maximum(most, COUNTED)) <= LOOSE.get(name, 1.3)
    assert (np.abs(true - found.value[:, None]).max(axis=1) <= found.change + COUNTED).all() or name == "longest"


@pytest.mark.parametrize("name", ["reciprocal", "root", "unit", "inverse"])
def test_where_nothing_is_known_the_rest_says_so(name):
    z, _ = coordinates(np.random.default_rng(0), 1e4)
    with np.errstate(invalid="ignore"):
        assert np.isfinite(OPERATIONS[name][0](z).rest).mean() < 0.01


@pytest.mark.parametrize("name", SKEW)
def test_legs_stay_within_what_models_say_and_come_near_it(name):
    """Along one coordinate at a time, where little is lost to sums of bounds."""
    m, rng = gough.load(name), np.random.default_rng(0)
    point = m.size * rng.uniform(-0.3, 0.3, 3)
    region = box(m.X_home[:3, 3], [m.size] * 3, turn=1.0, reference=m.home)
    closest = dict.fromkeys(("q", "u", "moments", "twists"), 0.0)
    for half in 0.005 * np.diag(np.repeat([m.size, 1.0], 3)):
        near = surroundings(m, region, Cells(region.centre[None], half[None]))
        models = LegModels(m, near.motion, near.legs)
        dz = half * np.linspace(-1, 1, 41)[:, None]
        found = at_poses(m, region.poses(region.centre + dz), point)
        for key, true in found.items():
            of_models = getattr(models, key)
            model = of_models(point) if callable(of_models) else of_models
            off = np.abs(true - model.value[0] - np.moveaxis(model.slope[0] @ dz.T, -1, 0)).max(axis=0)
            assert (off <= model.rest[0] + 1e-12 * (1 + np.abs(model.value[0]))).all(), key
            closest[key] = max(closest[key], float(np.max(off / model.rest[0])))
    assert closest["q"] > 0.6
    assert closest["u"] > 0.4
    assert closest["moments"] > 0.35
    assert closest["twists"] > 0.05


def at_poses(m, X, point):
    """What models of legs are of, at poses: by inverse kinematics and matrices."""
    q = gough.inverse_kinematics(m, X)
    r = (m.b_P - point) @ np.swapaxes(X[:, :3, :3], 1, 2)
    d = X[:, None, :3, 3] + m.b_P @ np.swapaxes(X[:, :3, :3], 1, 2) - m.legs.driven_points(q)
    u = d / np.linalg.norm(d, axis=-1, keepdims=True)
    A = np.concatenate([u, np.cross(r, u)], axis=-1)
    return {"q": q, "u": u, "moments": np.cross(r, u), "twists": np.swapaxes(np.linalg.inv(A), 1, 2)}


def test_rounding_is_in_the_rest():
    """Sums and products in long doubles are no farther off than the rest of boxes without extent."""
    rng = np.random.default_rng(0)
    a, b = (rng.normal(size=(1, 1000)) * 10 ** rng.uniform(-6, 6, (1, 1000)) for _ in range(2))
    half = np.zeros((1, 6))
    for found, true in (
        (Model.constant(a, half) * Model.constant(b, half), a.astype(np.longdouble) * b),
        (Model.constant(a, half) + Model.constant(b, half), a.astype(np.longdouble) + b),
        (Model.constant(a * b, half).sum(1)[:], (a * b).astype(np.longdouble).sum(axis=1)),
    ):
        assert (np.abs(true - found.value) <= found.rest).all()
        assert (found.rest <= 1e-11 * np.abs(found.value) + 1e-11 * np.abs(a).max() * np.abs(b).max()).all()
