"""Displacements about the point of interest and tool poses of two stages: those of the end platform."""

import numpy as np
import pytest

import gough
from gough import frames

ROUND_OFF = 1e-12
"""Of the machine's size."""


@pytest.mark.parametrize("axis", range(6))
def test_a_travel_ends_where_its_displacement_leads(double, axis):
    """Along and about the axes, from home and from a pose away from it."""
    for start in (
        None,
        double.end_home @ gough.pose_matrix(np.full(3, 0.01) * double.size, [0.02, -0.03, 0.04], "XYZ"),
    ):
        d = np.eye(6)[axis]
        travel = gough.travel(double, d, start)
        by = gough.pose_matrix(travel.distance * d[:3], travel.distance * d[3:], "XYZ")
        found = frames.displaced(double, by, start=start).as_matrix()
        np.testing.assert_allclose(found, travel.matrix[1], rtol=0, atol=ROUND_OFF * double.size)
        back = frames.displacement(double, found, start=start).as_matrix()
        np.testing.assert_allclose(back, by, rtol=0, atol=ROUND_OFF * double.size)


def test_the_tool_is_that_on_the_end_platform(double, rng):
    work = gough.pose_matrix(rng.normal(size=3), rng.normal(size=3), "XYZ")
    found = frames.tool_pose(double, double.end_home, work=work).as_matrix()
    expected = np.linalg.inv(work) @ double.end_home @ double.upper.X_PT
    np.testing.assert_allclose(found, expected, rtol=0, atol=ROUND_OFF * max(1, double.size))
    back = frames.platform_pose(double, found, work=work).as_matrix()
    np.testing.assert_allclose(back, double.end_home, rtol=0, atol=ROUND_OFF * max(1, double.size))
