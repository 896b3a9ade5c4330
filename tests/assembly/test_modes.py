"""Assembly modes: all of them, on machines with published numbers of them and on random ones of every sort."""

import sys
from pathlib import Path

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import gough

sys.path.insert(0, str(Path(__file__).parent))
from machines import DIETMAIER_BASE, DIETMAIER_LENGTHS, DIETMAIER_PLATFORM, flat, general, random_pose, symmetric
from tests.skew import SKEW
from tests.thorough import thorough

from gough.assembly.assembly_modes import AMBIGUOUS, SELF_MOTION, _order
from gough.assembly.families import normalised
from gough.assembly.homotopy import AIM
from gough.assembly.solve import _run

POLISHED = 1e-13  # leg errors over the machine's size
SAME = 1e-8  # entries of pose matrices, metres of machines of size one
REGULAR = [info.name for info in gough.machines(stages=1) if info.name != "singular-home"]
REGULAR += SKEW


def holds(modes, X, within=SAME):
    return bool((np.abs(modes.matrix - X).max(axis=(1, 2)) < within).any())


def leg_lengths(base, platform, X):
    return np.linalg.norm(np.asarray(platform) @ X[:3, :3].T + X[:3, 3] - base, axis=1)


@pytest.fixture(scope="module")
def dietmaier():
    machine = gough.from_points(DIETMAIER_BASE, DIETMAIER_PLATFORM)
    return machine, gough.assembly_modes(machine, DIETMAIER_LENGTHS)


def test_all_forty_real_postures_of_dietmaiers_platform(dietmaier):
    machine, modes = dietmaier
    assert len(modes) == modes.finite_count == 40
    assert modes.complete
    for X in modes.matrix:
        off = leg_lengths(DIETMAIER_BASE, DIETMAIER_PLATFORM, X) - DIETMAIER_LENGTHS
        assert np.abs(off).max() < POLISHED * machine.size * 10  # plain differences of lengths round that much
    assert modes.residual.max() < POLISHED * machine.size
    np.testing.assert_allclose(
        modes.matrix[:, :3, 3].sum(axis=0), (30.337833093, -0.587585258, -6.013698893), rtol=0, atol=1e-9
    )


def test_dietmaiers_postures_are_proven_and_their_balls_apart(dietmaier):
    machine, modes = dietmaier
    assert modes.certified.all()
    proof = modes.certificate
    centre = np.array([*machine.platform_centre, 1.0])
    for i in range(40):
        for j in range(i):
            apart = np.linalg.norm((modes.matrix[i] - modes.matrix[j]) @ centre)
            turn = np.arccos(np.clip(0.5 * (np.trace(modes.matrix[i][:3, :3].T @ modes.matrix[j][:3, :3]) - 1), -1, 1))
            assert apart > max(proof.position_radius[[i, j]]) + max(proof.position_error[[i, j]]) or turn > max(
                proof.rotation_radius[[i, j]]
            ) + max(proof.rotation_error[[i, j]]), "neither lies where the other is the only pose"


FEW = ["hexel", *SKEW]


@pytest.mark.parametrize("name", FEW)
def test_the_pose_that_made_the_joint_values_is_among_the_modes(name):
    m = gough.load(name)
    rng = np.random.default_rng(5)
    X = m.X_home @ gough.pose_matrix(0.03 * m.size * rng.normal(size=(3, 3)), 0.1 * rng.normal(size=(3, 3)), "XYZ")
    q = gough.inverse_kinematics(m, X)
    found = np.isfinite(q).all(axis=1)
    assert found.any()
    for modes, pose in zip(gough.assembly_modes(m, q[found]), X[found], strict=True):
        assert modes.complete
        assert holds(modes, pose, SAME * m.size)
        assert (modes.residual < POLISHED * m.size).all()
        assert (np.sign(np.linalg.det(modes.matrix[:, :3, :3])) == 1).all()


SHARP_TURNS = (7, 8, 44, 46, 62, 78, 89, 93, 96, 104, 131, 137, 198, 234, 245, 305, 312, 320, 351, 358)
"""Seeds of machines whose paths of solutions turn sharply, so that a predicted point may lie nearer to another path."""


def test_paths_of_solutions_keep_apart():
    """Newton's method must contract at once: without that check paths jump on nearly all of these machines."""
    clean = 0
    for seed in SHARP_TURNS:
        rng = np.random.default_rng([seed, 6])
        machine = (general, flat, symmetric)[rng.integers(3)](rng)
        q = gough.inverse_kinematics(machine, random_pose(rng))
        legs = normalised(machine.legs.driven_points(q), machine.b_P, q)
        clean += _run(legs, legs.special or legs.family, 0, AIM).is_clean
    assert clean >= 0.8 * len(SHARP_TURNS)


@pytest.mark.parametrize("seed", [*range(5), *thorough(*range(5, 20))])
def test_general_machines_have_forty_finite_poses(seed):
    rng = np.random.default_rng([seed, 40])
    m, X = general(rng), random_pose(rng)
    modes = gough.assembly_modes(m, gough.inverse_kinematics(m, X))
    assert modes.finite_count == 40
    assert modes.complete
    assert holds(modes, X)
    assert len(modes) % 2 == 0, "complex solutions come in pairs"


@pytest.mark.parametrize("family", [symmetric, flat], ids=["symmetric", "flat"])
@pytest.mark.parametrize("seed", [*range(6), *thorough(*range(6, 20))])
def test_special_machines_keep_the_pose_that_made_the_lengths(family, seed):
    rng = np.random.default_rng([seed, 3])
    m, X = family(rng), random_pose(rng)
    modes = gough.assembly_modes(m, gough.inverse_kinematics(m, X))
    assert modes.complete, "two runs from different starts agree, or forty are there"
    assert holds(modes, X)
    mirror = np.diag([1.0, 1.0, -1.0, 1.0])
    for pose in modes.matrix:
        assert holds(modes, mirror @ pose @ mirror), "below the base as above it"


def test_modes_do_not_depend_on_the_frames():
    """The same machine seen from elsewhere: no plane lies in z = 0 any more, the poses are the same."""
    rng = np.random.default_rng(8)
    m, X = symmetric(rng), random_pose(rng)
    q = gough.inverse_kinematics(m, X)
    X_WB, X_PN = random_pose(rng), random_pose(rng)
    moved = gough.from_points(
        m.legs.driven_points(q) @ X_WB[:3, :3].T + X_WB[:3, 3],
        (m.b_P - X_PN[:3, 3]) @ X_PN[:3, :3],
        home=gough.pose([0, 0, 1]),
    )
    here, there = gough.assembly_modes(m, q), gough.assembly_modes(moved, q)
    assert len(here) == len(there)
    assert all(holds(there, X_WB @ pose @ X_PN) for pose in here.matrix)


@pytest.mark.parametrize(("base", "platform"), [(1e4, 0.0), (0.0, 1e4), (1e6, 1e6)])
def test_frames_far_off_the_machine_hide_no_pose(base, platform):
    """A base surveyed in a country's grid: coordinates, and so legs, are right to 1e-10 m only."""
    rng = np.random.default_rng(9)
    m, X = symmetric(rng), random_pose(rng)
    far, back = gough.pose_matrix([0.5 * base, -0.6 * base, 0.0]), gough.pose_matrix([0.0, 0.0, -platform])
    moved = gough.from_points(m.legs.rest() + far[:3, 3], m.b_P - back[:3, 3], home=far @ m.X_home @ back)
    here = gough.assembly_modes(m, gough.inverse_kinematics(m, X))
    there = gough.assembly_modes(moved, gough.inverse_kinematics(moved, far @ X @ back))
    assert here.complete
    assert there.complete
    assert len(there) == len(here)
    seen_from_here = np.linalg.inv(far) @ there.matrix @ np.linalg.inv(back)
    for pose in here.matrix:
        assert np.abs(seen_from_here - pose).max(axis=(1, 2)).min() < 1e-12 * max(base, platform)


def test_a_self_motion_is_told_as_singular():
    """Base and platform congruent, legs equal and parallel: the platform moves freely on a sphere."""
    rng = np.random.default_rng(4)
    points = rng.normal(size=(6, 3))
    m = gough.from_points(points, points, home=gough.pose([0, 0, 1]))
    modes = gough.assembly_modes(m, np.ones(6))
    assert len(modes)
    assert modes.moves_freely.all()
    assert modes.is_singular.all()
    assert not modes.certified.any()
    assert not modes.is_counted.any()
    assert set(modes.proofs) == {"moves freely"}
    assert set(modes.sides) == {"0"}
    assert SELF_MOTION in modes.warnings()
    assert modes.sentence().startswith("0 isolated real of ")
    np.testing.assert_allclose(leg_lengths(points, points, modes.matrix[0]), 1, rtol=1e-9)


def test_a_double_root_is_told_as_singular_and_held():
    """Stretching one leg leads home's mode to where it meets another: there both are one double solution."""
    m = gough.load("tsai2000")
    q = gough.inverse_kinematics(m, m.home)
    low, high = np.zeros(6), np.zeros(6)
    high[0] = 1.0
    for _ in range(60):
        middle = 0.5 * (low + high)
        reached = gough.forward_kinematics(m, q + middle, throw=False).is_near
        low, high = (middle, high) if reached else (low, middle)
    modes = gough.assembly_modes(m, q + low)
    nearest = np.argmin(modes.conditioning)
    assert modes.conditioning[nearest] < 1e-5
    assert not modes.certified[nearest] or modes.certificate.position_radius[nearest] < 1e-3 * m.size
    assert not modes.moves_freely[nearest]


def ring(radius, pair):
    """Six points on a circle in pairs so many degrees apart."""
    at = np.radians(np.repeat([0.0, 120.0, 240.0], 2) + np.tile([-0.5, 0.5], 3) * pair)
    return radius * np.column_stack([np.cos(at), np.sin(at), np.zeros(6)])


@pytest.mark.parametrize("turn", [0.5 * np.pi, -0.5 * np.pi])
def test_a_pose_on_a_singularity_is_on_no_wrong_side_of_it(turn):
    """Fichter 1986: similar hexagons a quarter turn from home are singular; rounding gives the determinant a sign."""
    base, platform = ring(0.2, 20.0), ring(0.12, 100.0)
    for height in (0.26, 0.28, 0.301):
        m = gough.from_points(base, platform, home=gough.pose([0, 0, height]), joint_min=0.1, joint_max=0.6)
        there = gough.pose_matrix([0, 0, height], [0, 0, turn], "XYZ")
        modes = gough.assembly_modes(m, gough.inverse_kinematics(m, there))
        assert modes.is_singular.any()
        assert modes.within_limits[modes.is_singular].all()
        assert holds(modes, there, within=1e-5)


def test_legs_of_equal_length_between_congruent_plates_leave_a_sphere_of_poses(rng):
    """Also where the gradients vanish in a rotation besides, which begins no motion."""
    for _ in range(2):
        points = rng.normal(size=(6, 3)) * [1.0, 1.0, 0.2]
        m = gough.from_points(points, points, home=gough.pose([0.3, 0.1, 2.5]))
        modes = gough.assembly_modes(m, gough.inverse_kinematics(m, m.home))
        still = np.abs(modes.matrix[:, :3, :3] - np.eye(3)).max(axis=(1, 2)) < 1e-6
        assert still.sum() > 1
        assert modes.moves_freely[still].all()
        assert not (modes.moves_freely & modes.is_counted).any()
        assert "isolated" in modes.sentence()
        assert AMBIGUOUS not in modes.warnings()


def test_a_batch_gives_what_each_gives_and_tells_its_progress():
    m = gough.load("tsai2000")
    rng = np.random.default_rng(0)
    X = m.X_home @ gough.pose_matrix(0.02 * m.size * rng.normal(size=(4, 3)))
    q = gough.inverse_kinematics(m, X)
    told = []
    many = gough.assembly_modes(m, q, progress=lambda done, total: told.append((done, total)))
    assert told[-1] == (4, 4)
    for modes, row in zip(many, q, strict=True):
        np.testing.assert_allclose(modes.matrix, gough.assembly_modes(m, row).matrix, atol=1e-12)


@pytest.mark.parametrize("name", ["rotopod", *SKEW])
def test_modes_are_in_order_of_distance_and_mirror_images_in_the_same_order_after_rounding(name):
    machine, rng = gough.load(name), np.random.default_rng(3)
    X = gough.assembly_modes(machine, gough.inverse_kinematics(machine, machine.X_home)).matrix
    home, centre = machine.X_home, np.append(machine.platform_centre, 1.0)
    shift = np.linalg.norm(((X - home) @ centre)[:, :3], axis=1) / machine.size
    turn = np.arccos(np.clip(0.5 * (np.trace(home[:3, :3].T @ X[:, :3, :3], axis1=1, axis2=2) - 1.0), -1.0, 1.0))
    assert (np.diff(shift + turn) > -2e-6).all()
    for _ in range(5):
        mixed = rng.permutation(len(X))
        again = X[mixed] + 1e-12 * machine.size * rng.normal(size=X.shape)
        assert mixed[_order(machine, again)].tolist() == list(range(len(X)))


@pytest.mark.parametrize("name", ["hexel", *SKEW])
def test_conditioning_of_a_mode_is_that_of_the_joint_rates_there(name):
    """Smallest over largest singular value of dq / d[v, l w] about the platform joints' mean, by differences of the
    inverse kinematics, of every mode on the legs' own branch; of Hexel at home 0.3890."""
    m = gough.load(name)
    q = gough.inverse_kinematics(m, m.home)
    modes = gough.assembly_modes(m, q)
    centre, checked = m.b_P.mean(axis=0), 0
    length = np.sqrt(((m.b_P - centre) ** 2).sum(axis=1).mean())
    for X, conditioning in zip(modes.matrix, modes.conditioning, strict=True):
        off = gough.inverse_kinematics(m, X) - q
        if np.abs(np.nan_to_num(np.arctan2(np.sin(off), np.cos(off)), nan=1.0)).max() > 1e-6:
            continue
        h, columns = 1e-5, []
        for e in np.eye(6):
            ends = []
            for sign in (1, -1):
                Y = X.copy()
                Y[:3, :3] = Rotation.from_rotvec(sign * h * e[3:]).as_matrix() @ X[:3, :3]
                Y[:3, 3] = (X[:3, :3] @ centre + X[:3, 3] + sign * h * length * e[:3]) - Y[:3, :3] @ centre
                ends.append(gough.inverse_kinematics(m, Y))
            columns.append((ends[0] - ends[1]) / (2 * h * length))
        values = np.linalg.svd(np.array(columns), compute_uv=False)
        assert conditioning == pytest.approx(values[-1] / values[0], abs=1e-7)
        checked += 1
    assert checked >= 1
    if name == "hexel":
        assert modes.conditioning[0] == pytest.approx(0.3890, abs=5e-5)
