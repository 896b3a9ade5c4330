"""Sections appear when the machine has the data, and say what Gough's functions answer."""

import json
from dataclasses import replace
from types import MappingProxyType

import numpy as np
import pytest
from tests.datasheet.blocks import BODY, CALIBRATED, EMPTY, HALF_A_DIGIT, has_data, shown, tables
from tests.skew import SKEW
from tests.thorough import thorough

import gough
from gough.datasheet.model import Picture, Text
from gough.datasheet.sections import SECTIONS
from gough.datasheet.sections.accuracy import accuracy, calibration, resolution
from gough.datasheet.sections.geometry import drives, masses
from gough.datasheet.sections.kinematics import conditioning, speeds
from gough.datasheet.sections.machine import legs
from gough.datasheet.sections.machine import machine as machine_section
from gough.datasheet.sections.source import published
from gough.datasheet.sections.statics import capacity, forces, stiffness
from gough.datasheet.sheet import Datasheet
from gough.machine import Actuators, Limits

NEEDS = {
    "speeds": (speeds, {"limits": Limits(joint_speed=np.full(6, 0.1))}),
    "resolution": (resolution, {"actuators": Actuators(resolution=np.full(6, 1e-6))}),
    "stiffness": (stiffness, {"actuators": Actuators(stiffness=np.full(6, 1e8))}),
    "rigidity": (stiffness, {"actuators": Actuators(axial_rigidity=np.full(6, 1e8))}),
    "forces": (forces, {"platform": BODY}),
    "load capacity": (capacity, {"limits": Limits(actuator_force=np.full(6, 500.0))}),
    "drives": (drives, {"actuators": Actuators(coulomb_friction=np.full(6, 5.0))}),
    "masses of the platform": (masses, {"platform": BODY}),
    "masses of legs": (masses, {"leg_bodies": MappingProxyType({"piston": BODY})}),
    "calibration": (calibration, {"calibration": CALIBRATED}),
    "published": (published, {"published": {"longest_leg_mm": 970}}),
}


@pytest.mark.usefixtures("coarse")
@pytest.mark.parametrize(("section", "data"), NEEDS.values(), ids=NEEDS)
def test_a_section_appears_with_its_data_only(sheet_like_hexel, section, data):
    assert section(sheet_like_hexel(**EMPTY)) is None
    assert section(sheet_like_hexel(**{**EMPTY, **data})).blocks


OF_EVERY_KIND = ("hexel-head", "rubin-m2", "singular-home", SKEW[1])
"""A head, shared joints, a singular home; sliders with all that a file can say. Others: the tests of sections."""


@pytest.mark.usefixtures("coarse", "no_search")
@pytest.mark.parametrize("name", [*thorough(*OF_EVERY_KIND[:3]), OF_EVERY_KIND[3]])
def test_machines_of_every_kind_have_their_sections(name):
    sheet = Datasheet(gough.load(name))
    for what, section in SECTIONS:
        made = None if what == "range of motion" else section(sheet)
        if made is None:
            continue
        json.dumps(made.numbers, allow_nan=False)
        for table in tables(made):
            assert {len(row) for row in table.rows} == {len(table.columns)}
            assert all(isinstance(cell, str) for row in table.rows for cell in row)
        for picture in (block for block in made.shown if isinstance(block, Picture)):
            assert picture.caption
            assert picture.description
            assert has_data(picture.figure), (section, picture.caption)


def test_largest_payloads_come_on_top_of_the_payload_carried():
    m = gough.load("nasa-msfc")
    m = replace(m, limits=replace(m.limits, actuator_force=np.full(6, 2e4)))
    alone, loaded = (capacity(Datasheet(each)) for each in (m, m.with_payload(100.0, [0.0, 0.0, 0.2])))
    assert "carried" not in alone.blocks[0].words + alone.cards[0].detail
    assert "first reaches its force, in addition to the payload carried. " in loaded.blocks[0].words
    assert loaded.cards[0].detail.startswith("in addition to the payload carried; platform horizontal; ")
    assert loaded.numbers["payload"]["upright"]["mass"] < alone.numbers["payload"]["upright"]["mass"] - 90


def test_stroke_used_and_distances_to_the_limits():
    machine = gough.load("servo")
    low, high = machine.limits.joint_min, machine.limits.joint_max
    q = gough.inverse_kinematics(machine, machine.home)
    rows = tables(legs(Datasheet(machine)))[0].rows
    for i, row in enumerate(rows):
        _, at, lowest, highest, to_low, to_high, used = (shown(cell) for cell in row)
        assert used == pytest.approx(100 * (q[i] - low[i]) / (high[i] - low[i]), abs=HALF_A_DIGIT * 0.1)
        assert at - lowest == pytest.approx(to_low, abs=2e-3)
        assert highest - at == pytest.approx(to_high, abs=2e-3)


def test_a_singular_home_is_said_and_asks_for_nothing_that_needs_an_inverse():
    machine = gough.load("singular-home")
    known = Actuators(resolution=np.full(6, 1e-6), stiffness=np.full(6, 1e8))
    sheet = Datasheet(replace(machine, actuators=known, platform=BODY))
    section = conditioning(sheet)
    assert section.blocks[0] == Text(
        "Home is singular: there the legs cannot hold the platform in every direction.", True
    )
    assert section.numbers["condition_number"] is None
    assert (resolution(sheet), stiffness(sheet), forces(sheet), accuracy(sheet)) == (None,) * 4
    assert not sheet.has_workspace


def test_a_home_that_breaks_a_limit_is_said(sheet_like_hexel):
    section = machine_section(sheet_like_hexel(limits=Limits(joint_max=np.full(6, 0.5))))
    warning = section.blocks[0]
    assert warning.is_warning
    assert "leg 6 needs 586.83 mm, allowed up to 500 mm" in warning.words
    assert section.numbers["home_allowed"] is False


def test_published_home_lengths_stand_beside_ours():
    machine = gough.load("linuxcnc")
    section = published(Datasheet(machine))
    entry = section.numbers["home_lengths_in"]
    # The source prints nine decimals.
    assert entry["ours"] == pytest.approx(entry["published"], abs=1e-9)
    row = next(row for row in tables(section)[0].rows if row[0] == "home lengths")
    assert row[1] == "in"
    assert row[2] == row[3]


def test_published_stiffness_stands_beside_ours():
    numbers = published(Datasheet(gough.load("dehaeze"))).numbers
    # The source prints hundredths of N/m and of N m.
    for key in ("stiffness_diagonal_at_tool_N_per_m_and_N_m", "stiffness_x_ry_N", "stiffness_y_rx_N"):
        assert numbers[key]["ours"] == pytest.approx(numbers[key]["published"], abs=0.0051)
