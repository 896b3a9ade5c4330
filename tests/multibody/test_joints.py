"""Joints: their rows, derivatives, second derivatives, reactions, and what they let move."""

import inspect
from dataclasses import dataclass

import numpy as np
import pytest

from gough import multibody
from gough.errors import InputError
from gough.multibody import joints
from gough.multibody._equations import rows_of
from gough.multibody.joints import across, level, perpendicular, point_of, unit

ROUND_OFF = 1e-12
POINT, X, Y, N = [0.2, -0.1, 0.4], [1, 0, 0], [0, 1, 0], [1, 2, 2]

ALL = {
    "spherical": (joints.Spherical("a", "b", POINT), 3),
    "universal": (joints.Universal("a", "b", POINT, X, Y), 4),
    "cylindrical": (joints.Cylindrical("a", "b", POINT, N), 4),
    "revolute": (joints.Revolute("a", "b", POINT, N), 5),
    "prismatic": (joints.Prismatic("a", "b", POINT, N), 5),
    "fixed": (joints.Fixed("a", "b", POINT), 6),
    "distance": (joints.Distance("a", "b", POINT, [1, 1, 1]), 1),
    "in-line": (joints.InLine("a", "b", POINT, N), 2),
}


def pair(joint):
    block = np.diag([0.02, 0.03, 0.04])
    bodies = [
        multibody.Body(name=name, mass=1.0, mass_centre=centre, inertia=block)
        for name, centre in (("a", [0.1, 0, 0]), ("b", [0.5, 0.2, -0.3]))
    ]
    return multibody.System(bodies, [joint], gravity=[0, 0, 0])


@pytest.fixture(params=ALL)
def case(request):
    joint, count = ALL[request.param]
    return pair(joint), joint, count


def anywhere(rng):
    Z, V = rng.normal(size=(3, 3, 4)), rng.normal(size=(3, 3, 4))
    Z[-1], V[-1] = np.eye(4)[:3, [3, 0, 1, 2]], 0.0
    return Z, V


def test_every_joint_is_tested():
    assert {joint.kind for joint, _ in ALL.values()} == {cls.kind for cls in all_kinds(multibody.Joint)}


def all_kinds(cls):
    kinds = {sub for child in cls.__subclasses__() for sub in (child, *all_kinds(child))}
    return {kind for kind in kinds if kind.__module__.startswith("gough.") and not inspect.isabstract(kind)}


def test_rows_are_zero_at_the_start_and_as_many_as_said(case):
    system, joint, count = case
    assert len(joint.rows()) == count == system.counts.joints
    assert system.counts.freedom == 12 - count
    assert np.abs(system.constraints(*system.state())[0]).max() < ROUND_OFF


def test_derivative_rows_are_the_central_difference(case, rng):
    """Rows are quadratic in the coordinates, so a central difference of any width is exact."""
    system, _, _ = case
    Z, V = anywhere(rng)
    _, rate, J, _ = rows_of(Z, V, system.tables)
    ahead, behind = system.constraints(Z + V, V)[0], system.constraints(Z - V, V)[0]
    np.testing.assert_allclose((ahead - behind) / 2, rate, atol=ROUND_OFF)
    np.testing.assert_allclose(np.einsum("ksij,ksij->k", J, V[system.joint_solids]), rate, atol=ROUND_OFF)


def test_second_derivative_is_the_difference_of_the_rate(case, rng):
    system, _, _ = case
    Z, V = anywhere(rng)
    A = rng.normal(size=Z.shape)
    A[-1] = 0.0
    _, _, J, gamma = rows_of(Z, V, system.tables)
    h = 1e-5
    rates = [system.constraints(Z + s * V + s * s / 2 * A, V + s * A)[1] for s in (h, -h)]
    second = np.einsum("ksij,ksij->k", J, A[system.joint_solids]) - gamma
    np.testing.assert_allclose((rates[0] - rates[1]) / (2 * h), second, atol=1e-8)


def test_multipliers_do_no_work_on_motions_the_joint_lets(case, rng):
    """Efforts of any multipliers, on both solids, against velocities that keep the constraint."""
    system, _, count = case
    Z, _ = system.state()
    wide = np.zeros((count, 2, 3, 4))
    J = rows_of(Z, np.zeros_like(Z), system.tables)[2]
    wide[:, system.joint_solids[0]] = J
    flat = wide.reshape(count, -1)
    allowed = np.linalg.svd(flat)[2][count:]
    multipliers = rng.normal(size=count)
    assert np.abs(allowed @ (multipliers @ flat)).max() < ROUND_OFF


@pytest.mark.parametrize("name", ["revolute", "prismatic", "cylindrical", "spherical", "universal", "fixed"])
def test_a_joint_lets_move_what_its_name_says(name):
    """Finite motions: turned about, or moved along, what should be free, rows stay zero; about the rest they do not."""
    from scipy.spatial.transform import Rotation

    system = pair(ALL[name][0])
    n = np.array(N) / 3
    across = np.cross(n, [1, 0, 0])
    every = [*np.eye(3), n, across]
    free_turns = {"revolute": [n], "cylindrical": [n], "spherical": every, "universal": [X, Y]}.get(name, [])
    free_shifts = {"prismatic": [n], "cylindrical": [n]}.get(name, [])
    for axis in every:
        turned = moved(system, Rotation.from_rotvec(0.7 * np.array(axis) / np.linalg.norm(axis)), np.zeros(3))
        assert (np.abs(turned).max() < ROUND_OFF) == any(np.allclose(axis, free) for free in free_turns)
        shifted = moved(system, Rotation.identity(), 0.3 * np.array(axis))
        assert (np.abs(shifted).max() < ROUND_OFF) == any(np.allclose(axis, free) for free in free_shifts)


def moved(system, R, shift):
    """Rows when the second solid is turned about the joint's point and shifted."""
    Z, V = system.state()
    Z[1, :, 1:] = R.as_matrix()
    Z[1, :, 0] = POINT - R.apply(POINT) + shift
    return system.constraints(Z, V)[0]


@dataclass(frozen=True, eq=False)
class Planar(multibody.Joint):
    """A table the second solid slides on: what a new joint's file would hold."""

    kind = "planar"
    point: object
    normal: object

    @property
    def centre(self):
        return point_of(self.point, "point")

    def rows(self):
        n = unit(self.normal, "normal")
        u, v = across(n)
        return [perpendicular(u, n, "v"), perpendicular(v, n, "u"), level(n, self.centre, "n")]


def test_a_new_joint_needs_nothing_but_its_rows():
    """A block on an inclined plane slides down at g sin, and the plane pushes back with m g cos."""
    slope = 0.3
    n = np.array([np.sin(slope), 0, np.cos(slope)])
    block = multibody.Body(name="block", mass=2.0, mass_centre=0.1 * n, inertia=np.diag([0.1, 0.2, 0.3]))
    table = Planar("ground", "block", [0, 0, 0], n, name="table")
    motion = multibody.simulate(multibody.System([block], [table], gravity=[0, 0, -10]), 1.0)
    down = np.array([np.cos(slope), 0, -np.sin(slope)])
    moved = motion.position("block") - motion.position("block")[0]
    np.testing.assert_allclose(moved, np.outer(5 * np.sin(slope) * motion.time**2, down), atol=1e-10)
    np.testing.assert_allclose(motion.reaction("table")[:, :3], np.tile(20 * np.cos(slope) * n, (101, 1)), atol=1e-10)


def test_axes_that_should_stand_at_a_right_angle_are_checked():
    with pytest.raises(InputError, match=r"perpendicular, they are 45 deg apart"):
        joints.Universal("a", "b", POINT, X, [1, 1, 0]).rows()
