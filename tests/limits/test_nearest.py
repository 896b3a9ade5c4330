"""The nearest allowed pose: kept limits, the conditions of a minimum, and closed forms."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation
from tests.skew import SKEW
from tests.thorough import thorough

import gough


def test_an_allowed_pose_is_its_own_nearest(machine):
    n = gough.nearest_pose(machine, machine.home)
    assert n.distance == 0
    assert n.active_limits == ()


@pytest.mark.parametrize("name", [*thorough("hexel", SKEW[1]), SKEW[0], SKEW[2]])
def test_the_nearest_pose_is_allowed_and_no_sampled_one_is_nearer(name, rng):
    m = gough.load(name)
    for _ in range(3):
        d = rng.normal(size=3)
        d /= np.linalg.norm(d)
        reach = float(gough.travel(m, [*d, 0, 0, 0]).distance)
        wanted = gough.pose_matrix(m.X_home[:3, 3] + 1.2 * reach * d)
        wanted[:3, :3] = m.X_home[:3, :3]
        n = gough.nearest_pose(m, wanted)
        assert gough.margins(m, n.matrix).is_allowed
        assert 0 < n.distance <= 0.2 * reach * (1 + 1e-6)
        assert n.active_limits
        # Poses displaced a little less than the nearest one, in all directions of six, are refused.
        around = rng.normal(size=(400, 6))
        around *= 0.98 * n.distance / np.linalg.norm(around, axis=1, keepdims=True)
        around = np.concatenate([around, 0.999 * np.concatenate([n.translation, n.rotation * n.length])[None]])
        from gough.limits.nearest import _Displacements

        poses = _Displacements(m, wanted, n.length).poses(around)
        assert not gough.margins(m, poses).is_allowed.any()


@pytest.mark.parametrize(
    ("name", "wanted", "position", "quaternion"),
    [
        (
            "servo",
            [-65, 28, 100],
            [-56.19699403404519, 26.6136740595852, 118.51849944437151],
            [0.03847947592391112, 0.05054207632845213, -0.021911088713369265, 0.9977398120975353],
        ),
        (
            "servo",
            [24, 66, 108],
            [19.3870962054114, 55.2122624910297, 117.46525440328584],
            [-0.00921436600818954, -0.049970940710291595, -0.07033889698232247, 0.996228106467041],
        ),
        (
            "hexaglide",
            [221, 90, 784],
            [210.8010542530745, 33.98548834351844, 510.56257177745545],
            [-0.02291003029177468, 0.042632648590147385, 0.07200824344649709, 0.9962290904515733],
        ),
    ],
)
def test_where_many_limits_meet_none_of_a_long_random_search_is_nearer(name, wanted, position, quaternion):
    """Poses [mm] that a random search with independent inverse kinematics found."""
    m = gough.load(name)
    found = gough.nearest_pose(m, gough.pose(1e-3 * np.array(wanted)))
    other = gough.pose_matrix(1e-3 * np.array(position))
    other[:3, :3] = Rotation.from_quat(quaternion).as_matrix()
    assert gough.margins(m, other).is_allowed
    shift = np.linalg.norm(other[:3, 3] - 1e-3 * np.array(wanted) + (other[:3, :3] - np.eye(3)) @ m.point_of_interest)
    turn = 2.0 * np.arccos(quaternion[3])
    assert found.distance <= np.hypot(shift, found.length * turn)
    assert gough.margins(m, found.matrix).is_allowed


def test_one_leg_too_long_is_cut_back_along_its_own_direction():
    """With rotation made dear only translation is left, and the nearest point of a sphere lies along its radius."""
    m = gough.load("hexel")
    m = gough.from_points(m.legs.a_B, m.b_P, home=m.home, joint_max=[0.7, 2, 2, 2, 2, 2])
    wanted = gough.pose_matrix([-0.3, 0.05, 0.9])
    n = gough.nearest_pose(m, wanted, length=1e4)
    d = m.b_P[0] + wanted[:3, 3] - m.legs.a_B[0]
    excess = np.linalg.norm(d) - 0.7
    assert excess > 0.01
    assert n.distance == pytest.approx(excess, rel=1e-6)
    np.testing.assert_allclose(n.translation, -excess * d / np.linalg.norm(d), atol=1e-6)
    assert n.active_limits == ("leg 1 longest",)


def test_a_dearer_radian_gives_up_less_rotation_and_more_translation():
    m = gough.load("hexel")
    wanted = gough.pose_matrix([0.3, 0.25, 1.12], [0, 0.2, 0], "XYZ")
    found = [gough.nearest_pose(m, wanted, length=length) for length in (0.05, 0.2, 1.0)]
    turned = [np.linalg.norm(n.rotation) for n in found]
    moved = [np.linalg.norm(n.translation) for n in found]
    assert turned[0] > turned[1] > turned[2]
    assert moved[0] < moved[1] < moved[2]
    for n in found:  # each is the best by its own weight
        others = [np.hypot(np.linalg.norm(o.translation), n.length * np.linalg.norm(o.rotation)) for o in found]
        assert n.distance == pytest.approx(
            np.hypot(np.linalg.norm(n.translation), n.length * np.linalg.norm(n.rotation))
        )
        assert n.distance <= min(others) * (1 + 1e-6)


def test_the_weight_is_the_machines_own_length_where_none_is_given():
    m = gough.load("servo")
    wanted = m.X_home.copy()
    wanted[2, 3] += 0.03
    assert gough.nearest_pose(m, wanted).length == m.characteristic_length
