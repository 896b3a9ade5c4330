"""Histories of the legs: the numbers are those of the data set, legs that do the same share a line."""

import numpy as np
import pytest

import gough
from gough.errors import InputError


def titles(figure):
    return [annotation.text for annotation in figure.layout.annotations]


def test_forces_and_powers_over_time():
    m = gough.load("sinatra2009")
    data = gough.dynamics.motion_forces(m, gough.dynamics.named_motion(m, "horizontal"))
    figure = gough.plot.leg_histories(m, data)
    assert [line.name for line in figure.data] == ["legs 1, 6", "legs 2, 5", "legs 3, 4"] * 2
    np.testing.assert_array_equal(figure.data[1].y, data.force[:, 1])
    np.testing.assert_array_equal(figure.data[4].y, data.power[:, 1])
    np.testing.assert_array_equal(figure.data[0].x, data.time)
    assert titles(figure) == ["force [N]", "power [W]"]
    assert figure.layout.xaxis2.title.text == "time [s]"


def test_joints_are_in_the_units_of_the_file():
    m = gough.load("servo")
    motion = gough.dynamics.named_motion(m, "vertical", 0.003, half_period=0.3)
    data = gough.simulate(
        m, m.home, np.zeros(6), gough.dynamics.ComputedTorque(m, motion, bandwidth=60.0), 0.3, rtol=1e-6
    )
    assert titles(gough.plot.leg_histories(m, data)) == ["joint error [deg]", "torque [N m]", "power [W]"]
    rates = gough.plot.leg_histories(m, data, ["joint_rate"])
    assert [line.name for line in rates.data] == ["legs 1 to 6"]
    np.testing.assert_allclose(rates.data[0].y, np.degrees(data.joint_rate[:, 0]))
    assert titles(rates) == ["joint rate [deg/s]"]


def test_what_is_not_there_is_named():
    m = gough.load("sinatra2009")
    data = gough.dynamics.motion_forces(m, gough.dynamics.named_motion(m, "vertical"))
    with pytest.raises(InputError, match="no history of 'joint_error', there are force, power, joint, joint_rate"):
        gough.plot.leg_histories(m, data, ["joint_error"])
