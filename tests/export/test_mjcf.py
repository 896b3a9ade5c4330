"""MuJoCo models: what they hold, and that MuJoCo moves them as Gough does."""

from dataclasses import replace
from xml.etree import ElementTree

import numpy as np
import pytest
from tests.skew import SKEW

import gough
from gough.export.mjcf import mjcf
from gough.machine import Actuators, Limits

STILL = np.zeros(6)
AGREES = 1e-6
"""Of accelerations from rest, relative."""
STIFFER = 1e-8
"""MuJoCo softens every constraint by a part, 1e-4 at least, of the inverse inertia it estimates behind it; told that
there is so much less, it lets the loops give so much less."""


def with_universal_joints(machine):
    """The same machine with known first axes, bodies that are not round, rotors, viscous friction and a payload."""
    rng = np.random.default_rng(3)
    axes = rng.normal(size=(6, 3)) * [1, 1, 0.2]
    bodies = {
        part: replace(
            body,
            mass_centre=body.mass_centre + 0.01 * machine.size * rng.normal(size=(6, 3)),
            inertia=body.inertia + body.mass[:, None, None] * machine.size**2 * np.diag([0.01, 0.012, 0.008]),
        )
        for part, body in machine.leg_bodies.items()
    }
    drives = Actuators(
        viscous_friction=np.full(6, 0.01 * machine.platform.mass),
        rotor_inertia=np.full(6, 1e-6),
        transmission=np.full(6, 50.0),
    )
    unit = axes / np.linalg.norm(axes, axis=1, keepdims=True)
    machine = replace(machine, joint_axis=unit, leg_bodies=bodies, actuators=drives)
    mass, size = 0.2 * machine.platform.mass, 0.1 * machine.size
    inertia = mass * size**2 * np.array([[0.4, 0.1, 0.02], [0.1, 0.5, -0.05], [0.02, -0.05, 0.6]])
    return machine.with_payload(mass, machine.platform_centre + size * np.array([0.3, -0.4, 0.5]), inertia=inertia)


CASES = [(name, change) for name in SKEW for change in ("as it is", "universal")]


@pytest.fixture(params=CASES, ids="-".join, scope="module")
def machine(request):
    name, change = request.param
    m = replace(gough.load(name), limits=Limits())
    m = replace(m, actuators=replace(m.actuators, coulomb_friction=None))  # which holds a drive at rest in MuJoCo only
    return with_universal_joints(m) if change == "universal" else m


def model_of(mujoco, text):
    model = mujoco.MjModel.from_xml_string(text)
    data = mujoco.MjData(model)
    mujoco.mj_resetDataKeyframe(model, data, 0)
    return model, data


def some_poses(machine, rng, count):
    X = gough.pose_matrix(
        machine.X_home[:3, 3] + 0.02 * machine.size * rng.uniform(-1, 1, (count, 3)),
        rng.uniform(-0.1, 0.1, (count, 3)),
        "XYZ",
    )
    X[:, :3, :3] = X[:, :3, :3] @ machine.X_home[:3, :3]
    return X


def test_mujoco_accelerates_it_as_gough_does(machine, rng):
    """From rest, at twenty poses, with actuator forces that do not hold it."""
    mujoco = pytest.importorskip("mujoco", reason="MuJoCo is in the extra 'mujoco'")
    for X in some_poses(machine, rng, 20):
        hold = gough.inverse_dynamics(machine, X, STILL, STILL)
        force = hold * (1 + 0.2 * rng.normal(size=6))
        model, data = model_of(mujoco, mjcf(machine, X))
        model.opt.tolerance, model.opt.iterations = 0, 500
        model.body_invweight0[:] *= STIFFER
        data.ctrl[:] = force
        mujoco.mj_forward(model, data)
        # MuJoCo gives angular accelerations of free bodies in the axes of the body.
        found = np.concatenate([data.qacc[:3], X[:3, :3] @ data.qacc[3:6]])
        expected = gough.forward_dynamics(machine, X, STILL, force)
        np.testing.assert_allclose(found, expected, rtol=0, atol=AGREES * np.abs(expected).max())


@pytest.mark.parametrize("name", SKEW)
def test_the_model_stands_at_home_with_its_loops_closed(name):
    mujoco = pytest.importorskip("mujoco", reason="MuJoCo is in the extra 'mujoco'")
    m = gough.load(name)
    model, data = model_of(mujoco, mjcf(m))
    mujoco.mj_forward(model, data)
    # The first 18 rows are the loops' closure, three of each.
    assert np.abs(data.efc_pos[:18]).max() < 1e-12 * m.size
    np.testing.assert_allclose(data.body("platform").xpos, m.X_home[:3, 3], rtol=0, atol=1e-12)
    q = gough.inverse_kinematics(m, m.home)
    np.testing.assert_allclose([data.joint(f"q{i}").qpos[0] for i in range(1, 7)], q, rtol=0, atol=1e-12)
    assert model.nu == 6
    np.testing.assert_allclose(data.ctrl, gough.inverse_dynamics(m, m.home, STILL, STILL), rtol=1e-12)


LENGTHS = ("b_P", "a_B", "c_B", "r_B", "rod_length")
"""What has a length of legs of any kind; the rest are directions and branches."""


def of_size(name, size):
    """A machine of the same materials and another size, without limits, with viscous friction and rotors."""
    m = gough.load(name)
    s = size / m.size
    legs = replace(m.legs, **{key: s * getattr(m.legs, key) for key in LENGTHS if hasattr(m.legs, key)})

    def grown(body):
        return replace(body, mass=s**3 * body.mass, mass_centre=s * body.mass_centre, inertia=s**5 * body.inertia)

    X, per_joint = m.X_home.copy(), s**3 * (1 if m.legs.joint == "length" else size**2)
    X[:3, 3] *= s
    drives = Actuators(
        viscous_friction=np.full(6, per_joint), rotor_inertia=np.full(6, 0.01 * per_joint), transmission=np.full(6, 1.0)
    )
    bodies = {part: grown(body) for part, body in m.leg_bodies.items()}
    shape = {"legs": legs, "platform": grown(m.platform), "leg_bodies": bodies, "X_home": X}
    return replace(m, **shape, limits=Limits(), actuators=drives)


@pytest.mark.parametrize("size", [1e-3, 943.0])
@pytest.mark.parametrize("name", SKEW)
def test_mujoco_takes_tiny_and_huge_machines_and_moves_them_as_gough_does(name, size, rng):
    mujoco = pytest.importorskip("mujoco", reason="MuJoCo is in the extra 'mujoco'")
    m = of_size(name, size)
    assert m.size == pytest.approx(size)
    push, V = 1 + 0.2 * rng.normal(size=6), np.zeros(6)
    for has_servos in (False, True):
        model, data = model_of(mujoco, mjcf(m, has_servos=has_servos))
        unit = np.linalg.norm(data.qpos[:3]) / np.linalg.norm(m.X_home[:3, 3])  # of the model's lengths in a metre
        start = data.qpos[:3].copy()
        for _ in range(20):
            mujoco.mj_step(model, data)
        assert np.abs(data.qpos[:3] - start).max() < 1e-5 * unit * size + 1e-5 * unit * 9.81 * (20 * 5e-4) ** 2
    model, data = model_of(mujoco, mjcf(m))
    unit = np.linalg.norm(data.qpos[:3]) / np.linalg.norm(m.X_home[:3, 3])
    model.opt.tolerance, model.opt.iterations = 0, 500
    model.body_invweight0[:] *= STIFFER
    data.ctrl[:] *= push
    mujoco.mj_forward(model, data)
    expected = gough.forward_dynamics(m, m.home, V, gough.inverse_dynamics(m, m.home, V, V) * push)
    found = np.append(data.qacc[:3] / unit, m.X_home[:3, :3] @ data.qacc[3:6])
    for part in (slice(3), slice(3, 6)):
        np.testing.assert_allclose(found[part], expected[part], rtol=0, atol=1e-5 * np.abs(expected[part]).max())


@pytest.mark.parametrize("size", [1e-3, 1.0])
@pytest.mark.parametrize("name", SKEW)
def test_friction_of_a_moving_machine_has_the_units_of_the_model(name, size):
    mujoco = pytest.importorskip("mujoco", reason="MuJoCo is in the extra 'mujoco'")
    m = of_size(name, size)
    V = np.array([size, -size, 2 * size, 0.3, 0.2, -0.1])
    hold = gough.inverse_dynamics(m, m.home, STILL, STILL)
    model, data = model_of(mujoco, mjcf(m))
    unit = np.linalg.norm(data.qpos[:3]) / np.linalg.norm(m.X_home[:3, 3])
    rate = gough.joint_rates(m, m.home, V) * (unit if m.legs.joint == "length" else 1.0)
    for i in range(6):
        joint = data.joint(f"q{i + 1}")
        joint.qvel[0] = rate[i]
    mujoco.mj_forward(model, data)
    passive = np.array([data.joint(f"q{i + 1}").qfrc_passive[0] for i in range(6)])
    # Friction as a part of what holds the weight has no unit.
    expected = -m.actuators.viscous_friction * gough.joint_rates(m, m.home, V) / hold
    np.testing.assert_allclose(passive / data.ctrl, expected, rtol=1e-9)


def test_it_carries_limits_friction_and_rotors():
    m = gough.load("pitch-circle")
    root = ElementTree.fromstring(mjcf(m))
    joint = root.find(".//joint[@name='q3']")
    drives, limits = m.actuators, m.limits
    assert joint.get("type") == "slide"
    np.testing.assert_allclose(numbers(joint, "range"), [limits.joint_min[2], limits.joint_max[2]])
    assert float(joint.get("damping")) == pytest.approx(drives.viscous_friction[2])
    assert float(joint.get("frictionloss")) == pytest.approx(drives.coulomb_friction[2])
    assert float(joint.get("armature")) == pytest.approx(drives.rotor_inertia[2] * drives.transmission[2] ** 2)
    motor = root.find(".//motor[@joint='q3']")
    np.testing.assert_allclose(numbers(motor, "ctrlrange"), [-limits.actuator_force[2], limits.actuator_force[2]])
    np.testing.assert_allclose(numbers(root.find("option"), "gravity"), m.gravity)


def numbers(element, key):
    return np.array(element.get(key).split(), dtype=float)


def test_legs_without_masses_get_a_nominal_one_and_the_file_says_so():
    mujoco = pytest.importorskip("mujoco", reason="MuJoCo is in the extra 'mujoco'")
    m = replace(gough.load("dumitriu2017"), leg_bodies={})
    text = mjcf(m)
    assert "No mass is known of cylinder, piston: nominal 0.0001 of the platform's" in text
    model, data = model_of(mujoco, text)
    mujoco.mj_forward(model, data)
    assert np.abs(data.qacc[:3]).max() < 1e-2, "the weight is held, but for MuJoCo's softness"


def test_the_command_writes_it_whole_or_not_at_all(run, tmp_path):
    ran = run("export", "mjcf", "servo", "--at", "0,0,135")
    assert ran.code == 0
    assert ran.out.startswith("wrote servo.xml; to look at it: ")
    text = (tmp_path / "servo.xml").read_text()
    assert text == mjcf(gough.load("servo"), gough.pose_matrix([0, 0, 0.135]))
    assert "has no platform mass" in run("export", "mjcf", "hexel").complaint
    assert "the folder" in run("export", "mjcf", "servo", "-o", "no/where.xml").complaint
    assert [path.name for path in tmp_path.iterdir()] == ["servo.xml"]


def test_legs_that_may_turn_about_themselves_hang_on_balls():
    m = gough.load("dumitriu2017")
    about = np.diag([0.0, 0.0, 1e-5])
    thick = {part: replace(bodies, inertia=bodies.inertia + about) for part, bodies in m.leg_bodies.items()}
    for machine, count in ((m, 0), (replace(m, leg_bodies=thick), 6)):
        joints = ElementTree.fromstring(mjcf(machine)).iter("joint")
        assert sum(joint.get("type") == "ball" and joint.get("name").startswith("leg") for joint in joints) == count
