"""Maps of speed, stiffness and displacement, and the poses where they are least."""

from dataclasses import replace

import numpy as np
import pytest
from tests.skew import SKEW
from tests.thorough import thorough

import gough
from gough.limits.interval_search import poses_at

SAME = 1e-12  # relative; the map calls the same functions, in batches
FOUND = 1e-7  # relative; two searches that end at one minimum


@pytest.fixture(scope="module", params=["hexel", *SKEW])
def known(request):
    m = gough.load(request.param)
    speed = np.linspace(0.1, 0.2, 6)
    actuators = replace(m.actuators, stiffness=np.linspace(1e6, 2e6, 6), axial_rigidity=None)
    return replace(m, limits=replace(m.limits, joint_speed=speed), actuators=actuators)


def allowed_pose(m, found, rng):
    """Index and pose of one allowed place of a map."""
    places = np.argwhere(found.is_allowed.values)
    i, j, k = places[rng.integers(len(places))]
    where = np.array([found.x[i], found.y[j], found.z[k]])
    return {"x": i, "y": j, "z": k}, poses_at(m, m.X_home[:3, :3], where)


def test_speeds_of_the_map_are_those_of_the_envelope_at_the_pose(known, rng):
    directions = rng.normal(size=(3, 6))
    found = gough.workspaces.velocity_map(known, directions=directions, samples=7)
    for _ in range(5):
        at, X = allowed_pose(known, found, rng)
        e, here = gough.velocity_envelope(known, X), found.isel(at)
        for motion in ("translation", "rotation"):
            assert float(here[f"guaranteed_{motion}"]) == pytest.approx(float(e.guaranteed(motion)), rel=SAME)
            longest = np.linalg.norm(e.vertices(motion), axis=1).max()
            assert float(here[f"fastest_{motion}"]) == pytest.approx(longest, rel=1e-7)  # the hull code's precision
        both = np.concatenate([here.speed_along, here.speed_about])
        np.testing.assert_allclose(both, [e.speed(axis) for axis in np.eye(6)], rtol=SAME)
        np.testing.assert_allclose(here.top_speed, [e.speed(d) for d in directions], rtol=SAME)
    assert {v.attrs["units"].split(";")[0] for v in found.data_vars.values() if "units" in v.attrs} == {"m/s", "rad/s"}


def test_stiffness_and_displacement_of_the_map_are_those_at_the_pose(known, rng):
    F, p = rng.normal(size=6), known.point_of_interest
    stiff = gough.statics.stiffness_map(known, samples=7)
    moved = gough.statics.displacement_map(known, F, samples=7)
    for _ in range(5):
        at, X = allowed_pose(known, stiff, rng)
        K = gough.stiffness(known, X, point=p)
        principal = gough.statics.principal_stiffness(K)
        np.testing.assert_allclose(stiff.translation[at], principal.translation, rtol=1e-9)
        np.testing.assert_allclose(stiff.rotation[at], principal.rotation, rtol=1e-6)
        softest = stiff.softest_axis[at].values
        np.testing.assert_allclose(K[:3, :3] @ softest, principal.translation[0] * softest, rtol=1e-7, atol=1e-7)
        V = np.concatenate([moved.displacement[at], moved.rotation[at]])
        np.testing.assert_allclose(K @ V, F, rtol=1e-8, atol=1e-8)
        assert float(moved.displacement_length[at]) == pytest.approx(np.linalg.norm(V[:3]), rel=SAME)
        assert float(moved.rotation_angle[at]) == pytest.approx(np.linalg.norm(V[3:]), rel=SAME)
        r = X[:3, :3] @ p
        at_origin = np.concatenate([F[:3], F[3:] + np.cross(r, F[:3])])
        np.testing.assert_allclose(
            moved.axial_force[at], gough.statics.axial_forces(known, X, at_origin), rtol=1e-8, atol=1e-9
        )


def random_allowed(m, rng, count, turn=0.0):
    """Random allowed poses within the workspace's extent, turned from home by `turn` at most."""
    from gough.workspaces.position_maps import extent

    low, high = extent(m, m.X_home)
    X = poses_at(m, m.X_home[:3, :3], rng.uniform(low, high, (count, 3)))
    if turn:
        from scipy.spatial.transform import Rotation

        w = rng.normal(size=(count, 3))
        w *= turn * rng.uniform(0, 1, (count, 1)) ** (1 / 3) / np.linalg.norm(w, axis=1, keepdims=True)
        places = X[:, :3, :3] @ m.point_of_interest + X[:, :3, 3]
        X[:, :3, :3] = Rotation.from_rotvec(w).as_matrix() @ X[:, :3, :3]
        X[:, :3, 3] = places - X[:, :3, :3] @ m.point_of_interest
    return X[gough.margins(m, X).is_allowed]


TURNED = [(name, 0.05) for name in SKEW]
STILL = [(name, 0.0) for name in ("hexel", "pitch-circle", SKEW[0])]


@pytest.mark.parametrize(("name", "turn"), [*thorough(*STILL[::2], *TURNED[1:3]), TURNED[0]])
@pytest.mark.parametrize("motion", ["translation", "rotation"])
def test_no_sampled_pose_is_weaker_than_the_weakest(name, motion, turn, rng):
    m = gough.load(name)
    found = gough.statics.weakest_pose(m, motion=motion, turn=turn)
    assert gough.margins(m, found.matrix).is_allowed
    principal = gough.statics.principal_stiffness(gough.stiffness(m, found.matrix))
    assert found.value == pytest.approx(getattr(principal, motion)[0], rel=SAME)
    assert found.value <= found.on_grid
    X = random_allowed(m, rng, 30_000, turn)
    assert len(X) > 100
    sampled = getattr(gough.statics.principal_stiffness(gough.stiffness(m, X)), motion)[:, 0].min()
    assert found.value <= sampled
    assert sampled < 1.25 * found.value  # and near enough that the samples say something
    assert found.active_limits


def test_more_freedom_is_never_stiffer():
    m = gough.load("hexel")
    fixed, turning = gough.statics.weakest_pose(m), gough.statics.weakest_pose(m, turn=0.05)
    assert turning.value < fixed.value


def test_hexel_is_weakest_where_its_symmetry_says():
    """Three-fold symmetric but for 0.02 mm: searches from other grids end at the same value."""
    m = gough.load("hexel")
    values = [gough.statics.weakest_pose(m, samples=n).value for n in (9, 15)]
    assert values[0] == pytest.approx(values[1], rel=1e-3)  # the legs' places differ by 5e-5 of the machine's size


def test_no_sampled_pose_is_slower_than_the_slowest(rng):
    m = gough.load("rotopod")
    found = gough.workspaces.slowest_pose(m)
    X = random_allowed(m, rng, 5_000)
    assert found.value <= gough.velocity_envelope(m, X).guaranteed("translation").min()
    assert found.value == pytest.approx(float(gough.velocity_envelope(m, found.matrix).guaranteed("translation")))


def test_a_given_axis_bounds_the_search():
    m = gough.load("hexel")
    found = gough.workspaces.workspace_minimum(m, lambda X: X[:, 2, 3], x=0.0, y=0.0, z=np.linspace(0.7, 0.9, 5))
    assert found.value == pytest.approx(0.7, rel=FOUND)
    assert found.active_limits == ("z range searched",)
    assert str(found) == "lowest value found 0.7000 at (0.00, 0.00, 700.00) mm, limited there by z range searched"
    assert found.dataset["value"].attrs["units"] == "of the quantity"
    stiff = replace(found, value=1.2345e6, unit="N/m", active_limits=())
    assert stiff.sentence() == "1.234 N/µm at (0.00, 0.00, 700.00) mm"
    assert stiff.dataset["on_grid"].attrs["units"] == "N/m"
    inside = gough.workspaces.workspace_minimum(m, lambda X: (X[:, 2, 3] - 0.83) ** 2, x=0.0, y=0.0)
    assert inside.position[2] == pytest.approx(0.83, abs=1e-6)
    assert inside.active_limits == ()
    heights = np.linspace(0.7, 0.9, 5)
    inside = gough.workspaces.workspace_minimum(m, lambda X: (X[:, 2, 3] - 0.83) ** 2, x=0.0, y=0.0, z=heights)
    assert inside.active_limits == (), "the range does not end there"


def test_of_several_quantities_the_least_counts():
    def valleys(X):
        return np.stack([(X[:, 2, 3] - 0.83) ** 2 + 0.02, (X[:, 2, 3] - 0.76) ** 2 + 0.01], axis=1)

    found = gough.workspaces.workspace_minimum(gough.load("hexel"), valleys, x=0.0, y=0.0)
    assert found.value == pytest.approx(0.01, rel=FOUND)
    assert found.position[2] == pytest.approx(0.76, abs=1e-6)


def test_where_nothing_is_allowed_nothing_is_weakest():
    with pytest.raises(gough.errors.InputError, match="no pose of the grid is allowed"):
        gough.workspaces.workspace_minimum(gough.load("hexel"), lambda X: X[:, 2, 3], x=0.0, y=0.0, z=5.0)
