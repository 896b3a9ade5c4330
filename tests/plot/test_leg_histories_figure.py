"""Histories of the legs: the numbers are those of the data set, legs that do the same share a line."""

import re
from dataclasses import replace

import numpy as np
import pytest
import xarray

import gough
from gough.errors import InputError


def titles(figure):
    return [annotation.text for annotation in figure.layout.annotations]


def test_a_limit_that_is_exceeded_or_near_is_drawn_and_said():
    m = gough.load("servo")
    peak = {"force": 0.2, "joint": 1.2, "joint_rate": 0.4, "power": 1.0}
    rises = np.linspace(0, 1, 11)[:, None] * np.ones(6)
    sizes = {name: (("time", "leg"), value * rises) for name, value in peak.items()}
    data = xarray.Dataset(sizes, {"time": np.linspace(0, 1, 11)})
    for name, unit in (("force", "N m"), ("joint", "rad"), ("joint_rate", "rad/s"), ("power", "W")):
        data[name].attrs["units"] = unit
    limits = {"actuator_force": np.full(6, 0.16), "joint_speed": np.full(6, 4.0)}
    m = replace(m, limits=replace(m.limits, **limits))
    figure = gough.plot.leg_histories(m, data, list(peak))
    assert titles(figure) == [
        "torque [N m], 125 % of the limit",
        "joint coordinate [deg], 21.245 deg from the limit",
        "joint rate [deg/s], 10.0 % of the limit",
        "power [W]",
    ]
    drawn = {(line.yaxis, round(line.y[0], 9)) for line in figure.data if line.name == "limit"}
    assert drawn == {("y", 0.16), ("y2", 90.0)}
    beyond = gough.plot.leg_histories(m, data.assign(joint=(1.5 * data["joint"]).assign_attrs(units="rad")), ["joint"])
    assert titles(beyond)[0].endswith(" deg beyond the limit")
    bare = data["joint"].copy()
    bare.attrs.clear()
    with pytest.raises(InputError, match="the history of 'joint' has no unit"):
        gough.plot.leg_histories(m, data.assign(joint=bare), ["joint"])


def test_times_at_which_a_leg_cannot_close_do_not_hide_the_limit():
    m = gough.load("servo").with_payload(1.0, [0.0, 0.0, 0.02])
    data = gough.dynamics.motion_forces(m, gough.dynamics.named_motion(m, "vertical", 0.002))
    force = data.force.to_numpy().copy()
    force[len(force) // 2 :] = np.nan
    figure = gough.plot.leg_histories(m, data.assign(force=data.force.copy(data=force)), ["force"])
    assert re.fullmatch(r"torque \[N m\], [\d.]+ % of the limit", titles(figure)[0])
