"""Conditioning: definitions, invariants, and the map."""

import numpy as np
import pytest

import gough
from gough.datasheet.sections.kinematics import conditioning as conditioning_section
from gough.datasheet.sheet import Datasheet


def away(m):
    return m.X_home @ gough.pose_matrix(0.02 * m.size * np.array([1, -0.5, 0.7]), [0.05, 0.1, -0.07], "XYZ")


def test_the_numbers_are_those_of_the_jacobian(machine):
    X = away(machine)
    found = gough.singularity.conditioning(machine, X)
    r = X[:3, :3] @ machine.platform_centre
    to_origin = np.eye(6)
    to_origin[:3, 3:] = np.array([[0, -r[2], r[1]], [r[2], 0, -r[0]], [-r[1], r[0], 0]])  # v of the origin: v_c + r x w
    J = gough.jacobian(machine, X) @ to_origin @ np.diag([1] * 3 + [1 / machine.characteristic_length] * 3)
    assert found.condition_number == pytest.approx(np.linalg.cond(J), rel=1e-9)
    assert found.dexterity == pytest.approx(1 / np.linalg.cond(J), rel=1e-9)
    assert found.manipulability == pytest.approx(1 / abs(np.linalg.det(J)), rel=1e-9)
    g = gough.margins(machine, X)
    assert found.distance == pytest.approx(abs(g.values[-1] + machine.limits.singular_value))


def test_lengths_and_the_world_turned_change_nothing():
    base, platform = gough.load("hexel").legs.a_B, gough.load("hexel").b_P
    R = gough.pose_matrix([0.3, -1, 2], [0.4, -0.7, 1.1], "XYZ")
    X = gough.pose_matrix([0.05, 0.1, 0.76], [0.1, 0.05, -0.2], "XYZ")
    plain = gough.from_points(base, platform, home=X)
    turned = gough.from_points(base @ R[:3, :3].T + R[:3, 3], platform, home=R @ X)
    double = X.copy()
    double[:3, 3] *= 2
    large = gough.from_points(2 * base, 2 * platform, home=double)
    expected = gough.singularity.conditioning(plain, X).singular_values
    np.testing.assert_allclose(gough.singularity.conditioning(turned, R @ X).singular_values, expected, rtol=1e-12)
    np.testing.assert_allclose(gough.singularity.conditioning(large, double).singular_values, expected, rtol=1e-12)


@pytest.mark.parametrize(("name", "unit", "inverse"), [("hexel", "1", "1"), ("servo", "rad/m", "(m/rad)^6")])
def test_units_are_those_of_the_joints_wherever_they_are_said(name, unit, inverse):
    m = gough.load(name)
    x, y, z = m.X_home[:3, 3]
    over = gough.singularity.conditioning_map(m, x=x, y=y, z=[z, 1.001 * z])
    for data in (gough.singularity.conditioning(m, m.home).dataset, over):
        assert (data["singular_values"].attrs["units"], data["manipulability"].attrs["units"]) == (unit, inverse)
    section = {field.key: field for field in conditioning_section(Datasheet(m)).fields}
    assert section["singular_values"].unit == unit.removeprefix("1")
    field = section["manipulability"]
    assert (field.unit, field.shown) == (inverse.removeprefix("1"), inverse.removeprefix("1").replace("^6", "⁶"))
