"""Travel, margins and corners as figures: their numbers are those of the analysis, their axes carry units."""

import numpy as np
import pytest

import gough
from gough.plot.corners_figure import FACES
from gough.regions.corners import EDGES, Corners


@pytest.fixture(scope="module")
def hexel():
    return gough.load("hexel")


def titles(figure):
    """Titles of all flat axes."""
    return {axis.title.text for axis in (*figure.select_xaxes(), *figure.select_yaxes())}


def test_travel_bars_are_the_travel_in_the_units_of_the_file(hexel):
    figure = gough.plot.travel(hexel)
    scale = {"x": 1e-3, "y": 1e-3, "z": 1e-3, "rx": np.pi / 180, "ry": np.pi / 180, "rz": np.pi / 180}
    found = {(axis, np.sign(x)): x * scale[axis] for bar in figure.data for axis, x in zip(bar.y, bar.x, strict=True)}
    for row in gough.travel_table(hexel):
        assert found[row.axis, -1] == pytest.approx(row.minus)
        assert found[row.axis, 1] == pytest.approx(row.plus)
    assert titles(figure) == {"translation from the start [mm]", "rotation from the start [deg]", "axis"}
    assert (figure.layout.barmode, figure.layout.showlegend) == ("relative", False), "both sides in one row"


def test_what_orientations_cost_of_travel_is_drawn_in_the_units_of_the_file(hexel):
    """Half widths over angles in order, axes that are alike as one curve; what ends them where it changes."""
    place = gough.regions.box(hexel.home_point, [0.04, 0.04, 0.03], tilt=0.1, reference=hexel.home)
    rooms = gough.regions.travel_tradeoff(hexel, place, np.radians([10, 0, 5]), rtol=0.05)
    figure = gough.plot.travel(hexel, result=rooms)
    assert [trace.name for trace in figure.data] == ["± x, y", "± z"]
    for trace, axis in zip(figure.data, (0, 2), strict=True):
        np.testing.assert_allclose(trace.x, [0, 5, 10], atol=1e-12)
        np.testing.assert_allclose(trace.y, 1e3 * np.array([rooms[k].region.half[axis] for k in (1, 2, 0)]))
        assert list(trace.customdata) == [rooms[k].refutation.limit for k in (1, 2, 0)]
    assert figure.data[0].text[0] == rooms[1].refutation.limit
    assert figure.layout.xaxis.title.text == "angle of the orientations [deg]"
    assert figure.layout.yaxis.title.text == "half width [mm]"


def test_margin_bars_end_at_the_tightest_of_their_sort(machine):
    found = gough.margins(machine, machine.home)
    bars, dots = gough.plot.margins(machine).data
    assert bars.x[0] == pytest.approx(100 * np.nanmin(found.relative))
    assert (np.diff(bars.x) >= 0).all()
    assert sorted(dots.x) == pytest.approx(sorted(100 * found.relative[np.isfinite(found.relative)]))
    for name, x in zip(bars.y, bars.x, strict=True):
        assert x == min(value for value, sort in zip(dots.x, dots.y, strict=True) if sort == name)


def cube(scale):
    """Corners 1 to 8 of a cube that stands on one corner, in the order of `gough.regions.corners`."""
    azimuth = np.deg2rad(np.arange(0, 360, 60))
    ring = np.stack([np.cos(azimuth), np.sin(azimuth), np.where(np.arange(6) % 2, 1, -1) / np.sqrt(8)], axis=-1)
    poles = np.array([[0, 0, -1], [0, 0, 1]]) * 3 / np.sqrt(8)
    return scale * np.concatenate([poles[:1], ring, poles[1:]])


def corners_of(points):
    return Corners("translation", points, ("leg 1 longest",) * 8, 0.0, np.tile(np.eye(4), (8, 1, 1)), None)


def test_edges_and_faces_of_the_corners_make_a_cube(hexel):
    points = cube(0.1)
    lengths = [np.linalg.norm(points[a] - points[b]) for a, b in EDGES]
    assert lengths == pytest.approx([0.1 * np.sqrt(1.5)] * 12)
    for a, b, c, d in FACES:
        assert points[a] + points[c] == pytest.approx(points[b] + points[d])
    mesh, lines, *_ = gough.plot.corners(hexel, result=corners_of(points)).data
    assert len(mesh.i) == 12
    assert np.isfinite(np.asarray(lines.x, dtype=float)).sum() == 24


def test_corners_are_drawn_in_the_units_of_the_file(hexel):
    points = cube(0.1)
    shift = gough.plot.corners(hexel, "translation", result=corners_of(points))
    turn = gough.plot.corners(hexel, "rotation", result=corners_of(points))
    assert np.asarray(shift.data[2].z) == pytest.approx(1000 * points[:, 2])
    assert np.asarray(turn.data[2].z) == pytest.approx(np.degrees(points[:, 2]))
    assert [axis.title.text for axis in (shift.layout.scene.xaxis, shift.layout.scene.zaxis)] == ["x [mm]", "z [mm]"]
    assert [axis.title.text for axis in (turn.layout.scene.xaxis, turn.layout.scene.zaxis)] == ["rx [deg]", "rz [deg]"]
