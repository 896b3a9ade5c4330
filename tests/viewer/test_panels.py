"""What the page says beside the machine: bars, colours, numbers, forces, surfaces."""

import re
from dataclasses import replace

import numpy as np
import pytest
import scipy.constants
from tests.skew import SKEW, SKEW_STACK
from tests.viewer.conftest import until

import gough
from gough import stages
from gough.machine import Actuators
from gough.present.show import Show
from gough.viewer import applied_forces, clips
from gough.viewer.applied_forces import AppliedForces, ForceInputs, facts_of, forces
from gough.viewer.panels.overlays import modes_sentence
from gough.viewer.panels.status import leg_bars, limit_bars, verdict, weighing_bodies
from gough.viewer.scene import overlays
from gough.viewer.scene.handles import go_to_mode, mode_names, other_branch
from gough.viewer.scene.overlays import SurfacePiece
from gough.viewer.stage import Stage
from gough.viewer.store import MODES, Store, initial

SINGULAR = 1e-9
"""Smallest singular value, of order one elsewhere."""


def ignore(done, total):
    pass


def shown_of(machine, X, load):
    """What the page shows at a pose, by its labels."""
    return dict(Show(machine).pairs(facts_of(machine, X, load)))


@pytest.mark.parametrize("name", [*(info.name for info in gough.machines(stages=1)), *SKEW])
def test_every_machine_is_told_about(name):
    stage = Stage.at_home(gough.load(name))
    text = verdict(stage) + leg_bars(stage) + limit_bars(stage.margins)
    assert ("Allowed." in text) == bool(stage.margins.is_allowed and not stage.margins.is_singular)
    assert "nan" not in text
    assert leg_bars(stage).count("<b>") == 7


def test_a_payload_is_held_by_the_legs_by_virtual_work():
    machine = gough.load("hexel")
    centre = np.array([0.05, 0.0, -0.1])
    X = gough.frames.displaced(machine, gough.pose([0.02, 0, 0], [0.1, 0.2, 0], "XYZ")).as_matrix()
    f = forces(machine, X, AppliedForces(mass=12.0, mass_centre=centre))
    V = np.array([0.1, -0.2, 0.3, 0.4, 0.5, -0.6])
    velocity = V[:3] + np.cross(V[3:], X[:3, :3] @ centre)
    assert f @ (gough.jacobian(machine, X) @ V) == pytest.approx(-12.0 * machine.gravity @ velocity)


@pytest.mark.parametrize("name", SKEW)
def test_loads_act_at_the_point_of_interest_and_stiffness_is_from_the_least_to_the_most(name, rng):
    machine = gough.load(name)
    X, F, V = machine.X_home, rng.normal(size=6), rng.normal(size=6)
    more = forces(machine, X, AppliedForces(wrench=F)) - forces(machine, X, AppliedForces())
    there = V[:3] + np.cross(V[3:], X[:3, :3] @ machine.point_of_interest)
    assert more @ (gough.jacobian(machine, X) @ V) == pytest.approx(-F[:3] @ there - F[3:] @ V[3:])
    told = shown_of(machine, X, AppliedForces())["principal, rotation held"]
    principal = gough.statics.principal_stiffness(gough.stiffness(machine, X)).translation
    size = {"N/nm": 1e9, "N/µm": 1e6, "N/mm": 1e3, "N/m": 1.0}
    size["lbf/in"] = scipy.constants.pound_force / scipy.constants.inch
    least, most, unit = re.fullmatch(r"\((.+), (.+)\) (.+)", told).groups()
    for text, value in ((least, principal.min()), (most, principal.max())):
        assert float(text) * size[unit] == pytest.approx(value, rel=5e-3)


def test_the_workspace_is_drawn_where_limits_end_it():
    machine = gough.load("hexel")
    pieces = overlays.workspace(machine, machine.X_home, ignore)
    assert len(pieces) > 3
    assert all(isinstance(piece, SurfacePiece) for piece in pieces)
    corners = np.concatenate([piece.vertices for piece in pieces])
    ends = gough.workspace(machine, machine.X_home).extent
    at_ends = [corners.min(axis=0), corners.max(axis=0)]
    np.testing.assert_allclose(at_ends, [ends.low, ends.high], rtol=0, atol=1e-5 * machine.size)  # tips as well


@pytest.mark.parametrize("name", SKEW)
def test_the_machine_goes_only_to_assembly_modes_with_the_same_joint_values(name):
    state = initial(name, gough.load(name))
    found = gough.assembly_modes(state.stage.machine, state.stage.q)
    state = replace(state, overlays=frozenset({MODES})).with_result(MODES, (state.model,), found)
    q = gough.inverse_kinematics(state.stage.machine, found.matrix)
    same = np.abs(np.nan_to_num(q, nan=np.inf) - state.stage.q).max(axis=1) < SINGULAR
    assert mode_names(state) == tuple(str(k + 1) for k in np.flatnonzero(same))
    others = (np.flatnonzero(~same) + 1).tolist()
    assert modes_sentence(state).endswith(f"click a ghost. {other_branch(others)}".strip())
    store = Store(state, lambda error: None)
    for k in range(len(found)):
        go_to_mode(store, str(k + 1))
        assert until(lambda: not store.is_waiting("mode"))
        store.loop.post("check", lambda: None)
        assert until(lambda: not store.is_waiting("check"))
        np.testing.assert_allclose(store.state.stage.q, state.stage.q, rtol=0, atol=SINGULAR)
    store.stop()


def test_the_singular_surface_is_where_the_machine_is_singular():
    machine = gough.load("hexel")
    turned = gough.frames.displaced(machine, gough.pose([0, 0, 0], [0.3, 0.2, 0.1], "XYZ")).as_matrix()
    pieces = overlays.singular_surface(machine, turned, ignore)
    places = np.concatenate([piece.vertices for piece in pieces])[::50]
    X = np.tile(turned, (len(places), 1, 1))
    X[:, :3, 3] = places - turned[:3, :3] @ machine.point_of_interest
    assert len(places) > 5
    assert (gough.singularity.conditioning(machine, X).distance < SINGULAR).all()


def test_a_singular_pose_is_not_called_allowed():
    text = verdict(Stage.at_home(gough.load("singular-home")))
    assert "Allowed" not in text
    assert "det J = 0" in text


MIXED = np.array([[0, 0.2, -0.1], [0.2, 0, 0.15], [-0.1, 0.15, 0]])
"""Products of inertia [kg m2]."""
CHANGES = {
    "payload": lambda load: replace(load, mass=load.mass + 30.0),
    "centre": lambda load: replace(load, mass_centre=load.mass_centre + [0.2, 0.1, 0.3]),
    "inertia": lambda load: replace(load, inertia=load.inertia + np.diag([0.3, 0.2, 0.4])),
    "products": lambda load: replace(load, inertia=load.inertia + MIXED),
    "force": lambda load: replace(load, wrench=load.wrench + [300.0, 200, 500, 0, 0, 0]),
    "moment": lambda load: replace(load, wrench=load.wrench + [0, 0, 0, 40.0, 30, 60]),
    "direction": lambda load: replace(load, direction=np.array([1.0, 0.3, 0])),
}
SPEEDS = {"speed in every direction", "top speed"}  # of machines with a joint speed
GEOMETRY = {"condition number", "dexterity", "distance to a singularity"}
"""What no load changes: by its definition it is of the legs' directions and speeds alone."""
DEPENDS = {
    "forces": {"payload", "centre", "force", "moment"},
    "stiffness along the direction": {"payload", "centre", "force", "moment", "direction"},
    "principal, rotation held": {"payload", "centre", "force", "moment"},
    "lowest natural frequencies": {"payload", "centre", "inertia", "products", "force", "moment"},
    "chart of forces": {"payload", "centre", "force", "moment"},
    "chart of powers": {"payload", "centre", "force", "moment"},
    "mode offered": {"payload", "centre", "inertia", "products", "force", "moment"},
    "mode shown": {"payload", "centre", "inertia", "products", "force", "moment"},
    "stiffness ellipsoid": {"payload", "centre", "force", "moment"},
}
"""Numbers of the page by the inputs of its load on which they depend; the charts are of a motion without turning."""


def numbers_of(machine, X, load):
    """Every number of the page that may depend on the load, with all its digits."""
    found = {each.head: repr(np.asarray(each.value).tolist()) for each in facts_of(machine, X, load)}
    found["forces"] = repr(forces(machine, X, load).tolist())
    clip = clips.named_clip(machine, "motion vertical", "vertical", X, load)
    found |= {"chart of forces": repr(clip.force.tolist()), "chart of powers": repr(clip.power.tolist())}
    found["mode offered"] = repr(applied_forces.natural_frequencies(machine, machine.X_home, load).frequency.tolist())
    found["mode shown"] = repr(clips.named_clip(machine, "mode 0", "mode", X, load).X.tolist())
    shell, *_ = overlays.stiffness_ellipsoid(machine, X, ignore, load)
    return found | {"stiffness ellipsoid": repr(shell.vertices.tolist())}


@pytest.mark.parametrize("name", CHANGES)
def test_every_number_beside_an_input_of_the_load_heeds_it_where_physics_does(name):
    machine = gough.load("pitch-circle")
    X = gough.frames.displaced(machine, gough.pose([0.01, 0.02, 0.01], [0.03, -0.02, 0.05], "XYZ")).as_matrix()
    place, J = np.array([0.1, 0, 0.05]), np.diag([0.8, 0.9, 1.0])
    start = AppliedForces(mass=10.0, mass_centre=place, inertia=J, wrench=np.array([10.0, 20, 30, 1, 2, 3]))
    before = numbers_of(machine, X, start)
    after = numbers_of(machine, X, CHANGES[name](start))
    assert before.keys() | SPEEDS == GEOMETRY | SPEEDS | DEPENDS.keys()
    changed = {key for key in before if before[key] != after[key]}
    assert changed == {key for key, inputs in DEPENDS.items() if name in inputs}


@pytest.mark.parametrize("mass", [0.0, 2.5])
def test_active_stages_hold_what_both_together_hold(mass):
    """The lower one the upper one with its payload too; the upper one in the gravity of its leaning base."""
    m = gough.load(SKEW_STACK)
    given = ForceInputs()
    if mass:
        given = ForceInputs(mass, (0.05, -0.02, 0.1), (0.05, 0.04, 0.06), (0.01, -0.005, 0.008))
    state = initial("skew", m).with_forces(given)
    m = m.with_payload(mass, np.array(given.centre) * m.units.metres, given.tensor)
    for shown, wanted in zip(ForceInputs.of(m), given, strict=True):
        assert shown == pytest.approx(wanted)
    for active in (0, 1):
        state = state.activated(active)
        lean = gough.pose_matrix([0, 0, 0], np.array([0.03, -0.02, 0.01]), "XYZ")
        X = gough.frames.displaced(state.stage.machine, lean).as_matrix()
        state = state.moved(state.stage.assembled(X), "test")
    poses = stages.stacked_poses(m, *(stage.X for stage in state.stages))
    held = stages.force_balance(m, poses).forces
    for active, words in ((1, "platform, legs and load"), (0, "platform, legs, upper stage and load")):
        state = state.activated(active)
        found = forces(state.stage.machine, state.stage.X, state.applied)
        assert found == pytest.approx(held[6 * active : 6 * active + 6], rel=1e-9)
        alone = forces(state.stage.machine, state.stage.X, AppliedForces())
        assert np.abs(found - alone).max() > 1e-3 * np.abs(found).max()
        assert weighing_bodies(state) == words
    J = state.applied.above.inertia
    other = state.with_forces(given._replace(products=(0.0, 0.0, 0.0))).applied.above.inertia
    turned = (m.mounts[1] @ state.stages[1].X)[:3, :3]
    expected = turned @ (given.tensor - np.diag(given.inertia)) @ turned.T if mass else np.zeros((3, 3))
    np.testing.assert_allclose(J - other, expected, rtol=0, atol=1e-9 * np.abs(J).max())


@pytest.mark.parametrize("name", SKEW)
def test_stiffness_counts_all_known_weights_and_the_load(name):
    machine = replace(gough.load(name), actuators=Actuators(stiffness=np.full(6, 1e6)))
    load = AppliedForces(wrench=np.array([10.0, -20.0, 30.0, 0.0, 0.0, 0.0]))
    assert machine.leg_bodies or name == "pitch-circle"
    for known in (machine, replace(machine, platform=None)):
        weighs, point = bool(known.leg_bodies) or known.platform is not None, known.point_of_interest
        K = gough.stiffness(known, known.home, point=point, wrench=load.wrench, gravity=weighs)
        found = applied_forces.principal_stiffness(known, known.X_home, load)
        assert found.translation == pytest.approx(gough.statics.principal_stiffness(K).translation)
