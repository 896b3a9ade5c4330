"""Meshes around the middle of rays: the part that is connected with it, on the limits, sharp where two are reached."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation
from tests.skew import SKEW, SKEW_STACK
from tests.thorough import thorough
from tests.workspaces.test_limit_mesh import ALLOWED, ON_LIMIT, shares
from tests.workspaces.test_workspace_shapes import assert_closed

import gough
from gough.limits.interval_search import icosphere, poses_at
from gough.workspaces.levels import Levels
from gough.workspaces.limit_mesh import mesh_of_rays
from gough.workspaces.mesh import share_of_rotations

FOLDED, TANGENT, CRANKS = "dumitriu2017", "sinatra2009", "servo"
"""A limit's surface turns back under the rays; two limits touch without an edge; a crank's lowest angle and its rod's
reach touch along seams."""


def mesh_around(level, length=3.0, cells=24):
    """Mesh of the part around the origin of a region in which one level is positive, from rays of this length."""
    along, units = np.linspace(0.0, length, 3001), icosphere(3).directions
    is_in = level((along[:, None, None] * units).reshape(-1, 3)).reshape(len(along), -1) >= 0
    ends = along[np.where(is_in.all(axis=0), len(along), is_in.argmin(axis=0)) - 1, None] * units
    levels = Levels(lambda R, p, *some: level(p)[:, None], np.eye(3)[None], lambda p: np.ones((len(p), 1), dtype=bool))
    return mesh_of_rays(ends, length, levels, ("one",), cells)


def test_the_part_around_the_origin_has_its_void_and_no_islands():
    """A ball with a void, in which there is a hollow island, and a ball beside it; seen from between the void and the
    skin, whose far side is behind the void."""
    centre, beside = np.array([0.35, 0.2, -0.45]), np.array([0.3, 1.6, -0.4])

    def level(p):
        size, other = np.linalg.norm(p - centre, axis=1), np.linalg.norm(p - beside, axis=1)
        return np.max([np.minimum(1 - size, size - 0.35), np.minimum(0.25 - size, size - 0.12), 0.3 - other], axis=0)

    mesh = mesh_around(level, cells=56)
    assert_closed(mesh)
    assert mesh.volume == pytest.approx(4 / 3 * np.pi * (1 - 0.35**3), rel=0.01)
    size = np.linalg.norm(mesh.vertices - centre, axis=1)
    assert np.minimum(np.abs(size - 1), np.abs(size - 0.35)).max() < 1e-6


def test_what_is_connected_beyond_the_rays_belongs_to_the_part():
    """A ring seen from inside itself: rays see less than half, and their box is grown."""
    axis, large, small = np.array([1.0, 2.0, 2.0]) / 3, 1.0, 0.3
    centre = large * np.array([2.0, -2.0, 1.0]) / 3  # so that the origin is on the circle

    def level(p):
        height = (p - centre) @ axis
        width = np.linalg.norm(p - centre - height[:, None] * axis, axis=1)
        return small - np.hypot(width - large, height)

    mesh = mesh_around(level)
    assert_closed(mesh)
    assert mesh.volume == pytest.approx(2 * np.pi**2 * large * small**2, rel=0.03)
    assert (mesh.face_binding == 0).all()


def test_the_share_of_orientations_inside_a_mesh():
    """Of a cone about an axis, up to an angle T: its solid angle times T - sin T, of 4 pi^2 in all."""
    T, half = 2.5, 0.6
    axis = np.array([1.0, 2.0, 2.0]) / 3

    def level(p):
        size = np.linalg.norm(p, axis=1)
        return np.minimum(T - size, half - np.arccos(np.clip(p @ axis / np.maximum(size, 1e-9), -1, 1)))

    directions = icosphere(3).directions
    ends = np.where(directions @ axis > np.cos(half), T, 1e-3)[:, None] * directions
    levels = Levels(lambda R, p, *some: level(p)[:, None], np.eye(3)[None], lambda p: np.ones((len(p), 1), dtype=bool))
    mesh = mesh_of_rays(ends, np.pi, levels, ("one",), 40)
    truth = 2 * np.pi * (1 - np.cos(half)) * (T - np.sin(T)) / (4 * np.pi**2)
    assert share_of_rotations(mesh) == pytest.approx(truth, rel=0.02)


def test_a_part_without_an_end_is_cut_at_the_reach():
    """A cylinder longer than the rays, whose box has room beyond their ends."""
    axis = np.array([2.0, 1.0, 2.0]) / 3
    mesh = mesh_around(lambda p: 0.25 - np.linalg.norm(p - (p @ axis)[:, None] * axis, axis=1), length=1.5)
    assert_closed(mesh)
    size = np.linalg.norm(mesh.vertices[mesh.binding < 0], axis=1)
    assert size == pytest.approx(1.5)
    assert mesh.volume == pytest.approx(np.pi * 0.25**2 * 3.0, rel=0.03)
    assert mesh.share()["range searched"] == pytest.approx(0.25 / 3.25, rel=0.1)


@pytest.fixture(scope="module", params=[*SKEW, *thorough(FOLDED, TANGENT, CRANKS, SKEW_STACK)])
def turns(request):
    found = gough.workspaces.orientation_workspace(gough.load(request.param))
    return found, found.mesh()


def relative(found, vectors):
    m = found.machine
    R = Rotation.from_rotvec(vectors).as_matrix() @ m.end_home[:3, :3]
    return gough.margins(m, poses_at(m, R, np.broadcast_to(found.centre, vectors.shape))).relative


def test_a_mesh_is_closed_and_has_the_volume_of_the_rays(turns):
    found, mesh = turns
    assert_closed(mesh)
    # Rays that are allowed again farther out may be so in other parts.
    near = 4 / 3 * np.pi * float(np.mean(found.radius**3))
    assert mesh.volume > 0.99 * near
    if not found.has_more.any():
        assert mesh.volume == pytest.approx(found.volume, rel=0.01)


def test_vertices_are_allowed_and_at_edges_two_limits_are_reached(turns):
    """Teeth, where rays pass the fold of a surface, are off both limits."""
    found, mesh = turns
    at = np.nan_to_num(relative(found, mesh.vertices))  # NaN for a rod at its reach, to rounding
    assert np.mean(at.min(axis=1) < -ALLOWED) < 2e-3
    ends = shares(mesh)
    on = np.where(ends, np.abs(at), 0.0).max(axis=1)
    edges = ends.sum(axis=1) >= 2
    assert edges.sum() > 100
    # Where rods are at their reach, margins of singular machines have no slope, those of cranks an endless one.
    part = 0.94 if found.machine.name in (TANGENT, CRANKS) else 0.995
    assert np.mean(on[edges] < ON_LIMIT) > part
    assert np.mean(on < ON_LIMIT) > part


def test_triangles_are_near_the_true_boundary(turns):
    """Along their normals: a little way in poses are allowed, and as far out refused."""
    found, mesh = turns
    step = np.ptp(mesh.vertices, axis=0).max() / 24
    area = np.linalg.norm(mesh.normals, axis=1)
    chosen = np.flatnonzero(area > 0.02 * step**2)
    chosen = chosen[:: max(1, len(chosen) // 400)]
    middle, normal = mesh.vertices[mesh.faces[chosen]].mean(axis=1), mesh.normals[chosen] / area[chosen, None]

    def is_allowed(distance):
        at = relative(found, middle + distance * normal)
        return ((at >= 0) | np.isnan(at)).all(axis=1)

    is_between = np.array([is_allowed(-part * step) & ~is_allowed(part * step) for part in (0.01, 0.03, 0.1)])
    # Of the second machine the part ends in blades, bent and thinner than that.
    part = 0.8 if found.machine.name == TANGENT else 0.97
    assert is_between.any(axis=0).mean() > part
    assert is_between[:2].any(axis=0).mean() > part - 0.07
