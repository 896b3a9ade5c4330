"""The figure of the linear map's error shows what the map says."""

import numpy as np

import gough
from gough import plot


def test_lines_are_the_largest_error_of_the_legs_in_file_units():
    m = gough.load("hexel")
    linear = gough.kinematics.linear_map(m)
    figure = plot.linear_map_error(linear)
    assert [trace.name for trace in figure.data] == ["x", "y", "z", "rx", "ry", "rz"]
    x, y = np.array(figure.data[0].x) / 1e3, np.array(figure.data[0].y) / 1e3
    for k in (10, 40):
        d = np.array([x[k], 0, 0, 0, 0, 0])
        error = max(np.abs(linear.error(d)).max(), np.abs(linear.error(-d)).max())
        np.testing.assert_allclose(y[k], error, rtol=1e-12)
