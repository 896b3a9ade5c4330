"""The second reader agrees with the product, and shares nothing with it."""

import ast
import tempfile
from pathlib import Path

import numpy as np
import pytest
from tests.independent import drawn, kinematics, machines
from tests.independent.compare import compare
from tests.independent.machine_file import from_document, read
from tests.independent.product import built_in, numbers
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
    sections = ("machine at home", "travel", "margins", "assembly", "corners")
    assert not compare(read(path), numbers(path, sections), with_workspace=False).wrong


@pytest.mark.parametrize("kind", [*thorough("UPS", "PUS"), "RUS"])
@pytest.mark.parametrize("seed", [0])
def test_a_drawn_machine_is_read_and_computed_alike(kind, seed):
    doc = drawn.machine(kind, seed)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "drawn.toml"
        path.write_text(drawn.as_toml(doc), "utf-8")
        assert read(path).name == doc["name"]
        assert not compare(read(path), numbers(path, QUICK), with_workspace=False).wrong


@pytest.mark.parametrize("kind", ["UPS", "PUS", "RUS"])
def test_the_screws_are_the_slopes_of_the_vector_loop(kind):
    from tests.independent.travel import along

    m = from_document(drawn.machine(kind, 7))
    J = kinematics.jacobian(m, m.t0, m.R0, m.poi)
    h = 1e-6 * np.repeat([kinematics.characteristic_length(m), 1], 3)
    for k, e in enumerate(np.eye(6)):
        ends = kinematics.joint_coordinates(m, *along(m, e, np.array([h[k], -h[k]])))
        np.testing.assert_allclose((ends[0] - ends[1]) / (2 * h[k]), J[:, k], atol=1e-7 * np.abs(J).max())
