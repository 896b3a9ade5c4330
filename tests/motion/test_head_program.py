"""Part programs shared by platform and tool head: proven between samples, the head's limits and forces with them."""

from dataclasses import replace

import numpy as np
import pytest

import gough
from gough import motion
from gough.motion.heads.kinematics import head_margins

ROUND_OFF = 1e-12
"""Of bounds, as part of what they bound, and beside it [m, rad and their derivatives]."""
NEWTON = 1e-9
"""Of forces at rest by two routes [N]."""
BRUTE = 1e-5
"""Of peaks at 200,000 times and at all knots."""
ACCELERATION = 0.5
"""Of the joints [m/s2]."""
PROGRAM = "G1 X20 Z-20 F600\nG3 X-20 I-20\nG1 I.3 J.1 K1\nG4 P1\nG1 X10 Y-5\nG2 X30 Y-5 Z5 I10\n"


@pytest.fixture(scope="module")
def plan():
    m = gough.load("hexel-head")
    program = motion.programs.parse_program(PROGRAM, motion.programs.program_start(m))
    return motion.programs.head_program(m, program, blend=1e-4, places=24)


def test_bounds_hold_between_the_places_where_head_and_roll_were_chosen(plan, rng):
    for path in (plan.tool, plan.path):
        k = rng.integers(0, len(path.knots) - 1, 100)
        u = np.sort(rng.uniform(size=(2, 100)), axis=0)
        low, high = path.knots[k] + u * (path.knots[k + 1] - path.knots[k])
        _, V, A = path(low[:, None] + (high - low)[:, None] * np.linspace(0, 1, 9))
        sizes = [np.linalg.norm(part, axis=-1) for part in (V[..., :3], V[..., 3:], A[..., :3], A[..., 3:])]
        for bound, size in zip(path.rates(low, high), sizes, strict=True):
            assert (size <= bound[:, None] * (1 + ROUND_OFF) + ROUND_OFF).all()


def test_the_range_of_rolls_is_that_between_the_places_too(plan):
    angle = plan.tool.roll(np.linspace(*plan.path.span, 200_001))[0][:, 0]
    np.testing.assert_allclose(plan.roll, (angle.min(), angle.max()), rtol=0, atol=BRUTE * np.ptp(angle))
    at_places = plan.tool.roll(plan.tool.roll.knots)[0][:, 0]
    assert np.ptp(plan.roll) > np.ptp(at_places) * (1 + BRUTE)


def test_a_program_of_the_struts_is_refused_where_the_head_moves_besides(plan):
    with pytest.raises(gough.errors.InputError, match="the tool head moves too"):
        motion.programs.joint_program(plan.machine, motion.time_path(plan))


def test_the_whole_way_is_proven(plan):
    found = motion.check_path(plan.machine, plan.path, head=plan.head)
    assert found.is_proven
    s = np.linspace(*plan.path.span, 5001)
    dense = head_margins(plan.machine, plan.path(s)[0], plan.head(s)[0])
    assert dense.is_allowed.all()
    assert {column.name for column in found.columns} == set(dense.names)


def test_a_joint_of_the_head_beyond_its_limit_is_named_where_it_is(plan):
    m, tilt = plan.machine, plan.head(np.linspace(*plan.path.span, 5001))[0][:, 1]
    limit = tilt.max() - 0.7 * np.ptp(tilt)
    joints = tuple(replace(joint, minimum=limit) if joint.name == "tilt" else joint for joint in m.head.joints)
    found = motion.check_path(replace(m, head=replace(m.head, joints=joints)), plan.path, head=plan.head)
    assert found.verdict == "refuted"
    assert found.broken[0].limits[0] == "head tilt lowest"
    assert abs(plan.head(np.array([found.first_crossing]))[0][0, 1] - limit) < 1e-6


def test_the_legs_carry_the_moving_head(plan):
    done = motion.path_report(plan, samples=301, joint_acceleration=ACCELERATION)
    assert done.is_feasible
    data = done.history
    t = data["time"].to_numpy()
    joints = done.plan.head.along(done.motion.schedule)
    q, qd, qdd = joints(t)
    states = (data[name] for name in ("pose", "twist", "acceleration"))
    by_route = motion.heads.head_dynamics(plan.machine, *states, q, qd, qdd)
    np.testing.assert_array_equal(data["force"], by_route.force)
    h, inside = 1e-6, t[(t > 1e-3) & (t < t[-1] - 1e-3) & (np.abs(t[:, None] - done.motion.breaks).min(axis=1) > 1e-3)]
    before, here, after = (joints(inside + step) for step in (-h, 0.0, h))
    np.testing.assert_allclose(here[1], (after[0] - before[0]) / (2 * h), rtol=0, atol=1e-7)
    np.testing.assert_allclose(here[2], (after[1] - before[1]) / (2 * h), rtol=1e-3, atol=1e-4)
    resting = np.abs(qd).max(axis=1) == 0
    assert resting.any()
    place = data["pose"][resting][5].to_numpy()
    held = gough.inverse_dynamics(plan.machine.with_head(q[resting][5]), place, np.zeros(6), np.zeros(6))
    np.testing.assert_allclose(data["force"][resting][5], held, atol=NEWTON)
    assert done.work.peak_force is not None


@pytest.mark.thorough
def test_the_legs_that_the_moving_head_loads_beyond_their_limit_are_named(plan):
    """Peaks of the forces by brute force: two legs are allowed less, the others twice as much."""
    timed = motion.time_path(plan, joint_acceleration=ACCELERATION)
    t = np.union1d(np.linspace(*timed.span, 200_001), timed.knots)
    peak = np.abs(motion.path_history(timed, t)["force"].to_numpy()).max(axis=0)
    allowed = 2.0 * peak
    allowed[1], allowed[3] = 0.9 * peak[1], 0.8 * peak[3]
    m = replace(plan.machine, limits=replace(plan.machine.limits, actuator_force=allowed))
    found = motion.path_report(replace(timed, path=replace(plan, machine=m)), samples=101)
    assert found.worst_limit == "leg 4 force"
    assert found.worst_utilisation == pytest.approx(1.25, rel=BRUTE)
    assert {(use.name, round(use.used, 4)) for use in found.exceeded} == {
        ("leg 2 force", round(1 / 0.9, 4)), ("leg 4 force", 1.25)
    }  # fmt: skip
    np.testing.assert_allclose(found.work.peak_force, peak, rtol=BRUTE)
