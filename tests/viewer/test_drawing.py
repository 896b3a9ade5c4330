"""What the viewer puts into its scene and panels, against the library; without a page."""

import re
from types import SimpleNamespace

import numpy as np
import pytest
from scipy.spatial.transform import Rotation
from tests.skew import SKEW
from tests.viewer.conftest import until

import gough
from gough.plot._bodies import head_shapes
from gough.plot._legs import move_legs
from gough.viewer.panels.move import KEYS, key_steps, move_panel
from gough.viewer.panels.panel import Panel
from gough.viewer.scene.batch import placements
from gough.viewer.scene.handles import Ghost
from gough.viewer.scene.machine import MachineScene, legs_at
from gough.viewer.stage import Stage

SINGLE = 1e-6
"""Single precision on the page, of a number near one."""


def handle(view, name):
    """The newest node of a name; batches have a number behind theirs."""
    nodes = view.server.scene._handle_from_node_name

    def newest():
        return next(
            (nodes[node] for node in reversed([*nodes]) if re.fullmatch(rf"{re.escape(name)}( \d+)?", node)), None
        )

    assert until(lambda: newest() is not None, 10), name
    return newest()


def pose_of(node):
    X = np.eye(4)
    X[:3, :3], X[:3, 3] = Rotation.from_quat(node.wxyz, scalar_first=True).as_matrix(), node.position
    return X


def near_home(machine):
    X = machine.X_home.copy()
    X[:3, 3] += machine.size * np.array([0.011, -0.017, 0.013])
    X[:3, :3] = Rotation.from_rotvec([0.02, 0.013, -0.016]).as_matrix() @ X[:3, :3]
    return X


def moved(machine):
    stage = Stage.at_home(machine, keeps_limits=False)
    return stage, stage.assembled(near_home(machine))


@pytest.fixture
def drawn(view):
    """Draw a machine under a node of its own."""
    yield lambda machine: MachineScene(view.server.scene, machine, "/drawn")
    view.server.scene.remove_by_name("/drawn")


@pytest.mark.parametrize("name", ["hexel", *SKEW])
def test_a_machine_is_drawn_with_its_plates_and_numbers_where_it_is(view, drawn, name):
    machine = gough.load(name)
    scene = drawn(machine)
    for stage in reversed(moved(machine)):
        scene.show(stage, np.eye(4))
        np.testing.assert_allclose(pose_of(handle(view, "/drawn/machine/platform")), stage.X, rtol=0, atol=1e-9)
        numbers = [handle(view, f"/drawn/machine/number {i + 1}").position for i in range(6)]
        np.testing.assert_allclose(numbers, legs_at(machine, stage.X).numbers)
    for node in ("base", "base rim", "platform plate", "platform plate rim"):
        assert handle(view, f"/drawn/solids/{node}").visible


@pytest.mark.parametrize("name", ["hexel", "hexel-head", SKEW[0]])
def test_what_moves_with_the_platform_is_moved_by_one_route(view, drawn, name):
    """The page moves plain nodes a frame before batches: no solid may hang on a node that moves, nor on a base that is
    carried by another stage."""
    X_WB = gough.pose_matrix([0.1, -0.2, 0.3], [0.3, -0.2, 0.5], "XYZ")
    machine = gough.load(name)
    scene, (home, stage) = drawn(machine), moved(machine)
    scene.show(home, np.eye(4))
    scene.show(stage, X_WB)
    scene.show_edges(False)
    scene.show_edges(True)
    plate = handle(view, "/drawn/solids/platform plate")
    X = pose_of(SimpleNamespace(wxyz=plate.batched_wxyzs[0], position=plate.batched_positions[0]))
    np.testing.assert_allclose(X, X_WB @ stage.X, rtol=0, atol=SINGLE)
    solid = plate.vertices @ X[:3, :3].T + X[:3, 3]
    ends = handle(view, "/drawn/solids/platform plate rim").points.reshape(-1, 3)
    apart = np.linalg.norm(ends[:, None] - solid, axis=2).min(axis=1)
    np.testing.assert_allclose(apart, 0.0, rtol=0, atol=SINGLE)
    drawn_nodes = [name for name in view.server.scene._handle_from_node_name if name.startswith("/drawn/machine/")]
    assert all(re.search("frame|number|platform$", name) for name in drawn_nodes), drawn_nodes
    if machine.head is not None:
        starts = np.array([bar.start for bar in head_shapes(machine, machine.head, stage.X).joints])
        joints = scene._head["joints"]._node.batched_positions
        np.testing.assert_allclose(joints, starts @ X_WB[:3, :3].T + X_WB[:3, 3], rtol=0, atol=SINGLE)
    for name in ("heavy", "bright", "joints", "forks"):
        node = scene._batches[name]._node
        if node is not None:
            wxyz, position, _ = placements(getattr(move_legs(machine, stage.q, stage.X), name))
            np.testing.assert_allclose(node.batched_positions, position @ X_WB[:3, :3].T + X_WB[:3, 3], atol=SINGLE)
            turns = Rotation.from_quat([*wxyz, *node.batched_wxyzs], scalar_first=True).as_matrix()
            np.testing.assert_allclose(turns[len(wxyz) :], X_WB[:3, :3] @ turns[: len(wxyz)], atol=SINGLE)
    base = handle(view, "/drawn/solids/base")
    X = pose_of(SimpleNamespace(wxyz=base.batched_wxyzs[0], position=base.batched_positions[0]))
    np.testing.assert_allclose(X, X_WB, rtol=0, atol=SINGLE)


def test_a_tool_head_is_drawn_and_moves(drawn):
    machine = gough.load("hexel-head")
    scene = drawn(machine)
    positions = []
    for turned in (machine, machine.with_head(machine.head.q + 0.3)):
        scene.show(Stage.at_home(turned, keeps_limits=False), np.eye(4))
        nodes = [batch._node for batch in scene._head.values() if batch._node is not None]
        positions.append(np.concatenate([node.batched_positions for node in nodes]))
        shapes = head_shapes(turned, turned.head, np.eye(4))
        parts = shapes.links, shapes.elbows, shapes.joints, shapes.spindle
        assert len(positions[-1]) == sum(map(len, parts))
    assert np.abs(positions[1] - positions[0]).max() > 1e-3 * machine.size


@pytest.mark.parametrize("name", SKEW)
def test_the_legs_of_a_ghost_in_an_assembly_mode_have_the_same_joint_values(view, name):
    machine = gough.load(name)
    q = gough.inverse_kinematics(machine, machine.home)
    for X in gough.assembly_modes(machine, q).matrix[:2]:  # in the second paradex and servo are on another branch
        ghost = Ghost(view.server.scene, "/ghost", machine, "#aabbcc", has_rods=False)
        ghost.show(X, q)
        points = handle(view, "/ghost/lines").points
        np.testing.assert_allclose(points[:, 0], machine.legs.driven_points(q), rtol=0, atol=SINGLE * machine.size)
        joints = machine.b_P @ X[:3, :3].T + X[:3, 3]
        np.testing.assert_allclose(points[:, 1], joints, rtol=0, atol=SINGLE * machine.size)
        ghost.remove()


def test_a_request_is_drawn(view):
    X = near_home(view.stage.machine)
    view.move("test", lambda stage: stage.assembled(X))
    platform = handle(view, "/stage 1/machine/platform")
    assert until(lambda: np.allclose(pose_of(platform), X, rtol=0, atol=1e-9), 10)


def test_each_key_takes_one_step_to_its_side(view, monkeypatch):
    pressed = {}

    def add_command(label, *, hotkey, modifier=None):
        return SimpleNamespace(on_trigger=lambda action: pressed.update({(hotkey, modifier): (label, action)}))

    monkeypatch.setattr(view.server.gui, "add_command", add_command)
    move_panel(Panel(view.server.gui, view.store))
    machine, coordinates = view.stage.machine, view.state.coordinates
    sizes = key_steps(view.state)
    for k, pair in enumerate(KEYS):
        for modifier, what in ((None, k), ("shift", 3 + k)):
            for sign, key in zip((-1, 1), pair, strict=True):
                label, action = pressed[key, modifier]
                view.store.update("home", lambda state: state.moved(state.stage.home(), "test"))
                assert until(lambda: np.array_equal(view.stage.X, machine.X_home), 10)
                with pytest.raises(StopIteration):  # a coroutine without awaits, stepped by hand: no loop is needed
                    action(SimpleNamespace(client_id=1)).send(None)
                assert until(lambda: not np.array_equal(view.stage.X, machine.X_home), 10)
                step = np.zeros(6)
                step[what] = sign * sizes[what // 3]
                change = coordinates.numbers(machine, view.stage.X) - coordinates.numbers(machine, machine.X_home)
                np.testing.assert_allclose(change, step, rtol=0, atol=1e-3 * abs(step[what]))
                assert label.startswith("More" if sign > 0 else "Less")
