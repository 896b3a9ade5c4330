"""The datasheet of two stages has sections of what both do together: those of one stage, said of twelve legs."""

from dataclasses import replace

import numpy as np
import pytest
from tests.skew import SKEW_STACK

import gough
from gough.datasheet.build import build
from gough.datasheet.sections.kinematics import conditioning, linear_map
from gough.datasheet.sheet import StackedSheet
from gough.dynamics.motions import states_of_all
from gough.machine import Actuators
from gough.present.answer import Table


@pytest.fixture
def driven():
    """A machine of two stages of which everything is known, the stages unlike."""
    m = gough.load("double-hexapod")
    parts = [
        replace(
            stage,
            actuators=Actuators(stiffness=np.linspace(k, 2 * k, 6), resolution=np.full(6, 1e-12 * k)),
            limits=replace(stage.limits, joint_speed=np.full(6, 1e-6 * k), actuator_force=np.full(6, 3e-4 * k)),
        )
        for k, stage in zip((2e6, 1e6), m.stages, strict=True)
    ]
    return replace(m, stages=tuple(parts), share=0.3)


@pytest.mark.thorough
@pytest.mark.usefixtures("coarse", "no_search", "no_figures")
def test_numbers_are_those_of_both_stages_together(driven):
    m = driven
    report = build(StackedSheet(m))
    found = report.numbers()
    cards = {card.label: card for section in report.sections for card in section.cards}
    assert list(cards)[:5] == ["Legs", "Size", "Tightest leg or joint at home", "Leg length", "Joint angles"]
    home = gough.margins(m, m.X_home)
    of_legs = home.relative[[bool(column.legs) for column in home.columns]]
    assert found["machine"]["leg_margin"] == pytest.approx(np.nanmin(of_legs), rel=1e-12)
    assert found["machine"]["stage_2"]["highest"] == m.upper.limits.joint_max.tolist()
    assert cards["Leg length"].detail.endswith("both stages")
    assert {"Workspace", "Workspace gain"} <= set(cards)
    e = gough.velocity_envelope(m, m.end_home)
    assert found["speeds"]["every_direction"]["speed"] == pytest.approx(float(e.guaranteed()), rel=1e-12)
    assert [found["speeds"][axis]["top_speed"] for axis in ("x", "rz")] == pytest.approx(
        [float(e.speed(np.eye(6)[k])) for k in (0, 5)], rel=1e-12
    )
    range_of = gough.regions.corners(m, "translation")
    assert np.array(found["corners"]["translation"]["points"]) == pytest.approx(range_of.points, rel=1e-9)
    steps = gough.accuracy.resolution(m, m.X_home)
    assert found["resolution"]["z"]["rms"] == pytest.approx(float(steps.rms[2]), rel=1e-12)
    assert len(found["resolution"]["step"]["values"]) == 12
    K = gough.stiffness(m, m.X_home, point=m.point_of_interest)
    np.testing.assert_allclose(found["stiffness"]["matrix_about_point_of_interest"], K, rtol=1e-12, atol=1e-6)
    modes = gough.natural_frequencies(m, m.X_home)
    np.testing.assert_allclose(found["modes"]["frequency"], modes.frequency, rtol=1e-9)
    masses = gough.statics.payload_table(m, m.X_home)
    assert found["capacity"]["payload"]["upright"]["mass"] == pytest.approx(masses[0].mass, rel=1e-9)
    assert "stage 2: platform" in found["capacity"]["counted"]
    dexterity = gough.singularity.conditioning(m, m.X_home)
    assert found["conditioning"]["condition_number"] == pytest.approx(float(dexterity.condition_number), rel=1e-9)
    np.testing.assert_allclose(
        found["linear_map"]["T_inv"], gough.kinematics.linear_map(m).T_inv, rtol=1e-12, atol=1e-15
    )
    assert found["units"]["linear_map.T_inv"] == [["m/m"] * 3 + ["m/rad"] * 3] * 12
    stated = gough.dynamics.CosineMotion(
        m.end_home, [0, 0, 1, 0, 0, 0], found["dynamics"]["stroke"] / 2, found["dynamics"]["time"]
    )
    loads = gough.dynamics.motion_forces(m, stated, np.linspace(0, stated.span[1], 401))
    np.testing.assert_allclose(found["dynamics"]["peak_force"], loads.attrs["peak_force"], rtol=1e-3)
    rate = np.abs(loads["joint_rate"].to_numpy()).max(axis=0)
    assert (rate / np.repeat([2.0, 1.0], 6)).max() == pytest.approx(0.5, rel=1e-3), "half the top speed of one stage"
    assert "lower stage goes 30 %" in report.html()
    time = found["dynamics"]["time"]
    pid = gough.dynamics.LegPID.tuned(m, stated, 2 * np.pi * found["dynamics"]["bandwidth"], holds_weight=True)
    X, V, _ = states_of_all(m, stated(0.0))
    how = {"stop_at": (), "method": "LSODA", "rtol": 1e-6, "atol": 1e-9}
    off = np.abs(gough.simulate(m, X, V, pid, time, **how)["joint_error"].to_numpy()).max(axis=0)
    expected = [off[:6].max(), off[6:].max()]
    assert found["dynamics"]["tracking_error"] == pytest.approx(expected, rel=1e-3), "of each stage's own legs"


def test_gravity_of_the_upper_stage_is_that_of_the_lower_one_in_axes_of_its_base():
    m = gough.load(SKEW_STACK)
    lower, upper = (sheet.machine.gravity for sheet in StackedSheet(m).stages)
    np.testing.assert_array_equal(lower, m.gravity)
    R_BU = m.X_home[0, :3, :3] @ m.X_IU[:3, :3]
    np.testing.assert_allclose(R_BU @ upper, m.gravity, rtol=0, atol=1e-12)
    assert np.abs(upper - m.upper.gravity).max() > 1, "of its file"


def test_linear_maps_have_a_table_for_each_stage_in_the_units_of_its_joints():
    m = gough.load(SKEW_STACK)
    sheet = StackedSheet(replace(m, stages=(m.lower, gough.load("servo"))))
    section, K = linear_map(sheet), gough.kinematics.linear_map(sheet.machine)
    tables = [block for block in section.blocks if isinstance(block, Table)]
    assert [table.caption.rsplit(", ", 1)[1] for table in tables] == ["stage 1", "stage 2"]
    assert [[row[0] for row in table.rows] for table in tables] == [list("123456"), ["7", "8", "9", "10", "11", "12"]]
    units = [[row.strip("]").rsplit("[", 1)[1] for row in table.header[1:]] for table in tables]
    assert units == [["ft/ft"] * 3 + ["ft/mrad"] * 3, ["mrad/ft"] * 3 + ["mrad/mrad"] * 3]
    foot, mrad = m.units.metres, m.units.radians
    for table, joint, rows in zip(tables, (foot, mrad), np.split(K.T_inv, 2), strict=True):
        shown = [float(row[3].replace("\N{MINUS SIGN}", "-")) for row in table.rows]
        np.testing.assert_allclose(shown, rows[:, 2] / joint * foot, rtol=1e-3)
        shown = [float(row[1].replace("\N{MINUS SIGN}", "-")) for row in table.rows]
        np.testing.assert_allclose(shown, rows[:, 0] / joint * foot, rtol=1e-3)
    assert "The lower stage goes 50 %" in section.blocks[0].words


def test_unlike_joints_have_no_common_norm():
    m = gough.load(SKEW_STACK)
    mixed = StackedSheet(replace(m, stages=(m.lower, gough.load("servo"))))
    assert conditioning(mixed) is None
    assert np.isfinite(conditioning(StackedSheet(m)).numbers["condition_number"])
