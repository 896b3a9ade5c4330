"""Every number of every figure of the datasheet and of commands is in the unit that its axis, or the words, name.

Each figure is drawn of a machine and of the same machine in other units, with lengths, masses and times scaled: what is
drawn, times the unit that is written, must differ by the powers of the scales that the unit has. And of each unit some
number is one that the library answered in SI while the first was drawn, or one of the machine's file.
"""

from functools import partial

import numpy as np
import pytest
from tests.drawn import Drawn, figures_apart
from tests.recorded import Recorder, has
from tests.rendered import unit_of
from tests.rescaled import pair, pair_of_stacks
from tests.skew import SKEW, SKEW_OF_KIND, SKEW_STACK
from tests.thorough import thorough

import gough
from gough.datasheet.model import Picture
from gough.datasheet.sections import SECTIONS
from gough.datasheet.sections.machine import machine
from gough.datasheet.sections.motion import path as path_section
from gough.datasheet.sections.stacks import TOGETHER
from gough.datasheet.sheet import Datasheet, StackedSheet

LEFT_OUT = ("limits.radius", "limits.box", "actuators.coulomb_friction")
"""A cylinder makes corners that are as far as others; friction is smoothed over a speed per second."""
DERIVED = {
    "linear map": {"in", "arcmin"},
    "speeds": {"in/s", "in"},
    "geometric errors": {"µm/µm", "µrad/µm"},
    "stiffness": {"N/µm"},
}
"""Units in a section's figures of which all numbers may be made where they are drawn: steps, meshes, sums and roots."""
LESS = {
    "gough.datasheet.sheet.GRID": 3,
    "gough.datasheet.sheet.MOST_BOXES": 1000,
    "gough.datasheet.sheet.WORKSPACE_SAMPLES": 7,
    "gough.datasheet.sheet.CONE_SAMPLES": 3,
    "gough.workspaces.extent.STARTS": 1,
    "gough.workspaces.minimum.lowest_found": lambda search, on_grid: (search.grid[on_grid.argmin()], on_grid.min()),
}
"""Searches to which it is no matter how far they go."""


@pytest.fixture(scope="module")
def machines(tmp_path_factory):
    paths = pair(SKEW_OF_KIND["RUS"], tmp_path_factory.mktemp("machines"), LEFT_OUT)
    return [gough.load(path) for path in paths]


@pytest.fixture(scope="module")
def sheets(machines):
    with pytest.MonkeyPatch.context() as patch:
        for name, few in LESS.items():
            patch.setattr(name, few)
        turns = partial(gough.workspaces.orientation_workspace, level=2)
        patch.setattr(gough.workspaces, "orientation_workspace", turns)
        sheets = [Datasheet(m) for m in machines]
        for sheet in sheets:
            vars(sheet.workspace)["boundary_share"] = {}
        yield sheets


def unknown(drawn, recorder):
    """Units in a figure without a number of the library's."""
    exact, known = recorder.all(), {}
    for _, unit, values in drawn.numbers():
        if values.any():
            known[unit] = known.get(unit) or any(has(exact, v * unit_of(unit).size) for v in values if v)
    return {unit for unit, is_known in known.items() if not is_known}


@pytest.fixture
def recorder(machines, monkeypatch):
    """What figures of the first machine are given, and what they have the library compute."""
    recorder = Recorder()

    def kept(function):
        def call(machine, *rest, **options):
            if machine is not machines[0]:
                return function(machine, *rest, **options)
            recorder.keep([rest, options])
            with recorder:
                return function(machine, *rest, **options)

        return call

    for name in gough.plot.__all__:
        monkeypatch.setattr(gough.plot, name, kept(getattr(gough.plot, name)))
    recorder.keep(machines[0])
    return recorder


def not_alike(*sections):
    """What two sections' figures draw that is not of one quantity."""
    pictures = [[block.figure for block in each.blocks if isinstance(block, Picture)] for each in sections]
    return [figures_apart(*map(Drawn, each)) for each in zip(*pictures, strict=True)]


SLOW = ("range of motion", "singularities")
"""Also drawn for `gough corners` and `gough singularity`."""


@pytest.mark.parametrize(
    ("name", "section"),
    [*(each for each in SECTIONS if each[0] not in SLOW), *thorough(*(each for each in SECTIONS if each[0] in SLOW))],
)
def test_figures_of_the_datasheet(sheets, recorder, name, section):
    made = [section(sheet) for sheet in sheets]
    pictures = [[block.figure for block in each.blocks if isinstance(block, Picture)] for each in made if each]
    found, without = [], set()
    for here, there in zip(*([Drawn(figure) for figure in each] for each in pictures), strict=True):
        found += figures_apart(here, there)
        without |= unknown(here, recorder)
    assert found == []
    assert without <= DERIVED.get(name, set())


@pytest.fixture(scope="module")
def stacks(tmp_path_factory):
    paths = pair_of_stacks(SKEW_STACK, tmp_path_factory.mktemp("stacks"))
    return [StackedSheet(gough.load(path)) for path in paths]


@pytest.mark.parametrize("name", ["machine at home", "travel", "force balance", *thorough("workspace gain")])
def test_figures_of_stacks(stacks, name):
    assert not_alike(*map(dict(TOGETHER)[name], stacks)) == [[]]


@pytest.mark.parametrize("name", [SKEW_OF_KIND["RUS"], "hexel-head"])
def test_figures_of_a_path_and_of_a_head(tmp_path, monkeypatch, name):
    monkeypatch.setitem(path_section.__globals__, "FRAMES", 5)
    sheets = []
    for path in pair(name, tmp_path, LEFT_OUT[2:] if name in SKEW else ()):
        m = gough.load(path)
        there = m.size * np.array([[0.0, 0.0, 0.0], [0.002, 0.001, -0.003], [0.001, -0.004, 0.002]])
        X = m.X_home @ gough.pose(there, [[0.0] * 3, [0.01, 0.02, -0.03], [0.02, 0.01, 0.0]], "XYZ").as_matrix()
        plan = gough.motion.programs.path_through_poses(m, X)
        within = {} if name in SKEW else {"joint_acceleration": 100 * m.limits.joint_speed.max() ** 2 / m.size}
        sheets.append(Datasheet(m, path=gough.motion.path_report(plan, samples=101, **within)))
    for section in (machine, path_section):
        found = not_alike(*map(section, sheets))
        assert found
        assert not any(found)
