"""Workspace in other shapes: rays, orientations, cones of orientations, meshes; closed forms, all leg kinds."""

import numpy as np
import pytest
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components
from scipy.spatial.transform import Rotation
from tests.skew import SKEW
from tests.thorough import thorough

import gough
from gough.limits.interval_search import poses_at

KINDS = (*thorough("servo", SKEW[1]), SKEW[0], SKEW[2])
"""Two machines of each leg kind: struts, sliders, cranks."""
ON_LIMIT = 1e-9
"""Relative margin at an end found to rounding."""
ROUND_OFF = 1e-12


def ring(radius, degrees):
    angle = np.deg2rad(degrees)
    return np.stack([radius * np.cos(angle), radius * np.sin(angle), 0 * angle], axis=1)


def boxed(**limits):
    """Long struts from a far ring: only the tool's own limits bind."""
    base, platform = ring(0.5, (10, 110, 130, 230, 250, 350)), ring(0.2, (50, 70, 170, 190, 290, 310))
    return gough.from_points(base, platform, home=gough.pose([0, 0, 1.0]), joint_max=3.0, limits=limits)


def edges_per_triangle(mesh):
    """How often each edge is run along, counted with its direction."""
    sides = mesh.faces[:, [[0, 1], [1, 2], [2, 0]]].reshape(-1, 2)
    return sides, np.unique(sides, axis=0, return_counts=True)[1]


def assert_closed(mesh):
    """Every edge belongs to two triangles, which run along it in opposite directions."""
    sides, counts = edges_per_triangle(mesh)
    assert len(sides)
    assert (counts == 1).all()
    assert set(map(tuple, sides.tolist())) == set(map(tuple, sides[:, ::-1].tolist()))


@pytest.fixture(scope="module", params=KINDS)
def kind(request):
    return gough.load(request.param)


# Rays of positions.


def test_rays_and_columns_find_the_same_volume(kind):
    rays, columns = gough.workspaces.workspace_rays(kind, level=4), gough.workspace(kind, samples=33)
    assert not rays.has_more.any()
    assert rays.volume == pytest.approx(columns.volume, abs=3 * (rays.volume_error + columns.volume_error))


def test_rays_end_on_the_limit_that_is_named(kind):
    rays = gough.workspaces.workspace_rays(kind, level=2)
    ends = rays.centre + rays.radius[:, None] * rays.directions
    found = gough.margins(kind, poses_at(kind, kind.X_home[:3, :3], ends))
    assert np.abs(found.relative[np.arange(len(ends)), rays.radius_binding]).max() < ON_LIMIT
    assert np.nanmin(found.relative) > -ON_LIMIT
    directions, start, end, begins, ended = (each.value for each in rays.rows())
    first = start == 0
    np.testing.assert_array_equal(directions[first], rays.directions)
    np.testing.assert_array_equal(end[first], rays.radius)
    assert list(ended[first]) == [rays.names[c] for c in rays.radius_binding]
    assert set(begins[first]) == {"middle"}
    assert "middle" not in begins[~first]


def test_rays_at_several_orientations_are_those_of_each():
    m = gough.load("hexel")
    poses = gough.pose_matrix(np.zeros((3, 3)), [[0, 0, 0], [0.1, 0, 0], [0, 0.2, 0.1]], "XYZ")
    many = gough.workspaces.workspace_rays(m, poses, level=2)
    assert many.radius.shape == (3, 162)
    for k in range(3):
        one = gough.workspaces.workspace_rays(m, poses[k], level=2)
        np.testing.assert_array_equal(many.radius[k], one.radius)
        assert many.volume[k] == pytest.approx(one.volume, rel=ROUND_OFF)
        assert_closed(many.mesh(k))


def test_a_ray_that_leaves_and_comes_back_keeps_both_parts():
    """A strut no shorter than 0.5 m keeps the point out of a ball about its joint, and allows it again beyond."""
    platform = np.roll(ring(0.3, range(0, 360, 60)), 1, axis=0) * [[0.1, 0.1, 1]] * np.linspace(0.8, 1.2, 6)[:, None]
    m = gough.from_points(
        ring(0.3, range(0, 360, 60)), platform, home=gough.pose([0, 0, 0.7]), joint_min=0.45, joint_max=1.0
    )
    rays = gough.workspaces.workspace_rays(m, level=4, ignore=("singularity",))
    assert rays.has_more.any()
    assert not rays.has_more.all()
    # The mesh goes round the balls: what is beyond is connected with what the rays see first.
    near = np.mean(rays.radius**3) * 4 / 3 * np.pi
    whole = gough.workspace(m, samples=49, ignore=("singularity",))
    assert near < 0.9 * whole.volume
    assert rays.mesh().volume == pytest.approx(whole.volume, rel=0.01)


# Orientations.


def test_a_tilt_limit_is_the_whole_orientation_workspace():
    """With a limit on the tilt alone, turns about the axis are free and the tilt is arccos of the axis' z."""
    m = boxed(tilt=np.deg2rad(20.0), rotation=np.deg2rad(30.0))
    found = gough.workspaces.orientation_workspace(m, level=3)
    turns = Rotation.from_rotvec(found.radius[:, None] * found.directions).as_matrix()
    names = np.array(found.names)[found.radius_binding]
    by_tilt = names == "tool tilt"
    assert by_tilt.any()
    np.testing.assert_allclose(np.arccos(turns[by_tilt, 2, 2]), np.deg2rad(20.0), rtol=1e-9)
    assert set(names) == {"tool tilt", "tool rotation"}


def test_all_orientations_are_the_ball_of_radius_pi():
    """Struts that are long enough for every turn, and no other limit: every orientation counts, once."""
    found = gough.workspaces.orientation_workspace(boxed(), level=2, ignore=("singularity",))
    assert found.share == pytest.approx(1.0, abs=ROUND_OFF)
    assert found.volume == pytest.approx(4 / 3 * np.pi**4, rel=ROUND_OFF)
    assert (found.radius_binding == -1).all()
    mesh = found.mesh()
    assert mesh.volume == pytest.approx(4 / 3 * np.pi**4, rel=0.1)
    assert np.linalg.norm(mesh.vertices, axis=1) == pytest.approx(np.pi)
    assert (mesh.face_binding == -1).all()


def test_the_share_of_a_small_ball_of_turns():
    """Turns by less than an angle T are (T - sin T) / pi of all orientations."""
    m = boxed(tilt=0.5, rotation=0.5)
    found = gough.workspaces.orientation_workspace(m, level=3)
    small, large = (T - np.sin(T) for T in (found.radius.min(), found.radius.max()))
    assert small / np.pi < found.share < large / np.pi


def test_orientations_at_their_ends_are_on_the_limit(kind):
    found = gough.workspaces.orientation_workspace(kind, level=2)
    R = Rotation.from_rotvec(found.radius[:, None] * found.directions).as_matrix() @ kind.X_home[:3, :3]
    poses = poses_at(kind, R, np.broadcast_to(found.centre, (len(R), 3)))
    values = gough.margins(kind, poses).relative
    assert np.abs(values[np.arange(len(R)), found.radius_binding]).max() < ON_LIMIT
    assert_closed(gough.workspaces.orientation_workspace(kind, level=4).mesh())


# Cones of orientations.


def test_a_cone_without_width_is_the_workspace_at_one_orientation():
    m = gough.load("hexel")
    w, d = gough.workspace(m, samples=9), gough.workspaces.dexterous_workspace(m, tilt=0.0, samples=9)
    np.testing.assert_allclose(d.height, w.height, atol=ROUND_OFF)


@pytest.mark.thorough
def test_every_orientation_of_the_cone_is_allowed_inside_and_one_is_not_beyond(kind):
    d = gough.workspaces.dexterous_workspace(kind, tilt=np.deg2rad(4.0), roll=np.deg2rad(2.0), samples=7)
    assert d.count.any()
    assert d.shortfall < ON_LIMIT
    rng = np.random.default_rng(4)
    i, j = np.nonzero(d.count)
    places = d.cone.kept(rng.uniform(-1, 1, (400, 3)) * [d.cone.tilt, d.cone.tilt, d.cone.roll])
    R = d.cone.rotations(np.concatenate([places, d.cone.samples()]))
    for z in (d.lower[i, j], d.upper[i, j], 0.5 * (d.lower + d.upper)[i, j]):
        points = np.stack([d.x[i], d.y[j], z], axis=1)
        X = poses_at(kind, R, np.broadcast_to(points[:, None], (len(points), len(R), 3)))
        assert np.nanmin(gough.margins(kind, X).relative) > -ON_LIMIT


def test_the_mesh_of_a_dexterous_part_is_closed_and_lies_inside_the_whole():
    m = gough.load("hexel")
    d = gough.workspaces.dexterous_workspace(m, tilt=np.deg2rad(8.0), samples=17)
    told = []
    mesh = d.mesh(progress=lambda done, total: told.append((done, total)))
    assert told[-1][0] == told[-1][1] == max(done for done, _ in told)
    assert_closed(mesh)
    assert mesh.volume == pytest.approx(d.volume, rel=0.05)
    R = d.cone.rotations(d.cone.samples())[:, None]
    poses = poses_at(m, R, np.broadcast_to(mesh.vertices, (len(R), *mesh.vertices.shape)))
    assert np.nanmin(gough.margins(m, poses).relative) > -ON_LIMIT


# Meshes.


PARTS = {
    "servo": 1,  # a hat with a rim as thin as a blade
    "dumitriu2017": 1,  # with tips
    "singular-home": 1,  # thin bowls, one the other's image, whose tips meet in the plane of the joints
    "rotopod": 4,  # three alike round the one in the middle
}


@pytest.mark.parametrize("name", [*thorough(*PARTS, SKEW[1]), SKEW[0]])
def test_a_mesh_has_the_bodys_parts_and_neither_loses_nor_frays_thin_edges(name):
    w = gough.workspace(gough.load(name), samples=25)
    mesh = w.mesh()
    assert_closed(mesh)
    first, last = mesh.faces.T[:2]
    graph = coo_array((np.ones(len(first)), (first, last)), shape=(len(mesh.vertices),) * 2)
    assert connected_components(graph, directed=False)[0] == PARTS.get(name, 1)
    assert mesh.volume == pytest.approx(w.volume, rel=0.03)
    for k, columns in enumerate((w.x, w.y)):
        first, last = mesh.vertices[:, k].min(), mesh.vertices[:, k].max()
        assert first < columns[1]
        assert last > columns[-2]


def test_stl_and_ply_hold_the_mesh(tmp_path):
    m = gough.load("hexel")
    mesh = gough.workspace(m, samples=9).mesh()
    mesh.write(tmp_path / "a.stl", m.units.metres)
    mesh.write(tmp_path / "a.ply")
    stl = (tmp_path / "a.stl").read_bytes()
    assert len(stl) == 84 + 50 * len(mesh.faces)
    record = np.dtype([("normal", "<f4", 3), ("corners", "<f4", (3, 3)), ("attribute", "<u2")])
    rows = np.frombuffer(stl, record, offset=84)
    assert int.from_bytes(stl[80:84], "little") == len(rows)
    np.testing.assert_allclose(rows["corners"], 1e3 * mesh.vertices[mesh.faces], rtol=1e-6, atol=1e-4)
    ply = (tmp_path / "a.ply").read_bytes()
    head, body = ply.split(b"end_header\n", 1)
    assert f"element vertex {len(mesh.vertices)}\n".encode() in head
    vertices = np.frombuffer(body, [("place", "<f8", 3), ("limit", "<i4")], len(mesh.vertices))
    np.testing.assert_array_equal(vertices["place"], mesh.vertices)
    np.testing.assert_array_equal(vertices["limit"], mesh.binding)
    with pytest.raises(gough.errors.InputError, match=r"\.stl or \.ply"):
        mesh.write(tmp_path / "a.obj")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.ply", "a.stl"]
