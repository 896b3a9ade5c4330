"""Solids are what they are called."""

import numpy as np
import pytest
from tests.skew import SKEW

import gough
from gough.plot._joints import joint_axes, mounts
from gough.plot._legs import draw_legs
from gough.plot._shapes import Block, fork
from gough.plot._solids import ball, block, hull, mesh, plate, ring, tube

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


def test_a_tube_is_closed_by_its_caps():
    start, end = np.array([0.1, 0.2, 0.3]), np.array([0.3, -0.2, 0.9])
    solid = tube(start, end, 0.05, sides=7)
    signed = np.linalg.det(solid.vertices[solid.faces] - start).sum() / 6  # with a sign: all faces look outwards
    assert signed == pytest.approx(0.5 * 7 * np.sin(2 * np.pi / 7) * 0.05**2 * np.linalg.norm(end - start))


def test_a_cone_has_both_its_radii():
    vertices = tube(np.zeros(3), np.array([0.0, 0.0, 1.0]), 0.3, 0.1).vertices
    radius = np.hypot(vertices[:, 0], vertices[:, 1])
    assert radius[vertices[:, 2] == 0] == pytest.approx(0.3)
    assert radius[vertices[:, 2] == 1] == pytest.approx(0.1)


def test_a_ball_is_round_and_in_its_place():
    centre = np.array([1.0, -2.0, 3.0])
    assert np.linalg.norm(ball(centre, 0.2).vertices - centre, axis=1) == pytest.approx(0.2, abs=ROUND_OFF)


def test_a_ring_is_closed_and_has_the_volume_of_its_bar():
    centre, axis = np.array([1.0, -2.0, 3.0]), np.array([2.0, -1.0, 2.0]) / 3
    solid = ring(centre, axis, 0.5, 0.02)
    off = solid.vertices - centre
    height = off @ axis
    across = np.linalg.norm(off - height[:, None] * axis, axis=1)
    assert np.hypot(across - 0.5, height) == pytest.approx(0.02, abs=ROUND_OFF)
    sides = np.sort(solid.faces[:, [[0, 1], [1, 2], [2, 0]]].reshape(-1, 2), axis=1)
    assert (np.unique(sides, axis=0, return_counts=True)[1] == 2).all()
    # With a sign, so that all faces look outwards; polygons of 72 and 8 corners are a little smaller than circles.
    signed = np.linalg.det(solid.vertices[solid.faces] - centre).sum() / 6
    section = 0.5 * 8 * np.sin(2 * np.pi / 8) * 0.02**2
    assert signed == pytest.approx(2 * np.pi * 0.5 * section, rel=2e-3)


def test_a_block_has_the_volume_of_its_sides():
    assert volume(block(np.ones(3), np.array([1.0, 2.0, -0.5]), 0.4, 0.1)) == pytest.approx(0.4 * 0.1**2)


def test_a_plate_lies_beyond_its_points_and_covers_them():
    points = np.array([[1, 0, 0.5], [0, 1, 0.5], [-1, -1, 0.5]], dtype=float)
    solid = plate(points, np.array([0.0, 0.0, -1.0]), 0.1, 0.2)
    assert [solid.vertices[:, 2].min(), solid.vertices[:, 2].max()] == pytest.approx([0.4, 0.5])
    with_points = hull(np.concatenate([solid.vertices, points]))
    assert volume(with_points) == pytest.approx(volume(solid))


def test_solids_in_one_trace_keep_their_faces_and_labels():
    parts = [
        block(np.zeros(3), np.eye(3)[0], 1.0, 1.0, "first"),
        block(np.full(3, 5.0), np.eye(3)[0], 1.0, 1.0, "second"),
    ]
    trace = mesh(parts, "#123456")
    x, faces = np.array(trace.x), np.stack([trace.i, trace.j, trace.k], axis=-1)
    assert len(faces) == sum(len(part.faces) for part in parts)
    # No triangle spans both bodies, which lie five apart.
    assert np.ptp(x[faces], axis=1).max() < 2
    assert {label for label, place in zip(trace.text, x, strict=True) if place > 2} == {"second"}


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
