"""Resolution and parameter errors, checked by perturbing the machine and solving again."""

import re
from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from tests.skew import SKEW

import gough
from gough.accuracy.accuracy import PARAMETERS
from gough.limits.velocity_envelope import jacobian_at
from gough.present.write import plain_text

STEP = 1e-7  # m: small enough for first order, large enough against rounding


def perturbed(m, name):
    """The machine with one parameter larger by STEP."""
    what, *rest = name.rsplit(" ", 2) if "point" in name else (name[:10], name[11:])
    legs = m.legs
    if "rod" in what:
        i = int(rest[0]) - 1
        rod = legs.rod()
        return replace(m, legs=replace(legs, rod_length=rod + STEP * (np.arange(6) == i))), 0.0
    i, axis = int(rest[0]) - 1, "xyz".index(rest[1])
    bump = np.zeros((6, 3))
    bump[i, axis] = STEP
    if what.startswith("platform"):
        return replace(m, legs=replace(legs, b_P=legs.b_P + bump)), 0.0
    foot = "a_B" if hasattr(legs, "a_B") else "c_B"
    return replace(m, legs=replace(legs, **{foot: getattr(legs, foot) + bump})), 0.0


REGULAR = [info.name for info in gough.machines(stages=1) if info.name != "singular-home"]


@pytest.mark.parametrize("name", [*REGULAR, *SKEW])
def test_each_parameter_moves_the_platform_as_solving_again_says(name):
    m = gough.load(name)
    X = m.X_home
    q = gough.inverse_kinematics(m, X)
    G = gough.accuracy.parameter_sensitivity(m, X)
    assert G.shape == (6, 42)
    for k, parameter in enumerate(PARAMETERS):
        if "rod" in parameter and m.legs.rod() is None:
            i = int(parameter[-1]) - 1
            other, joints = m, q + STEP * (np.arange(6) == i)
        else:
            other, joints = perturbed(m, parameter)[0], q
        Y = gough.forward_kinematics(other, joints, near=X).matrix
        point = Y[:3, :3] @ m.point_of_interest + Y[:3, 3] - X[:3, :3] @ m.point_of_interest - X[:3, 3]
        from scipy.spatial.transform import Rotation

        turn = Rotation.from_matrix(Y[:3, :3] @ X[:3, :3].T).as_rotvec()
        V = np.concatenate([point, turn]) / STEP
        np.testing.assert_allclose(V, G[:, k], rtol=1e-4, atol=1e-4 * np.abs(G).max())


def test_all_bars_of_the_linapod_too_long_move_it_as_published():
    """All bars 10 um too long: a position error of 11.528 um (Pott and Hiller 2008)."""
    m = gough.load("linapod")
    G = gough.accuracy.parameter_sensitivity(m, m.home, point=np.zeros(3))
    error = G[:3, 36:].sum(axis=1) * 10e-6
    assert np.linalg.norm(error) == pytest.approx(11.528e-6, abs=0.001e-6)  # one unit of the last printed digit


def test_resolution_is_the_largest_displacement_over_all_signs(machine):
    r = gough.accuracy.resolution(machine, machine.home, joint_step=1e-6)
    J = np.linalg.inv(jacobian_at(machine, machine.X_home))
    np.testing.assert_allclose(r.worst_case, np.abs(J).sum(axis=1) * 1e-6, rtol=1e-9)
    assert (r.rms <= r.worst_case).all()
    moves = np.array(list(product((-1e-6, 1e-6), repeat=6))) @ J.T
    assert r.worst_translation == pytest.approx(np.linalg.norm(moves[:, :3], axis=1).max(), rel=1e-9)
    assert r.worst_rotation == pytest.approx(np.linalg.norm(moves[:, 3:], axis=1).max(), rel=1e-9)
    whole = (r.worst_translation, r.rms_distance), (r.worst_rotation, r.rms_angle)
    sizes = (machine.units.metres, machine.units.radians)
    for words, both, size in zip(r.sentences(), whole, sizes, strict=True):
        said = [float(number) * size for number in re.findall(r"(?:of|worst,) (\S+)", plain_text(words))]
        np.testing.assert_allclose(said, both, rtol=1e-3)


def test_pose_error_adds_up_all_parameters(machine):
    e = gough.accuracy.pose_error(machine, machine.home, 1e-5)
    G = gough.accuracy.parameter_sensitivity(machine, machine.home)
    np.testing.assert_allclose(e.worst_case, np.abs(G).sum(axis=1) * 1e-5)
    np.testing.assert_allclose(e.rms, np.linalg.norm(G, axis=1) * 1e-5)


@pytest.mark.parametrize("name", SKEW)
def test_a_batch_has_the_answers_of_its_poses(name, rng):
    m = gough.load(name)
    X = m.X_home @ gough.pose_matrix(0.02 * m.size * rng.normal(size=(3, 2, 3)))
    for of in (
        lambda poses: gough.accuracy.resolution(m, poses, joint_step=1e-6),
        lambda poses: gough.accuracy.pose_error(m, poses, 1e-5),
    ):
        batch, one = of(X), of(X[1, 0])
        for key in one.QUANTITIES:
            np.testing.assert_allclose(getattr(batch, key)[1, 0], getattr(one, key), err_msg=key)
