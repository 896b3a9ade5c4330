"""Sliders of every built-in machine: as long as its travel, fine enough to be of use, true to where they move it."""

import numpy as np
import pytest
from tests.skew import SKEW, SKEW_STACK

import gough
from gough.viewer.panels.sliders import (
    LONGEST,
    STEPS,
    Slider,
    end_labels,
    head_sliders,
    leg_sliders,
    pose_sliders,
    to_head,
    to_joints,
    to_pose,
)
from gough.viewer.store import initial

ALL = [*(known.name for known in gough.machines()), *SKEW, SKEW_STACK]
OFF = 0.05
"""Largest error of a label at an end, as a part of the range."""


@pytest.mark.parametrize("name", ALL)
def test_sliders_have_many_steps_and_values_within_their_ends(name):
    state = initial(name, gough.load(name))
    for sliders in (pose_sliders(state), leg_sliders(state)):
        assert len(sliders) == 6
        for slider in sliders:
            assert (slider.high - slider.low) * 10.0**slider.digits >= STEPS, slider.label
            assert slider.low <= slider.value <= slider.high, slider.label


@pytest.mark.parametrize("name", ALL)
def test_numbers_under_both_ends_differ_and_have_room(name):
    state = initial(name, gough.load(name))
    for slider in (*pose_sliders(state), *leg_sliders(state), *head_sliders(state)):
        low, high = end_labels(slider)
        assert low != high, slider.label
        assert max(len(low), len(high)) <= LONGEST, slider.label
        ends = np.array([float(low), float(high)])
        np.testing.assert_allclose(ends, [slider.low, slider.high], rtol=0, atol=OFF * (slider.high - slider.low))


@pytest.mark.parametrize(
    ("low", "high", "digits", "labels"),
    [
        (0.0951754, 0.0952754, 7, ("0.09518", "0.09528")),
        (-7.8e-5, 7.8e-5, 7, ("-7.8e-5", "7.8e-5")),
        (260.0, 970.0, 2, ("260", "970")),
        (-0.3, 0.3, 3, ("-0.3", "0.3")),
        (1234567.8, 1234567.9, 1, ("1234567.8", "1234567.9")),
    ],
)
def test_numbers_under_the_ends_are_as_short_as_they_tell_them_apart(low, high, digits, labels):
    assert end_labels(Slider("leg 1 [m]", low, high, digits, low, "")) == labels


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
