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


def test_a_program_of_the_struts_is_refused_where_the_head_moves_besides(plan):
    with pytest.raises(gough.errors.InputError, match="the tool head moves besides"):
        motion.programs.joint_program(plan.machine, motion.time_path(plan))


def test_the_whole_way_is_proven(plan):
    found = motion.check_path(plan.machine, plan.path, head=plan.head)
    assert found.is_kept
    s = np.linspace(*plan.path.span, 5001)
    dense = head_margins(plan.machine, plan.path(s)[0], plan.head(s)[0])
    assert dense.is_allowed.all()
    assert {column.name for column in found.columns} == set(dense.names)


def test_a_joint_of_the_head_beyond_its_limit_is_named_where_it_is(plan):
    m, tilt = plan.machine, plan.head(np.linspace(*plan.path.span, 5001))[0][:, 1]
    limit = tilt.max() - 0.7 * np.ptp(tilt)
    joints = tuple(replace(joint, minimum=limit) if joint.name == "tilt" else joint for joint in m.head.joints)
    found = motion.check_path(replace(m, head=replace(m.head, joints=joints)), plan.path, head=plan.head)
    assert found.verdict == "broken"
    assert found.broken[0].limits[0] == "head tilt lowest"
    assert abs(plan.head(np.array([found.first_crossing]))[0][0, 1] - limit) < 1e-6


def test_the_legs_carry_the_moving_head(plan):
    done = motion.path_report(plan, samples=301)
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


def test_the_leg_that_the_moving_head_loads_most_is_named(plan):
    peak = np.abs(motion.path_report(plan, samples=301).history["force"].to_numpy()).max(axis=0)
    weak = 10 * peak
    weak[3] = 1.05 * peak[3]
    m = replace(plan.machine, limits=replace(plan.machine.limits, actuator_force=weak))
    found = motion.path_report(replace(plan, machine=m), samples=301)
    assert found.worst_limit == "leg 4 force"
    assert found.worst_utilisation > 0.9
