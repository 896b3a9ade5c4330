"""Figures of the workspace: the surface of the analysis, in the file's units, coloured and named by what binds."""

import numpy as np
import pytest

import gough
from gough.plot._boundary import colour_of


@pytest.fixture(scope="module")
def hexel():
    return gough.load("hexel")


@pytest.fixture(scope="module")
def found(hexel):
    return gough.workspace(hexel, samples=13)


@pytest.fixture(scope="module")
def mesh(found):
    return found.mesh()


def triangles(trace):
    """Corners (n, 3, 3) of a trace's triangles."""
    points = np.stack([trace.x, trace.y, trace.z], axis=-1).astype(float)
    return points[np.stack([trace.i, trace.j, trace.k], axis=-1)]


def solids(figure):
    return [trace for trace in figure.data if trace.type == "mesh3d" and trace.opacity is None]


def area(corners):
    return 0.5 * np.linalg.norm(np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]), axis=1).sum()


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
