"""Paths checked whole: bounds hold all along, crossings between samples are found, what is open is named."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.optimize import brentq, minimize_scalar
from scipy.spatial.transform import Rotation
from tests.skew import SKEW
from tests.thorough import thorough

import gough
from gough import motion
from gough.errors import GoughError, InputError
from gough.motion.path_models import PathModels
from gough.motion.tube import Tube
from gough.motion.uncertainty import Uncertainty
from gough.regions.box_limits import limits_over
from gough.regions.models import variables
from gough.regions.requested import RegionLimits

ROUND_OFF = 1e-12
KINDS = ("hexel", "rotopod", *SKEW)
HIDDEN = 1e-9
"""By which legs come too near on a tiny part of a path [m]."""


def some_path(m, rng, size):
    """A smooth path about home that moves and turns, `size` of the machine long."""
    D = gough.pose_matrix(size * m.size * rng.normal(size=(4, 3)), size * rng.normal(size=(4, 3)), "XYZ")
    return motion.path_about_pivot(m, motion.Spline(D))


def bounded(m, models):
    """Bounds of all limits over parts of a path."""
    limits = RegionLimits.of(m)
    return limits_over(limits, np.ones(len(limits.columns), dtype=bool), models.family())


@pytest.mark.parametrize("name", KINDS)
def test_no_margin_leaves_its_bounds_and_they_close_in(name, rng):
    m = gough.load(name)
    for size, part in ((0.1, 0.2), (0.03, 1e-3)):
        path = some_path(m, rng, size)
        s = rng.uniform(*path.knots[1:3], 40)
        h = np.minimum(part * rng.uniform(size=40) * path.span[1], np.minimum(s - path.knots[1], path.knots[2] - s))
        found = bounded(m, PathModels.of(path, s - h, s + h))
        around = gough.margins(m, path(s[:, None] + h[:, None] * np.linspace(-1, 1, 21))[0]).values
        assert (np.where(np.isnan(around), np.inf, around - found.lower[:, None]) >= -ROUND_OFF).all()
        assert (~found.broken[:, None] | ~(around > ROUND_OFF)).all()
    lost = np.nanmin(around, axis=1) - found.lower
    spread = np.nanmax(around, axis=1) - np.nanmin(around, axis=1)
    assert np.nanmedian((lost / np.maximum(spread, 1e-15)).ravel()) < 8


def closest_legs(m, path, name):
    """Parameter at which two legs are closest on a path, and their margin there [m]."""
    column = gough.margins(m, m.home).names.index(name)

    def margin(s):
        return float(gough.margins(m, path(s)[0]).values[column])

    s = np.linspace(*path.span, 401)
    k = int(np.argmin([margin(value) for value in s]))
    assert 0 < k < 400, "nearest inside the path"
    found = minimize_scalar(margin, bounds=(s[k - 1], s[k + 1]), method="bounded", options={"xatol": 1e-12})
    return found.x, found.fun


def test_a_collision_hidden_between_samples_is_found():
    m = gough.load("rotopod")
    turns = [[0, 0, 0], [-0.07, 0.25, -0.38], [0.1, 0.1, 0.1]]
    path = motion.path_about_pivot(m, motion.Spline(gough.pose_matrix(0.01 * np.eye(3), turns, "XYZ")))
    name = "legs 1-2 clearance"
    place, margin = closest_legs(m, path, name)
    assert path.span[0] < place < path.span[1]
    for thicker, expected in ((margin + HIDDEN, "refuted"), (margin - 1000 * HIDDEN, "proven")):
        thick = replace(m, limits=replace(m.limits, leg_radius=m.limits.leg_radius + thicker / 2))
        sampled = gough.margins(thick, path(np.linspace(*path.span, 2000))[0])
        assert sampled.is_allowed.all(), "the collision lies between samples"
        found = motion.check_path(thick, path, tolerance=1e-5)
        assert found.verdict == expected
        if expected == "refuted":
            (stretch,) = found.broken
            assert stretch.limits == (name,)
            assert stretch.legs == (1, 2)
            assert stretch.start < place < stretch.end
            assert stretch.end - stretch.start < 2e-3 * path.span[1]
            assert stretch.worst == pytest.approx(-HIDDEN, rel=0.01)
            assert "legs 1-2 distance" in found.sentence()


@pytest.mark.parametrize("name", ["hexel", *SKEW])
def test_the_first_crossing_is_where_the_margin_is_zero(name):
    m = gough.load(name)
    path = motion.path_about_pivot(m, motion.line(gough.pose([0, 0, 0]), gough.pose([m.size, 0.1 * m.size, 0])))
    found = motion.check_path(m, path)
    assert found.verdict == "refuted"
    column = gough.margins(m, m.home).names.index(found.broken[0].limits[0])
    near = found.first_crossing + 1e-6 * np.array([-1, 1])
    zero = brentq(lambda s: gough.margins(m, path(s)[0]).values[column], *near, xtol=1e-15)
    assert found.first_crossing == pytest.approx(zero, abs=4e-9 * path.span[1])


def test_a_path_along_a_limit_is_left_open_with_its_name():
    m = gough.load("hexel")
    X = np.stack([gough.frames.displaced(m, gough.pose([x, 0, 0])).as_matrix() for x in (0, 0.02)])
    box = m.limits.box.copy()
    box[2, 1] = (m.X_home @ m.X_PT)[2, 3]
    flush = replace(m, limits=replace(m.limits, box=box))
    found = motion.check_path(flush, motion.via(X), max_boxes=2000)
    assert found.verdict == "undecided"
    assert found.undecided[0].limits == ("tool z max",)
    assert "tool z max can neither be proven nor refuted" in found.sentence()
    nearly = replace(m, limits=replace(m.limits, box=box + [[0, 0], [0, 0], [0, 1e-9]]))
    assert motion.check_path(nearly, motion.via(X)).boxes < 100, "flush within a nanometre takes few intervals"


@pytest.mark.parametrize("name", KINDS)
def test_rates_that_are_partly_unknown_prove_what_they_can(name):
    """Of a path without a turn the speed is known, and no acceleration; of points without an arm to turn on, neither
    depends on the turn."""
    m = gough.load(name)
    along = 1e-3 * m.size * np.array([0.6, -0.48, 0.64])

    def moved(s):
        D = np.tile(np.eye(4), (len(s), 1, 1))
        D[:, :3, 3] = np.sin(s)[:, None] * along
        return D

    for X_PM in (np.eye(4), m.X_PT):
        path = motion.FunctionPath(moved, (0.0, 6.0), rates=(1e-3 * m.size, 0.0))
        assert motion.check_path(m, motion.in_frame(m, path, work=m.X_home @ X_PM, of=X_PM)).is_proven


@pytest.mark.parametrize("name", ["hexel", *SKEW])
def test_paths_in_strut_space_are_proven_too(name):
    m = gough.load(name)
    D = gough.pose_matrix(0.02 * m.size * np.eye(3), 0.05 * np.eye(3)[::-1], "XYZ")
    X = gough.frames.displaced(m, D).as_matrix()
    V = 0.5 * np.ones((3, 6))
    for path in (motion.joint_space.JointSpacePath(m, X), motion.joint_space.JointSpacePath(m, X, V)):
        low = np.linspace(*path.span, 33)
        low, high = low[:-1], low[1:]
        rates = path.rates(low, high)
        sizes = path(np.linspace(low, high, 9))[1]
        assert (np.linalg.norm(sizes[..., :3], axis=-1) <= rates.v).all()
        assert (np.linalg.norm(sizes[..., 3:], axis=-1) <= rates.w).all()
        assert motion.check_path(m, path).is_proven


def near_path(m, path, s, radii, rng):
    """Random poses on the edge of a tube: the point of interest displaced, and the platform turned about it."""
    move, vector = rng.normal(size=(2, len(s), 3))
    move *= radii[0] / np.linalg.norm(move, axis=1, keepdims=True)
    R = Rotation.from_rotvec(radii[1] * vector / np.linalg.norm(vector, axis=1, keepdims=True)).as_matrix()
    X = path(s)[0]
    Y = X.copy()
    Y[:, :3, :3] = R @ X[:, :3, :3]
    Y[:, :3, 3] += move + (X[:, :3, :3] - Y[:, :3, :3]) @ m.point_of_interest
    return Y


def is_among(s, stretches):
    return np.any([(part.start <= s) & (s <= part.end) for part in stretches], axis=0) if stretches else s < -np.inf


@pytest.mark.parametrize(
    ("name", "part"), [(SKEW[1], 5e-3), *thorough(("hexaglide", 1e-4), (SKEW[0], 5e-3), (SKEW[2], 5e-3))]
)
def test_a_tube_is_kept_where_it_is_proven_and_broken_at_poses_in_it(name, part, rng):
    m = gough.load(name)
    path, radii = some_path(m, rng, 0.08), (part * m.size, part)
    found = motion.check_path(m, path, uncertainty=radii)
    s = rng.uniform(*path.span, 3000)
    allowed = gough.limits.is_allowed(m, near_path(m, path, s, radii, rng))
    assert (allowed | is_among(s, found.broken) | is_among(s, found.undecided)).all()
    for stretch in found.broken:
        margins, X = gough.margins(m, stretch.pose), path(stretch.at)[0]
        assert margins.values[margins.names.index(stretch.limits[0])] == pytest.approx(stretch.worst, abs=1e-15)
        assert stretch.worst < 0
        off = (stretch.pose - X)[:3, :3] @ m.point_of_interest + (stretch.pose - X)[:3, 3]
        assert np.linalg.norm(off) <= radii[0] * (1 + 1e-9)
        assert Rotation.from_matrix(stretch.pose[:3, :3] @ X[:3, :3].T).magnitude() <= radii[1] * (1 + 1e-9)
        inside = path(np.linspace(stretch.start, stretch.end, 41)[1:-1])[0]
        tube, still = Tube(RegionLimits.of(m), Uncertainty.of(radii, path, 0.5)), np.zeros(len(inside))
        near = tube.uncertainty.over(still, still)
        _, _, lowest = tube.lowest(inside, tube.bounds(PathModels.at(inside), near).gradient, near)
        assert (np.nanmin(lowest, axis=(1, 2)) < 0).all()
    assert sum(stretch.end - stretch.start for stretch in found.undecided) <= 0.05 * path.span[1]


def test_displaced_paths_are_within_their_models(rng):
    """A turn about the platform's origin: displaced about another point, the origin goes, too."""
    m = replace(gough.load("hexel"), point_of_interest=np.array([0.3, -0.2, 0.5]))
    path = motion.line(m.home, gough.pose(m.X_home[:3, 3], [0.0, 0.3, 0.2], "xyz"))
    z = rng.uniform(-1, 1, (1, 6)) * np.repeat([0.01, 0.5], 3)
    tube, (low, high) = Tube(RegionLimits.of(m), Uncertainty.of((0.01, 0.5), path, 0.5)), np.array(path.span)[:, None]
    pose = (
        PathModels.of(path, low, high)
        .displaced(z, tube.point)
        .pose_at(variables(0 * z[:, :1], 1 + 0 * z[:, :1]), slice(None))
    )
    p = pose.p - (pose.R * tube.point[:, None]).sum(1)
    for x in np.linspace(-1, 1, 9):
        Y = tube.displaced(path((low + high) / 2 + x * (high - low) / 2)[0], z)[0]
        for model, value in ((p, Y[:3, 3]), (pose.R, Y[:3, :3])):
            assert (np.abs(model.c[0, ..., 0] + model.c[1, ..., 0] * x - value) <= model.r[..., 0] * (1 + 1e-12)).all()
            assert (model.r < 0.1).all()


def test_a_tube_is_as_wide_as_the_room_beside_its_path():
    """Along a wall at a distance, a tube of a little less is kept and of a little more broken, all along."""
    m, room = gough.load("hexel"), 1e-3
    X = np.stack([gough.frames.displaced(m, gough.pose([x, 0, 0])).as_matrix() for x in (0, 0.02)])
    box = m.limits.box.copy()
    box[2, 1] = (m.X_home @ m.X_PT)[2, 3] + room
    walled, path = replace(m, limits=replace(m.limits, box=box)), motion.via(X)
    kept = motion.check_path(walled, path, uncertainty=0.99 * room)
    assert kept.is_proven
    assert kept.uncertainty == (0.99 * room, 0.0)
    assert "or within 0.99 mm and 0 deg of it" in kept.sentence()
    broken = motion.check_path(walled, path, uncertainty=1.001 * room)
    (stretch,) = broken.broken
    assert (stretch.start, stretch.end) == path.span
    assert stretch.limits == ("tool z max",)
    assert stretch.worst == pytest.approx(-1e-3 * room, rel=1e-6)


def test_an_uncertainty_of_nothing_changes_nothing_and_others_are_refused():
    m = gough.load("hexel")
    path = motion.line(m.home, gough.frames.displaced(m, gough.pose([0.6, 0, 0])))
    one, other = motion.check_path(m, path), motion.check_path(m, path, uncertainty=(0.0, 0.0))
    assert (one.sentence(), one.boxes) == (other.sentence(), other.boxes)
    np.testing.assert_array_equal(one.broken[0].pose, path(one.broken[0].at)[0])
    for wrong, message in (
        (-1.0, "zero or more"),
        ((1, 2, 3), r"\(2,\)"),
        ([[0.0, 1e-3, 0.0], [0.001, 1e-3, 0.0]], "the path's"),
        (-np.eye(6), "eigenvalues"),
        (10 * np.eye(6), "beyond pi"),
        (lambda X: X, r"\(n, 6, 6\)"),
        ((0.0, 4.0), "up to pi"),
        (np.nan, "zero or"),
    ):
        with pytest.raises(GoughError, match=message):
            motion.check_path(m, path, uncertainty=wrong)
    with pytest.raises(InputError, match="no bounds are known"):
        motion.check_path(m, motion.FunctionPath(lambda s: path(s)[0], (0.0, 0.02)), uncertainty=1e-3)
