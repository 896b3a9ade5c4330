"""Solids are what they are called."""

import numpy as np
import pytest

from gough.plot._solids import ball, block, fork, tube


@pytest.mark.parametrize(
    "solid",
    [
        tube(np.zeros(3), np.array([0.3, 0.2, 1.0]), 0.1, 0.05),
        ball(np.ones(3), 1.0),
        block(np.zeros(3), np.array([1.0, 2, 3]), 2.0, 0.4),
        fork(),
    ],
)
def test_triangles_of_solids_look_outwards(solid):
    """The divergence theorem: about any point the signed pyramids sum up to the volume, which is above zero."""
    for point in (np.zeros(3), np.array([7.0, -3.0, 5.0])):
        signed = np.linalg.det(solid.vertices[solid.faces] - point).sum() / 6
        assert signed == pytest.approx(np.linalg.det(solid.vertices[solid.faces]).sum() / 6)
        assert signed > 0


JOINTS = {"UPS": (6, 0), **dict.fromkeys(("UCU", "UPU"), (6, 6)), "PUS": (6, 0), "RUS": (6, 0)}
JOINTS |= dict.fromkeys(("SPS", "PSS", "RSS"), (0, 0))
"""Universal joints at the driven points and at the platform, by the letters of a leg's kind."""
