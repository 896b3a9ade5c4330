"""Whatever a public function is called with, it answers or says in a sentence what is wrong: nothing else is raised."""

import inspect
import re
from dataclasses import replace
from fractions import Fraction
from functools import cache
from importlib import import_module
from operator import attrgetter

import numpy as np
import pytest
from tests.signatures import parameters
from tests.thorough import thorough

import gough
from gough import motion, stages
from gough.checks.numbers import of_shape
from gough.errors import GoughError, ShapeError
from gough.machine import Actuators

POSE = np.eye(4)
TOPICS = (
    *(
        "accuracy",
        "assembly",
        "calibration",
        "dynamics",
        "export",
        "frames",
        "kinematics",
        "limits",
        "motion",
        "multibody",
        "plot",
    ),
    *("regions", "singularity", "stages", "statics", "workspaces"),
)
MODULES = {
    "": gough,
    **{f"{name}.": import_module(f"gough.{name}") for name in TOPICS},
    **{f"motion.{name}.": getattr(motion, name) for name in ("heads", "joint_space", "programs", "recorded")},
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


def test_every_public_function_and_every_class_made_from_arrays_checks_its_arguments():
    called = public_functions() | {name: each.__init__ for name, each in public_classes().items()}
    assert [name for name, each in called.items() if not hasattr(each, "__wrapped__")] == []


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


MISFITS = {
    "ArrayLike": ("text", {"a": 1}, np.ones(6, complex), np.ma.masked_array(np.ones(6), mask=np.eye(6)[0]), [[1], []]),
    "float": ("1", 1j, float("nan"), 10**400, [1.0, 2.0]),
    "int": (1.5, "3", 10**30),
    "bool": ("yes", 2),
    "str": (3, b"name", ["xyz"]),
}
"""What no parameter of this kind takes."""
TAKEN_WHOLE = ("PoseLike", "Any", "Path", "FilePath", "UncertaintyLike")


def misfits(parameter):
    """Values that the annotation of a parameter rules out."""
    tokens = {token.strip().rpartition(".")[2] for token in re.sub(r"\[.*\]", "", str(parameter.annotation)).split("|")}
    if tokens & {*TAKEN_WHOLE} or parameter.annotation is parameter.empty or parameter.name == "out":
        return ()
    known = [token for token in tokens if token in MISFITS]
    return MISFITS[known[0]] if len(known) == 1 and tokens <= {*known, "None"} else (object(),)


@pytest.mark.parametrize("name", public_functions())
def test_every_parameter_refuses_what_it_cannot_be(name):
    """Of functions with known good arguments the others are good: a function need not check one without the others."""
    function = public_functions()[name]
    good = arguments_of(name, function) if name.removeprefix("kinematics.") in QUICK.split() else {}
    for parameter in inspect.signature(function).parameters.values():
        is_bundle = parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD)
        for given in () if is_bundle else misfits(parameter):
            with pytest.raises(GoughError, match=rf"^{parameter.name}\b.{{5,400}}$"):
                function(**{**good, parameter.name: given})


def known(machine):
    """A machine of which everything is known."""
    limits = replace(machine.limits, actuator_force=np.full(6, 1e3), joint_speed=np.ones(6))
    actuators = Actuators(resolution=np.full(6, 1e-6), stiffness=np.full(6, 1e7))
    return replace(machine, limits=replace(limits, joint_acceleration=np.full(6, 10.0)), actuators=actuators)


@cache
def good_values(kind):
    """Values by parameter name with which functions of a kind of machine answer, coarse enough to take milliseconds."""
    machine = {"stages.": "double-hexapod", "motion.heads.": "hexel-head"}.get(kind, "dumitriu2017")
    machine = gough.load(machine)
    one = machine if kind == "stages." else known(machine)
    home = one.home.as_matrix().reshape(-1, 4, 4)[-1]
    away = home @ np.asarray(gough.pose_matrix([0, 0, 1e-3]))
    path = motion.line(home, away)
    zeros = {name: np.zeros(6) for name in ("V", "V0", "A", "wrench", "qd", "qdd", "force", "forces")}
    poses = dict.fromkeys(POSES, home) | {"end": away, "poses": np.stack([home, away])}
    if kind == "stages.":
        found = stages.resolve_redundancy(one, home)
        q = found.joints
        poses |= {"X": found.matrix, "X0": found.matrix}
        zeros |= {name: np.zeros((2, 6)) for name in ("V", "V0", "A")}
        zeros |= {name: np.zeros(12) for name in ("qd", "qdd", "force")}
    else:
        q = gough.inverse_kinematics(one, home)
    return (
        zeros
        | poses
        | {
            "machine": one,
            "q": q,
            "joints": np.zeros(2) if kind == "motion.heads." else np.stack([q] * 3) if kind != "stages." else None,
            "time": np.arange(3.0),
            "times": np.linspace(0.0, 1e-3, 3),
            "duration": 1e-3,
            "direction": [0, 0, 1, 0, 0, 0],
            "displacement": [0, 0, 1e-3, 0, 0, 0] if kind == "motion.joint_space." else home,
            "path": path,
            "paths": [path],
            "motion": path
            if kind == "motion."
            else gough.dynamics.named_motion(one, "vertical", 1e-3)
            if kind == ""
            else None,
            "axis": [0.0, 0.0, 1.0],
            "centre": [0.1, 0.0, 0.0],
            "normal": [0.0, 0.0, 1.0],
            "through": home[:3, 3] + [1e-3, 1e-3, 0.0],
            "angle": 0.1,
            "joint_jerk": 100.0,
            "pivot": [0.0, 0.0, 0.0],
            "translation": [0.0, 0.0, 0.5],
            "sequence": "xyz",
            "tolerance": 1e-3,
            "tilt": 0.1,
            "K": np.eye(6),
            "panels": {"force [N]": {"leg 1": np.zeros(3)}},
            "base": one.legs.rest() if kind == "" else None,
            "platform": one.b_P if kind == "" else None,
            "gravity": [0.0, 0.0, -9.81],
            "samples": 2,
            "level": 1,
            "max_boxes": 20,
            "increments": 2,
            "tries": 1,
        }
    )


QUICK = """
inverse_kinematics forward_kinematics kinematics.certify_pose jacobian kinematics.inverse_jacobian joint_rates
kinematics.joint_accelerations platform_twist kinematics.platform_acceleration leg_forces stiffness
statics.axial_forces statics.deflection accuracy.resolution accuracy.parameter_sensitivity
velocity_envelope margins statics.wrench_capacity statics.wrench_envelope statics.guaranteed_wrench payload
statics.capacity_table statics.payload_table travel limits.margin_gradient singularity.conditioning inverse_dynamics
forward_dynamics dynamics.mass_matrix dynamics.coriolis_wrench dynamics.gravity_wrench dynamics.kinetic_energy
dynamics.potential_energy dynamics.body_motions natural_frequencies nearest_pose kinematics.linear_map
frames.tool_pose frames.platform_pose frames.displaced frames.displacement export.mjcf singularity.singularity_cubic
frames.about_pivot euler_angles pose pose_matrix from_points statics.principal_stiffness accuracy.pose_error simulate
singularity.singular_distance travel_table workspace workspaces.dexterous_workspace workspaces.orientation_workspace
workspaces.workspace_rays singularity.conditioning_map statics.stiffness_map dynamics.frequency_map
workspaces.velocity_map statics.displacement_map singularity.singular_surface motion.arc motion.arc_through
motion.check_path motion.concatenate motion.in_frame motion.leg_motion motion.line motion.path_about_pivot
motion.time_optimal motion.via motion.jerk_limited motion.motion_limits motion.heads.head_angles
motion.heads.head_jacobian motion.heads.head_margins motion.heads.head_pose motion.heads.platform_under
motion.heads.head_dynamics motion.heads.place_tool motion.joint_space.incremental_forward
motion.joint_space.joint_move motion.joint_space.playback motion.joint_space.straightness
motion.programs.motion_through_poses motion.programs.path_through_poses multibody.hexapod multibody.double_pendulum
plot.machine plot.margins plot.travel plot.stiffness plot.velocity_envelope plot.wrench_capacity plot.resolution
plot.sensitivity plot.leg_forces plot.histories
stages.force_balance stages.forward_as_one_system stages.resolve_redundancy stages.least_rates
stack:forward_kinematics stack:inverse_kinematics stack:inverse_dynamics stack:forward_dynamics stack:jacobian
stack:kinematics.inverse_jacobian stack:kinematics.joint_accelerations stack:kinematics.platform_acceleration
stack:joint_rates stack:platform_twist stack:margins stack:leg_forces stack:dynamics.mass_matrix
stack:dynamics.kinetic_energy stack:dynamics.potential_energy stack:simulate stack:plot.machine
limits.margins limits.is_allowed
"""
POSES = ("X", "X0", "tool", "by", "pose", "poses", "orientation", "near", "start", "end", "tip", "reference")
SLOW = ("travel", "workspace", "forward_kinematics", "stack:inverse_dynamics", "stack:forward_dynamics")
SLOW += ("inverse_dynamics", "motion.time_optimal", "kinematics.certify_pose")
"""Functions that only the thorough run gives every hostile value."""
THOROUGH = ("inverse_kinematics", "stiffness", "leg_forces")
"""Functions that meet every hostile value; others meet every sixth, each from another on."""


def arguments_of(name, function):
    """Arguments with which a function answers."""
    good = good_values("stages." if name.startswith("stack:") else name.rpartition(".")[0] + "." * ("." in name))
    optional = ("X", "orientation", "samples", "level", "max_boxes", "increments", "tries", "times")
    needed = [
        p.name
        for p in parameters(function).values()
        if (p.default is p.empty and p.kind is not p.VAR_KEYWORD) or p.name in optional
    ]
    special = {"orientation": "held"} if name == "motion.arc" else {}
    if name == "plot.leg_forces":
        special = {"result": np.ones(6)}
    if name.startswith("motion.programs."):
        special = {"X": good["poses"], "time": [0.0, 1.0]}
    if name == "motion.heads.place_tool":
        special, needed = {"axis": [0.0, 0.0, 1.0], "point": [0.0, 0.0, 0.0]}, ["machine", "point", "axis"]
    if name == "stages.resolve_redundancy":
        special = {"X": good["near"]}
    if name.endswith("simulate"):
        needed += ["X0", "V0", "force", "duration"]
    return {key: special.get(key, good.get(key)) for key in needed}


def refusal(function, arguments):
    """The sentence of a refusal, or nothing; anything else that is raised goes on. Warnings are errors."""
    try:
        function(**arguments)
    except GoughError as error:
        return str(error)
    return ""


def some(values, name):
    """Of hostile values those that this function meets."""
    names, step = QUICK.split(), 1 if name in THOROUGH else 6
    return [*values.items()][names.index(name) % step :: step]


@pytest.mark.parametrize("name", [*(name for name in QUICK.split() if name not in SLOW), *thorough(*SLOW)])
def test_hostile_arguments_are_answered_or_refused(name):
    function = public_functions()[name.removeprefix("stack:")]
    good = arguments_of(name, function)
    assert not refusal(function, good)
    for key, value in good.items():
        is_text = isinstance(value, str)
        bad, odd = (NO_POSES, ODD_POSES) if key in POSES else (NO_NUMBERS, ODD_NUMBERS)
        for what, given in some(bad, name):
            may_be_left_out = given is None and parameters(function)[key].default is None
            sentence = refusal(function, {**good, key: given})
            assert may_be_left_out or 10 < len(sentence) < 500, f"{key} {what}: {sentence[:500]!r}"
        for _, given in some(odd, name) if key != "machine" and not is_text else ():
            refusal(function, {**good, key: given})


POINTS, OF_JOINTS = ("point", "mass_centre"), ("joint_step", "joint_speed", "actuator_force")
QUANTITIES = [
    (name, key)
    for name in QUICK.split()
    for key in parameters(public_functions()[name.removeprefix("stack:")])
    if key in (*POINTS, *OF_JOINTS, "leg_force")
]
OF_POSES = ("frames.", "inverse_dynamics", "forward_dynamics", "motion.heads.head_dynamics")
"""Functions that take a point for each pose."""


@pytest.mark.parametrize(("name", "key"), QUANTITIES)
def test_points_and_quantities_of_joints_are_not_broadcast(name, key):
    function = public_functions()[name.removeprefix("stack:")]
    good = arguments_of(name, function)
    if "wrench" in parameters(function):
        good |= {"wrench": np.ones(6)}
    wrong = [np.ones(shape) for shape in ((1,), (2,), (5,), (5, 7), (7, 4, 2))]
    if key in POINTS and not name.removeprefix("stack:").startswith(OF_POSES):
        wrong += [0.1, np.ones((1, 3)), np.ones((6, 3)), [np.nan, 0.0, 0.0], [0.0, np.inf, 0.0]]
    if key in OF_JOINTS:
        wrong += [-1e-6, [1.0] * 5 + [-1.0], np.ones((1, 6)), np.ones((2, 6))]
        wrong += [] if name.startswith("motion.") else [np.inf, [1.0] * 5 + [np.inf]]  # there, infinite is no limit
    for given in wrong:
        sentence = refusal(function, {**good, key: given})
        assert 10 < len(sentence) < 500, f"{key} {given!r}: answered"


class Raising:
    """An object whose conversion to an array fails, as those of tensors with gradients."""

    def __array__(self, *_, **__):
        raise RuntimeError("call detach() first")


def test_what_an_array_raises_is_refused():
    m = gough.load("hexel")
    assert "X" in refusal(gough.margins, {"machine": m, "X": Raising()}) or "pose" in refusal(
        gough.margins, {"machine": m, "X": Raising()}
    )
    assert "wrench" in refusal(gough.leg_forces, {"machine": m, "X": m.home, "wrench": Raising()})


@pytest.mark.parametrize(
    ("expected", "fitting", "others"),
    [
        ("(3,), of the platform", [(3,)], [(), (2,), (1, 3)]),
        ("(..., 4, 4)", [(4, 4), (2, 0, 4, 4)], [(4,), (4, 3), (4, 4, 5)]),
        ("() or (6,)", [(), (6,)], [(1,), (1, 6)]),
        ("(n, 6), one for each time", [(0, 6), (7, 6)], [(6,), (7, 5), (2, 7, 6)]),
    ],
)
def test_a_shape_fits_where_it_is_the_one_that_the_sentence_names(expected, fitting, others):
    for shape in fitting:
        assert of_shape("values", np.zeros(shape), expected).shape == shape
    for shape in others:
        with pytest.raises(ShapeError) as caught:
            of_shape("values", np.zeros(shape), expected)
        assert str(caught.value) == f"values: expected shape {expected}, got {shape}"


@pytest.mark.parametrize("name", ["statics.payload_table", "statics.capacity_table", "limits.nearest_pose"])
def test_a_pose_that_has_to_be_given_is_not_home_where_it_is_none(name):
    function = attrgetter(name)(gough)
    with pytest.raises(gough.errors.PoseError, match="X_home"):
        function(gough.load("rubin-m2"), None)
