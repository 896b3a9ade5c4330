"""Figures of the workspace: the surface of the analysis, in the file's units, coloured and named by what binds."""

import numpy as np
import pytest
from scipy.spatial import cKDTree
from tests.drawn import assert_there

import gough
from gough.datasheet.html import _heights
from gough.limits.sphere import icosphere
from gough.plot._boundary import clipped, colour_of
from gough.plot._seams import cut as cut_seams
from gough.plot._seams import parted
from gough.workspaces.marching_tetrahedra import surface_round

ROUND_OFF = 1e-9
"""Of lengths of rays and of margins of the order of 1."""


@pytest.fixture(scope="module")
def hexel():
    return gough.load("hexel")


@pytest.fixture(scope="module")
def found(hexel):
    return gough.workspace(hexel, samples=13)


@pytest.fixture(scope="module")
def mesh(found):
    return found.mesh()


def spacing_of(sphere):
    """Longest side of the triangles of a sphere."""
    return np.linalg.norm(np.diff(sphere.directions[sphere.faces[:, :2]], axis=1), axis=2).max()


def triangles(trace):
    """Corners (n, 3, 3) of a trace's triangles."""
    points = np.stack([trace.x, trace.y, trace.z], axis=-1).astype(float)
    return points[np.stack([trace.i, trace.j, trace.k], axis=-1)]


def solids(figure):
    return [trace for trace in figure.data if trace.type == "mesh3d" and trace.opacity is None]


def area(corners):
    return 0.5 * np.linalg.norm(np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]), axis=1).sum()


def test_the_total_envelope_is_in_the_units_of_the_file(hexel, found, mesh):
    figure = gough.plot.workspace(hexel, result=mesh)
    corners = np.concatenate([triangles(trace) for trace in solids(figure)])
    inside = corners - corners.mean(axis=(0, 1))
    volume = np.einsum("ij,ij->", inside[:, 0], np.cross(inside[:, 1], inside[:, 2])) / 6
    assert volume == pytest.approx(found.volume * 1e9, rel=0.012)
    assert volume == pytest.approx(mesh.volume * 1e9, rel=1e-5)
    assert [a.title.text for a in (figure.layout.scene.xaxis, figure.layout.scene.zaxis)] == ["x [mm]", "z [mm]"]


def test_the_legend_adds_to_the_height_in_a_narrow_window(hexel, mesh):
    """Eighteen limits under a scene of a phone's width took most of its height."""
    figure = gough.plot.workspace(hexel, result=mesh)
    narrow = figure.layout.meta["narrow"]
    low, high = narrow["scene.domain.y"]
    assert (high - low) * narrow["height"] == pytest.approx(320)
    assert narrow["legend.y"] == low
    assert_there(figure)
    assert _heights(figure) == f"--height:560px;--narrow:{narrow['height']}px"


def test_every_limit_that_binds_has_its_trace_its_colour_and_its_area(hexel, mesh):
    figure = gough.plot.workspace(hexel, result=mesh)
    traces = {trace.name: trace for trace in solids(figure)}
    assert set(mesh.share()) <= set(traces)
    assert len({trace.color for trace in traces.values()}) == len(traces)
    for name, share in mesh.share().items():
        drawn = area(triangles(traces[name])) / (mesh.area * 1e6)
        assert drawn == pytest.approx(share, abs=0.03)
        assert traces[name].color == colour_of(name)


def test_lower_and_upper_envelope_make_the_whole_and_face_their_way(hexel, mesh):
    """Hexel hangs: gravity is along +z, so that its lower side is the one with the larger z, where legs are longest."""
    sides = {}
    for name, way in (("lower", 1.0), ("upper", -1.0)):
        figure = gough.plot.workspace(hexel, result=mesh, side=name)
        corners = np.concatenate([triangles(trace) for trace in solids(figure)])
        normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
        areas = np.linalg.norm(normals, axis=1)
        plain = areas > 1e-4 * areas.mean()  # more than rounding to single precision
        assert (way * normals[plain, 2] > -0.021 * areas[plain]).all()
        sides[name] = area(corners), {trace.name for trace in solids(figure) if trace.showlegend}
    whole = sum(area(triangles(trace)) for trace in solids(gough.plot.workspace(hexel, result=mesh)))
    assert sum(side[0] for side in sides.values()) == pytest.approx(whole, rel=0.02)
    assert {f"leg {k} longest" for k in range(1, 7)} <= sides["lower"][1]
    assert {f"leg {k} base plate angle" for k in range(1, 7)} <= sides["upper"][1]


def test_upright_walls_are_whole_in_both_envelopes():
    """Linapod's base cones end its workspace at upright walls, whose narrow triangles lean to either side."""
    m = gough.load("linapod")
    mesh = gough.workspace(m, samples=25).mesh()
    walls = [name for name in mesh.share() if name.endswith("base cone")]
    assert len(walls) >= 3
    for side in ("lower", "upper"):
        traces = {trace.name: trace for trace in solids(gough.plot.workspace(m, result=mesh, side=side))}
        for name in walls:
            assert area(triangles(traces[name])) == pytest.approx(mesh.share()[name] * mesh.area, rel=1e-4)


def test_clipped_triangles_end_where_the_value_is_zero():
    vertices, faces = np.array([[0.0, 0, 0], [1, 0, 0], [0, 1, 0], [1, 1, 0]]), np.array([[0, 1, 2], [1, 3, 2]])
    for sign, expected in ((1.0, 0.75), (-1.0, 0.25)):
        values = sign * (vertices[:, 0] - 0.25)
        points, kept, whole = clipped(vertices, faces, values[faces])
        assert area(points[kept]) == pytest.approx(expected)
        assert (sign * (points[kept][..., 0] - 0.25) >= -1e-12).all()
        assert (np.cross(*np.diff(points[kept], axis=1).swapaxes(0, 1))[:, 2] > 0).all()
        assert set(whole) == {0, 1}


def test_triangles_between_limits_are_cut_and_keep_their_area():
    vertices = np.array([[0.0, 0, 0], [1, 0, 0], [0, 1, 0], [1, 1, 0]])
    faces, binding = np.array([[0, 1, 2], [1, 3, 2]]), np.array([0, 1, 2, 1])
    points, cut, limits = cut_seams(vertices, faces, binding)
    assert area(points[cut]) == pytest.approx(1.0)
    areas = [area(points[cut[limits == limit]]) for limit in range(3)]
    assert min(areas) > 0.02
    table = np.array([[0.0, 1, 1], [1, 0, 1], [1, 1, 0], [1, 0, 1]])  # middles of sides

    def levels(points):
        return table[np.linalg.norm(points[:, None] - vertices, axis=-1).argmin(axis=1)]

    points, cut, limits = cut_seams(vertices, faces, binding, levels)
    areas = [area(points[cut[limits == limit]]) for limit in range(3)]
    assert areas == pytest.approx([1 / 6, 1 / 6 + 3 / 8, 1 / 6 + 1 / 8])


def slanted_seam(levels_known):
    """Distances, in cells, of the seam between two limits from the line on which they are equally near."""
    count, slope = 21, 0.37
    x, y = (part.ravel() for part in np.meshgrid(np.linspace(0, 1, count), np.linspace(0, 1, count)))
    k = np.arange(count * count).reshape(count, count)
    a, b, c, d = (part.ravel() for part in (k[:-1, :-1], k[:-1, 1:], k[1:, :-1], k[1:, 1:]))
    faces = np.concatenate([np.stack([a, b, c], 1), np.stack([b, d, c], 1)])
    vertices = np.stack([x, y, 0 * x], axis=1)

    def above(points):
        return points[:, 1] - slope * points[:, 0] - 0.21

    def levels(points):
        return np.maximum(np.stack([above(points), -above(points)], axis=1), 0)

    binding = (above(vertices) > 0).astype(np.int64)
    points, cut, limits = cut_seams(vertices, faces, binding, levels if levels_known else None)
    seam = points[np.intersect1d(cut[limits == 0], cut[limits == 1])]
    return np.abs(seam[:, 1] - slope * seam[:, 0] - 0.21) * (count - 1)


def test_seams_between_limits_are_no_saws():
    """Middles of the sides of triangles are up to 0.67 cells off, 0.26 on average."""
    assert slanted_seam(levels_known=True).max() < 0.02
    smooth = slanted_seam(levels_known=False)
    assert smooth.max() < 0.4
    assert smooth.mean() < 0.15


@pytest.mark.parametrize("radius", [2.0, 0.97])
def test_rims_are_where_two_limits_are_reached_together(radius):
    """A lens between two caps, and one whose rim is cut off by a cylinder that leaves less than a cell between them:
    marching tetrahedra chamfer it, by up to a cell, which is a saw in the light."""

    def levels(points):
        x, y, z = points.T
        r2 = x**2 + y**2
        return np.stack([0.3 - 0.1 * x - z - 0.2 * r2, 3 * (z + 0.2 - 0.3 * r2), radius - np.sqrt(r2)], axis=1)

    x, z = np.linspace(-1.25, 1.25, 24), np.linspace(-0.5, 0.5, 14)
    nodes = np.stack(np.meshgrid(x, x, z, indexing="ij"), axis=-1)
    surface = surface_round((levels(nodes.reshape(-1, 3)) >= 0).all(axis=1).reshape(nodes.shape[:3]))
    inside, outside = nodes[tuple(surface.inside.T)], nodes[tuple(surface.outside.T)]
    parts = np.linspace(0, 1, 2001)[:, None, None]
    found = levels((inside + parts * (outside - inside)).reshape(-1, 3)).reshape(2001, -1, 3)
    first = (found < 0).any(axis=2).argmax(axis=0)
    vertices = inside + parts[first, 0] * (outside - inside)
    binding = found[first, np.arange(len(first))].argmin(axis=1)
    assert np.abs(levels(vertices)).min(axis=1).max() < 2e-3
    points, cut, limits = cut_seams(vertices, surface.faces, binding, levels)
    rim = points[np.intersect1d(cut[limits == 0], cut[limits == 1])]
    assert len(rim) > 60
    assert np.sort(np.abs(levels(rim)), axis=1)[:, 1].max() < 1e-6


def test_a_jump_of_the_rays_is_a_wall_along_them():
    """A ball, and a larger one around it seen through a round window: the sides of triangles end anywhere beside its
    rim, up to their length away."""
    near, far, axis, rim = 1.0, 1.5, np.array([2.0, 1.0, 3.0]) / np.sqrt(14.0), 0.43
    sphere = icosphere(3)

    def rays(units):
        is_far = units @ axis > rim
        return np.where(is_far, far, near), is_far.astype(np.int64)

    def levels(points):
        size = np.linalg.norm(points, axis=1)
        return np.stack([near - size, size - far], axis=1)

    lengths, binding = rays(sphere.directions)
    vertices = lengths[:, None] * sphere.directions
    points, cut, limits = cut_seams(vertices, sphere.faces, binding, levels, rays)
    spacing = spacing_of(sphere)
    size = np.linalg.norm(points, axis=1)
    is_far = size > 0.5 * (near + far)
    is_wall = is_far[cut].any(axis=1) & ~is_far[cut].all(axis=1)
    assert (limits == np.where(is_far[cut].all(axis=1), 1, 0)).all()
    on_wall = np.unique(cut[is_wall])
    # Middle points of triangles are on chords of the rim.
    is_exact = np.abs(levels(points[on_wall])).min(axis=1) < ROUND_OFF
    assert is_exact.sum() >= 100
    away = np.abs((points[on_wall] / size[on_wall, None]) @ axis - rim)
    assert away[is_exact].max() < 1e-3 * spacing
    assert away.max() < 0.25 * spacing**2
    # Closed, and turned outward: what the divergence theorem gives is the volume.
    volume = np.linalg.det(points[cut])
    assert volume.min() > -1e-6 * spacing**2
    truth = 2 * np.pi / 3 * ((1 + rim) * near**3 + (1 - rim) * far**3)
    assert volume.sum() / 6 == pytest.approx(truth, rel=0.5 * spacing**2)


def test_orientations_between_highest_sliders_and_singularities_have_no_teeth():
    """Of this machine the surface of highest sliders goes on behind singularities, which turn back under the rays."""
    m = gough.load("sinatra2009")
    found = gough.workspaces.orientation_workspace(m)
    rays, mesh = found.from_middle, found.mesh()
    points = parted(m, mesh, rays.poses, rays.first_ends)[0]
    cut_points = points[len(mesh.vertices) :]
    size = np.linalg.norm(cut_points, axis=1)
    sphere = icosphere(found.level)
    spacing = spacing_of(sphere)
    pairs = cKDTree(cut_points / size[:, None]).query_pairs(1e-3 * spacing, output_type="ndarray")
    pairs = pairs[np.abs(np.diff(size[pairs], axis=1))[:, 0] > 0.01]
    assert len(pairs) >= 60
    margins = np.abs(gough.margins(m, rays.poses(cut_points[pairs.ravel()])).relative).min(axis=1)
    # Cuts are on the limits, middle points of triangles on chords between them.
    assert (margins.reshape(-1, 2) < ROUND_OFF).all(axis=1).sum() >= 60
    assert margins.max() < 3e-3


def test_limits_that_touch_meet_where_rays_change_from_one_to_the_other():
    """A rod's reach, and a crank's angle that changes with its root: the two surfaces touch along the seam."""
    axis, start = np.array([2.0, 1.0, 3.0]) / np.sqrt(14.0), 0.43
    sphere = icosphere(3)

    def levels(points):
        size = np.linalg.norm(points, axis=1)
        with np.errstate(invalid="ignore"):
            return np.stack([1.0 - size, np.sqrt(1.0 - size) + start - points @ axis / size], axis=1)

    def rays(units):
        angle = units @ axis - start
        return 1.0 - np.maximum(angle, 0.0) ** 2, (angle > 0).astype(np.int64)

    lengths, binding = rays(sphere.directions)
    vertices = lengths[:, None] * sphere.directions
    points, cut, limits = cut_seams(vertices, sphere.faces, binding, levels, rays)
    seam = points[np.intersect1d(cut[limits == 0], cut[limits == 1])]
    away = np.abs(seam @ axis / np.linalg.norm(seam, axis=1) - start)
    assert len(seam) >= 100
    # Cuts of sides are there; middle points of triangles, every second one, are on chords between them.
    assert np.median(away) < 1e-3 * spacing_of(sphere)
    assert away.max() < 0.25 * spacing_of(sphere) ** 2


def test_cranks_at_their_lowest_angle_and_rods_at_their_reach_meet_where_rays_change():
    m = gough.load("servo")
    found = gough.workspaces.orientation_workspace(m)
    rays, mesh = found.from_middle, found.mesh()
    points, cut, limits = parted(m, mesh, rays.poses, rays.first_ends)
    near = 3e-3 * spacing_of(icosphere(found.level)) * np.concatenate([np.eye(3), -np.eye(3)])
    for leg in range(1, 7):
        pair = [mesh.names.index(f"leg {leg} {which}") for which in ("lowest", "reach")]
        seam = points[np.intersect1d(*(cut[limits == limit] for limit in pair))]
        around = seam[:, None] / np.linalg.norm(seam, axis=1)[:, None, None] + near
        around /= np.linalg.norm(around, axis=2, keepdims=True)
        ended_by = rays.first_ends(around.reshape(-1, 3))[1].reshape(-1, 6)
        is_there = np.all([(ended_by == limit).any(axis=1) for limit in pair], axis=0)
        assert len(seam) > 40
        assert is_there.mean() > 0.9  # not at its ends, where a third limit comes between


def test_orientations_are_drawn_in_the_angles_of_the_file(hexel):
    found = gough.workspaces.orientation_workspace(hexel, level=2)
    figure = gough.plot.orientation_workspace(hexel, result=found)
    reach = max(np.linalg.norm(triangles(trace), axis=-1).max() for trace in solids(figure))
    finer = gough.workspaces.orientation_workspace(hexel, level=4)
    assert np.degrees(found.radius.max()) < reach < 1.02 * np.degrees(finer.radius.max())
    assert figure.layout.scene.xaxis.title.text == "about x [deg]"
    with pytest.raises(gough.errors.InputError, match="rays are of positions"):
        gough.plot.orientation_workspace(hexel, result=gough.workspaces.workspace_rays(hexel, level=0))


def test_the_dexterous_part_is_drawn_in_the_shell_of_the_whole(hexel, mesh):
    part = gough.workspaces.dexterous_workspace(hexel, tilt=np.deg2rad(10), samples=9).mesh()
    figure = gough.plot.dexterous_workspace(hexel, part, whole=mesh)
    shells = [trace for trace in figure.data if trace.type == "mesh3d" and trace.opacity is not None]
    assert [trace.name for trace in shells] == ["one orientation"]
    low, high = shells[0].z.min(), shells[0].z.max()
    # Limits share no vertices, at which their shades would be mixed.
    of, faces = mesh.face_binding, mesh.faces
    assert len(shells[0].x) == sum(len(np.unique(faces[of == limit])) for limit in np.unique(of))
    assert all(low < trace.z.min() and trace.z.max() < high for trace in solids(figure))
    assert {trace.name for trace in solids(figure)} >= set(part.share())
