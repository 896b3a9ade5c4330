"""Every public result has arrays, a dataset with units, a sentence, and shows itself in a notebook."""

import ast
import functools
import importlib
import inspect
import pickle
import re
from dataclasses import fields, replace
from pathlib import Path

import numpy as np
import pytest
from tests.skew import SKEW, SKEW_STACK
from tests.sources import nodes

import gough
from gough import stages
from gough.datasheet.build import Report
from gough.datasheet.model import Card, Section
from gough.datasheet.sheet import Datasheet
from gough.displacements import displaced
from gough.machine import DisplayUnits
from gough.motion import heads, joint_space, programs, recorded
from gough.present.answer import of_rows
from gough.present.fields import document, units
from gough.present.read import netcdf_of
from gough.present.results import variables
from gough.present.show import without_noise
from gough.present.units import rounded
from gough.present.write import netcdf
from gough.quantity import quantity
from gough.quantity import result as declares
from gough.results import Result

NO_RESULTS = {
    "Machine", "StackedMachine", "Report", "Page",  # what shows itself with its figure, pages
    "GoughError",
    "RodSurface", "ForwardSolver",  # functions of poses or joints
    "PoseRegion", "RegionUnion",  # sets of poses
    "RequestedLimit", "SpeedLimit", "ForceLimit", "StiffnessLimit", "ResolutionLimit", "LegAngleLimit", "CylinderLimit",
    "MotionLimits",  # limits
    "Path", "FunctionPath", "PiecewisePath", "SegmentPath", "Spline", "JointSpacePath", "PlannedPath",  # paths
    "TimedPath", "CosineMotion", "SplineMotion", "JointMove", "HeadSpline", "UnderTool", "RecordedMotion",  # motions
    "ComputedTorque", "Controller", "GravityCompensation", "LegPID", "Solver",  # functions of time and state
    "Program", "Move", "Stop", "PathFile", "Convention", "Status",  # what is read, and tables of words
    "Body", "System", "Cylindrical", "Distance", "Fixed", "InLine", "Joint", "Prismatic", "Revolute", "Row",
    "Spherical", "Universal", "Force", "ForceElement", "Spring", "Torque",  # parts of which systems are built
    "ControllerNumbers", "State",  # arguments of other functions, in their order
}  # fmt: skip
"""Public classes that are no results by the rule of CONTRIBUTING."""


def public_classes():
    """Of every package with a table of public names: a new one is in by itself."""
    root = Path(gough.__file__).parent
    for table in sorted(root.rglob("__init__.pyi")):
        module = importlib.import_module(".".join(("gough", *table.parent.relative_to(root).parts)))
        yield from filter(inspect.isclass, (getattr(module, name) for name in module.__all__))


RESULTS = [one for one in public_classes() if issubclass(one, Result)]
NAMES = ("hexel", "servo", "pitch-circle", "sinatra2009", "double-hexapod", "hexel-head", "nasa-msfc", "dumitriu2017")


@functools.cache
def machines():
    return {name: gough.load(name) for name in NAMES}


def poses(m):
    X = np.tile(m.X_home, (3, 1, 1))
    X[1:, 2, 3] += [0.01 * m.size, 9 * m.size]
    return X


def path_check():
    m = machines()["hexel"]
    return gough.motion.check_path(m, gough.motion.line(m.home, gough.pose(m.X_home[:3, 3] + [0.01, 0, 0])))


def path_report():
    from gough.motion.programs.path_file import path_through_poses

    m, X = machines()["hexel"], poses(machines()["hexel"])[:2]
    return gough.motion.path_report(path_through_poses(m, X, "here"), samples=11)


def multibody():
    system = gough.multibody.double_pendulum()
    return gough.multibody.simulate(system, 0.01)


def solutions():
    """Of one instant, and of several."""
    swing = multibody()
    return [swing.solver.solve(0.0, swing.Z[0], swing.V[0]), swing.solution]


def magnitudes(m, X):
    drives = [f"drive {i}" for i in range(1, 7)]
    return gough.multibody.inverse_dynamics(gough.multibody.hexapod(m), {"platform": np.zeros(6)}, drives)


def tool_track(m, X):
    points = X[:3, 3] + np.outer(np.linspace(-1e-3, 1e-3, 3), [1, 0, 0])
    return heads.follow_tool(m, points=points, axes=[0, 0, 1], start=[0.1, 0.1], smoothing=0)


def heave():
    t = np.linspace(0, 4, 17)
    X = gough.pose(np.outer(0.3 * np.sin(t), [0, 0, 1]))
    return recorded.RecordedMotion(t, X).relative()


def straightness(m, X):
    vias = gough.motion.line(X, displaced(X, np.eye(6)[0] * 0.02))(np.linspace(0, 0.02, 3))[0]
    return joint_space.straightness(m, vias)


def joint_program(m, X):
    return programs.joint_program(m, gough.dynamics.named_motion(m, "vertical", 0.005, 1.0), tolerance=1e-3)


def transition():
    m = machines()["hexel"]
    found = gough.assembly.assembly_modes(m, gough.inverse_kinematics(m, m.home))
    return gough.assembly.mode_transition(m, found.matrix[0], found.matrix[1])


@functools.cache
def calibrated():
    """With a row that does not belong and a jump."""
    m, rng = machines()["pitch-circle"], np.random.default_rng(0)
    X = displaced(np.tile(m.X_home, (40, 1, 1)), rng.uniform(-0.05, 0.05, (40, 6)))
    q = gough.inverse_kinematics(m, X) + 1e-5 * rng.normal(size=(40, 6))
    q[20:, 2] += 5e-4
    q[3] += 0.01
    return gough.calibrate(m, q, X), q, X


def test_the_example_of_a_finding_is_a_jump_with_the_row_left_out_before_it():
    found = calibrated()[0]
    assert (found.shift.kind, found.shift.row) == ("shift", 20)
    assert "stall" not in {one.kind for one in found.findings}
    assert [one.row for one in found.outliers] == [3]


def both_poses(m):
    return stages.resolve_redundancy(m, m.X_home[1]).matrix


def height(X):
    return X[:, 2, 3]


def of(name, function, many=None):
    """Results of one pose, and of three where there is such a thing."""

    def make():
        m = machines()[name]
        return [function(m, m.X_home)] + ([] if many is None else [(function if many is True else many)(m, poses(m))])

    return make


STACK = "double-hexapod"
MADE = {
    "Certificate": of("hexel", lambda m, X: gough.kinematics.certify_pose(m, gough.inverse_kinematics(m, X), X), True),
    "ForwardSolution": of("hexel", lambda m, X: gough.forward_kinematics(m, gough.inverse_kinematics(m, X)),
                          lambda m, X: gough.forward_kinematics(m, gough.inverse_kinematics(m, X), throw=False)),
    "EulerRates": of("hexel", lambda m, X: gough.frames.euler_rates(X, "hexel"), True),
    "LinearMap": of("hexel", gough.kinematics.linear_map),
    "MachineInfo": lambda: [gough.machines("hexel")[0]],
    "Corners": of("hexel", lambda m, X: gough.regions.corners(m, "translation", strokes_only=True)),
    "MarginGradient": of("hexel", gough.limits.margin_gradient, True),
    "Margins": of("hexel", gough.margins, True),
    "NearestPose": of("hexel", lambda m, X: gough.nearest_pose(m, gough.pose([0, 0, 1.25]))),
    "Travel": of("hexel", lambda m, X: gough.travel(m, [1, 0, 0, 0, 0, 0], X), True),
    "TravelRow": of("hexel", lambda m, X: gough.travel_table(m, X)[4]),
    "RegionProof": of("hexel", lambda m, X: gough.certify_region(m, gough.regions.ball(X[:3, 3], 0.01, turn=0.01)),
                      lambda m, X: gough.certify_region(m, gough.regions.ball(X[0, :3, 3], 0.5))),
    "GuaranteedRegion": of("hexel", lambda m, X: gough.regions.guaranteed_region(m)),
    "LargestRegion": of("hexel", lambda m, X: gough.largest_region(m, gough.regions.ball(X[:3, 3], 0.01), rtol=0.5)),
    "PoseVolume": of("hexel", lambda m, X: gough.workspace_volume_6d(
        m, gough.regions.ball(X[:3, 3], 0.1, turn=0.1), rtol=0.1, max_boxes=1000, processes=1)),
    "Paving": of("hexel", lambda m, X: gough.workspace_volume_6d(
        m, gough.regions.ball(X[:3, 3], 0.1, turn=0.1), rtol=0.1, max_boxes=1000, processes=1).paving),
    "VelocityEnvelope": of("hexel", gough.velocity_envelope, True),
    "DexterousWorkspace": of("hexel", lambda m, X: gough.workspaces.dexterous_workspace(m, tilt=0.05, samples=5)),
    "Mesh": of("hexel", lambda m, X: gough.workspace(m, samples=7).mesh()),
    "Workspace": of("hexel", lambda m, X: gough.workspace(m, samples=7)),
    "RayWorkspace": of("hexel", lambda m, X: gough.workspaces.workspace_rays(m, level=0)),
    "WorkspaceMinimum": of("hexel", lambda m, X: gough.workspaces.workspace_minimum(m, height, samples=3)),
    "Conditioning": of("servo", gough.singularity.conditioning, True),
    "SingularDistance": of("hexel", gough.singularity.singular_distance),
    "SingularityCubic": of("hexel", lambda m, X: gough.singularity.singularity_cubic(m)),
    "SingularMesh": of("hexel", lambda m, X: gough.singularity.singular_mesh(
        gough.singularity.singular_surface(m), [-1, -1, 0], [1, 1, 1], cells=8)),
    "SingularityFreeProof": of("hexel", lambda m, X: gough.singularity.free_of_singularities(m, X, max_boxes=100)),
    "CapacityRow": of("servo", lambda m, X: gough.statics.capacity_table(m, X)[0]),
    "WrenchCapacity": of("servo", lambda m, X: gough.statics.wrench_capacity(m, X, [0, 0, 1, 0, 0, 0]), True),
    "Payload": of("servo", gough.payload, True),
    "PayloadRow": of("servo", lambda m, X: gough.statics.payload_table(m, X)[0]),
    "PrincipalStiffness": of("hexel", lambda m, X: gough.statics.principal_stiffness(gough.stiffness(m, X)), True),
    "Calibration": lambda: [calibrated()[0]],
    "CrossValidation": lambda: [calibrated()[0].cross_validation],
    "ExpectedAccuracy": of("pitch-circle", lambda m, X: gough.calibration.expected_accuracy(m, calibrated()[2])),
    "Finding": lambda: [calibrated()[0].shift],
    "Outlier": lambda: [calibrated()[0].outliers[0]],
    "Parameter": lambda: [calibrated()[0].parameters[0]],
    "Validation": lambda: [gough.calibration.validate(*calibrated())],
    "Resolution": of("pitch-circle", lambda m, X: gough.accuracy.resolution(m, X, joint_step=1e-6), True),
    "ErrorBudget": of("servo", lambda m, X: gough.accuracy.pose_error(m, X, 1e-5), True),
    "PassiveJoints": of("sinatra2009", gough.dynamics.passive_joints, True),
    "BodyMotion": of("sinatra2009", lambda m, X: next(iter(gough.dynamics.body_motions(m, X).values())), True),
    "NaturalFrequencies": of("pitch-circle", gough.natural_frequencies, True),
    "AssemblyModes": of(
        "hexel", lambda m, X: gough.assembly.assembly_modes(m, gough.inverse_kinematics(m, X))
    ),
    "ModeTransition": lambda: [transition()],
    "PathCheck": lambda: [path_check()],
    "PathReport": lambda: [path_report()],
    "CompensatedMotion": of("nasa-msfc", lambda m, X: recorded.compensate(m, heave(), fade=0.5, rate=5.0)),
    "FittedMotion": of("nasa-msfc", lambda m, X: recorded.fit_motion(m, heave(), rate=5.0)),
    "PerAxisScale": of("nasa-msfc", lambda m, X: recorded.per_axis_scale(m, heave(), rate=5.0)),
    "HeadDynamics": of("hexel-head", lambda m, X: heads.head_dynamics(m, X, np.zeros(6), np.zeros(6)), True),
    "ToolPlacement": of("hexel-head", lambda m, X: heads.place_tool(m, X, joints=[0.1, 0.1])),
    "ToolTrack": of("hexel-head", tool_track),
    "IncrementalMotion": of("hexel", lambda m, X: joint_space.incremental_forward(m, X, [1e-3] * 6, increments=3)),
    "Straightness": of("hexel", straightness),
    "JointProgram": of("servo", joint_program),
    "Forces": of("dumitriu2017", magnitudes),
    "Solution": solutions,
    "Motion": lambda: [multibody()],
    "Redundancy": lambda: [gough.multibody.double_pendulum().redundancy],
    "ForceBalance": of(STACK, lambda m, X: stages.force_balance(m, both_poses(m), np.ones(6))),
    "StackedInverse": of(STACK, lambda m, X: stages.resolve_redundancy(m, X[1])),
    "StackedMargins": of(STACK, gough.margins),
    "StackedSolution": of(STACK, lambda m, X: gough.forward_kinematics(m, gough.inverse_kinematics(m, X))),
    "SystemSolution": of(STACK, lambda m, X: stages.forward_as_one_system(m, gough.inverse_kinematics(m, X))),
    "WorkspaceGain": of(STACK, lambda m, X: stages.workspace_gain(m, samples=5)),
}  # fmt: skip
MADE = {name: functools.cache(make) for name, make in MADE.items()}


def test_a_dataset_keeps_its_values_units_and_definitions_in_a_file():
    for name in ("Margins", "Travel", "Resolution", "NaturalFrequencies", "WorkspaceGain"):
        data = MADE[name]()[-1].dataset
        read = netcdf_of(netcdf(data), name)
        for key, variable in data.variables.items():
            same = np.testing.assert_array_equal if variable.dtype.kind != "U" else assert_same_words
            same(variable.values, read[key].values)
            assert {what: read[key].attrs.get(what) for what in variable.attrs} == variable.attrs


def assert_same_words(one, other):
    assert one.tolist() == other.astype(str).tolist()


def test_rows_of_a_table_are_fields_with_an_entry_and_a_unit_for_each_row():
    m = machines()["sinatra2009"]
    rows = gough.statics.capacity_table(m, m.X_home, actuator_force=100.0)
    fields = of_rows(rows, "axis", "plus", ("minus", "less"), under="load.{}.")
    assert [each.unit for each in fields] == [["N", "N", "N", "N m", "N m", "N m"]] * 2
    load = document(fields, m.units)["load"]
    assert load == {row.axis: {"plus": row.plus, "less": row.minus} for row in rows}
    assert units(fields, m.units)["load.mx.plus"] == "N m"


COMPONENTS = {"axis", "twist", "wrench"}
"""Dimensions along which there are components in a frame."""


@pytest.mark.parametrize("one", RESULTS)
def test_what_a_result_declares_has_a_unit_a_definition_and_of_components_a_frame(one):
    for name, each in one.QUANTITIES.items():
        assert each.name == name
        assert re.search(r"\w.*\.$", each.doc), f"{name}: {each.doc}"
        assert not isinstance(each.unit, tuple | list) or each.dims, name
        assert bool(each.frame) or not ({"row", "column"} <= set(each.dims) or COMPONENTS & set(each.dims)), name
        assert name in (inspect.getdoc(one) or "") or not any(part.name == name for part in fields(one))


def computed(one):
    """Names of the public properties of a class."""
    kinds = property | functools.cached_property
    return [name for name in dir(one) if name[0] != "_" and isinstance(inspect.getattr_static(one, name), kinds)]


@pytest.mark.parametrize("name", MADE)
def test_every_array_and_number_of_a_result_is_declared_and_fits(name):
    for result in MADE[name]():
        own = {each.name for each in fields(result)}
        for attribute in {*own, *computed(type(result))} - set(type(result).QUANTITIES) - {"dataset"}:
            try:
                value = getattr(result, attribute)
            except (gough.errors.GoughError, TypeError, AssertionError):
                continue  # what one pose, several poses, or two stages, do not have
            assert not isinstance(value, np.ndarray | np.generic | float | int), attribute
            assert not isinstance(value, str) or attribute not in own - {"unit", "machine_name"}, attribute
        for each in variables(result):
            np.broadcast_to(each.units, each.values.shape)
            assert len(each.dims) == each.values.ndim, each.quantity.name


def test_every_public_class_is_a_result_or_something_else():
    found = {one.__name__: one for one in public_classes()}
    assert {name for name, one in found.items() if issubclass(one, Result)} == set(MADE)
    assert set(found) - set(MADE) == NO_RESULTS


@pytest.mark.parametrize("name", MADE)
def test_a_result_is_data_and_shows_itself(name):
    for result in MADE[name]():
        assert type(result).__name__ == name
        data = result.dataset
        assert data.data_vars
        if type(result).dataset is Result.dataset:
            hidden = {each.quantity.name for each in variables(result)} - set(data.data_vars)
            assert hidden <= set(data.dims), "an array has the name of its axis: it is a coordinate"
        for key, variable in data.variables.items():
            if key in data.data_vars and variable.dtype.kind in "fiu":
                assert {"units", "units_of"} & set(variable.attrs), f"{name}: {key} has no unit"
        sentence = str(result)
        assert sentence
        assert "\n" not in sentence
        assert not sentence.startswith(f"{name}("), "this is what dataclasses write themselves"
        assert repr(result).startswith(f"<{name}")
        assert len(repr(result)) < 310, "a console shows a sentence, no arrays"
        html = result._repr_html_()
        assert html.startswith("<table>")
        assert html.count("<tr>") > 1
        assert len(html) < 10_000, "arrays are told by their ranges"


@pytest.mark.parametrize("name", ["hexel", "double-hexapod", *SKEW, SKEW_STACK])
def test_a_machine_shows_itself_with_its_figure(name):
    m = gough.load(name)
    html = m._repr_html_()
    assert "six" in html
    assert m.units.length in html
    assert "plotly" in html


def test_the_dataset_has_the_arrays_themselves():
    m = machines()["pitch-circle"]
    X = poses(m)
    found = gough.accuracy.resolution(m, X, joint_step=1e-6)
    data = found.dataset
    np.testing.assert_array_equal(data["worst_case"], found.worst_case)
    assert data["worst_case"].dims == ("pose", "twist")
    units = data[data["worst_case"].attrs["units_of"]]
    assert [units.sel(twist=axis).item() for axis in data["twist"].values] == ["m"] * 3 + ["rad"] * 3


def test_sentences_are_in_the_units_of_the_file_too():
    """Of a machine in inches, and of one in metres."""
    inches, metres = gough.load("linuxcnc"), gough.load(SKEW[0])
    metres = replace(metres, units=DisplayUnits())
    for m, size, unit in ((inches, 0.0254, "in"), (metres, 1.0, "m")):
        row, turn = gough.travel_table(m)[2], gough.travel_table(m)[5]
        shown = re.fullmatch(rf"z: (\S+) to (\S+) {unit}", str(row))
        assert [float(end) * size for end in shown.groups()] == pytest.approx([row.minus, row.plus], abs=1e-4 * m.size)
        assert f"<td>{rounded(m, row.plus, 'm')}</td><td>{unit}</td>" in row._repr_html_()
        assert str(turn).endswith(m.units.angle)
        found = gough.nearest_pose(m, m.X_home @ gough.pose_matrix([0, 0, 10 * m.size]))
        far = re.match(rf"(\S+) {unit} from the requested pose, limited by ", str(found))
        assert float(far[1]) * size == pytest.approx(found.distance, abs=1e-4 * m.size)


@declares
class Sizes(Result):
    """Quantities of several units."""

    shift: object = quantity("m", doc="A length.")
    turn: float = quantity("rad", default=0.0, doc="An angle.")
    force: float = quantity("N", default=0.0, doc="A force.")
    stiffness: float = quantity("N/m", default=0.0, doc="A stiffness.")
    volume: float = quantity("m3", default=0.0, doc="A volume.")
    machine: object = None


def test_numbers_in_tables_have_the_digits_and_the_unit_that_suit_them():
    """Lengths as fits the machine; small ones in a prefixed unit; others in four digits, or all before the point."""
    m = machines()["pitch-circle"]
    cells = {
        Sizes(0.0316692424, machine=m): "<td>31.669</td><td>mm</td>",
        Sizes(np.array([3.10159e-7, 2.78911e-7, np.nan]), machine=m): "<td>310.2, 278.9, nan</td><td>nm</td>",
        Sizes(np.array([0.0316692424, 3.1e-7]), machine=m): "<td>31.669, 0.00031</td><td>mm</td>",
        Sizes(-1.54740087e-4): "<td>-154.7</td><td>µm</td>",
        Sizes(0.474235): "<td>0.4742</td><td>m</td>",
        Sizes(0.0, machine=m): "<td>shift</td><td>0</td><td>mm</td>",
        Sizes(0.0, turn=1.337e-6, machine=m): "<td>275.8</td><td>mas</td>",
        Sizes(0.0, force=1234567.8): "<td>1234568</td><td>N</td>",
        Sizes(0.0, force=132.28765): "<td>132.3</td><td>N</td>",
        Sizes(0.0, stiffness=1.27004e8): "<td>127</td><td>N/µm</td>",
        Sizes(0.0, volume=0.24891, machine=m): "<td>248.9</td><td>dm³</td>",
    }
    for result, cell in cells.items():
        assert cell in result._repr_html_()
    many = Sizes(np.linspace(0, 5e-6, 20), machine=m)
    assert "<td>20, 0 to 5</td><td>µm</td>" in many._repr_html_()
    assert str(many) == "Sizes of 20 poses: shift 0 to 5 µm"


def test_rounding_errors_are_no_numbers_in_a_notebook():
    m = machines()["pitch-circle"]
    found = gough.accuracy.resolution(m, m.X_home, joint_step=1e-6)
    assert without_noise(3.58136e-15, "1") == 0.0
    assert "e-15" not in found._repr_html_()


def test_tables_show_their_rows_in_the_units_of_the_file():
    m = machines()["pitch-circle"]
    travel, load = gough.travel_table(m), gough.statics.capacity_table(m, m.X_home)
    html = travel._repr_html_()
    assert html.count("<tr>") == 1 + 6
    assert f"<td>{travel[0].minus / 1e-3:.3f} mm</td><td>{travel[0].minus_words}</td>" in html
    assert f"<td>{np.degrees(travel[3].plus):.3f} deg</td>" in html
    assert f"<td>{load[5].plus:.4g} N m</td>" in load._repr_html_()
    payload = gough.statics.payload_table(m, m.X_home)._repr_html_()
    assert "<th>largest payload [kg]</th>" in payload, "one unit in a column stands in its header"
    assert str(travel).splitlines() == [str(row) for row in travel]
    assert gough.machines()._repr_html_().count("<tr>") == 1 + len(gough.machines())
    assert gough.machines("no such word")._repr_html_().startswith("<table>")
    again = pickle.loads(pickle.dumps(travel))
    assert (again, again.machine.name) == (travel, m.name)


def test_a_table_is_a_dataset_along_its_first_field():
    m = gough.load(SKEW[0])
    rows = gough.travel_table(m)
    data = rows.dataset
    assert list(data["axis"].values) == ["x", "y", "z", "rx", "ry", "rz"]
    np.testing.assert_array_equal(data["plus"], [row.plus for row in rows])
    assert data["plus_unit"].sel(axis="rx").item() == "rad"
    assert data["minus_words"].sel(axis="z").item() == rows[2].minus_words
    capacity = gough.statics.capacity_table(machines()["servo"], machines()["servo"].X_home).dataset
    assert capacity["plus_unit"].sel(axis="mz").item() == "N m"
    assert capacity["plus_leg"].attrs["units"] == "1"
    payload = gough.statics.payload_table(machines()["servo"], machines()["servo"].X_home).dataset
    assert payload["mass"].dims == ("mounting",)
    assert payload["mass"].attrs["units"] == "kg"
    assert payload["gravity"].dims == ("mounting", "axis")
    built_in = gough.machines().dataset
    assert built_in["stages"].sel(name="double-hexapod").item() == 2
    assert not gough.machines("no such word").dataset.data_vars


def test_a_report_shows_its_key_figures():
    sheet = Datasheet(machines()["hexel"])
    section = Section("travel", "Travel", (), cards=[Card("height", "0.5 < 1", "m", "along z")])
    html = Report(sheet, (section,))._repr_html_()
    assert "<caption>Datasheet of hexel: 1 section</caption>" in html
    assert "<td>height</td><td>0.5 &lt; 1 m</td><td>along z</td>" in html


def test_what_holds_arrays_is_compared_by_identity():
    """Arrays have no truth value: `==` of two such objects would raise, or compare one number. So is what holds such
    objects: equal only with the very same in it."""
    made, held = {}, {}
    for path in Path(gough.__file__).parent.rglob("*.py"):
        for node in (each for each in nodes(path) if isinstance(each, ast.ClassDef)):
            own = [ast.unparse(each) for each in node.decorator_list if re.match("dataclass|result", ast.unparse(each))]
            if own:
                made[path.parent.name, node.name] = own[0]
                words = [ast.unparse(each.annotation) for each in node.body if isinstance(each, ast.AnnAssign)]
                held[path.parent.name, node.name] = set(re.findall(r"\w+", " ".join(words)))
    found = {key for key, words in held.items() if words & {"Array", "Bools", "NDArray"}}
    size = 0
    while size < len(found):
        size, names = len(found), {name: folder for folder, name in found}
        found |= {
            (folder, name)
            for (folder, name), words in held.items()
            if any((folder, word) in found or (word in names and (folder, word) not in held) for word in words)
        }
    assert [key for key in sorted(found) if not re.match(r"(?!.*eq=True)result|.*eq=False", made[key])] == []
