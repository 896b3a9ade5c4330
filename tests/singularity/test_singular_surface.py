"""The singular surface of every leg kind: lines through it, its distance, and its mesh."""

import numpy as np
import pytest
from tests.independent import drawn
from tests.skew import SKEW
from tests.thorough import thorough

import gough
from gough.singularity.surface import RodSurface, singular_mesh

AT_ZERO = 1e-9
"""Of a singular value of order one."""
ROUND_OFF = 1e-12
TILT = gough.pose_matrix([0, 0, 0], [0.08, -0.14, -0.28], "XYZ")


def tilted(name):
    m = gough.load(name)
    X = m.X_home @ TILT
    X[:3, 3] = m.X_home[:3, 3]
    return m, X


def singular_values(m, X, positions):
    poses = np.tile(X, (len(positions), 1, 1))
    poses[:, :3, 3] = positions
    return gough.margins(m, poses).values[:, -1] + m.limits.singular_value


def directions(rng, count):
    d = rng.normal(size=(count, 3))
    return d / np.linalg.norm(d, axis=1, keepdims=True)


@pytest.mark.parametrize("name", ["sinatra2009", *thorough("rotopod"), SKEW[1]])
def test_a_line_through_rods_meets_every_change_of_sign_and_nothing_else(name, rng):
    m, X = tilted(name)
    surface = gough.singularity.singular_surface(m, X)
    met = 0
    for d in directions(rng, 16):
        places = surface.along(X[:3, 3], d)
        met += len(places)
        if len(places):
            assert np.abs(singular_values(m, X, X[:3, 3] + places[:, None] * d)).max() < 1e-6
        s = np.linspace(-0.8, 0.8, 8001) * m.size
        value = surface(X[:3, 3] + s[:, None] * d)
        with np.errstate(invalid="ignore"):
            changes = np.flatnonzero(value[1:] * value[:-1] < 0)
        for k in changes:
            assert ((places >= s[k]) & (places <= s[k + 1])).any()
    assert met


def test_both_surfaces_of_a_strut_machine_agree(rng):
    m, X = tilted("hexel")
    cubic, rods = gough.singularity.singular_surface(m, X), RodSurface(m, X[:3, :3])
    for d in directions(rng, 4):
        s = cubic.along(X[:3, 3], d)
        s = s[np.abs(s) < 2.9 * m.size]
        np.testing.assert_allclose(rods.along(X[:3, 3], d), s, atol=1e-9 * m.size)


@pytest.mark.parametrize("name", [*thorough("hexel", "rotopod"), SKEW[0]])
def test_the_distance_is_bounded_from_both_sides(name, rng):
    m, X = tilted(name)
    found = gough.singularity.singular_distance(m, X)
    assert 0 < found.lower <= found.upper
    assert np.linalg.norm(found.position - X[:3, :3] @ m.point_of_interest - X[:3, 3]) == pytest.approx(found.upper)
    at = singular_values(m, X, (found.position - X[:3, :3] @ m.point_of_interest)[None])
    assert abs(at[0]) < AT_ZERO
    # No change of sign within the lower bound.
    inside = X[:3, 3] + found.lower * rng.uniform(size=(20_000, 1)) ** (1 / 3) * directions(rng, 20_000)
    values = singular_values(m, X, inside)
    assert len(np.unique(np.sign(values[np.isfinite(values)]))) == 1


@pytest.mark.parametrize("name", [*thorough("linuxcnc"), "nasa-msfc", SKEW[0]])
def test_both_bounds_of_the_distance_meet(name):
    found = gough.singularity.singular_distance(*tilted(name))
    assert found.lower > (1 - 5e-3) * found.upper


@pytest.mark.parametrize("seed", [11, 48])
def test_a_singular_place_beyond_a_gap_of_the_reach_is_found(seed, tmp_path):
    """Cranks that close again far from home, in regions so small that few rays meet the surface in them."""
    path = tmp_path / "cranks.toml"
    path.write_text(drawn.as_toml(drawn.machine("RUS", seed)), "utf-8")
    m = gough.load(path)
    found = gough.singularity.singular_distance(m, max_boxes=500)
    place = found.position - m.X_home[:3, :3] @ m.point_of_interest
    between = m.X_home[:3, 3] + np.linspace(0, 1, 500)[:, None] * (place - m.X_home[:3, 3])
    assert np.isnan(singular_values(m, m.X_home, between)).any()
    assert abs(singular_values(m, m.X_home, place[None])[0]) < AT_ZERO
    beside = place + 3e-10 * m.size * directions(np.random.default_rng(seed), 100)
    assert len(np.unique(np.sign(singular_values(m, m.X_home, beside)))) == 2


def test_where_no_singular_pose_is_found_it_says_how_far_it_looked():
    m = gough.load("servo")
    found = gough.singularity.singular_distance(m)
    assert np.isinf(found.upper)
    assert "no singular position found" in str(found)
    assert np.isnan(found.position).all()
    assert found.lower == pytest.approx(3 * m.size)


SHOWN = {"hexel": 0.6, "tsai2000": 0.6, "rotopod": 0.3} | {SKEW[0]: 0.6}


@pytest.mark.parametrize("name", [SKEW[0], *thorough("rotopod")])
def test_the_mesh_lies_on_the_surface_and_has_no_holes(name):
    m, X = tilted(name)
    surface = gough.singularity.singular_surface(m, X)
    half = SHOWN[name] * m.size
    low, high = X[:3, 3] - half, X[:3, 3] + half
    mesh = singular_mesh(surface, low, high, cells=16)
    assert len(mesh.triangles) > 100
    assert np.abs(singular_values(m, X, mesh.vertices)).max() < AT_ZERO
    a, b, c = np.swapaxes(mesh.vertices[mesh.triangles], 0, 1)
    normal = np.cross(b - a, c - a)
    area = np.linalg.norm(normal, axis=1)
    wide = area > 1e-3 * np.median(area)  # slivers have no direction
    step = 1e-4 * m.size * normal[wide] / area[wide, None]
    middle = (a + b + c)[wide] / 3
    rise = surface(middle + step) - surface(middle - step)
    assert (rise[np.isfinite(rise)] > 0).mean() > 0.97, "seen from where the function is positive they run one way"
    edges = np.sort(mesh.triangles[:, [[0, 1], [1, 2], [2, 0]]].reshape(-1, 2), axis=1)
    edges, count = np.unique(edges, axis=0, return_counts=True)
    assert count.max() == 2
    # Where an edge has one triangle only, the surface leaves the box, or a leg cannot close beyond.
    rim = mesh.vertices[edges[count == 1]]
    at_box = (np.minimum(rim - low, high - rim) < ROUND_OFF).any(axis=(1, 2))
    cell, steps = half / 8, np.linspace(-1, 1, 9)  # reach may end in a corner of a cell only
    around = np.stack(np.meshgrid(steps, steps, steps), axis=-1).reshape(-1, 3)
    near = rim.mean(axis=1)[:, None] + cell * around
    assert (at_box | np.isnan(surface(near)).any(axis=1)).all()


def test_an_orientation_in_which_all_is_singular_has_no_mesh():
    """Platform and base of this machine are similar: in parallel to each other they are singular anywhere."""
    angle = np.deg2rad([10, 110, 130, 230, 250, 350])
    ring = np.stack([np.cos(angle), np.sin(angle), 0 * angle], axis=1)
    m = gough.from_points(ring, 0.5 * ring, home=gough.pose([0, 0, 1.0], [0, 0, 0.5], "XYZ"), joint_max=2.0)
    mesh = singular_mesh(gough.singularity.singular_surface(m, gough.pose([0, 0, 0])), [-1, -1, 0.5], [1, 1, 1.5])
    assert mesh.is_everywhere
    assert len(mesh.triangles) == 0
    assert gough.singularity.free_of_singularities(m, gough.pose([0, 0, 0])).verdict == "refuted"


@pytest.mark.thorough
@pytest.mark.parametrize("name", ["sinatra2009", "drawn-pus-6", "drawn-pus-16"])
def test_rays_of_the_second_reader_meet_nothing_much_nearer(name, tmp_path):
    """The surface is nearest just before a leg cannot close, where few rays meet it, or none before they are aimed."""
    from tests.independent import drawn
    from tests.independent.machine_file import read
    from tests.independent.product import built_in
    from tests.independent.workspace import nearest_singular

    path = next((path for path in built_in() if path.stem == name), tmp_path / f"{name}.toml")
    if not path.exists():
        path.write_text(drawn.as_toml(drawn.machine("PUS", int(name.removeprefix("drawn-pus-")))), "utf-8")
    found = gough.singularity.singular_distance(gough.load(path), max_boxes=500)
    assert np.isfinite(found.upper)
    nearest = nearest_singular(read(path), 1.2 * found.upper)
    assert found.lower <= nearest
    assert found.upper <= 1.01 * nearest
