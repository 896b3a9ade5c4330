"""Every public function whose docstring promises an exception raises it: a row here or in `test_promises`."""

import dataclasses
import functools
import importlib
import inspect
import pkgutil
import re
from pathlib import Path

import numpy as np
import pytest
import xarray
from tests.laws.test_promises import (
    REFUSED,
    SIX,
    TWIST,
    WRENCH,
    bare,
    raised,
    step,
)
from tests.skew import SKEW_STACK

import gough
from gough import (
    accuracy,
    assembly,
    dynamics,
    frames,
    kinematics,
    limits,
    motion,
    multibody,
    plot,
    regions,
    singularity,
    stages,
    statics,
    workspaces,
)
from gough.displacements import displaced
from gough.errors import GoughError, InputError, NotConvergedError, PoseError, ShapeError, StagesError
from gough.machine import NamedRegion

TESTS = Path(__file__).parents[1]
NO_POSE = 2 * np.eye(4)
NO_REGION = NamedRegion(
    name="bed", shape="ball", sizes=np.ones(1), X=np.eye(4), about=np.zeros(3), orientations={"turn": np.float64(4.0)}
)
NAN = np.array([0.0, np.nan, 0.0])
NAN_POSE = np.full((4, 4), np.nan)


def refused_home():
    """Strokes that home does not lie in."""
    m = gough.load("hexel")
    return gough.from_points(m.legs.a_B, m.b_P, home=m.X_home, joint_min=0.1, joint_max=0.2)


def skew():
    return gough.load(SKEW_STACK)


def some_plan(m):
    program = motion.programs.parse_program("G21 G1 X1 F100", motion.programs.program_start(m))
    return motion.programs.program_path(m, program)


def far(m):
    return raised(m.X_home, 100 * m.size)


@functools.cache
def calibrated():
    m = gough.load("hexel")
    X = displaced(np.tile(m.X_home, (12, 1, 1)), np.random.default_rng(0).uniform(-0.02, 0.02, (12, 6)))
    return gough.calibrate(m, gough.inverse_kinematics(m, X), X)


PROMISED = {
    "calibrate": (lambda m, X: gough.calibrate(m, np.ones((3, 5))), ShapeError),
    "random_poses": (lambda m, X: gough.calibration.random_poses(m, 0), InputError),
    "choose_poses": (lambda m, X: gough.choose_poses(m, X[None], 2), InputError),
    "expected_accuracy": (
        lambda m, X: gough.calibration.expected_accuracy(
            gough.load("hexaglide"), far(gough.load("hexaglide"))[None], parameters=["joint_zeros"]
        ),
        InputError,
    ),
    "validate": (
        lambda m, X: gough.calibration.validate(calibrated(), np.ones((2, 6)), positions=np.ones((2, 3))),
        InputError,
    ),
    "rehome": (lambda m, X: gough.calibration.rehome(calibrated(), np.ones((2, 6)), NO_POSE), ShapeError),
    "remaining_error": (lambda m, X: gough.calibration.remaining_error(m, X[None]), InputError),
    "pose_covariance": (lambda m, X: gough.calibration.pose_covariance(m, X[None]), InputError),
    "calibration": (lambda m, X: plot.calibration(m), InputError),
    "write": (lambda m, X: gough.calibration.write(calibrated(), "no/such/folder.toml", like="hexel"), InputError),
    "euler_angles": (lambda m, X: gough.euler_angles(X, "xyq"), InputError),
    "from_convention": (lambda m, X: gough.from_convention("none", [0, 0, 0], [0, 0, 0]), InputError),
    "from_convention, shape": (lambda m, X: gough.from_convention("pi", [0, 0], [0, 0, 0]), ShapeError),
    "to_convention": (lambda m, X: gough.to_convention("none", X), InputError),
    "jacobian": (lambda m, X: gough.jacobian(m, X, sequence="XYQ"), InputError),
    "jacobian, two stages": (lambda m, X: gough.jacobian(skew(), skew().X_home, sequence="XYQ"), InputError),
    "machines": (lambda m, X: gough.machines(stages=1.5), InputError),
    "payload": (lambda m, X: gough.payload(bare(), bare().X_home), InputError),
    "travel_table": (lambda m, X: gough.travel_table(m, NO_POSE), PoseError),
    "corners": (lambda m, X: gough.regions.corners(m, "both"), InputError),
    "margin_gradient": (lambda m, X: limits.margin_gradient(m, NO_POSE), PoseError),
    "nearest_pose": (lambda m, X: limits.nearest_pose(refused_home(), X), InputError),
    "dexterous_workspace": (lambda m, X: workspaces.dexterous_workspace(m, tilt=-0.1), InputError),
    "map_over_positions": (lambda m, X: workspaces.map_over_positions(bare(), lambda poses: {}), InputError),
    "orientation_workspace": (lambda m, X: workspaces.orientation_workspace(m, level=8), InputError),
    "orientation_workspace, NaN": (lambda m, X: workspaces.orientation_workspace(m, NAN), InputError),
    "slowest_pose": (lambda m, X: workspaces.slowest_pose(bare()), InputError),
    "workspace_minimum": (
        lambda m, X: workspaces.workspace_minimum(refused_home(), lambda poses: poses[:, 0, 0], z=[0.0, 1e-3]),
        InputError,
    ),
    "workspace_rays": (lambda m, X: workspaces.workspace_rays(m, level=-1), InputError),
    "workspace_rays, NaN": (lambda m, X: workspaces.workspace_rays(m, centre=NAN), InputError),
    "free_of_singularities": (lambda m, X: singularity.free_of_singularities(bare()), InputError),
    "singular_distance": (
        lambda m, X: singularity.singular_distance(gough.load("hexaglide"), far(gough.load("hexaglide"))),
        InputError,
    ),
    "singular_mesh": (
        lambda m, X: singularity.singular_mesh(singularity.singular_surface(m), [0, 0, 0], [-1, 1, 1]),
        InputError,
    ),
    "singular_surface": (lambda m, X: singularity.singular_surface(m, np.stack([X, X])), ShapeError),
    "singularity_cubic": (lambda m, X: singularity.singularity_cubic(gough.load("hexaglide")), InputError),
    "capacity_table": (lambda m, X: statics.capacity_table(bare(), X), InputError),
    "capacity_table, two": (lambda m, X: statics.capacity_table(m, np.stack([X, X])), ShapeError),
    "guaranteed_wrench": (lambda m, X: statics.guaranteed_wrench(bare(), X), InputError),
    "weakest_pose": (lambda m, X: statics.weakest_pose(bare()), InputError),
    "mode_transition": (lambda m, X: assembly.mode_transition(m, NO_POSE, X), PoseError),
    "coriolis_wrench": (lambda m, X: dynamics.coriolis_wrench(bare(), X, TWIST), InputError),
    "gravity_wrench": (lambda m, X: dynamics.gravity_wrench(bare(), X), InputError),
    "kinetic_energy": (lambda m, X: dynamics.kinetic_energy(bare(), X, TWIST), InputError),
    "potential_energy": (lambda m, X: dynamics.potential_energy(bare(), X), InputError),
    "lowest_frequency": (lambda m, X: dynamics.lowest_frequency(bare()), InputError),
    "motion_forces": (
        lambda m, X: dynamics.motion_forces(
            gough.load("hexaglide"), dynamics.CosineMotion(far(gough.load("hexaglide")), SIX, 1.0)
        ),
        InputError,
    ),
    "passive_joints": (lambda m, X: dynamics.passive_joints(bare(), X), InputError),
    "passive_joints, no length": (lambda m, X: dynamics.passive_joints(m, X, joint_axis=np.zeros((6, 3))), InputError),
    "passive_joints, along": (
        lambda m, X: dynamics.passive_joints(m, X, joint_axis=m.b_home - m.legs.a_B),
        InputError,
    ),
    "passive_joints, no upper joint": (
        lambda m, X: dynamics.passive_joints(gough.load("sinatra2009"), X, platform_axis=np.ones((6, 3))),
        InputError,
    ),
    "named_motion": (lambda m, X: dynamics.named_motion(m, "none"), InputError),
    "about_pivot": (lambda m, X: frames.about_pivot(NO_POSE, [0, 0, 0]), PoseError),
    "displaced": (lambda m, X: frames.displaced(m, NO_POSE), PoseError),
    "displacement": (lambda m, X: frames.displacement(m, NO_POSE), PoseError),
    "platform_pose": (lambda m, X: frames.platform_pose(m, NO_POSE), PoseError),
    "tool_pose": (lambda m, X: frames.tool_pose(m, NO_POSE), PoseError),
    "check_path": (
        lambda m, X: motion.check_path(m, step(X, 0.0), head=motion.heads.HeadSpline(np.arange(5.0), np.zeros((5, 2)))),
        InputError,
    ),
    "coordinates": (lambda m, X: motion.coordinates(lambda s: s, "xyq", (0, 1)), InputError),
    "in_frame": (lambda m, X: motion.in_frame(m, step(X, 0.0), work=np.stack([X, X])), ShapeError),
    "jerk_limited": (lambda m, X: motion.jerk_limited(m, step(X, 0.0), -1.0), InputError),
    "time_optimal, stops": (lambda m, X: motion.time_optimal(m, step(X, 0.0), stops=[-1.0]), InputError),
    "path_history": (lambda m, X: motion.path_history(motion.time_optimal(m, step(X, 0.001))), InputError),
    "path_about_pivot": (lambda m, X: motion.path_about_pivot(m, step(X, 0.0), point=[0, 0]), ShapeError),
    "via": (lambda m, X: motion.via(X[None]), ShapeError),
    "via, same": (lambda m, X: motion.via(np.stack([X, X])), InputError),
    "double_pendulum": (lambda m, X: multibody.double_pendulum(phi=np.nan), InputError),
    "solver_for": (lambda m, X: multibody.solver_for(multibody.double_pendulum(), "none"), InputError),
    "stacked": (lambda m, X: multibody.stacked([]), InputError),
    "force_balance": (
        lambda m, X: stages.force_balance(skew(), skew().X_home, WRENCH, gravity="up"),
        GoughError,
    ),
}

PROMISED |= {
    name: (lambda m, X, call=call: call(m, NO_POSE), PoseError)
    for name, call in {
        "axial_forces": lambda m, X: statics.axial_forces(m, X, WRENCH),
        "inverse_jacobian": kinematics.inverse_jacobian,
        "joint_accelerations": lambda m, X: kinematics.joint_accelerations(m, X, TWIST, SIX),
        "joint_rates": lambda m, X: gough.joint_rates(m, X, TWIST),
        "margins": gough.margins,
        "platform_acceleration": lambda m, X: kinematics.platform_acceleration(m, X, TWIST, SIX),
        "platform_twist": lambda m, X: gough.platform_twist(m, X, SIX),
        "pose_error": lambda m, X: accuracy.pose_error(m, X, 1e-5),
        "machine": plot.machine,
    }.items()
}
PROMISED |= {
    f"{name}, {what}": (lambda m, X, call=call, how=how: call(X, *how), InputError)
    for name, call in {
        "euler_rates": lambda X, axes, angles: frames.euler_rates(X, axes, angles=angles),
        "angular_velocity": lambda X, axes, angles: frames.angular_velocity(X, SIX[:3], axes, angles=angles),
        "angular_acceleration": lambda X, axes, angles: frames.angular_acceleration(
            X, SIX[:3], SIX[3:], axes, angles=angles
        ),
    }.items()
    for what, how in {"sequence": ("XYQ", None), "angles": ("XYZ", SIX[:3])}.items()
}
PROMISED |= {
    "ball": (lambda m, X: regions.ball([0, 0, 0], -1.0), InputError),
    "box": (lambda m, X: regions.box([0, 0, 0], [1, -1, 1]), InputError),
    "certify_region": (
        lambda m, X: regions.certify_region(m, regions.ball([0, 0, 0], 0.1), ignore=("leg 9",)),
        InputError,
    ),
    "enclosing_region": (lambda m, X: regions.enclosing_region(bare()), InputError),
    "workspace_volume_6d": (lambda m, X: gough.workspace_volume_6d(bare()), InputError),
    "cylinder": (lambda m, X: regions.cylinder([0, 0, 0], 1, 1, "u"), InputError),
    "ellipsoid": (lambda m, X: regions.ellipsoid([0, 0, 0], [1, -1, 1]), InputError),
    "guaranteed_region": (lambda m, X: regions.guaranteed_region(m, max_boxes=0), InputError),
    "named_regions": (lambda m, X: regions.named_regions(dataclasses.replace(m, regions=(NO_REGION,))), InputError),
    "largest_region": (lambda m, X: regions.largest_region(m, regions.box([0, 0, 0], [0, 0, 0])), InputError),
    "travel_tradeoff": (
        lambda m, X: regions.travel_tradeoff(m, regions.box([0, 0, 0], [1, 1, 1]), [0.1]),
        InputError,
    ),
    "union": (lambda m, X: regions.union(), InputError),
    "conditioning": (lambda m, X: singularity.conditioning(m, X, length=0.0), InputError),
    "forward_kinematics": (lambda m, X: gough.forward_kinematics(m, 10 * SIX), NotConvergedError),
    "hexapod": (lambda m, X: multibody.hexapod(bare()), InputError),
    "leg_forces": (lambda m, X: plot.leg_forces(m, SIX[:5]), ShapeError),
    "linear_map": (lambda m, X: kinematics.linear_map(m, np.stack([X, X])), ShapeError),
    "wrench_envelope": (lambda m, X: statics.wrench_envelope(bare(), X), InputError),
    "stiffness, sequence": (lambda m, X: gough.stiffness(m, X, sequence="XYQ"), InputError),
    "deflection": (lambda m, X: statics.deflection(bare(), X, WRENCH), InputError),
    "payload_table": (lambda m, X: statics.payload_table(bare(), X), InputError),
    "pose": (lambda m, X: gough.pose([0, 0, 0], [1, 0, 0]), InputError),
    "pose_matrix": (lambda m, X: gough.pose_matrix([0, 0]), ShapeError),
    "principal_stiffness": (lambda m, X: statics.principal_stiffness(np.eye(5)), ShapeError),
    "conditioning_map": (lambda m, X: plot.conditioning_map(m, quantity="none"), InputError),
    "fitted_motion": (lambda m, X: plot.fitted_motion({}), InputError),
    "histories": (lambda m, X: plot.histories(SIX, {}), InputError),
    "linear_map_error": (lambda m, X: plot.linear_map_error(None), InputError),
    "sensitivity": (lambda m, X: plot.sensitivity(m, NAN_POSE), GoughError),
    "straightness": (lambda m, X: plot.straightness(None), InputError),
    "timing": (lambda m, X: plot.timing(None), InputError),
    "velocity_map": (lambda m, X: plot.velocity_map(bare()), InputError),
    "is_allowed": (lambda m, X: limits.is_allowed(m, NO_POSE), PoseError),
    "path_report": (lambda m, X: motion.path_report(some_plan(m), samples=1), InputError),
    "path_report, no sample": (lambda m, X: motion.path_report(some_plan(m), samples=0), InputError),
    "path_report, no plan": (lambda m, X: motion.path_report(motion.time_optimal(m, step(X, 0.001))), InputError),
    "path_history, samples": (
        lambda m, X: motion.path_history(motion.time_path(some_plan(m)), samples=1),
        InputError,
    ),
    "time_path": (lambda m, X: motion.time_path(some_plan(m), follow="none"), InputError),
    "tool_path": (lambda m, X: plot.tool_path(m, xarray.Dataset()), InputError),
    "error_by_group": (lambda m, X: accuracy.error_by_group(m, X, lengths=-1.0), InputError),
    "least_rates": (
        lambda m, X: stages.least_rates(both := stages.stack(gough.load("servo"), m), both.X_home, TWIST),
        InputError,
    ),
    "least_rates, weights": (lambda m, X: stages.least_rates(skew(), skew().X_home, TWIST, np.zeros(12)), ShapeError),
    "least_rates, twist": (lambda m, X: stages.least_rates(skew(), skew().X_home, SIX[:5], np.ones(12)), ShapeError),
    "forward_as_one_system": (lambda m, X: stages.forward_as_one_system(skew(), SIX), ShapeError),
    "forward_as_one_system, near": (
        lambda m, X: stages.forward_as_one_system(skew(), [*SIX, *SIX], near=np.stack([X, NO_POSE])),
        PoseError,
    ),
    "moving_base_forces": (
        lambda m, X: stages.moving_base_forces(bare(), (X, TWIST, SIX), (X, TWIST, SIX)),
        InputError,
    ),
    "moving_base_forces, batches": (
        lambda m, X: stages.moving_base_forces(m, (X, TWIST, SIX), (np.stack([X, X]), np.ones((3, 6)), SIX)),
        ShapeError,
    ),
    "moving_base_forces, pose": (
        lambda m, X: stages.moving_base_forces(m, (NO_POSE, TWIST, SIX), (X, TWIST, SIX)),
        PoseError,
    ),
    "stack": (lambda m, X: stages.stack(m, skew()), StagesError),
    "stack, mount": (lambda m, X: stages.stack(m, m, mount=np.stack([X, X])), ShapeError),
    "resolve_redundancy, choice": (
        lambda m, X: stages.resolve_redundancy(skew(), skew().X_home[1], "none"),
        InputError,
    ),
    "resolve_redundancy, share": (
        lambda m, X: stages.resolve_redundancy(skew(), skew().X_home[1], share=1.5),
        InputError,
    ),
    "machine of two stages": (lambda m, X: plot.machine(skew(), X), ShapeError),
    "position_map": (
        lambda m, X: plot.position_map(m, statics.stiffness_map(m, samples=2).translation, "N/m"),
        InputError,
    ),
    "workspace_gain": (lambda m, X: stages.workspace_gain(skew(), samples=3), InputError),
}


@pytest.mark.parametrize("promise", PROMISED)
def test_promised_errors_are_raised(promise):
    m = gough.load("hexel")
    call, error = PROMISED[promise]
    with pytest.raises(error) as caught:
        call(m, m.X_home)
    assert len(str(caught.value)) > 10


ELSEWHERE = {
    "animation": "plot/test_animation_figure.py",
    "leg_histories": "plot/test_leg_histories_figure.py",
    "report": "datasheet/test_command.py",
    "view": "viewer/test_opening.py",
}
"""Functions whose errors the tests of their rooms raise, and where."""


def documented():
    """Public functions: names, and their docstrings in one line."""
    packages = [part.name for part in pkgutil.iter_modules(gough.__path__) if part.ispkg]
    for room in (gough, *(importlib.import_module(f"gough.{name}") for name in packages)):
        for name in getattr(room, "__all__", ()):
            found = getattr(room, name)
            if inspect.isfunction(found):
                yield name, " ".join((inspect.getdoc(found) or "").split())


def test_every_function_that_promises_an_error_has_a_row():
    rows = {name.split(",")[0].split(".")[-1] for name in (*PROMISED, *REFUSED)}
    promising = {name for name, text in documented() if " Raises ------ " in text}
    assert promising - rows == {*ELSEWHERE}
    for name, file in ELSEWHERE.items():
        refused = rf"pytest\.raises\(.*\n +.*\b{name}\("
        assert re.search(refused, (TESTS / file).read_text("utf8")), name
