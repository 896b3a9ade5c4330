"""Sliders of every built-in machine: as long as its travel, fine enough to be of use, true to where they move it."""

import numpy as np
import pytest
from tests.skew import SKEW, SKEW_STACK

import gough
from gough.viewer.panels.sliders import (
    STEPS,
    head_sliders,
    leg_sliders,
    pose_sliders,
    to_head,
    to_joints,
    to_pose,
)
from gough.viewer.store import initial

ALL = [*(known.name for known in gough.machines()), *SKEW, SKEW_STACK]


@pytest.mark.parametrize("name", ALL)
def test_sliders_have_many_steps_and_values_within_their_ends(name):
    state = initial(name, gough.load(name))
    for sliders in (pose_sliders(state), leg_sliders(state)):
        assert len(sliders) == 6
        for slider in sliders:
            assert (slider.high - slider.low) * 10.0**slider.digits >= STEPS, slider.label
            assert slider.low <= slider.value <= slider.high, slider.label


@pytest.mark.parametrize("name", ["hexel-head", "servo", "dehaeze", *SKEW])
def test_sliders_put_where_they_are_leave_the_machine_there(name):
    """What they show is what they move: to rounding of their decimals."""
    machine = gough.load(name)
    start = initial(name, machine)
    state = start.moved(
        start.stage.to(gough.frames.displaced(machine, gough.pose([1e-6, 2e-6, 0])).as_matrix()), "test"
    )
    for describe, move in ((pose_sliders, to_pose), (leg_sliders, to_joints), (head_sliders, to_head)):
        sliders = describe(state)
        moved = state.moved(move(state, np.array([slider.value for slider in sliders])), "test")
        for slider, again in zip(sliders, describe(moved), strict=True):
            assert again.value == pytest.approx(slider.value, abs=2 * 10.0 ** -(slider.digits + 2)), slider.label
