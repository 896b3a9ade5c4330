"""Sections appear when the machine has the data, and say what Gough's functions answer."""

import json
import re
from dataclasses import replace
from datetime import date
from types import MappingProxyType

import numpy as np
import pytest
from scipy.spatial.transform import Rotation
from tests.datasheet.blocks import BODY, CALIBRATED, EMPTY, HALF_A_DIGIT, has_data, pictures, shown, tables
from tests.skew import SKEW
from tests.thorough import thorough

import gough
from gough.datasheet.build import Report
from gough.datasheet.model import Facts, Picture, Text
from gough.datasheet.sections import SECTIONS
from gough.datasheet.sections.accuracy import accuracy
from gough.datasheet.sections.calibration import calibration
from gough.datasheet.sections.capacity import capacity
from gough.datasheet.sections.conditioning import conditioning
from gough.datasheet.sections.drives import drives
from gough.datasheet.sections.forces import forces
from gough.datasheet.sections.geometry import geometry
from gough.datasheet.sections.legs import legs
from gough.datasheet.sections.machine import machine as machine_section
from gough.datasheet.sections.margins import margins
from gough.datasheet.sections.masses import masses
from gough.datasheet.sections.published import published
from gough.datasheet.sections.regions import regions
from gough.datasheet.sections.resolution import resolution
from gough.datasheet.sections.speeds import speeds
from gough.datasheet.sections.stiffness import stiffness
from gough.datasheet.sheet import Datasheet
from gough.datasheet.summary import summary
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


@pytest.mark.usefixtures("coarse")
def test_the_map_of_stiffness_has_an_area_where_the_weakest_place_is_an_apex():
    section = stiffness(Datasheet(gough.load("pitch-circle")))
    over_slice, _ = pictures(section)
    assert has_data(over_slice.figure)
    assert over_slice.figure.layout.yaxis.title.text == "z [mm]", "upright: a level one has a point"


def test_the_terminal_and_the_section_name_legs_and_joints_first_too(hexel_report):
    told = "\n".join(map(str, summary(hexel_report)))
    text = next(section for section in hexel_report.sections if section.key == "margins").blocks[0].words
    words = "leg 6 angle to the base plate 57.495 deg, allowed at least 33.367 deg; tighter: tool z 800 mm, allowed"
    assert re.search(f"Tightest leg or joint at home +{words}", told)
    assert text.startswith(f"Tightest leg or joint at home: {words}")


def test_a_singular_home_has_no_proof_without_a_word():
    sheet = Datasheet(gough.load("singular-home"))
    section = regions(sheet)
    assert [block.words for block in section.blocks if isinstance(block, Text) and block.is_warning] == [
        "Some of these poses are singular: the legs do not hold the platform there."
    ]
    assert section.cards[0].detail.endswith("proven, but singular")
    assert re.search("Proven region .*: proven, but singular", "\n".join(map(str, summary(Report(sheet, (section,))))))


def test_a_payload_has_a_card():
    m = gough.load("pitch-circle")
    assert all(card.label != "Payload carried" for card in machine_section(Datasheet(m)).cards)
    section = machine_section(Datasheet(m.with_payload(12.5, [0.0, 0.01, 0.2])))
    card = next(card for card in section.cards if card.label == "Payload carried")
    assert (card.value, card.unit) == ("12.50", "kg")
    assert "(0, 10.0, 200) mm" in card.detail
    assert section.numbers["payload"] == {"mass": 12.5, "centre": [0.0, 0.01, 0.2]}


def test_largest_payloads_come_on_top_of_the_payload_carried():
    m = gough.load("nasa-msfc")
    m = replace(m, limits=replace(m.limits, actuator_force=np.full(6, 2e4)))
    alone, loaded = (capacity(Datasheet(each)) for each in (m, m.with_payload(100.0, [0.0, 0.0, 0.2])))
    assert "carried" not in alone.blocks[0].words + alone.cards[0].detail
    assert "first reaches its force, besides the payload carried. " in loaded.blocks[0].words
    assert loaded.cards[0].detail.startswith("besides that carried; platform horizontal; ")
    assert loaded.numbers["payload"]["upright"]["mass"] < alone.numbers["payload"]["upright"]["mass"] - 90


def test_leg_table_holds_the_inverse_kinematics(machine):
    section = legs(Datasheet(machine))
    q = gough.inverse_kinematics(machine, machine.home)
    assert section.numbers["home"] == pytest.approx(q)
    q = q / machine.displayed_joint_size
    cells = [row[1] for row in tables(section)[0].rows]
    step = 10.0 ** -len(cells[0].partition(".")[2])
    assert [shown(cell) for cell in cells] == pytest.approx(q, abs=HALF_A_DIGIT * step)


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


def test_rod_directions_are_unit_vectors_towards_the_platform(machine):
    u = np.array(legs(Datasheet(machine)).numbers["direction"])
    q = gough.inverse_kinematics(machine, machine.home)
    d = machine.b_home - machine.legs.driven_points(q)
    assert np.linalg.norm(u, axis=1) == pytest.approx(1)
    assert np.cross(u, d) == pytest.approx(0, abs=1e-12)
    assert (np.sum(u * d, axis=1) > 0).all()


def test_plate_angle_of_hexel_agrees_with_its_margin(hexel_sheet):
    found = gough.margins(hexel_sheet.machine, hexel_sheet.machine.home)
    angles = np.array(legs(hexel_sheet).numbers["angle_to_base_plate"])
    for i in range(6):
        margin = found.values[found.names.index(f"leg {i + 1} base plate angle")]
        assert angles[i] - margin == pytest.approx(hexel_sheet.machine.limits.base_plate.minimum[i])


def test_angles_of_cones_are_given_against_their_axes():
    machine = gough.load("rotopod")
    table = tables(legs(Datasheet(machine)))[2]
    # The cones stand round the directions at home, as the file names none.
    assert [shown(row[1]) for row in table.rows] == pytest.approx([0.0] * 6, abs=1e-3)
    assert [shown(row[2]) for row in table.rows] == pytest.approx(np.degrees(machine.limits.base_cone.half_angle))


def test_travel_and_margin_numbers_are_those_of_the_analysis(hexel_report):
    numbers = hexel_report.numbers()
    machine = hexel_report.sheet.machine
    for row in gough.travel_table(machine):
        entry = numbers["travel"][row.axis]
        assert [entry["minus"], entry["plus"]] == pytest.approx([row.minus, row.plus])
        assert (entry["minus_binding"], entry["plus_binding"]) == (row.minus_binding, row.plus_binding)
        assert numbers["units"][f"travel.{row.axis}.plus"] == ("rad" if row.axis.startswith("r") else "m")
    found = gough.margins(machine, machine.home)
    assert numbers["margins"]["binding"] == found.binding
    assert numbers["margins"]["limits"]["relative"][0] == pytest.approx(found.relative.min())
    assert sorted(numbers["margins"]["limits"]["name"]) == sorted(found.names)


def test_corners_are_those_of_the_analysis(hexel_report):
    numbers = hexel_report.numbers()["corners"]
    sheet = hexel_report.sheet
    assert np.array(numbers["translation"]["points"]) == pytest.approx(sheet.corners["translation"].points)
    assert np.array(numbers["rotation"]["points"]) == pytest.approx(sheet.corners["rotation"].points)


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


@pytest.mark.parametrize(
    "printed",
    ["tall", [1.0, 2.0], float("nan"), date(1998, 5, 1), {"a": 1}, [[1, 2], [3, "x"]], [], True],
    ids=str,
)
@pytest.mark.parametrize("key", ["home_lengths_mm", "stiffness_x_ry_N", "home_height_mm"])
def test_a_source_may_print_anything(sheet_like_hexel, key, printed):
    section = published(sheet_like_hexel(published={key: printed}, actuators=Actuators()))
    assert len(section.blocks[1].rows) == 1
    json.dumps(section.numbers, allow_nan=False)


def test_figures_that_do_not_compare_are_printed_alone(hexel_report):
    section = next(section for section in hexel_report.sections if section.key == "published")
    table = tables(section)[0]
    assert [column.title for column in table.columns] == ["figure", "unit", "published"]
    assert ["longest leg", "mm", "970"] in [list(row) for row in table.rows]


def test_a_singular_home_is_said_before_its_margins():
    section = margins(Datasheet(gough.load("singular-home")))
    assert section.blocks[0].is_warning
    assert "singular at home: det J = 0" in section.blocks[0].words
    assert section.numbers["is_singular"]


def test_the_home_pose_is_three_lengths_and_three_angles():
    machine = gough.load(SKEW[0])
    facts = next(block for block in geometry(Datasheet(machine)).blocks if isinstance(block, Facts))
    words = dict(facts.pairs)["Home pose of the platform"]
    found = [float(n.replace("−", "-")) for n in re.findall(r"[−-]?\d[\d.]*(?:e[−-]?\d+)?", words)]
    angles = Rotation.from_matrix(machine.X_home[:3, :3]).as_euler("XYZ")
    wanted = [*machine.X_home[:3, 3] / machine.units.metres, *angles / machine.units.radians]
    np.testing.assert_allclose(found, wanted, rtol=2e-3, atol=1e-3)


def test_drives_are_written_with_the_digits_that_the_file_gives():
    (table,) = drives(Datasheet(gough.load(SKEW[2]))).blocks
    rows = {row[0]: row[1:] for row in table.rows}
    assert rows["resolution"] == ["0.44693", "0.509263", "0.784436", "0.627094", "0.696246", "0.746559", "arcmin"]
    assert rows["viscous friction"] == ["0.465", "0.512", "0.5", "0.68", "0.392", "0.68", "N m s/rad"]
    assert rows["rotor inertia"][3] == "4.7115×10⁻⁷"
    assert [column.is_number for column in table.columns] == [False] + 6 * [True] + [False]


@pytest.mark.parametrize(
    ("name", "value", "detail"),
    [
        ("dehaeze", "0.09517542 to 0.09527542", "of every leg"),
        ("hexel", "up to 970", "of every leg"),
        ("linapod", "0.9 to 2.25", "of all legs together"),
        ("pitch-circle", "195 to 226", "of every leg"),
    ],
)
def test_the_card_of_the_legs_has_digits_enough_for_their_stroke(name, value, detail):
    card = legs(Datasheet(gough.load(name))).cards[0]
    assert (card.value, card.detail) == (value, detail)
