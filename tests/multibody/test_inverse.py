"""Inverse dynamics: published figures, round trip, refusals."""

import numpy as np
import pytest

import gough
from gough import multibody
from gough.errors import InputError

PRINTED = 0.5000001e-9
"""Half a unit of the last printed digit [N]."""
DRIVES = [f"drive {i}" for i in range(1, 7)]


def test_tsais_moving_platform():
    """L.-W. Tsai, ASME Journal of Mechanical Design 122 (2000), at 0.25 s."""
    m = gough.load("tsai2000")
    X = m.X_home.copy()
    X[:3, 3] += 0.2 * np.sin(0.75)
    system = multibody.hexapod(m, X)
    state = system.state({"platform": [0.6 * np.cos(0.75)] * 3 + [0.0] * 3})
    A = [-1.8 * np.sin(0.75)] * 3 + [0.0] * 3
    found = multibody.inverse_dynamics(system, {"platform": A}, DRIVES, state).magnitudes
    expected = [4.931329394, 7.271975130, 3.309581763, 2.517158792, 7.784387368, 6.265263475]
    np.testing.assert_allclose(found, expected, rtol=0, atol=PRINTED)


def test_forces_found_give_the_acceleration_asked_for():
    m = gough.load("dumitriu2017")
    system = multibody.hexapod(m)
    state = system.state({"platform": [0.1, 0.2, -0.1, 0.5, -0.4, 0.3]})
    wanted = np.array([1.0, -2.0, 0.5, 3.0, 2.0, -1.0])
    found = multibody.inverse_dynamics(system, {"platform": wanted}, DRIVES, state)
    driven = multibody.hexapod(m, forces=found.magnitudes)
    solution = multibody.solver_for(driven).solve(0.0, *state)
    for ours, theirs in zip(vars(solution).values(), vars(found.solution).values(), strict=True):
        np.testing.assert_allclose(ours, theirs, atol=1e-11)
    np.testing.assert_allclose(solution.acceleration[-1] @ [1, *system.bodies[-1].origin], wanted[:3], atol=1e-12)


def test_a_torque_that_holds_a_pendulum():
    """A bar of 2 kg whose mass centre lies 0.5 m beside its hinge."""
    bar = multibody.Body(name="bar", mass=2.0, mass_centre=[0.5, 0, 0], inertia=np.diag([0, 1, 1]) / 6)
    hinge = multibody.Revolute("ground", "bar", [0, 0, 0], [0, 1, 0])
    motor = multibody.Torque("bar", [0, 1, 0], name="motor")
    others = [multibody.Force("bar", [0, 0, 0], e, name=f"f{e}") for e in np.eye(3)]
    others += [multibody.Torque("bar", e, name=f"t{e}") for e in np.eye(3)[[0, 2]]]
    free = multibody.System([bar], force_elements=[motor, *others], gravity=[0, 0, -10])
    hold = multibody.inverse_dynamics(free, {"bar": np.zeros(6)}, [each.title for each in free.force_elements])
    np.testing.assert_allclose(hold.magnitudes, [-10, 0, 0, 20, 0, 0], atol=1e-12)
    hinged = multibody.System([bar], [hinge], [motor], gravity=[0, 0, -10])
    with pytest.raises(InputError, match="6 accelerations for 1 unknown magnitudes"):
        multibody.inverse_dynamics(hinged, {"bar": np.zeros(6)}, ["motor"])
