"""Slips of a careful person's pen, planted in machines without symmetry, are found; right machines have no findings."""

import copy
import tomllib

import numpy as np
import pytest
from scipy.spatial.transform import Rotation
from tests.skew import SKEW, SKEW_STACK

import gough
from gough.description.build import machine_of
from gough.description.problems import checked
from gough.kinematics.inverse import leg_spins
from gough.loading import load_with_files
from gough.plausibility import findings

RIGHT = [info.name for info in gough.machines()] + [*SKEW, SKEW_STACK]
ROUND_OFF = 1e-12
"""Of rotations composed of a few others [rad]."""
SLIP = 1e4
"""Larger than what any rule leaves between what can be built and what cannot."""


def found_in(machine):
    loaded, files = load_with_files(machine)
    return [one for stage, file in zip(loaded.stages, files, strict=True) for one in findings(stage, file.units)]


def document_of(path):
    with open(path, "rb") as file:
        return tomllib.load(file)


def keys_of(document):
    file = checked(document, "slip.toml")
    return {one.key: one for one in findings(machine_of(file, "slip.toml"), file.units)}


def scaled(value, factor):
    if isinstance(value, dict):
        return {key: scaled(each, factor) for key, each in value.items()}
    return [scaled(each, factor) for each in value] if isinstance(value, list) else value * factor


def with_slip(document, key, factor):
    *tables, last = key.split(".")
    changed = copy.deepcopy(document)
    place = changed
    for name in tables:
        place = place[name]
    place[last] = scaled(place[last], factor)
    return changed


@pytest.mark.parametrize("machine", RIGHT)
def test_right_machines_have_no_findings_but_those_that_their_notes_explain(machine):
    unexplained = [one for one in found_in(machine) if one.key != "actuators.screw_lead"]
    assert unexplained == []
    if any(one.key == "actuators.screw_lead" for one in found_in(machine)):
        assert "screw" in gough.load(machine).notes


SLIPS = [
    *((f"{body}mass", factor) for body in ("platform.", "legs.bodies.PART.") for factor in (SLIP, 1e-8)),
    *((f"{body}inertia", factor) for body in ("platform.", "legs.bodies.PART.") for factor in (SLIP, 1 / SLIP**2)),
    *((f"{body}mass_centre", 1e3) for body in ("platform.", "legs.bodies.PART.")),
    *(("actuators.stiffness", factor) for factor in (1e10, 1e-10)),
    *(("limits.joint_speed", factor) for factor in (1e3, 1e-5)),
    *(("limits.joint_acceleration", factor) for factor in (1e6,)),
    *(("limits.actuator_force", factor) for factor in (1e-3, 1e8)),
    *(("actuators.resolution", factor) for factor in (1e5, 1e-10)),
    *(("actuators.rotor_inertia", factor) for factor in (1e6, 1e-12)),
    ("actuators.coulomb_friction", 1e3),
    ("gravity", 1e3),
]


@pytest.mark.parametrize("path", SKEW)
@pytest.mark.parametrize(("key", "factor"), SLIPS)
def test_numbers_off_by_orders_of_magnitude_are_found_with_their_value_and_unit(path, key, factor):
    document = document_of(path)
    if key == "actuators.stiffness" and "stiffness" not in document["actuators"]:
        document["actuators"].pop("modulus"), document["actuators"].pop("area")
        document["actuators"]["stiffness"] = 3e5
    for part in document["legs"]["bodies"] if "PART" in key else ["PART"]:
        if part == "slider" and key.endswith("mass_centre"):
            continue
        place = key.replace("PART", part)
        changed = with_slip(document, place, factor)
        if place.endswith("mass_centre"):
            changed[place.split(".")[0]].get("bodies", {}).get(part, {}).pop("inertia", None)
        found = keys_of(changed)
        assert place in found, (place, sorted(found))
        assert np.isfinite(found[place].value)
        assert found[place].unit in found[place].sentence
        assert found[place].look_at


@pytest.mark.parametrize("path", SKEW)
def test_a_home_at_the_edge_of_its_limits(path):
    document = document_of(path)
    q = gough.load(path)
    home = gough.inverse_kinematics(q, q.X_home) / q.displayed_joint_size
    assert "home" not in keys_of(document)
    stroke = np.subtract(document["limits"]["joint_max"], document["limits"]["joint_min"])
    for inside, words in ((2e-3, "at the edge"), (-2e-3, "beyond")):
        document["limits"]["joint_min"] = (home - inside * stroke).tolist()
        assert words in keys_of(document)["home"].sentence


def circles(base, platform, height=0.7):
    """A document with two pitch circles of half angles between the joints of a pair [rad]."""
    return {
        "name": "circles",
        "base": {"pitch_circle": {"radius": 1.0, "pair_angle": base}},
        "platform": {"pitch_circle": {"radius": 0.6, "pair_angle": platform}},
        "home": {"translation": [0, 0, height]},
    }


@pytest.mark.parametrize("seed", range(4))
def test_two_legs_with_swapped_platform_joints_are_found_where_they_cross(seed):
    random = np.random.default_rng(seed)
    base = np.array([[np.cos(a), np.sin(a), 0] for a in np.radians([-10, 10, 110, 130, 230, 250])])
    # Legs 1 and 2 lie in one plane and are swapped: their lines cross where two lines of a trapezium do.
    top = np.array([[0.6 * np.cos(a), 0.6 * np.sin(a), 0] for a in np.radians([-40, 40, 80, 160, 200, 280])])
    right = gough.from_points(base, top, name="swap", home=gough.pose([0, 0, 0.8]))
    R = Rotation.random(rng=random).as_matrix()
    swapped = gough.from_points(base @ R.T, top[[1, 0, 2, 3, 4, 5]], name="swap", home=pose_of(R, R @ [0, 0, 0.8]))
    units = checked({"name": "x", **circles(0.3, 1.7)}, "x").units
    assert "platform" not in {one.key for one in findings(right, units)}
    (crossing,) = (one for one in findings(swapped, units) if one.key == "platform")
    assert "legs 1-2 meet" in crossing.sentence


def pose_of(R, p):
    X = np.eye(4)
    X[:3, :3], X[:3, 3] = R, p
    return X


def test_a_platform_that_turns_about_a_leg_turns_its_end_by_that_angle():
    machine = gough.load(SKEW[0])
    feet, heads = machine.legs.rest(), machine.b_home
    for i, angle in enumerate((0.1, -0.4, 1.2, -2.0, 0.7, 3.0)):
        u = (heads[i] - feet[i]) / np.linalg.norm(heads[i] - feet[i])
        R = Rotation.from_rotvec(angle * u).as_matrix()
        X = pose_of(R, feet[i] - R @ feet[i]) @ machine.X_home
        assert leg_spins(machine, X[None])[0, i] == pytest.approx(angle, abs=ROUND_OFF)


def test_a_platform_that_does_not_turn_turns_no_end():
    machine = gough.load(SKEW[0])
    X = machine.X_home.copy()
    X[:3, 3] += [0.03, -0.02, 0.04]
    np.testing.assert_allclose(leg_spins(machine, X[None]), 0.0, atol=ROUND_OFF)


def test_screws_that_the_platform_turns_are_found_only_where_both_ends_are_universal_joints():
    document = {**circles(0.3, 1.7), "limits": {"joint_min": 0.6, "joint_max": 1.1}, "actuators": {"screw_lead": 0.005}}
    assert "actuators.screw_lead" not in keys_of({**document, "legs": {"kind": "SPS"}})
    assert "actuators.screw_lead" not in keys_of({**document, "legs": {"kind": "UPS"}})
    one = keys_of({**document, "legs": {"kind": "UCU"}})["actuators.screw_lead"]
    assert 0 < one.value < 0.005 / 2  # less than half a turn of the screw
