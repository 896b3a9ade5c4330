"""Limits on request along paths: the angle between legs, against the scalar product of their rods."""

import numpy as np
import pytest
from scipy.optimize import brentq
from tests.skew import SKEW

import gough
from gough import motion
from gough.regions import LegAngleLimit

CLOSE = 1e-7
"""Parts of a path to which crossings agree."""


def smallest_angle(m, X):
    """Of neighbouring legs at a pose (4, 4) [rad]."""
    p = m.legs.driven_points(gough.inverse_kinematics(m, X))
    d = X[:3, 3] + m.b_P @ X[:3, :3].T - p
    e = np.roll(d, -1, axis=0)
    return float(np.arctan2(np.linalg.norm(np.cross(d, e), axis=-1), (d * e).sum(axis=-1)).min())


@pytest.mark.parametrize("name", SKEW)
def test_a_path_is_refuted_from_where_the_angle_falls_below_its_limit(name):
    m = gough.load(name)
    ends = [
        gough.frames.displaced(m, gough.pose(x * m.size * np.array([1.0, 0.5, 0.2]))).as_matrix() for x in (-0.01, 0.01)
    ]
    at_ends = [smallest_angle(m, X) for X in ends]
    path = motion.via(np.stack(ends if at_ends[0] > at_ends[1] else ends[::-1]))
    assert motion.check_path(m, path).is_proven
    least = sum(at_ends) / 2
    kept = LegAngleLimit(least=0.99 * min(at_ends[0], at_ends[1], smallest_angle(m, path(path.span[1] / 2)[0])))
    crossed = LegAngleLimit(least=least)
    assert motion.check_path(m, path, also=kept).is_proven
    found = motion.check_path(m, path, also=crossed)
    place = brentq(lambda s: smallest_angle(m, path(s)[0]) - least, *path.span, xtol=1e-13)
    assert found.verdict == "refuted"
    assert found.first_crossing == pytest.approx(place, abs=CLOSE * path.span[1])
    assert "angle" in found.broken[0].sentence


def test_tubes_have_less_room_than_their_path():
    m = gough.load("jugglebot")
    X = np.stack([gough.frames.displaced(m, gough.pose([x, 0, 0])).as_matrix() for x in (0.0, 0.01)])
    path = motion.via(X)
    angle = min(smallest_angle(m, pose) for pose in path(np.linspace(*path.span, 101))[0])
    limit = LegAngleLimit(least=angle - 1e-3)
    assert motion.check_path(m, path, also=limit, uncertainty=1e-5).is_proven
    found = motion.check_path(m, path, also=limit, uncertainty=5e-3)
    assert found.verdict == "refuted"
    assert smallest_angle(m, found.broken[0].pose) < angle - 1e-3
