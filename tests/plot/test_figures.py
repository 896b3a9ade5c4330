"""Travel, margins and corners as figures: their numbers are those of the analysis, their axes carry units."""

import numpy as np
import pytest

import gough
from gough.plot.workspace_figures import FACES
from gough.regions.corners import EDGES, Corners


@pytest.fixture(scope="module")
def hexel():
    return gough.load("hexel")


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
