"""Machine files of two stages: what they may say, what is refused, and where one machine is meant."""

import tomllib

import numpy as np
import pytest

import gough
from gough.cli import main
from gough.description.schema import json_schema
from gough.errors import InputError, MachineFileError, ShapeError, UnknownMachineError
from gough.stacked import StackedMachine

NAME = "double-hexapod"
ROUND_OFF = 1e-15
"""Of lengths of about a metre."""
INLINE = """
[[stages]]
machine = "hexel"
name = "below"

[[stages]]
mount = { translation = [10, 0, 30], angles = [0, 0, 90] }
units = { length = "cm" }
base = { points = [[20, 10, 0], [0, 22, 0], [-20, 10, 0], [-20, -10, 0], [0, -22, 0], [20, -10, 0]] }
platform = { pitch_circle = { radius = 15, pair_angle = 0.4, height = 25 } }
"""
HEAD = 'name = "two"\nunits = { length = "mm", angle = "deg" }\n'


def written(tmp_path, text, name="two.toml"):
    path = tmp_path / name
    path.write_text(text)
    return path


def test_the_built_in_double_hexapod_has_the_papers_hexapod_twice():
    m, single = gough.load(NAME), gough.load("dumitriu2017")
    assert isinstance(m, StackedMachine)
    assert (m.n, len(m.stages), m.name) == (12, 2, NAME)
    for stage in m.stages:
        np.testing.assert_array_equal(stage.table, single.table)
        assert not stage.published, "figures of the single hexapod say nothing of a stage"
    assert m.lower.platform.mass == 5
    assert m.upper.platform.mass == single.platform.mass
    assert m.X_home[1, 2, 3] == pytest.approx(2 * single.X_home[2, 3] + 0.03, abs=ROUND_OFF)
    assert "ours" in m.notes
    assert single.stages == (single,)


def test_a_stage_is_a_machine_of_its_own():
    m, upper = gough.load(NAME), gough.load(f"{NAME}:2")
    assert isinstance(upper, gough.Machine)
    np.testing.assert_array_equal(upper.X_home, m.upper.X_home)
    assert gough.travel_table(upper)
    with pytest.raises(UnknownMachineError, match=r"has 2 stages.*:3 does not exist"):
        gough.load(f"{NAME}:3")
    with pytest.raises(UnknownMachineError, match="one stage"):
        gough.load("hexel:1")


def test_stages_count_in_their_own_units_and_the_mount_in_the_files(jsonschema, tmp_path):
    m = gough.load(written(tmp_path, HEAD + INLINE))
    assert [stage.name for stage in m.stages] == ["below", "two:2"]
    assert m.upper.legs.rest()[0].tolist() == [0.2, 0.1, 0.0]
    np.testing.assert_allclose(m.X_IU, gough.pose_matrix([0.01, 0, 0.03], [0, 0, np.pi / 2], "XYZ"), atol=ROUND_OFF)
    np.testing.assert_allclose(m.X_home[1], m.lower.X_home @ m.X_IU @ m.upper.X_home, atol=ROUND_OFF)
    jsonschema.validate(tomllib.loads(HEAD + INLINE), json_schema(), jsonschema.Draft202012Validator)


def test_a_stage_may_name_a_file_beside_it(tmp_path):
    assert main(["new", str(tmp_path / "mine.toml")]) == 0
    stages = '[[stages]]\nmachine = "mine.toml"\n[[stages]]\nmachine = "mine.toml"\nplatform = { mass = 7 }\n'
    m = gough.load(written(tmp_path, HEAD + stages))
    assert (m.lower.legs.kind, m.upper.platform.mass) == ("UPS", 7)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('[[stages]]\nmachine = "hexel"\n', "stages: one table, expected 2"),
        ("stages = 3\n", "stages: 3, expected two tables"),
        (INLINE.replace("hexel", "hexell"), "stage 1: machine: no machine .*Did you mean 'hexel'"),
        (INLINE.replace("hexel", NAME), "stage 1: machine: 'double-hexapod' is a stack"),
        (INLINE.replace("radius = 15", "radius = -15"), "stage 2: platform.pitch_circle.radius: -15 cm is not above 0"),
        (INLINE.replace("translation", "translaton"), "stage 2: mount.translaton: unknown key.*'translation'"),
        (INLINE.replace('name = "below"', "mount = {}"), "stage 1: mount: the lower stage is on the ground"),
        ("[base]\n" + INLINE, r"base: belongs to a stage; write it under \[\[stages\]\]"),
        ("gravty = 1\n" + INLINE, "gravty: unknown key"),
    ],
)
def test_wrong_files_are_refused_in_one_sentence_each(tmp_path, text, words):
    with pytest.raises(MachineFileError, match=words) as caught:
        gough.load(written(tmp_path, HEAD + text))
    assert len(caught.value.problems) == 1


def test_a_stack_may_be_put_together_without_a_file():
    single = gough.load("hexel")
    m = StackedMachine(name="two", stages=(single, single), X_IU=gough.pose([0, 0, 0.1]))
    np.testing.assert_array_equal(m.X_home[1], single.X_home @ gough.pose_matrix([0, 0, 0.1]) @ single.X_home)
    with pytest.raises(ValueError, match="read-only"):
        m.X_IU[0, 3] = 1.0
    with pytest.raises(InputError, match="1 stages, expected two"):
        StackedMachine(name="one", stages=(single,))
    with pytest.raises(ShapeError, match="X_IU: expected shape"):
        StackedMachine(name="many", stages=(single, single), X_IU=np.tile(np.eye(4), (2, 1, 1)))
