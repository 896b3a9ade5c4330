"""What attributes and methods of public classes promise where there is no answer, NaN, infinity or None: a row each."""

import functools
import importlib
import inspect
import pkgutil
import re

import numpy as np
import pytest
from scipy.spatial.transform import Rotation
from tests.laws.test_promised_errors import TESTS
from tests.laws.test_promised_nan import similar_hexagons, standing
from tests.laws.test_promises import WRENCH, bare, raised
from tests.skew import SKEW, SKEW_OF_KIND, SKEW_STACK
from tests.thorough import thorough

import gough
from gough import motion, multibody, singularity, stages

SKEW_ANGLES = (0.7, -1.1, 2.3)
PROMISE = re.compile(r"\b(NaN|infinite|None (?:where|for|if))\b")


def sliders():
    return gough.load(SKEW_OF_KIND["PUS"])


def far(m):
    return raised(m.X_home, 10 * m.size)


def singular():
    return similar_hexagons(SKEW_ANGLES, (0.2, -0.5, 0.3))


def upright():
    """All legs are parallel to z: neither x nor y moves a joint."""
    corners = [[np.cos(a), np.sin(a), 0.0] for a in np.radians([0, 60, 150, 180, 240, 330])]
    return gough.from_points(
        corners, corners, home=gough.pose_matrix(np.array([0.0, 0.0, 0.3])), limits={"joint_speed": 0.1}
    )


def no_pose():
    """The volume of a region of which no pose is allowed."""
    m = gough.load(SKEW[0])
    far_off = gough.regions.ball(m.X_home[:3, 3] + [0, 0, 10 * m.size], 0.01 * m.size, turn=0.01)
    return gough.workspace_volume_6d(m, far_off, max_boxes=100)


def unproven():
    """Of a pose that does not fit the joint coordinates."""
    m = gough.load(SKEW[0])
    return gough.kinematics.certify_pose(m, gough.inverse_kinematics(m, m.X_home), raised(m.X_home, 0.1 * m.size))


def not_converged():
    m = gough.load(SKEW[0])
    return gough.forward_kinematics(m, gough.inverse_kinematics(m, m.X_home) * [1, 9, 1, 1, 9, 1], throw=False)


def endless():
    return gough.travel(bare(), [0, 0, 1, 0, 0, 0])


def unreachable():
    """No posture reaches no pose."""
    m = gough.load(SKEW_STACK)
    return stages.resolve_redundancy(m, np.full((4, 4), np.nan), "margin")


def locked():
    """Poses whose first and third axis line up, in either direction."""
    X = np.tile(np.eye(4), (2, 1, 1))
    X[:, :3, :3] = Rotation.from_euler("YZX", [[0.4, 0.5 * np.pi, -1.1], [2.2, -0.5 * np.pi, 0.7]]).as_matrix()
    return gough.frames.euler_rates(X, "YZX")


def nan_margins():
    return gough.margins(sliders(), np.full((4, 4), np.nan))


def two_singular():
    m = stages.stack(singular(), singular())
    return stages.force_balance(m, m.X_home, WRENCH)


def of_points():
    m = stages.stack(bare(), bare())
    return stages.force_balance(m, stages.stacked_poses(m, bare().X_home, bare().X_home), WRENCH, gravity=False)


def columns():
    return gough.workspace(gough.load("hexel"), samples=5)


def out_of_reach():
    """A report of a plan that no leg can follow."""
    m = gough.load("hexaglide")
    program = motion.programs.parse_program("G21 G1 Z9000 F100", motion.programs.program_start(m))
    return motion.path_report(motion.programs.program_path(m, program), samples=11)


def checked():
    m = gough.load("hexel")
    return motion.check_path(m, motion.line(m.X_home, raised(m.X_home, 1e-3)))


def rapid():
    m = gough.load("hexel")
    program = motion.programs.parse_program("G21 G0 X1", motion.programs.program_start(m))
    return motion.programs.program_path(m, program)


def jerk_limited():
    m = gough.load("pitch-circle")
    return motion.jerk_limited(m, motion.line(m.X_home, raised(m.X_home, 1e-3)), 1.0)


def unknown_rates():
    m = gough.load("hexel")
    return standing(np.tile(m.X_home, (3, 1, 1))).rates(np.zeros(1), np.ones(1))


def beyond(found):
    """Ends of the intervals after those that are counted."""
    k = np.arange(found.ends.shape[-2])
    return found.ends[np.broadcast_to(k >= found.count[..., None], found.ends.shape[:-1])]


def nowhere():
    """Ends of columns that have no interval."""
    found = columns()
    assert (found.count == 0).any()
    return np.concatenate([found.lower[found.count == 0], found.upper[found.count == 0]])


def expected_of_places():
    m = gough.load("hexel")
    D = gough.pose_matrix(0.02 * np.eye(12)[:, :3], 0.05 * np.eye(12)[:, 3:6], "XYZ")
    return gough.calibration.expected_accuracy(m, m.X_home @ D, measured="positions")


def shared_by_two_hinges():
    """Multipliers of a door on two hinges, which share every load."""
    door = multibody.Body(name="door", mass=1.0, mass_centre=[0.4, 0, 1], inertia=0.1 * np.eye(3))
    hinges = [multibody.Revolute("ground", "door", [0, 0, z], [0, 0, 1], name=f"hinge {z}") for z in (0, 2)]
    solver = multibody.solver_for(multibody.System([door], hinges, drop_redundant=True))
    return solver.all_multipliers(np.arange(5), np.ones(5))


NAN = {
    "Corners.gap": lambda: gough.regions.corners(bare(), "translation").gap,
    "PoseVolume.relative_error": lambda: no_pose().relative_error,
    "NaturalFrequencies.frequency": lambda: gough.natural_frequencies(sliders(), far(sliders())).frequency,
    "ExpectedAccuracy.position": lambda: expected_of_places().rotation,
    "EulerRates.E": lambda: locked().E,
    "EulerRates.E_inv": lambda: locked().E_inv,
    "EulerRates.T_inv": lambda: locked().T_inv[:, 3:, 3:],
    "EulerRates.rates": lambda: locked().rates(WRENCH[:3]),
    "EulerRates.accelerations": lambda: locked().accelerations(WRENCH[:3], WRENCH[3:]),
    "EulerRates.wrench": lambda: locked().wrench(WRENCH)[:, 3:],
    "ForwardSolution.matrix": lambda: not_converged().matrix,
    "LinearMap.T": lambda: gough.kinematics.linear_map(singular(), singular().X_home).T,
    "LinearMap.joint_displacements": lambda: gough.kinematics.linear_map(sliders()).joint_displacements(
        [10 * sliders().size, 0, 0, 0, 0, 0]
    ),
    "Legs.joints_at": lambda: sliders().legs.joints_at(sliders().b_home + 10 * sliders().size),
    "MarginGradient.values": lambda: gough.limits.margin_gradient(sliders(), far(sliders())).values[..., -1, :],
    "Margins.values": lambda: gough.margins(sliders(), far(sliders())).values[..., -1],
    "Margins.smallest": lambda: nan_margins().smallest,
    "Margins.worst": lambda: nan_margins().worst,
    "Travel.matrix": lambda: endless().matrix,
    "Conditioning.singular_values": lambda: singularity.conditioning(sliders(), far(sliders())).singular_values,
    "RodSurface.sided": lambda: singularity.singular_surface(sliders()).sided(far(sliders())[None, :3, 3]),
    "SingularDistance.position": lambda: singularity.singular_distance(gough.load("servo")).position,
    "ForceBalance.forces": lambda: two_singular().forces,
    "RequestedLimit.margins": lambda: gough.regions.SpeedLimit(translation=1.0, joint_speed=1.0).margins(
        sliders(), far(sliders())[None]
    )[:, -1],
    "StackedInverse.matrix": lambda: unreachable().matrix,
    "StackedInverse.joints": lambda: unreachable().joints,
    "PayloadRow.mass": lambda: [row.mass for row in gough.statics.payload_table(singular(), singular().X_home)],
    "Solver.all_multipliers": shared_by_two_hinges,
    "RayWorkspace.ends": lambda: beyond(gough.workspaces.workspace_rays(gough.load("rotopod"), level=2)),
    "Workspace.ends": lambda: beyond(columns()),
    "Workspace.lower": nowhere,
    "Workspace.upper": nowhere,
}
INFINITE = {
    "Corners.points": lambda: np.abs(gough.regions.corners(bare(), "translation").points[1, 0]),
    "TravelRow.minus": lambda: -gough.travel_table(bare())[0].minus,
    "VelocityEnvelope.top_speed": lambda: gough.velocity_envelope(
        upright(), gough.pose_matrix(np.array([0.0, 0.0, 0.3]))
    ).top_speed[:2],
    "Certificate.position_error": lambda: unproven().position_error,
    "Certificate.rotation_error": lambda: unproven().rotation_error,
    "EulerRates.amplification": lambda: locked().amplification,
    "Travel.distance": lambda: endless().distance,
    "VelocityEnvelope.fastest": lambda: gough.velocity_envelope(singular(), singular().X_home).fastest("rotation"),
    "PlannedPath.feed, turn_feed": lambda: [rapid().feed, rapid().turn_feed],
    "Conditioning.condition_number": lambda: (
        singularity.conditioning(gough.load("singular-home"), gough.load("singular-home").X_home).condition_number
    ),
}


def free_witness():
    free = gough.singularity.free_of_singularities(gough.load("hexel"))
    assert free.is_proven
    return free.witness_point


NONE = {
    "Controller.motion": lambda: gough.dynamics.Controller.motion,
    "ForceBalance.used": lambda: of_points().used,
    "Joint.axis": lambda: multibody.double_pendulum().joints[0].axis,
    "Legs.rod": gough.load(SKEW[0]).legs.rod,
    "Path.rates": unknown_rates,
    "PathCheck.first_crossing": lambda: checked().first_crossing,
    "PathReport.motion": lambda: out_of_reach().motion,
    "PathReport.duration": lambda: out_of_reach().duration,
    "SingularityFreeProof.witness_point": free_witness,
    "TimedPath.within": lambda: jerk_limited().within,
}
ELSEWHERE = {
    "Machine.tool_side": "motion/test_spindle_side.py",
    "Margins.holds": "limits/test_on_a_limit.py",
    "Calibration.residuals": "calibration/test_fit.py",
    "Calibration.shift": "calibration/test_diagnosis.py",
    "ForwardSolution.pose": "kinematics/test_forward.py",
    "ForwardSolver.follow": "kinematics/test_solver.py",
    "Motion.reaction": "multibody/test_simulation.py",
    "Solution.multipliers": "multibody/test_redundancy.py",
    "SystemSolution.matrix": "stages/test_kinematics.py",
    "Paving.contains": "regions/test_volume.py",
    "PoseRegion.coordinates": "regions/test_shapes.py",
    "PathReport.is_feasible": "motion/test_plans.py",
    "PathReport.work": "motion/test_peaks.py",
}
"""What other tests see, and in which file they name it."""


SLOW = ("Corners.gap",)


@pytest.mark.parametrize("name", [*sorted({**NAN, **INFINITE, **NONE}.keys() - SLOW), *thorough(*sorted(SLOW))])
def test_where_there_is_no_answer_it_is_as_promised(name):
    found = {**NAN, **INFINITE, **NONE}[name]()
    assert (found is None) == (name in NONE)
    if name not in NONE:
        assert np.size(found) > 0
        assert (np.isnan if name in NAN else np.isposinf)(found).all()


@functools.cache
def public_classes():
    rooms = [
        importlib.import_module(f"gough.{part.name}") for part in pkgutil.iter_modules(gough.__path__) if part.ispkg
    ]
    found = (getattr(room, name) for room in (gough, *rooms) for name in getattr(room, "__all__", ()))
    return {one for one in found if inspect.isclass(one)}


def documented(cls):
    """Attributes, properties and methods of a class with what is said of them; those of its bases only there."""
    bases = public_classes() & {*cls.__mro__[1:]}
    of_bases = {name for base in bases for name in getattr(base, "QUANTITIES", ())}
    section = re.search(r"Attributes\n-+\n(.*)", inspect.getdoc(cls) or "", re.DOTALL)
    for entry in re.split(r"\n(?=\S)", section[1]) if section else ():
        head, _, words = entry.partition("\n")
        if (name := head.partition(":")[0].strip()) not in of_bases:
            yield name, words
    for name, thing in vars(cls).items():
        thing = thing.fget if isinstance(thing, property) else getattr(thing, "func", thing)
        if not name.startswith("_") and inspect.isfunction(thing):
            yield name, inspect.getdoc(thing) or ""


def test_every_attribute_that_promises_it_has_a_row():
    promising = {
        f"{cls.__name__}.{name}"
        for cls in public_classes()
        for name, words in documented(cls)
        if PROMISE.search(" ".join(words.split()))
    }
    assert promising == {*NAN, *INFINITE, *NONE, *ELSEWHERE}
    for name, file in ELSEWHERE.items():
        assert f".{name.partition('.')[2]}" in (TESTS / file).read_text("utf8"), name
