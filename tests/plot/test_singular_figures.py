"""Figures of the singular surface and of conditioning."""

import numpy as np
import pytest
from tests.skew import SKEW
from tests.thorough import thorough

import gough
from gough.plot.map_figures import MAP_SAMPLES


def points(trace, machine):
    return np.stack([trace.x, trace.y, trace.z], axis=1).astype(float) * machine.units.metres


@pytest.mark.parametrize("name", [*thorough("rotopod"), SKEW[0]])
def test_the_surface_is_drawn_where_it_is(name):
    m = gough.load(name)
    figure = gough.plot.singular_surface(m, result=gough.singularity.free_of_singularities(m, max_boxes=3000), cells=14)
    traces = {trace.name: trace for trace in figure.data}
    at = points(traces["singular surface"], m)
    poses = np.tile(m.X_home, (len(at), 1, 1))
    poses[:, :3, 3] = at - m.X_home[:3, :3] @ m.point_of_interest
    value = gough.singularity.conditioning(m, poses).distance
    assert np.nanmax(value) < 1e-4  # drawn in single precision
    assert figure.layout.scene.camera.up.z is not None
    assert figure.layout.scene.xaxis.title.text == f"x [{m.units.length}]"
    body = points(traces["what the limits allow"], m)
    poses = np.tile(m.X_home, (len(body), 1, 1))
    poses[:, :3, 3] = body - m.X_home[:3, :3] @ m.point_of_interest
    relative = gough.margins(m, poses).relative[:, :-1]
    assert np.abs(relative.min(axis=1)).max() < 1e-4  # in single precision


def test_conditioning_is_a_slice_through_the_pose():
    m = gough.load("hexel")
    for across, title in (("y", "z [mm]"), ("z", "y [mm]")):
        figure = gough.plot.conditioning_map(m, across=across, quantity="condition_number")
        assert figure.layout.yaxis.title.text == title
        assert np.nanmin(figure.data[0].z) >= 1
    y = float(m.home_point[1])
    known = gough.singularity.conditioning_map(m, y=y, samples=MAP_SAMPLES)
    assert gough.plot.conditioning_map(m, result=known) == gough.plot.conditioning_map(m)
    with pytest.raises(gough.errors.InputError, match="Did you mean 'dexterity'"):
        gough.plot.conditioning_map(m, quantity="dexterty")
