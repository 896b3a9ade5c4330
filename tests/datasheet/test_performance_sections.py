"""Sections of what a machine can do, hold and keep to: speeds, conditioning, accuracy, stiffness, forces, capacity."""

from dataclasses import replace

import numpy as np
import pytest
from tests.datasheet.blocks import pictures, shown, tables
from tests.skew import SKEW

import gough
from gough.datasheet.sections.accuracy import accuracy, resolution
from gough.datasheet.sections.kinematics import speeds
from gough.datasheet.sections.statics import capacity, stiffness
from gough.datasheet.sheet import Datasheet


@pytest.mark.usefixtures("coarse", "no_search")
def test_no_drive_exceeds_its_speed_at_the_top_speed(machine):
    fast = replace(machine, limits=replace(machine.limits, joint_speed=np.linspace(0.1, 0.2, 6)))
    numbers = speeds(Datasheet(fast)).numbers
    for k, axis in enumerate(("x", "y", "z", "rx", "ry", "rz")):
        V = np.zeros(6)
        V[k] = numbers[axis]["top_speed"]
        r = fast.X_home[:3, :3] @ fast.point_of_interest
        V[:3] -= np.cross(V[3:], r)
        used = np.abs(gough.joint_rates(fast, fast.home, V)) / fast.limits.joint_speed
        assert used.max() == pytest.approx(1)
        assert np.argmax(used) + 1 == numbers[axis]["leg"]


SIZES = {"nm": 1e-9, "µm": 1e-6, "mm": 1e-3, "m": 1.0, "nrad": 1e-9, "µrad": 1e-6, "mrad": 1e-3, "rad": 1.0}
SIZES |= {"N/µm": 1e6, "N m/mrad": 1e3, "lbf/in": 4.4482216152605 / 0.0254, "µin": 2.54e-8, "in": 0.0254}
SIZES |= {"mas": np.pi / 648e6, "arcsec": np.pi / 648e3, "deg": np.pi / 180}


@pytest.mark.usefixtures("coarse", "no_search")
@pytest.mark.parametrize("name", SKEW)
def test_tables_of_accuracy_resolution_and_stiffness_say_what_the_numbers_are_in_si(name):
    machine = gough.load(name)
    sheet = Datasheet(machine)
    error = accuracy(sheet).numbers["error_of_each_parameter"]
    assert 0.4 * 2e-5 * machine.size <= error <= 2e-5 * machine.size
    errors = gough.accuracy.pose_error(machine, machine.home, error)
    steps = gough.accuracy.resolution(machine, machine.home)
    for section, found in ((accuracy(sheet), errors), (resolution(sheet), steps)):
        for k, row in enumerate(tables(section)[0].rows):
            for cell, value in zip(row[1:3], (found.worst_case[k], found.rms[k]), strict=True):
                assert shown(cell) * SIZES[row[3]] == pytest.approx(value, rel=6e-3)
            assert (row[3] in ("mas", "arcsec", "deg")) == (k > 2), "angles of the file are minutes of arc"
    K = gough.stiffness(machine, machine.home, point=machine.point_of_interest)
    found, section = gough.statics.principal_stiffness(K), stiffness(sheet)
    (softest,) = section.cards
    assert shown(softest.value) * SIZES[softest.unit] == pytest.approx(found.translation.min(), rel=6e-3)
    for motion, part in (("translation", slice(3)), ("rotation", slice(3, 6))):
        rows = tables(section)[0].rows[part]
        given = [shown(row[1]) * SIZES[row[2]] for row in rows]
        np.testing.assert_allclose(given, getattr(found, motion), rtol=6e-3)
        numbers = section.numbers[motion]
        np.testing.assert_allclose(numbers["values"], getattr(found, motion), rtol=1e-9)
        assert ("rad" in section.declared[f"{motion}.values"].unit) == (motion == "rotation")


def test_hexel_shows_its_velocity_envelopes_over_the_workspace_and_its_stiffness(hexel_report):
    """What De Sapio (1998) draws as figures 19, 20 and 21."""
    found = {section.key: section for section in hexel_report.sections}
    at_home, in_place, over_workspace = pictures(found["speeds"])
    assert all(picture.is_scene for picture in (at_home, in_place, over_workspace))
    assert at_home.figure.layout.scene.xaxis.title.text == "vx [mm/s]"
    assert in_place.figure.layout.scene.zaxis.title.text == "wz [deg/s]"
    assert over_workspace.figure.layout.scene.xaxis.title.text == "x [mm]"
    over_slice, on_machine = pictures(found["stiffness"])
    assert on_machine.is_scene
    assert over_slice.figure.layout.xaxis.title.text == "x [mm]"


def test_load_capacity_is_the_librarys_by_mounting_and_axis():
    m = gough.load("servo")
    section = capacity(Datasheet(m))
    for row, cells in zip(gough.statics.payload_table(m, m.home), tables(section)[0].rows, strict=True):
        assert shown(cells[1]) == pytest.approx(row.mass, rel=1e-3)
        assert section.numbers["payload"][row.mounting]["mass"] == pytest.approx(row.mass)
    loads = {cells[0]: shown(cells[1]) for cells in tables(section)[1].rows}
    assert loads["every direction"] == pytest.approx(
        float(gough.statics.guaranteed_wrench(m, m.home, gravity=True)), rel=1e-3
    )
    fz = gough.statics.capacity_table(m, m.home, gravity=True)[2]
    assert loads["fz"] == pytest.approx(fz.minus, rel=1e-3)
    assert fz.minus < fz.plus
    assert section.numbers["load"]["fz"]["plus"] == pytest.approx(fz.plus)
    assert len(pictures(section)) == 2
