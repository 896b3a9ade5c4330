"""Sections appear when the machine has the data, and say what Gough's functions answer."""

import json
import re
from dataclasses import replace
from datetime import date
from types import MappingProxyType

import numpy as np
import pytest
from scipy.spatial.transform import Rotation
from tests.skew import SKEW

import gough
from gough.datasheet.model import Facts, Picture, Table, Text
from gough.datasheet.sections import SECTIONS
from gough.datasheet.sections.accuracy import accuracy
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
from gough.datasheet.sections.resolution import resolution
from gough.datasheet.sections.source import source
from gough.datasheet.sections.speeds import speeds
from gough.datasheet.sections.stiffness import stiffness
from gough.datasheet.sheet import Datasheet
from gough.machine import Actuators, Body, Limits

HALF_A_DIGIT = 0.5001
"""Of the last decimal: what rounding may change."""

BODY = Body(mass=20.0, mass_centre=np.zeros(3), inertia=np.eye(3))
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
    "published": (published, {"published": {"longest_leg_mm": 970}}),
}
EMPTY = {"limits": Limits(), "actuators": Actuators(), "platform": None, "leg_bodies": {}, "published": {}}


def tables(section):
    return [block for block in section.blocks if isinstance(block, Table)]


def shown(text):
    """The number in a cell."""
    return float(text.replace("−", "-"))


@pytest.mark.usefixtures("coarse")
@pytest.mark.parametrize(("section", "data"), NEEDS.values(), ids=NEEDS)
def test_a_section_appears_with_its_data_only(sheet_like_hexel, section, data):
    assert section(sheet_like_hexel(**EMPTY)) is None
    assert section(sheet_like_hexel(**{**EMPTY, **data})).blocks


def test_the_report_of_hexel_has_what_hexel_has(hexel_report):
    keys = [section.key for section in hexel_report.sections]
    assert len(set(keys)) == len(keys)
    assert {"machine", "travel", "corners", "margins", "legs", "conditioning", "geometry", "source"} <= set(keys)
    assert {"speeds", "stiffness", "drives", "published"} <= set(keys)
    assert not {"resolution", "masses", "forces"} & set(keys)


# One or two of every sort: struts general, shared, symmetric and singular; sliders; cranks; with masses, with a head.
OF_EVERY_SORT = (
    "hexel",
    "hexel-head",
    "rubin-m2",
    "tsai2000",
    "singular-home",
    "sinatra2009",
    "paradex",
    "servo",
    "rotopod",
    *SKEW,
)


@pytest.mark.usefixtures("coarse")
@pytest.mark.parametrize("name", OF_EVERY_SORT)
def test_machines_of_every_sort_have_their_sections(name):
    sheet = Datasheet(gough.load(name))
    for what, section in SECTIONS:
        made = None if what == "range of motion" else section(sheet)
        if made is None:
            continue
        json.dumps(made.numbers, allow_nan=False)
        for table in tables(made):
            assert {len(row) for row in table.rows} == {len(table.columns)}
            assert all(isinstance(cell, str) for row in table.rows for cell in row)
        for picture in (block for block in made.blocks if isinstance(block, Picture)):
            assert picture.caption
            assert picture.description


def test_leg_table_holds_the_inverse_kinematics(machine):
    section = legs(Datasheet(machine))
    q = gough.inverse_kinematics(machine, machine.home)
    assert section.numbers["home"] == pytest.approx(q)
    q = q / machine.joint_scale
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
        assert angles[i] - margin == pytest.approx(hexel_sheet.machine.limits.base_plate.minimum)


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
        assert entry["unit"] == ("rad" if row.axis.startswith("r") else "m")
    found = gough.margins(machine, machine.home)
    assert numbers["margins"]["binding"] == found.binding
    assert numbers["margins"]["limits"][0]["relative"] == pytest.approx(found.relative.min())
    assert len(numbers["margins"]["limits"]) == len(found.names)


def test_corners_are_those_of_the_analysis(hexel_report):
    numbers = hexel_report.numbers()["corners"]
    sheet = hexel_report.sheet
    assert np.array(numbers["translation"]["points"]) == pytest.approx(sheet.translation_corners.points)
    assert np.array(numbers["rotation"]["points"]) == pytest.approx(sheet.rotation_corners.points)


def test_conditioning_belongs_to_the_jacobian_about_the_joints_centre(machine):
    numbers = conditioning(Datasheet(machine)).numbers
    step = 1e-6
    centre, length = machine.platform_centre, machine.characteristic_length
    c_B = machine.X_home[:3, :3] @ centre + machine.X_home[:3, 3]
    J = np.empty((6, 6))
    for k in range(6):
        ends = []
        for sign in (1, -1):
            turn = np.zeros(3) if k < 3 else sign * step * np.eye(3)[k - 3] / length
            X = machine.X_home.copy()
            R = gough.pose([0, 0, 0], turn, "xyz").rotation.as_matrix()
            X[:3, :3] = R @ X[:3, :3]
            moved = c_B + (sign * step * np.eye(3)[k] if k < 3 else 0)
            X[:3, 3] = moved - X[:3, :3] @ centre
            ends.append(gough.inverse_kinematics(machine, X))
        J[:, k] = (ends[0] - ends[1]) / (2 * step)
    values = np.linalg.svd(J, compute_uv=False)
    # Central differences of step 1e-6: cancellation of 1e-10, truncation below it.
    assert numbers["singular_values"] == pytest.approx(values, rel=1e-7)
    assert numbers["condition_number"] == pytest.approx(values[0] / values[-1], rel=1e-7)
    assert numbers["manipulability"] == pytest.approx(1 / np.prod(values), rel=1e-7)
    assert numbers["determinant_sign"] == np.sign(np.linalg.det(J))


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
    assert "leg 6 needs 586.829 mm, allowed up to 500 mm" in warning.words
    assert section.numbers["home_allowed"] is False


@pytest.mark.usefixtures("coarse")
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
SIZES |= {"N/µm": 1e6, "N m/mrad": 1e3}


@pytest.mark.parametrize("name", SKEW)
def test_tables_of_accuracy_resolution_and_stiffness_say_what_the_numbers_are_in_si(name):
    machine = gough.load(name)
    sheet, errors = Datasheet(machine), gough.accuracy.pose_error(machine, machine.home, 10e-6)
    steps = gough.accuracy.resolution(machine, machine.home)
    for section, found in ((accuracy(sheet), errors), (resolution(sheet), steps)):
        for k, row in enumerate(tables(section)[0].rows):
            for cell, value in zip(row[1:3], (found.worst_case[k], found.rms[k]), strict=True):
                assert shown(cell) * SIZES[row[3]] == pytest.approx(value, rel=6e-3)
            assert row[3].endswith("rad") == (k > 2)
    K = gough.stiffness(machine, machine.home, point=machine.point_of_interest)
    found, section = gough.statics.principal_stiffness(K), stiffness(sheet)
    for motion, part in (("translation", slice(3)), ("rotation", slice(3, 6))):
        rows = tables(section)[0].rows[part]
        given = [shown(row[1]) * SIZES[row[2]] for row in rows]
        np.testing.assert_allclose(given, getattr(found, motion), rtol=6e-3)
        numbers = section.numbers[motion]
        np.testing.assert_allclose(numbers["values"], getattr(found, motion), rtol=1e-9)
        assert ("rad" in numbers["unit"]) == (motion == "rotation")


def test_resolution_is_the_platforms_answer_to_single_steps(machine):
    step = np.linspace(1, 2, 6) * 1e-9
    fine = replace(machine, actuators=Actuators(resolution=step))
    numbers = resolution(Datasheet(fine)).numbers
    twists = np.array([gough.platform_twist(fine, fine.home, step[i] * np.eye(6)[i]) for i in range(6)])
    twists[:, :3] += np.cross(twists[:, 3:], fine.X_home[:3, :3] @ fine.point_of_interest)
    for k, axis in enumerate(("x", "y", "z", "rx", "ry", "rz")):
        assert numbers[axis]["worst"] == pytest.approx(np.abs(twists[:, k]).sum())
        assert numbers[axis]["rms"] == pytest.approx(np.linalg.norm(twists[:, k]))


def test_static_forces_balance_the_weight(sheet_like_hexel):
    sheet = sheet_like_hexel(platform=BODY)
    force = np.array(forces(sheet).numbers["actuator_force"])
    assert (force @ sheet.u_B + BODY.mass * sheet.machine.gravity) == pytest.approx(np.zeros(3), abs=1e-9)


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


def test_the_last_section_tells_how_it_was_made(hexel_sheet):
    section = source(hexel_sheet)
    words = str(section.blocks)
    assert gough.__version__ in words
    assert "2026-01-31 12:30 UTC" in words
    assert "gough report hexel" in words
    assert hexel_sheet.machine.source in words


def pictures(section):
    return [block for block in section.blocks if isinstance(block, Picture)]


def test_hexel_shows_its_velocity_envelopes_over_the_workspace_and_its_stiffness(hexel_report):
    """What De Sapio (1998) draws as figures 19, 20 and 21."""
    found = {section.key: section for section in hexel_report.sections}
    at_home, in_place, over_workspace = pictures(found["speeds"])
    assert all(picture.is_scene for picture in (at_home, in_place, over_workspace))
    assert at_home.figure.layout.scene.xaxis.title.text == "vx [mm/s]"
    assert in_place.figure.layout.scene.zaxis.title.text == "wz [deg/s]"
    assert over_workspace.figure.layout.scene.xaxis.title.text == "x [mm]"
    on_machine, over_slice = pictures(found["stiffness"])
    assert on_machine.is_scene
    assert over_slice.figure.layout.xaxis.title.text == "x [mm]"


def test_stiffness_tells_what_a_load_does_and_where_the_weakest_place_is(hexel_report):
    section = next(section for section in hexel_report.sections if section.key == "stiffness")
    m = hexel_report.sheet.machine
    _, moved, forces_of_legs = tables(section)
    V = gough.statics.displacement_under_load(m, m.home, [0, 0, 100.0, 0, 0, 0])
    assert shown(moved.rows[2][3]) == pytest.approx(V[2] * 1e6, abs=HALF_A_DIGIT * 1e-3)
    f = gough.statics.axial_forces(m, m.home, [0, 0, 100.0, 0, 0, 0])
    assert [shown(cell) for cell in forces_of_legs.rows[2][1:]] == pytest.approx(f, abs=HALF_A_DIGIT * 1e-3)
    facts = next(block for block in section.blocks if isinstance(block, Facts))
    for (label, words), (motion, size) in zip(facts.pairs, {"translation": 1e6, "rotation": 1e3}.items(), strict=True):
        value = section.numbers["weakest_in_the_workspace"][motion]["value"]
        assert label == f"Weakest found in {motion}"
        assert shown(words.split()[0]) * size == pytest.approx(value, rel=6e-3)
    weakest = section.numbers["weakest_in_the_workspace"]["translation"]
    K = gough.stiffness(m, gough.pose(weakest["position"]))
    assert weakest["value"] == pytest.approx(gough.statics.principal_stiffness(K).translation[0])
    assert weakest["value"] < section.numbers["translation"]["values"][0]
    assert weakest["active_limits"]


def test_errors_of_the_geometry_add_up_to_the_budget(hexel_report):
    numbers = hexel_report.numbers()["accuracy"]
    G = np.array(numbers["sensitivity"]) * numbers["error_of_each_parameter"]
    assert [numbers[axis]["worst"] for axis in ("x", "rz")] == pytest.approx(np.abs(G).sum(axis=1)[[0, 5]])
    assert numbers["y"]["rms"] == pytest.approx(np.linalg.norm(G[1]))
    assert len(numbers["parameters"]) == 42


def test_load_capacity_is_the_librarys_by_mounting_and_axis():
    m = gough.load("servo")
    section = capacity(Datasheet(m))
    for row, cells in zip(gough.statics.payload_table(m, m.home), tables(section)[0].rows, strict=True):
        assert shown(cells[1]) == pytest.approx(row.mass, rel=1e-3)
        assert section.numbers["payload"][row.mounting]["mass"] == pytest.approx(row.mass)
    loads = {cells[0]: shown(cells[1]) for cells in tables(section)[1].rows}
    assert loads["every direction"] == pytest.approx(
        float(gough.statics.guaranteed_load(m, m.home, gravity=True)), rel=1e-3
    )
    fz = gough.statics.capacity_table(m, m.home, gravity=True)[2]
    assert loads["fz"] == pytest.approx(fz.minus, rel=1e-3)
    assert fz.minus < fz.plus
    assert section.numbers["load"]["fz"]["plus"] == pytest.approx(fz.plus)
    assert len(pictures(section)) == 2


def test_a_machine_without_an_end_has_speeds_but_no_map(sheet_like_hexel):
    sheet = sheet_like_hexel(**{**EMPTY, "limits": Limits(joint_speed=np.full(6, 0.1))})
    assert not sheet.has_workspace
    assert len(pictures(speeds(sheet))) == 2


def test_a_singular_home_is_said_before_its_margins():
    section = margins(Datasheet(gough.load("singular-home")))
    assert section.blocks[0].is_warning
    assert "singular at home: det J = 0" in section.blocks[0].words
    assert section.numbers["is_singular"]


def test_columns_of_words_are_not_set_as_numbers(hexel_report):
    for section in hexel_report.sections:
        for table in tables(section):
            for k, column in enumerate(table.columns):
                cells = {row[k] for row in table.rows} - {"no limit", "none", "–"}
                is_words = cells and not any(char.isdigit() for cell in cells for char in cell)
                assert not (column.is_number and is_words), (section.key, table.caption, column.title)


def test_the_home_pose_is_three_lengths_and_three_angles():
    machine = gough.load(SKEW[0])
    facts = next(block for block in geometry(Datasheet(machine)).blocks if isinstance(block, Facts))
    words = dict(facts.pairs)["Home pose of the platform"]
    found = [float(n.replace("−", "-")) for n in re.findall(r"[−-]?\d[\d.]*(?:e[−-]?\d+)?", words)]
    angles = Rotation.from_matrix(machine.X_home[:3, :3]).as_euler("XYZ")
    wanted = [*machine.X_home[:3, 3] / machine.units.metres, *angles / machine.units.radians]
    np.testing.assert_allclose(found, wanted, rtol=2e-3, atol=1e-3)
