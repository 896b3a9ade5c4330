"""The second reader agrees with the product, and shares nothing with it."""

import ast
import tempfile
from pathlib import Path

import numpy as np
import pytest
from scipy.spatial.transform import Rotation
from tests.independent import drawn, dynamics, kinematics, machines, travel
from tests.independent.compare import compare
from tests.independent.comparison import ZEROS
from tests.independent.machine_file import carrying, from_document, read
from tests.independent.product import built_in, numbers, under_load
from tests.skew import MACHINES, SKEW
from tests.thorough import thorough

QUICK = ("machine at home", "travel", "proven region", "margins", "legs", "conditioning", "linear map", "resolution",
         "geometric errors", "load capacity", "static forces")  # fmt: skip
"""Sections whose numbers take no search over the workspace; `python -m tests.independent 50` compares them all."""


def test_nothing_but_its_door_imports_the_product():
    for path in Path(__file__).parent.glob("*.py"):
        if path.name not in ("product.py",):
            tree = ast.parse(path.read_text("utf-8"))
            nodes = [node for node in ast.walk(tree) if isinstance(node, ast.Import | ast.ImportFrom)]
            names = [getattr(node, "module", None) or "" for node in nodes]
            names += [alias.name for node in nodes for alias in node.names]
            assert not [name for name in names if name.split(".")[0] == "gough"], path.name


@pytest.mark.parametrize("path", built_in(), ids=lambda path: path.stem)
def test_a_built_in_machine_is_read_and_computed_alike(path):
    assert not compare(
        read(path), numbers(path, ("machine at home", "margins", "legs", "conditioning")), with_workspace=False
    ).wrong


@pytest.mark.parametrize(
    "path", [machines.TWO_CROSSINGS, *thorough(*machines.FILES[1:])], ids=lambda path: Path(path).stem
)
def test_a_machine_of_a_fault_that_was_found_is_computed_alike(path):
    sections = ("machine at home", "travel", "margins", "assembly modes")
    assert not compare(read(path), numbers(path, sections), with_workspace=False).wrong


@pytest.mark.thorough
@pytest.mark.parametrize("path", [machines.CRANKS_AT_180, machines.RADIUS_LIMIT], ids=lambda path: Path(path).stem)
def test_corners_are_farthest_in_their_half_planes(path):
    assert not compare(read(path), numbers(path, ("range of motion",)), with_workspace=False).wrong


@pytest.mark.thorough
def test_a_corner_beside_the_farthest_point_and_another_azimuth_are_noticed():
    m, kind = read(machines.TWO_CROSSINGS), "translation"
    points = np.array(numbers(machines.TWO_CROSSINGS, ("range of motion",))["corners"][kind]["points"])[1:7]
    peaks = travel.farthest(m, kind, np.random.default_rng(0))
    assert not travel.azimuth_off(points, *peaks)
    assert travel.azimuth_off(np.roll(points, 1, axis=0), *peaks)
    R = Rotation.from_rotvec(1e-3 * np.cross(points[0], [0, 0, 1]) / np.hypot(*points[0][:2])).as_matrix()
    off, _ = travel.in_half_plane(m, kind, R @ points[0] * 0.999)  # beside the corner
    assert off > ZEROS


SOFT_TALL = str(MACHINES / "soft-tall.toml")
FIRM, TOP_HEAVY = (80.0, [0.0, 0.0, 0.5], [2.0, 2.0, 1.0]), (200.0, [0.0, 0.0, 1.0], [4.0, 4.0, 2.0])
"""Payloads on the soft machine: mass [kg], centre [m], moments of inertia [kg m2]."""
SQUARES = {FIRM[0]: (2 * np.pi * 1.01025414) ** 2, TOP_HEAVY[0]: -0.6398863}
"""Squared frequencies of their slowest modes [1/s2], computed from first principles by a third program."""
WRENCH = [100.0, 200.0, -50.0, 3.0, 4.0, 5.0]


@pytest.mark.parametrize(
    ("path", "frame", "payload"),
    [(SOFT_TALL, 0.0, FIRM), (SOFT_TALL, 0.0, TOP_HEAVY), (machines.SOFT_TALL_SHIFTED, 0.5, FIRM)],
)
def test_a_soft_machine_under_a_tall_load_is_computed_alike(path, frame, payload):
    mass, (x, y, z), inertia = payload
    moved = mass, [x, y, z - frame], inertia
    m = carrying(read(path), *moved)
    found = compare(m, under_load(path, payload=moved))
    assert found.count > 50
    assert not found.wrong
    assert dynamics.squares_under_load(m)[0] == pytest.approx(SQUARES[mass], rel=1e-7)


@pytest.mark.parametrize("path", SKEW, ids=lambda path: Path(path).stem)
@pytest.mark.parametrize("wrench", [None, WRENCH])
def test_a_skew_machine_under_load_is_computed_alike(path, wrench):
    found = compare(read(path), under_load(path, wrench))
    assert found.count > 50
    assert not found.wrong


@pytest.mark.parametrize("kind", [*thorough("UPS", "PUS"), "RUS"])
@pytest.mark.parametrize("seed", [0])
def test_a_drawn_machine_is_read_and_computed_alike(kind, seed):
    doc = drawn.machine(kind, seed)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "drawn.toml"
        path.write_text(drawn.as_toml(doc), "utf-8")
        assert read(path).name == doc["name"]
        assert not compare(read(path), numbers(path, QUICK) | under_load(path), with_workspace=False).wrong


@pytest.mark.parametrize("kind", ["UPS", "PUS", "RUS"])
def test_the_screws_are_the_slopes_of_the_vector_loop(kind):
    m = from_document(drawn.machine(kind, 7))
    J = kinematics.jacobian(m, m.t0, m.R0, m.poi)
    h = 1e-6 * np.repeat([kinematics.characteristic_length(m), 1], 3)
    for k, e in enumerate(np.eye(6)):
        ends = kinematics.joint_coordinates(m, *travel.along(m, e, np.array([h[k], -h[k]])))
        np.testing.assert_allclose((ends[0] - ends[1]) / (2 * h[k]), J[:, k], atol=1e-7 * np.abs(J).max())
