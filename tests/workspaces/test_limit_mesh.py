"""Meshes of workspaces: on the limits, sharp where two are reached together, closed, with thin walls whole."""

import numpy as np
import pytest
from scipy.spatial import cKDTree
from tests.skew import MACHINES, SKEW, SKEW_STACK
from tests.thorough import thorough
from tests.workspaces.test_workspace_shapes import assert_closed

import gough
from gough.description.starter import starter_text
from gough.limits.interval_search import limits_for_search, poses_at
from gough.limits.table import limit_table
from gough.workspaces.levels import levels_of

THIN = "singular-home"
"""Two bowls whose walls end in blades, each the other's image."""
TANGENT = "sinatra2009"
"""Where a rod is at its reach its slider may be at its highest: the two limits touch without an edge."""
ALLOWED = 1e-4
"""Relative margin that a vertex may lack where limits touch: rounding, over the slope there."""
ON_LIMIT = 1e-6
"""Relative margin at an edge between two limits."""


@pytest.fixture(scope="module", params=[*thorough(THIN, TANGENT), SKEW[1], SKEW[2]])
def found(request):
    w = gough.workspace(gough.load(request.param), samples=15)
    return w, w.mesh()


def relative(w, points):
    counted = [name not in w.ignore for name in w.names]
    return gough.margins(w.machine, poses_at(w.machine, w.R, points)).relative[:, counted]


def step(w):
    return float(np.ptp(w.x)) / (len(w.x) - 1)


def shares(mesh):
    """Which limits end the body at each vertex (n, k)."""
    ends = np.zeros((len(mesh.vertices), len(mesh.names) + 1), dtype=bool)
    ends[mesh.faces.ravel(), np.repeat(mesh.face_binding, 3)] = True
    return ends[:, :-1]


def test_a_mesh_is_closed_and_has_the_columns_volume(found):
    w, mesh = found
    assert_closed(mesh)
    assert mesh.volume == pytest.approx(w.volume, abs=3 * w.volume_error)
    assert (mesh.binding[mesh.faces] < len(mesh.names)).all()


def test_vertices_are_allowed_and_where_two_limits_end_the_body_both_are_reached(found):
    w, mesh = found
    at = relative(w, mesh.vertices)
    is_far = np.nanmin(at, axis=1) < -ALLOWED
    assert is_far.mean() < 2e-3
    on = np.where(shares(mesh), np.abs(at), 0.0).max(axis=1)
    edges = shares(mesh).sum(axis=1) >= 2
    assert edges.sum() > 100
    # Where sliders' rods are at their reach and the machine is singular too, margins of both have no slope.
    part = 0.94 if w.machine.name == TANGENT else 1.0
    assert np.mean(on[edges] < ON_LIMIT) >= part
    assert np.mean(on < ON_LIMIT) >= part


def test_triangles_are_near_the_true_boundary(found):
    """Along their normals: how far in poses are allowed and as far out refused."""
    w, mesh = found
    area = np.linalg.norm(mesh.normals, axis=1)
    chosen = np.flatnonzero(area > 0.02 * step(w) ** 2)
    chosen = chosen[:: max(1, len(chosen) // 400)]
    middle, normal = mesh.vertices[mesh.faces[chosen]].mean(axis=1), mesh.normals[chosen] / area[chosen, None]

    def is_allowed(distance):
        at = relative(w, middle + distance * normal)
        return ((at >= 0) | np.isnan(at)).all(axis=1)

    parts = np.array([0.01, 0.03, 0.1])
    is_between = np.array([is_allowed(-part * step(w)) & ~is_allowed(part * step(w)) for part in parts])
    assert is_between.any(axis=0).mean() > 0.97
    assert is_between[:2].any(axis=0).mean() > 0.9


def test_no_column_is_missed_and_none_added(found):
    """A frayed wall leaves ends of columns without a vertex near them."""
    w, mesh = found
    i, j, k, side = np.nonzero(np.isfinite(w.ends))
    ends = np.stack([w.x[i], w.y[j], w.ends[i, j, k, side]], axis=1)
    corners = mesh.vertices[mesh.faces]
    samples = np.concatenate(
        [mesh.vertices, corners.mean(axis=1), *(corners[:, [a, a - 1]].mean(axis=1) for a in (0, 1, 2))]
    )
    assert cKDTree(samples).query(ends)[0].max() < 1.2 * step(w)


@pytest.mark.parametrize("name", ["two-beams", *thorough("hexaglide", "rails")])
def test_limits_that_meet_near_a_rods_reach_have_a_straight_edge(name, tmp_path):
    """There levels have slopes without bound; a point that is off one of them is a tooth."""
    file = {"two-beams": MACHINES / "two-beams.toml", "rails": tmp_path / "rails.toml"}.get(name, name)
    if name == "rails":
        file.write_text(starter_text(name))
    w = gough.workspace(gough.load(file), samples=33)
    mesh = w.mesh()
    at, ends = np.nan_to_num(relative(w, mesh.vertices)), shares(mesh)
    on = np.where(ends, np.abs(at), 0.0).max(axis=1)
    edges = ends.sum(axis=1) >= 2
    assert edges.sum() > 500
    assert on[edges].max() < 2e-3
    assert np.mean(on[edges] < ON_LIMIT) > 0.95


@pytest.mark.parametrize("name", [*thorough("hexel"), SKEW[0]])
def test_the_mesh_of_a_dexterous_part_has_its_edges_where_two_limits_are_reached_by_the_cone(name):
    """At its worst sample of the cone each limit that ends the part is at zero, and none is below."""
    m = gough.load(name)
    part = gough.workspaces.dexterous_workspace(m, tilt=np.deg2rad(5.0), samples=13)
    mesh = part.mesh()
    assert_closed(mesh)
    assert mesh.volume == pytest.approx(part.volume, abs=3 * part.volume_error)
    rotations = part.cone.rotations(part.cone.samples())
    at = np.min([gough.margins(m, poses_at(m, R, mesh.vertices)).relative for R in rotations], axis=0)
    assert np.mean(np.nanmin(at, axis=1) < -ALLOWED) < 2e-3
    ends = shares(mesh)
    on = np.where(ends, np.abs(at), 0.0).max(axis=1)
    assert (ends.sum(axis=1) >= 2).sum() > 100
    assert np.mean(on < ON_LIMIT) > 0.998


@pytest.mark.parametrize("name", [*SKEW, SKEW_STACK, "servo"])
def test_levels_of_some_limits_are_those_of_all(name):
    """Legs that cannot close and angles beyond their ends included."""
    m, rng = gough.load(name), np.random.default_rng(5)
    points = m.home_point + m.size * rng.uniform(-1, 1, (400, 3))
    limits = limits_for_search(m, ignore=(limit_table(m).columns[-1].name,))
    levels, k = levels_of(m, limits), len(limits.per_scale)
    known = levels(m.end_home[:3, :3], points)
    assert np.isnan(known).any(axis=1).any() or name == SKEW[0]
    for count in (1, 1, 1, 2, 3, k // 2, k):
        columns = np.sort(rng.choice(k, count, replace=False))
        some = levels(m.end_home[:3, :3], points, columns)
        np.testing.assert_allclose(some, known[:, columns], rtol=1e-12, atol=1e-13, err_msg=str(columns))
