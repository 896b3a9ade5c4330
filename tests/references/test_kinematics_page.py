"""The supplier's kinematics page ("HexaPod: Kinematics"), its formulas written afresh in NumPy, against `pitch-circle`.

The page prints no dimensions: radii, angles and strokes are those of the machine file, read here as numbers.
"""

import numpy as np
import pytest
from scipy.optimize import brentq, minimize_scalar
from tests.thorough import thorough

import gough

M = gough.load("pitch-circle")
R_B, ALPHA_B, R_P, ALPHA_P, Z_P = 0.150, np.radians(24), 0.100, np.radians(96), 0.190
POINT = np.array([0, 0, 0.220])
SHORTEST, LONGEST = 0.195, 0.226
ROUND_OFF = 1e-15
"""Of lengths of tenths of a metre."""
SOLVED = 1e-9
"""Of a root, or of the place of a maximum."""


def hinges(radius, pair, z):
    """Six hinges at 270, 30 and 150 degrees, minus and plus half the angle of a pair."""
    theta = np.radians(np.repeat([270, 30, 150], 2)) + pair / 2 * np.tile([-1, 1], 3)
    return np.column_stack([radius * np.cos(theta), radius * np.sin(theta), np.full(6, z)])


P_B, P_P = hinges(R_B, ALPHA_B, 0.0), hinges(R_P, ALPHA_P, Z_P)


def actuators(dM):
    """s_i(dM) (6,) of a displacement dx, dy, dz, dRx, dRy, dRz of M."""
    (sx, sy, sz), (cx, cy, cz) = np.sin(dM[3:]), np.cos(dM[3:])
    Qx = np.array([[1, 0, 0], [0, cx, -sx], [0, sx, cx]])
    Qy = np.array([[cy, 0, sy], [0, 1, 0], [-sy, 0, cy]])
    Qz = np.array([[cz, -sz, 0], [sz, cz, 0], [0, 0, 1]])
    moved = P_P + dM[:3] + (P_P - POINT) @ (Qx @ Qy @ Qz - np.eye(3)).T
    return np.linalg.norm(moved - P_B, axis=1) - np.linalg.norm(P_P - P_B, axis=1)


HOME = np.linalg.norm(P_P - P_B, axis=1)


def left(dM):
    """Least distance of a leg to the end of its stroke; negative beyond it."""
    length = HOME + actuators(dM)
    return min((length - SHORTEST).min(), (LONGEST - length).min())


def range_along(direction):
    """How far the strokes let a displacement along a direction (6,) go."""
    step, far = 1e-3, 1e-3
    while left(far * direction) > 0:
        far += step
    return brentq(lambda t: left(t * direction), far - step, far, xtol=1e-15)


def test_the_hinges():
    np.testing.assert_allclose(M.legs.a_B, P_B, rtol=0, atol=ROUND_OFF)
    np.testing.assert_allclose(M.b_P, P_P, rtol=0, atol=ROUND_OFF)


def test_actuator_displacements_of_two_hundred_platform_displacements(rng):
    home = gough.inverse_kinematics(M, M.home)
    for dM in np.column_stack([rng.uniform(-0.01, 0.01, (200, 3)), rng.uniform(-0.1, 0.1, (200, 3))]):
        X = gough.frames.displaced(M, gough.pose_matrix(dM[:3], dM[3:], "XYZ"))
        np.testing.assert_allclose(gough.inverse_kinematics(M, X) - home, actuators(dM), rtol=0, atol=4 * ROUND_OFF)


def test_the_linear_maps_by_finite_differences():
    step = 1e-3
    T_inv = np.column_stack([actuators(step * e) / step for e in np.eye(6)])
    linear = gough.kinematics.linear_map(M)
    np.testing.assert_allclose(linear.finite_difference(step, step), T_inv, rtol=0, atol=1e-12)
    # Central differences of the page's s_i have the derivative but for their third order.
    central = np.column_stack([(actuators(step * e) - actuators(-step * e)) / (2 * step) for e in np.eye(6)])
    np.testing.assert_allclose(linear.T_inv, central, rtol=0, atol=2e-5)
    assert np.abs(linear.T_inv - T_inv).max() == pytest.approx(2.4e-3, abs=1e-4)
    np.testing.assert_allclose(linear.T_inv @ linear.T, np.eye(6), rtol=0, atol=1e-12)


@pytest.mark.parametrize(
    ("axis", "sense", "shown"), [(0, 1, 31.669), (1, 1, 34.716), (2, -1, 17.386), (3, 1, 9.755), (5, 1, 18.258)]
)
def test_ranges_along_and_about_single_axes(axis, sense, shown):
    """Ranges that the strokes end, in mm and degrees."""
    direction = sense * np.eye(6)[axis]
    known = range_along(direction)
    assert gough.travel(M, direction).distance == pytest.approx(known, abs=SOLVED)
    assert (1e3 * known if axis < 3 else np.degrees(known)) == pytest.approx(shown, abs=5e-4)


@pytest.mark.parametrize(
    ("kind", "sides"), [("translation", (41.547, 41.547)), *thorough(("rotation", (10.92, 10.96)))]
)
def test_the_corners_make_a_hexagon(kind, sides):
    """Corners 2 to 7 are those farthest from the z axis at their azimuths; of translations the hexagon is equilateral
    (mm), of rotations nearly (deg)."""
    found = gough.regions.corners(M, kind, strokes_only=True)
    of_kind = slice(0, 3) if kind == "translation" else slice(3, 6)

    def reach(azimuth, elevation):
        direction = np.zeros(6)
        direction[of_kind] = [
            np.cos(elevation) * np.cos(azimuth),
            np.cos(elevation) * np.sin(azimuth),
            np.sin(elevation),
        ]
        return range_along(direction) * np.cos(elevation)

    corners = []
    for point in found.points[1:7]:
        azimuth, elevation = np.arctan2(point[1], point[0]), np.arctan2(point[2], np.hypot(*point[:2]))
        grid = np.linspace(-1.2, 1.2, 25)
        best = grid[np.argmax([reach(azimuth, each) for each in grid])]
        near = minimize_scalar(lambda e, a=azimuth: -reach(a, e), bounds=(best - 0.1, best + 0.1), method="bounded")
        radius = reach(azimuth, elevation)
        assert radius >= -near.fun - 1e-7
        corners.append(radius * np.array([np.cos(azimuth), np.sin(azimuth)]))
        assert np.hypot(*point[:2]) == pytest.approx(radius, abs=1e-8)
    size = 1e3 if kind == "translation" else np.degrees(1)
    lengths = size * np.linalg.norm(np.diff([*corners, corners[0]], axis=0), axis=1)
    assert sides[0] - 5e-4 <= lengths.min() <= lengths.max() <= sides[1] + 5e-4
    np.testing.assert_allclose(size * found.sides, lengths, rtol=0, atol=1e-4)
    assert size * found.points[0, 2] == pytest.approx(-size * range_along(-np.eye(6)[of_kind][2]), abs=1e-5)
    assert size * found.points[7, 2] == pytest.approx(size * range_along(np.eye(6)[of_kind][2]), abs=1e-5)


def test_one_platform_position_has_one_set_of_displacements_and_these_have_several_positions():
    """Quoted: "up to 40 platform positions": every mode of this machine has the displacements of home."""
    modes = gough.assembly_modes(M, gough.inverse_kinematics(M, M.home))
    assert 2 <= len(modes) <= 40
    for X in modes.matrix:
        lengths = np.linalg.norm(P_P @ X[:3, :3].T + X[:3, 3] - P_B, axis=1)
        np.testing.assert_allclose(lengths, HOME, rtol=0, atol=1e-9)
