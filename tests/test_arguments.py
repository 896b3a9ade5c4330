"""Whatever a public function is called with, it answers or says in a sentence what is wrong: nothing else is raised."""

import inspect
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

import gough
from gough import motion, multibody, stages
from gough.errors import GoughError
from gough.machine import Actuators

POSE = np.eye(4)
MODULES = {"": gough, "motion.": motion, "multibody.": multibody, "plot.": gough.plot, "stages.": stages} | {
    f"motion.{name}.": getattr(motion, name) for name in ("heads", "joint_space", "programs", "recorded")
}


def public_functions():
    """Name -> function that takes arguments, of the package and its public modules."""
    found = {f"{prefix}{name}": getattr(module, name) for prefix, module in MODULES.items() for name in module.__all__}
    return {
        name: thing
        for name, thing in found.items()
        if inspect.isfunction(thing) and inspect.signature(thing).parameters
    }


def public_classes():
    """Name -> class that is made from arrays or poses."""
    found = {f"{prefix}{name}": getattr(module, name) for prefix, module in MODULES.items() for name in module.__all__}
    return {
        name: thing
        for name, thing in found.items()
        if inspect.isclass(thing)
        and not issubclass(thing, BaseException)
        and any(word in str(inspect.signature(thing.__init__)) for word in ("ArrayLike", "PoseLike"))
    }


@pytest.mark.parametrize(
    "name", [name for name, thing in public_functions().items() if inspect.signature(thing).parameters]
)
def test_every_public_function_checks_its_arguments(name):
    assert hasattr(public_functions()[name], "__wrapped__"), "decorate it with checks_arguments"


@pytest.mark.parametrize("name", public_classes())
def test_every_class_made_from_arrays_checks_them(name):
    assert hasattr(public_classes()[name].__init__, "__wrapped__"), "decorate it with checks_arguments"


NO_POSES = {
    "none": None,
    "text": "hexel",
    "dict": {"a": 1},
    "generator": (k for k in range(16)),
    "ragged": [[1, 2], [3]],
    "complex": POSE.astype(complex),
    "letters": POSE.astype(str),
    "masked": np.ma.masked_array(POSE, mask=POSE > 0),
    "objects": np.full((4, 4), object()),
    "giant": [[10**400] * 4] * 4,
    "left-handed": np.diag([1.0, 1.0, -1.0, 1.0]),
    "scaled": np.diag([2.0, 2.0, 2.0, 1.0]),
    "sheared": POSE + 0.1 * np.eye(4, k=1),
    "projective": POSE + 0.5 * np.eye(4, k=-3),
    "nothing": np.zeros((4, 4)),
    "endless": np.where(np.eye(4, k=3), np.inf, POSE),
    "rotation": POSE[:3, :3],
    "vector": [0.0, 0.0, 0.8],
    "empty": [],
}
ODD_POSES = {
    "unknown": POSE * np.nan,
    "far": np.where(np.eye(4, k=3), 1e308, POSE),
    "no poses": np.zeros((0, 4, 4)),
    "two": np.stack([POSE, POSE]),
    "many axes": POSE[None, None, None],
    "strided": np.asfortranarray(np.eye(8)[::2, ::2]),
    "single": POSE.astype(np.float32),
    "integers": POSE.astype(int),
    "list": POSE.tolist(),
}
NO_NUMBERS = {
    "none": None,
    "text": "1",
    "letters": ["1"] * 6,
    "dict": {"a": 1},
    "set": {1.0},
    "complex": np.ones(6, complex),
    "masked": np.ma.masked_array(np.ones(6), mask=[0, 0, 1, 0, 0, 0]),
    "objects": [None] * 6,
    "ragged": [[1, 2], [3]],
    "giant": [10**400] * 6,
    "deep": [[[[[[["x"]]]]]]],
    "dates": np.zeros(6, "datetime64[s]"),
}
ODD_NUMBERS = {
    "unknown": np.full(6, np.nan),
    "endless": np.full(6, np.inf),
    "huge": np.full(6, 1e308),
    "tiny": np.full(6, 5e-324),
    "five": np.ones(5),
    "none at all": np.ones((0, 6)),
    "scalar": 1.0,
    "long": np.full(6, np.longdouble("1e4000")),
    "fractions": [Fraction(1, 3)] * 6,
    "batch": np.ones((2, 6)),
}


@pytest.fixture(scope="module")
def able():
    """A machine of which everything is known."""
    m = gough.load("dumitriu2017")
    limits = replace(m.limits, actuator_force=np.full(6, 1e3), joint_speed=np.ones(6))
    return replace(m, limits=limits, actuators=Actuators(resolution=np.full(6, 1e-6), stiffness=np.full(6, 1e7)))


QUICK = """
inverse_kinematics forward_kinematics certify jacobian inverse_jacobian joint_rates joint_accelerations platform_twist
platform_acceleration leg_forces stiffness axial_forces displacement_under_load resolution parameter_sensitivity
velocity_envelope margins load_capacity load_envelope guaranteed_load payload capacity_table payload_table travel
margin_gradient conditioning inverse_dynamics forward_dynamics mass_matrix coriolis_wrench gravity_wrench kinetic_energy
potential_energy body_motions natural_frequencies nearest_pose linear_map tool_pose platform_pose displaced displacement
mjcf singularity_cubic
"""
POSES = ("X", "tool", "by", "pose", "orientation", "near", "start")


def arguments_of(function, machine):
    """Arguments with which a function answers."""
    good = {
        "machine": machine,
        "qd": np.zeros(6),
        "qdd": np.zeros(6),
        "direction": [0, 0, 1, 0, 0, 0],
        "force": np.zeros(6),
    }
    good |= {name: np.zeros(6) for name in ("V", "A", "wrench")}
    good |= dict.fromkeys(POSES, machine.X_home) | {"q": gough.inverse_kinematics(machine, machine.X_home)}
    parameters = inspect.signature(function).parameters.values()
    needed = [p.name for p in parameters if p.default is p.empty or p.name in ("X", "orientation")]
    return {name: good[name] for name in needed}


def refusal(function, arguments):
    """The sentence of a refusal, or nothing; anything else that is raised goes on. Warnings are errors."""
    try:
        function(**arguments)
    except GoughError as error:
        return str(error)
    return ""


@pytest.mark.parametrize("name", QUICK.split())
def test_hostile_arguments_are_answered_or_refused(name, able):
    function = getattr(gough, name)
    good = arguments_of(function, able)
    assert not refusal(function, good)
    for key in good:
        bad, odd = (NO_POSES, ODD_POSES) if key in POSES else (NO_NUMBERS, ODD_NUMBERS)
        for what, given in bad.items():
            may_be_left_out = given is None and inspect.signature(function).parameters[key].default is None
            sentence = refusal(function, {**good, key: given})
            assert may_be_left_out or 10 < len(sentence) < 500, f"{key} {what}: {sentence[:500]!r}"
        for given in odd.values() if key != "machine" else ():
            refusal(function, {**good, key: given})
