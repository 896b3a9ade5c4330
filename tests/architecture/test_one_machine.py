"""A machine is one stage or more: one public function for both, one mechanism that finds what two stages do."""

from __future__ import annotations

import ast
import importlib
import inspect
import operator
from dataclasses import replace

import numpy as np
import pytest
from tests.skew import SKEW_STACK
from tests.sources import PACKAGE, trees
from tests.thorough import thorough

import gough
from gough.checks.arguments import checks_arguments
from gough.errors import StagesError
from gough.machine import Actuators, Machine
from gough.stacked import StackedMachine


def test_every_function_by_machine_has_one_implementation_for_stacks_with_the_same_parameters():
    of_stage, of_stacks = {}, {}
    for path, tree in trees(PACKAGE).items():
        name = ".".join(path.relative_to(PACKAGE.parent).with_suffix("").parts)
        for node in tree.body:
            for mark in map(ast.unparse, getattr(node, "decorator_list", ())):
                if mark != "by_machine" and not mark.endswith("_of_stage.register(StackedMachine)"):
                    continue
                module = importlib.import_module(name)
                if mark == "by_machine":
                    assert node.name not in of_stage, "two functions of one name"
                    of_stage[node.name] = inspect.signature(getattr(module, node.name)).parameters
                else:
                    of_stacks[mark.split("_of_stage.")[0]] = inspect.signature(getattr(module, node.name)).parameters
    assert len(of_stage) > 30
    assert of_stage.keys() - of_stacks.keys() == {"machine", "sheet_of"}, "these are registered in plot and datasheet"
    for name, parameters in of_stacks.items():
        here = [(p.name, p.kind, p.default) for p in of_stage[name].values()]
        assert [(p.name, p.kind, p.default) for p in parameters.values()] == here, name


X, V, Q, F, E = (2, 4, 4), (2, 6), (12,), (12,), (4, 4)
BOTH = {
    "inverse_kinematics": (X,), "forward_kinematics": (Q,), "jacobian": (X,), "joint_rates": (X, V),
    "platform_twist": (X, Q), "margins": (X,), "leg_forces": (X,), "inverse_dynamics": (X, V, V),
    "forward_dynamics": (X, V, F), "stiffness": (X,), "travel": ((6,),), "travel_table": (), "workspace": (),
    "statics.deflection": (X, (6,)), "statics.axial_forces": (X, (6,)), "statics.stiffness_map": (),
    "dynamics.mass_matrix": (X,), "dynamics.kinetic_energy": (X, V), "limits.is_allowed": (X,), "plot.machine": (),
    "plot.travel": (), "plot.margins": (X,), "plot.stiffness": (X,), "plot.leg_forces": (F,),
    "limits.margin_gradient": (E,), "statics.wrench_capacity": (X, (6,)), "statics.guaranteed_wrench": (X,),
    "statics.wrench_envelope": (X,), "accuracy.resolution": (X,),
    "payload": (X,), "statics.payload_table": (X,), "statics.capacity_table": (X,), "nearest_pose": (E,),
    "velocity_envelope": (E,), "natural_frequencies": (X,), "singularity.conditioning": (X,),
    "dynamics.frequency_map": (),
    "plot.velocity_envelope": (),
    "workspaces.velocity_map": (), "workspaces.slowest_pose": (), "statics.weakest_pose": (),
    "dynamics.GravityCompensation": (), "dynamics.body_motions": (X, V, V), "workspaces.workspace_rays": (),
    "workspaces.orientation_workspace": (),
    "workspaces.dexterous_workspace": (), "plot.workspace": (), "plot.orientation_workspace": (),
    "kinematics.linear_map": (), "frames.displaced": (E,), "frames.displacement": (E,),
    "frames.platform_pose": (E,), "frames.tool_pose": (E,),
}  # fmt: skip
"""Functions that mean the same for one stage and for two, with the shapes of arguments of two."""
LINE = {"samples": 2, "x": 0.0, "y": 0.0}
COARSE = {
    "workspace": {"samples": 3},
    "workspaces.dexterous_workspace": {"samples": 3, "tilt": 0.1},
    "workspaces.workspace_rays": {"level": 1},
    "workspaces.orientation_workspace": {"level": 1},
    "statics.stiffness_map": {"samples": 2},
    "workspaces.velocity_map": {"samples": 2},
    "dynamics.frequency_map": {"samples": 2},
    **dict.fromkeys(("workspaces.slowest_pose", "statics.weakest_pose"), LINE),
}


SLOW = ("plot.workspace", "plot.orientation_workspace", "workspaces.dexterous_workspace")


@pytest.mark.parametrize("name", [*(name for name in BOTH if name not in SLOW), *thorough(*SLOW)])
def test_functions_that_mean_the_same_for_one_stage_and_for_two_take_both(name):
    m = gough.load("double-hexapod")
    drives = Actuators(stiffness=np.full(6, 1e6), resolution=np.full(6, 1e-6))
    most = [replace(s.limits, actuator_force=np.full(6, 1e3), joint_speed=np.ones(6)) for s in m.stages]
    both = zip(m.stages, most, strict=True)
    m = replace(m, stages=tuple(replace(s, actuators=drives, limits=limits) for s, limits in both))
    values = {
        X: m.X_home,
        E: m.end_home,
        Q: gough.inverse_kinematics(m, m.X_home),
        V: np.full(V, 0.1),
        (6,): np.eye(6)[2],
    }
    function = operator.attrgetter(name)(gough)
    for machine in (m, m.lower):
        given = [values[shape] for shape in BOTH[name]]
        if machine is m.lower:
            given = [value[0] if value.shape[0] == 2 else value[:6] for value in given]
        assert function(machine, *given, **COARSE.get(name, {})) is not None


WEIGHED = {
    "leg_forces": "X", "statics.axial_forces": "XF", "statics.wrench_capacity": "XF", "statics.guaranteed_wrench": "X",
    "statics.capacity_table": "X", "payload": "X", "inverse_dynamics": "VA", "forward_dynamics": "F",
    "dynamics.gravity_wrench": "X", "dynamics.potential_energy": "X", "stages.force_balance": "X",
}  # fmt: skip
"""Functions of weights that take one stage and two (but for the last), and what they need besides."""
OTHERS_WEIGHED = {
    "simulate", "closed_loop_poles", "wrench_envelope", "resolve_redundancy", "moving_base_forces", "stiffness",
    "natural_frequencies",
}  # fmt: skip
"""What else has an argument `gravity`, and is made of these, or is held to it in tests of its own."""


def answer_of(function, machine, what, gravity):
    """Numbers of a function of weights at home, at rest."""
    still, n = np.zeros((*machine.stage_shape, 6)), 6 * len(machine.stages)
    given = {"X": (), "XF": (np.array([3.0, 4, 5, 0.1, 0.2, 0.3]),), "VA": (still, still), "F": (still, np.ones(n))}
    found = function(machine, machine.X_home, *given[what], gravity=gravity)
    for name in ("factor", "forces"):
        found = getattr(found, name, found)
    return [(row.minus, row.plus) for row in found] if isinstance(found, tuple) else found


@pytest.mark.parametrize("name", WEIGHED)
def test_gravity_means_the_same_everywhere(name):
    m = gough.load(SKEW_STACK)
    most = (replace(s, limits=replace(s.limits, actuator_force=np.full(6, 1e4))) for s in m.stages)
    m = replace(m, stages=tuple(most))
    function = operator.attrgetter(name)(gough)
    for machine in (m,) if name.startswith("stages.") else (m, m.lower):
        own, none = (answer_of(function, machine, WEIGHED[name], g) for g in (machine.gravity, np.zeros(3)))
        assert not np.allclose(own, none)
        for meant, gravities in ((own, (True, None)), (none, (False,))):
            for g in gravities:
                np.testing.assert_allclose(answer_of(function, machine, WEIGHED[name], g), meant, rtol=1e-12)


def test_every_public_function_with_gravity_is_among_them():
    rooms = ("", "statics", "dynamics", "stages", "motion", "limits", "kinematics", "multibody", "accuracy")
    found = set()
    for room in rooms:
        module = importlib.import_module(f"gough.{room}".rstrip("."))
        for name in dir(module):
            function = getattr(module, name)
            if inspect.isfunction(function) and "gravity" in inspect.signature(function).parameters:
                found.add(name)
    assert found == {name.rsplit(".", 1)[-1] for name in WEIGHED} | OTHERS_WEIGHED


def test_a_function_of_one_kind_of_machine_refuses_the_other_before_anything_is_computed():
    one, two = gough.load("hexel"), gough.load("double-hexapod")

    @checks_arguments
    def of_one(machine: Machine):
        return machine

    @checks_arguments
    def of_two(machine: StackedMachine):
        return machine

    assert of_one(one) is one
    assert of_two(two) is two
    with pytest.raises(StagesError, match="two stages, expected a single machine"):
        of_one(two)
    with pytest.raises(StagesError, match="has one stage"):
        of_two(one)
