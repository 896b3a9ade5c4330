"""Redundant rows: found, counted, named, left out without a change to the motion."""

import numpy as np
import pytest

import mechanisms
from gough import multibody
from gough.errors import RedundantConstraintsError


@pytest.mark.parametrize(
    ("system", "count", "freedom"),
    [
        (multibody.double_pendulum(), 0, 6),
        (mechanisms.four_bar(), 3, 1),
        (mechanisms.bricard(), 1, 1),
        (mechanisms.andrews(), 0, 1),
        (mechanisms.andrews(closing_hinges=True), 9, 1),
    ],
    ids=["pendulum", "four-bar", "Bricard", "Andrews", "Andrews, hinges"],
)
def test_redundancy_and_freedom_are_those_of_the_mechanism(system, count, freedom):
    assert system.redundancy.count == len(system.redundancy.rows) == count
    assert system.counts.freedom == freedom
    assert not system.redundancy.is_singular


def test_two_hinges_on_one_axis_are_one_too_many():
    door = multibody.Body(name="door", mass=1.0, mass_centre=[0.4, 0, 1], inertia=np.diag([0.1, 0.1, 0.1]))
    hinges = [multibody.Revolute("ground", "door", [0, 0, z], [0, 0, 1], name=f"hinge {z}") for z in (0, 2)]
    found = multibody.System([door], hinges).redundancy
    assert found.count == 5
    assert "5 of 10 joint rows are redundant" in found.sentence()
    assert found.undetermined.all(), "two hinges share every load"


def test_a_welded_and_a_hinged_part_leave_determined_what_is():
    """A beam welded at one end: its weld is determined; a second solid hung on it twice is not, there only."""
    part = {"mass": 1.0, "inertia": np.diag([0.1, 0.1, 0.1])}
    solids = [multibody.Body(name=n, mass_centre=[x, 0, 0], **part) for n, x in (("beam", 0.5), ("leaf", 1.5))]
    joints = [
        multibody.Fixed("ground", "beam", [0, 0, 0], name="weld"),
        *(multibody.Revolute("beam", "leaf", [1, 0, z], [0, 0, 1], name=f"hinge {z}") for z in (0, 1)),
    ]
    system = multibody.System(solids, joints, gravity=[0, 0, -10], drop_redundant=True)
    found = multibody.solver_for(system).solve(0.0, *system.state()).multipliers
    assert np.isnan(found).tolist() == [False] * 6 + [True] * 10
    np.testing.assert_allclose(found[:3], [0, 0, -20], atol=1e-12, err_msg="on the ground: both weights")


def test_a_start_in_a_singular_configuration_is_found_out():
    """Cranks in line with the ground: four rows seem redundant there, three are."""
    flat = mechanisms.four_bar(np.pi / 2)
    assert flat.counts.freedom == 2
    assert flat.redundancy.is_singular
    with pytest.raises(RedundantConstraintsError, match=r"singular configuration: .* Start from another one"):
        multibody.simulate(flat, 1.0)


def test_left_out_rows_change_no_motion():
    """Andrews' mechanism with hinges everywhere and with loops closed without redundancy moves as one."""
    times = np.linspace(0, 0.004, 9)
    one, other = (
        multibody.simulate(mechanisms.andrews(closing_hinges=hinges), times=times) for hinges in (False, True)
    )
    np.testing.assert_allclose(one.Z, other.Z, atol=1e-11)
    assert other.residuals()[0].max() < 1e-13, "also the rows that are left out stay closed"
