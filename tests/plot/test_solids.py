"""Solids are what they are called."""

import numpy as np
import pytest
from tests.skew import SKEW

import gough
from gough.plot._legs import draw_legs, joint_axes, mounts
from gough.plot._solids import Block, ball, block, fork, hull, plate, tube

ROUND_OFF = 1e-12


def volume(solid):
    """Of a closed convex body, by the pyramids from its middle."""
    middle = solid.vertices.mean(axis=0)
    corners = solid.vertices[solid.faces] - middle
    return np.abs(np.linalg.det(corners)).sum() / 6


def distance_from_line(points, start, end):
    along = (end - start) / np.linalg.norm(end - start)
    return np.linalg.norm(np.cross(points - start, along), axis=1)


@pytest.mark.parametrize("end", [(0.3, -0.2, 0.9), (0, 0, 2), (-1, 0, 0)])
def test_a_tube_has_its_radius_and_its_length(end):
    start, end = np.array([0.1, 0.2, 0.3]), np.array(end, dtype=float)
    vertices = tube(start, end, 0.05).vertices
    assert distance_from_line(vertices, start, end) == pytest.approx(0.05, abs=ROUND_OFF)
    along = (vertices - start) @ (end - start) / np.linalg.norm(end - start)
    assert [along.min(), along.max()] == pytest.approx([0, np.linalg.norm(end - start)], abs=ROUND_OFF)


def test_a_plate_lies_beyond_its_points_and_covers_them():
    points = np.array([[1, 0, 0.5], [0, 1, 0.5], [-1, -1, 0.5]], dtype=float)
    solid = plate(points, np.array([0.0, 0.0, -1.0]), 0.1, 0.2)
    assert [solid.vertices[:, 2].min(), solid.vertices[:, 2].max()] == pytest.approx([0.4, 0.5])
    with_points = hull(np.concatenate([solid.vertices, points]))
    assert volume(with_points) == pytest.approx(volume(solid))


@pytest.mark.parametrize(("name", "per_leg"), [("hexaglide", 1), ("rotopod", 1), ("hexel", 0), ("servo", 0)])
def test_sliders_and_carriages_are_blocks_at_their_joints(name, per_leg):
    machine = gough.load(name)
    drawing = draw_legs(machine, gough.inverse_kinematics(machine, machine.X_home), machine.X_home)
    blocks = [shape for shape in drawing.heavy if isinstance(shape, Block)]
    assert len(blocks) == 6 * per_leg
    assert len(drawing.heavy) >= 6


@pytest.mark.parametrize(
    "solid",
    [
        tube(np.zeros(3), np.array([0.3, 0.2, 1.0]), 0.1, 0.05),
        ball(np.ones(3), 1.0),
        block(np.zeros(3), np.array([1.0, 2, 3]), 2.0, 0.4),
        fork(),
    ],
)
def test_triangles_of_solids_look_outwards(solid):
    """The divergence theorem: about any point the signed pyramids sum up to the volume, which is above zero."""
    for point in (np.zeros(3), np.array([7.0, -3.0, 5.0])):
        signed = np.linalg.det(solid.vertices[solid.faces] - point).sum() / 6
        assert signed == pytest.approx(np.linalg.det(solid.vertices[solid.faces]).sum() / 6)
        assert signed > 0


JOINTS = {"UPS": (6, 0), **dict.fromkeys(("UCU", "UPU"), (6, 6)), "PUS": (6, 0), "RUS": (6, 0)}
JOINTS |= dict.fromkeys(("SPS", "PSS", "RSS"), (0, 0))
"""Universal joints at the driven points and at the platform, by the letters of a leg's kind."""


@pytest.mark.parametrize("name", [*(info.name for info in gough.machines(stages=1)), *SKEW])
def test_joints_are_drawn_as_the_letters_of_the_legs_say(name):
    """The fork of a universal joint goes along the leg, its pin across it and across the pin of the other half."""
    machine = gough.load(name)
    X = machine.X_home.copy()
    X[:3, :3] = gough.pose_matrix([0, 0, 0], [0.03, -0.02, 0.04], "XYZ")[:3, :3] @ X[:3, :3]
    q = gough.inverse_kinematics(machine, X)
    drawing, axes = draw_legs(machine, q, X), joint_axes(machine)
    driven, platform = JOINTS[machine.leg_kind]
    assert len(drawing.joints) == 12
    assert len(drawing.forks) == driven + platform
    along = machine.b_P @ X[:3, :3].T + X[:3, 3] - machine.legs.driven_points(q)
    for i, half in enumerate(drawing.forks):
        u = (along[i] if i < driven else -along[i - driven]) / np.linalg.norm(along[i % 6])
        pin, _, ahead = half.axes().T
        assert ahead == pytest.approx(u, abs=1e-9)
        assert pin @ u == pytest.approx(0, abs=1e-9)
        if i >= driven:
            assert pin @ X[:3, :3] @ axes.platform_pin[i - driven] == pytest.approx(0, abs=1e-9)
        elif machine.legs.rod() is None:
            assert pin @ axes.base_pin[i] == pytest.approx(0, abs=1e-9)
    base, held = mounts(machine)
    assert (len(base), len(held)) == (6 * (machine.legs.rod() is None), 6)
