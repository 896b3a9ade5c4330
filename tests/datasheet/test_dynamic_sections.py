"""Sections about masses in motion: they say what Gough's functions answer."""

from dataclasses import replace

import numpy as np
import pytest
from tests.datasheet.blocks import shown
from tests.independent import drawn
from tests.skew import SKEW

import gough
from gough.datasheet.sections.motion import PART_OF_SPEED, dynamics, sample_times, stated_motion
from gough.datasheet.sections.statics import vibration_modes
from gough.datasheet.sheet import Datasheet
from gough.machine import Actuators, Body
from gough.present.show import fitting
from gough.present.units import with_unit


def test_the_stated_motion_keeps_half_of_everything():
    m = gough.load("hexaglide")
    motion = stated_motion(Datasheet(m))
    X, V, A = motion(np.linspace(0, motion.half_period, 201))
    rates = np.abs(gough.joint_rates(m, X, V)).max() / m.limits.joint_speed[0]
    bend = np.abs(gough.kinematics.joint_accelerations(m, X, V, A)).max() / m.limits.joint_acceleration[0]
    assert max(rates, bend) == pytest.approx(PART_OF_SPEED, rel=1e-2)
    end = gough.travel(m, motion.direction).distance
    assert 2 * motion.amplitude == pytest.approx(end / 2)
    assert gough.margins(m, X).is_allowed.all()


@pytest.mark.thorough
@pytest.mark.parametrize("name", SKEW)
def test_forces_in_motion(name):
    m = gough.load(name)
    sheet = Datasheet(m)
    section = dynamics(sheet)
    motion = stated_motion(sheet)
    data = gough.dynamics.motion_forces(m, motion, times=sample_times(motion))
    table = section.blocks[1]
    for i in range(6):
        assert shown(table.rows[i][1]) == pytest.approx(data.attrs["peak_force"][i], rel=1e-3)
        assert shown(table.rows[i][4]) == pytest.approx(data.attrs["rms_power"][i], rel=1e-3)
    np.testing.assert_allclose(section.numbers["peak_power"], data.attrs["peak_power"])
    assert ("torque" in table.columns[1].title) == (m.legs.joint == "angle")
    of = {column.title: column.unit for column in table.columns}
    assert (of["peak speed"], of["peak acceleration"]) == (
        f"{m.displayed_joint_unit}/s",
        f"{m.displayed_joint_unit}/s2",
    )
    used = {column.title for column in table.columns if column.title.endswith(" used")}
    own = {"speed": m.limits.joint_speed, "acceleration": m.limits.joint_acceleration}
    own["torque" if m.legs.joint == "angle" else "force"] = m.limits.actuator_force
    assert used == {f"{name} used" for name, limit in own.items() if limit is not None}
    assert section.numbers["tracking_error"] > 0
    error, (unit,) = section.numbers["tracking_error"], section.declared["tracking_error"].unit
    assert section.blocks[3].words.endswith(f" {with_unit(m, error, fitting(m, error, unit), 3)}.")


def test_natural_frequencies_and_what_swings():
    m = gough.load("dehaeze")
    section = vibration_modes(Datasheet(m))
    np.testing.assert_allclose(section.numbers["frequency"], gough.natural_frequencies(m, m.home).frequency)
    table = section.blocks[1]
    assert [shown(row[1]) for row in table.rows][:3] == [780.6, 780.6, 903.9]
    for row in table.rows:
        assert sum(map(shown, row[2:])) == pytest.approx(100, abs=3)
    assert section.cards[0].value == "780.6"
    lowest = section.numbers["lowest_in_the_workspace"]
    assert lowest["frequency"] == pytest.approx(gough.dynamics.lowest_frequency(m, samples=9).value, rel=1e-9)
    assert section.blocks[2].pairs[0][1].startswith("780.3 Hz at (")


def test_a_point_mass_has_the_three_frequencies_of_the_compliance_of_its_place():
    """Its platform turns as the legs let it: m v_tt = - (K^-1 of translations)^-1 v."""
    m = gough.load("dumitriu2017")
    point = Body(mass=m.platform.mass, mass_centre=np.zeros(3), inertia=np.zeros((3, 3)))
    m = replace(m, actuators=Actuators(stiffness=np.full(6, 1e6)), leg_bodies={}, platform=point)
    section = vibration_modes(Datasheet(m))
    compliance = np.linalg.eigvalsh(np.linalg.inv(gough.stiffness(m, m.home))[:3, :3])
    expected = 1 / (2 * np.pi * np.sqrt(point.mass * compliance[::-1]))
    np.testing.assert_allclose(section.numbers["frequency"][:3], expected, rtol=1e-9)
    assert section.numbers["frequency"][3:] == [None] * 3
    assert [row[1] for row in section.blocks[2].rows[3:]] == ["–"] * 3
    assert section.blocks[1].is_warning
    assert section.blocks[1].words.startswith(
        "3 of 6 frequencies do not exist at this pose: some motion has no inertia"
    )
    assert shown(section.cards[0].value) == pytest.approx(expected[0], rel=1e-2)


FRICTION = 1e-6
"""Of forces whose friction begins within microseconds, by brute force."""


def test_rms_forces_see_where_coulomb_friction_begins_and_ends(tmp_path):
    """Within a thousandth of the motion's time, between two of 300 times that are evenly spread."""
    path = tmp_path / "drawn.toml"
    path.write_text(drawn.as_toml(drawn.machine("RUS", 0)), "utf-8")
    m = gough.load(path)
    motion = stated_motion(Datasheet(m))
    found, end = gough.dynamics.motion_forces(m, motion).attrs, motion.span[1]
    near = np.geomspace(1e-9, 1e-2, 20_001) * end
    t = np.unique(np.concatenate([np.linspace(0, end, 200_001), near, end - near]))
    force = gough.inverse_dynamics(m, *motion(t))
    rms = np.sqrt(np.trapezoid(force**2, t, axis=0) / end)
    np.testing.assert_allclose(found["rms_force"], rms, rtol=FRICTION)
    np.testing.assert_allclose(found["peak_force"], np.abs(force).max(axis=0), rtol=FRICTION)
