"""Figures of speed, stiffness, forces and accuracy: their numbers are those of the analysis, their axes carry units."""

import numpy as np
import pytest

import gough
from gough.limits.interval_search import poses_at

DEG = np.pi / 180
SINGLE = 1e-6
"""Relative; what single precision keeps."""
FOUR_DIGITS = 5e-4


@pytest.fixture(scope="module")
def hexel():
    return gough.load("hexel")


def points(trace):
    return np.stack([trace.x, trace.y, trace.z], axis=1).astype(float)


def scene_titles(figure):
    scene = figure.layout.scene
    return [axis.title.text for axis in (scene.xaxis, scene.yaxis, scene.zaxis)]


@pytest.mark.parametrize(
    ("motion", "size", "titles"),
    [
        ("translation", 1e-3, ["vx [mm/s]", "vy [mm/s]", "vz [mm/s]"]),
        ("rotation", DEG, ["wx [deg/s]", "wy [deg/s]", "wz [deg/s]"]),
    ],
)
def test_every_point_of_the_envelope_is_the_top_speed_of_its_direction(hexel, motion, size, titles):
    figure = gough.plot.velocity_envelope(hexel, motion=motion)
    e = gough.velocity_envelope(hexel, hexel.home)
    v = points(figure.data[0]) * size
    six = np.concatenate([v, 0 * v] if motion == "translation" else [0 * v, v], axis=1)
    np.testing.assert_allclose(np.linalg.norm(v, axis=1), e.speed(six), rtol=1e-6)
    np.testing.assert_allclose(figure.data[0].intensity * size, e.speed(six), rtol=1e-6)
    assert scene_titles(figure) == titles
    faces = np.stack([figure.data[0].i, figure.data[0].j, figure.data[0].k], axis=1)
    a, b, c = (v[faces[:, k]] for k in range(3))
    volume = abs(np.sum(np.abs(np.einsum("fi,fi->f", a, np.cross(b, c)))) / 6)  # seen from the inside, faces cover all
    from scipy.spatial import ConvexHull

    assert volume == pytest.approx(ConvexHull(e.vertices(motion) / np.abs(v).max()).volume * np.abs(v).max() ** 3)


def test_envelopes_over_the_workspace_stand_at_allowed_places_to_one_scale(hexel):
    figure = gough.plot.velocity_map(hexel, samples=(3, 3, 3))
    mesh = figure.data[0]
    places = {text.partition("<br>")[0] for text in mesh.text}
    assert 5 <= len(places) < 27
    p, text, speed = points(mesh), np.array(mesh.text), np.asarray(mesh.intensity)
    for place in places:
        mine = text == next(t for t in mesh.text if t.startswith(place + "<br>"))
        centre = np.array([float(s) for s in place.split("(")[1].split(")")[0].split(",")]) * 1e-3
        X = poses_at(hexel, hexel.X_home[:3, :3], centre)
        assert gough.margins(hexel, X).is_allowed
        body = (p[mine].max(axis=0) + p[mine].min(axis=0)) / 2  # envelopes are symmetric about their place
        np.testing.assert_allclose(body * 1e-3, centre, atol=2e-4)  # four digits are told
        fastest = float(gough.velocity_envelope(hexel, X).fastest())
        assert speed[mine].max() * 1e-3 == pytest.approx(fastest, rel=1e-3)
        ratio = np.linalg.norm(p[mine] - body, axis=1) / speed[mine]
        np.testing.assert_allclose(ratio, ratio[0], rtol=1e-2)
    assert scene_titles(figure) == ["x [mm]", "y [mm]", "z [mm]"]


def test_stiffness_axes_are_the_principal_ones_at_the_point_of_interest(hexel):
    figure = gough.plot.stiffness(hexel, wrench=[0, 0, 1000, 0, 0, 0])
    found = gough.statics.principal_stiffness(gough.stiffness(hexel, hexel.home))
    tags = [tag.text for tag in figure.layout.scene.annotations]
    softest, _, stiffest = found.translation / 1e6
    assert [float(tag.split()[0]) for tag in tags[:2]] == pytest.approx([softest, stiffest], rel=FOUR_DIGITS)
    moved = np.linalg.norm(gough.statics.deflection(hexel, hexel.home, [0, 0, 1000, 0, 0, 0])[:3])
    assert tags[2:] == ["load 1000 N", f"moves {moved * 1e6:.4g} µm"]
    axes = [t for t in figure.data if t.hovertemplate and "N/µm" in t.hovertemplate]
    halves = np.array([points(t)[1] - points(t)[0] for t in axes]) / 2
    along = halves / np.linalg.norm(halves, axis=1, keepdims=True)
    np.testing.assert_allclose(np.abs(np.sum(along * found.translation_axes.T, axis=1)), 1.0)
    lengths = np.linalg.norm(halves, axis=1)
    np.testing.assert_allclose(lengths / lengths[2], np.sqrt(found.translation / found.translation[2]), rtol=1e-9)
    assert lengths[2] == pytest.approx(0.3 * hexel.size / hexel.units.metres), (
        "the stiffest to a fixed part of its size"
    )
    middle = points(axes[0]).mean(axis=0)
    np.testing.assert_allclose(middle, [0, 0, 800], atol=1e-9)


def test_a_map_shows_its_numbers_and_marks(hexel):
    found = gough.statics.stiffness_map(hexel, z=0.8, samples=5)
    figure = gough.plot.position_map(
        hexel, found.translation[..., 0], "softest [N/µm]", scale=1e6, marks={"here": np.array([0.1, 0.2, 0.8])}
    )
    np.testing.assert_allclose(figure.data[0].z, found.translation[:, :, 0, 0].values.T / 1e6, rtol=SINGLE)
    np.testing.assert_allclose(figure.data[0].x, found.x * 1e3)
    assert (figure.data[1].x[0], figure.data[1].y[0]) == pytest.approx((100, 200))
    assert figure.layout.xaxis.title.text == "x [mm]"
    assert figure.data[0].colorbar.title.text == "softest [N/µm]"
    upright = gough.statics.stiffness_map(hexel, y=0.0, samples=4)
    assert gough.plot.position_map(hexel, upright.translation[..., 0], "").layout.yaxis.title.text == "z [mm]"


def test_force_bars_and_the_limits_near_them():
    m = gough.load("servo")
    bars, above, below = gough.plot.leg_forces(m, np.linspace(-0.1, 0.15, 6)).data
    np.testing.assert_allclose(bars.y, np.linspace(-0.1, 0.15, 6))
    np.testing.assert_allclose([above.y, below.y], [m.limits.actuator_force, -m.limits.actuator_force])
    figure = gough.plot.leg_forces(m, np.full(6, 1e-3))
    assert len(figure.data) == 1  # the limit is far off
    assert figure.layout.yaxis.title.text == "actuator torque [N m]"
    rods = gough.plot.leg_forces(m, np.full(6, 1e-3), of_rods=True)
    assert rods.layout.yaxis.title.text == "force of the rod, pushing [N]"
    with pytest.raises(gough.errors.InputError, match=r"\(6,\)"):
        gough.plot.leg_forces(m, np.zeros((2, 6)))


@pytest.mark.parametrize("kind", ["force", "moment"])
def test_on_the_surface_of_the_wrench_capacity_one_actuator_is_at_its_force(kind):
    m = gough.load("servo")
    figure = gough.plot.wrench_capacity(m, kind=kind)
    f = points(figure.data[0])
    F = np.concatenate([f, 0 * f] if kind == "force" else [0 * f, f], axis=1)
    r = m.X_home[:3, :3] @ m.point_of_interest
    F[:, 3:] += np.cross(r, F[:, :3])
    used = np.abs(gough.leg_forces(m, m.home, F, gravity=True)) / m.limits.actuator_force
    np.testing.assert_allclose(used.max(axis=1), 1.0, rtol=1e-6)
    assert scene_titles(figure)[0] == ("fx [N]" if kind == "force" else "mx [N m]")
