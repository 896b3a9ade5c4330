"""Motion in time: orders of convergence, constraints, energy, options and their errors."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from gough import multibody
from gough.errors import InputError, ShapeError
from gough.multibody.simulation import projected

RESIDUAL = 1e-12
"""Largest departure from any constraint [m, or 1]."""
DRIFT = 1e-9
"""Relative drift of the energy over ten seconds."""
STEPS = np.array([4e-3, 2e-3, 1e-3])


def angles(motion):
    R = motion.Z[:, :2, :, 1:]
    return np.unwrap(np.arctan2(R[..., 1, 0], R[..., 0, 0]), axis=0)


@pytest.fixture(scope="module")
def truth():
    return angles(multibody.simulate(multibody.double_pendulum(), times=[0.0, 0.25, 0.5]))


def test_a_start_that_breaks_the_constraints_is_refused():
    system = multibody.double_pendulum()
    Z, V = system.state()
    apart, loose, bent = Z.copy(), V.copy(), Z.copy()
    apart[1, 0, 0] = 0.1
    loose[0, 1, 0] = 1.0
    bent[0, :, 1:] *= 1.01
    for state, words in (((apart, V), "by 0.1 m"), ((Z, loose), "break the joints by 1 m/s"), ((bent, V), "by 0.0201")):
        with pytest.raises(InputError, match=words):
            multibody.simulate(system, 1.0, state=multibody.State(*state))
    with pytest.raises(ShapeError, match=r"Z of the start: expected shape \(3, 3, 4\), got \(2, 3, 4\)"):
        multibody.simulate(system, 1.0, state=multibody.State(Z[:2], V))


@pytest.mark.parametrize("angle", [0.1, 0.3, 0.6])
def test_a_state_far_off_comes_back_to_closed_joints_and_rotations(angle):
    system = multibody.double_pendulum()
    Z, V = system.state()
    Z[1, :, 1:] = Rotation.from_rotvec([angle, -angle, 0.5 * angle]).as_matrix() @ Z[1, :, 1:]
    Z[1, :, 0] += 0.1
    with pytest.raises(InputError, match="breaks the constraints by"):
        multibody.simulate(system, 1e-3, state=multibody.State(Z, V))
    found = projected(system, 0.0, multibody.State(Z, V))
    R = found.Z[:-1, :, 1:]
    np.testing.assert_allclose(np.swapaxes(R, 1, 2) @ R, np.broadcast_to(np.eye(3), R.shape), rtol=0, atol=1e-14)
    multibody.simulate(system, 1e-3, state=found)


@pytest.mark.parametrize(
    ("options", "order"),
    [
        ({}, 4),
        ({"project": False}, 4),
        ({"multipliers": "held"}, 1),
        ({"solver": "shooting"}, 4),
    ],
    ids=["every evaluation", "every evaluation, not projected", "held", "shooting"],
)
def test_orders_of_convergence(options, order, truth):
    """Runge-Kutta of order 4 keeps its order with multipliers at every evaluation; held ones leave order 1."""
    errors = []
    for step in STEPS[: 2 if options.get("solver") else 3]:
        motion = multibody.simulate(multibody.double_pendulum(), times=[0.0, 0.25, 0.5], step=step, **options)
        errors.append(np.abs(angles(motion) - truth).max())
    measured = np.log2(np.array(errors[:-1]) / errors[1:])
    assert measured[-1] == pytest.approx(order, abs=0.15)


def test_held_multipliers_leave_the_constraints_when_nothing_brings_them_back():
    options = {"times": [0.0, 0.2], "step": 1e-3, "project": False}
    held = multibody.simulate(multibody.double_pendulum(), multipliers="held", **options)
    at_stages = multibody.simulate(multibody.double_pendulum(), **options)
    assert held.residuals()[0][-1] > 1e4 * at_stages.residuals()[0][-1]


@pytest.fixture(scope="module")
def ten_seconds():
    return multibody.simulate(multibody.double_pendulum(), times=np.linspace(0, 10, 201))


def test_constraints_hold_over_ten_seconds(ten_seconds):
    positions, rates = ten_seconds.residuals()
    assert positions.max() <= RESIDUAL
    assert rates.max() <= RESIDUAL


def test_energy_is_kept_over_ten_seconds(ten_seconds):
    energy = ten_seconds.energy()
    assert np.abs(energy - energy[0]).max() <= DRIFT * abs(energy[0])


def test_states_between_steps_are_as_good_as_at_their_ends():
    fine = multibody.simulate(multibody.double_pendulum(), times=np.linspace(0, 0.5, 401))
    coarse = multibody.simulate(multibody.double_pendulum(), times=[0.0, 0.25, 0.5])
    np.testing.assert_allclose(fine.Z[200], coarse.Z[1], atol=1e-10)
    assert fine.residuals()[0].max() <= RESIDUAL


def test_a_dataset_has_everything_with_units():
    motion = multibody.simulate(multibody.double_pendulum(), 0.1)
    data = motion.dataset
    assert data.sizes == {"time": 101, "body": 2, "row": 4, "column": 4, "component": 6, "joint": 2}
    np.testing.assert_array_equal(data.reaction.sel(joint="H")[-1], motion.reaction("H")[-1])
    np.testing.assert_array_equal(data.pose.sel(body="bar 2")[3], motion.pose("bar 2")[3])
    assert data.energy.attrs["units"] == "J"
    assert len(motion) == 101
    np.testing.assert_array_equal(motion.end.Z, motion.Z[-1])
