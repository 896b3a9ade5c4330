"""The section about assembly modes says what the library finds."""

import numpy as np

import gough
from gough.assembly.assembly_modes import AMBIGUOUS, SELF_MOTION
from gough.datasheet.model import Picture, Text
from gough.datasheet.sections.workspace import assembly
from gough.datasheet.sheet import Datasheet
from gough.present.answer import Table, sentence


def warnings(section):
    return [block.words for block in section.shown if isinstance(block, Text) and block.is_warning]


def table_of(section):
    return next(block for block in section.shown if isinstance(block, Table))


def test_a_machine_held_in_one_mode_has_no_warning(hexel_sheet):
    section = assembly(hexel_sheet)
    m = hexel_sheet.machine
    modes = gough.assembly_modes(m, gough.inverse_kinematics(m, m.home))
    assert section.numbers["modes"]["position"] == modes.matrix[:, :3, 3].tolist()
    assert {key: value for key, value in section.numbers.items() if key != "modes"} == {
        "real": len(modes),
        "finite": modes.finite_count,
        "within_limits": 1,
        "certified": len(modes),
        "self_motion": False,
        "complete": True,
    }
    assert not warnings(section)
    assert section.cards[0].value == str(len(modes))
    rows = table_of(section).rows
    assert len(rows) == len(modes)
    assert [float(cell) for cell in rows[0][1:5]] == [0, 0, 800, 0], "home in mm and deg"
    positions = np.array([[float(cell.replace("−", "-")) for cell in row[1:4]] for row in rows])
    np.testing.assert_allclose(positions, 1e3 * modes.matrix[:, :3, 3], atol=1.0)
    assert any(isinstance(block, Picture) for block in section.shown)


def test_several_allowed_modes_are_a_warning():
    section = assembly(Datasheet(gough.load("tsai2000")))
    assert warnings(section) == [sentence(AMBIGUOUS)]
    assert section.numbers["within_limits"] == [row[-1] for row in table_of(section).rows].count("allowed") > 1


def test_poses_of_a_self_motion_are_no_modes_to_count():
    """Newton's method from 400 random starts, with nothing of Gough's, ends at poses without number."""
    from tests.independent import assembly as second
    from tests.independent.machine_file import read
    from tests.independent.product import built_in

    section = assembly(Datasheet(gough.load("sinatra2009")))
    m = read(next(path for path in built_in() if path.stem == "sinatra2009"))
    poses, *_, is_free = second.modes(m, starts=400)
    assert is_free
    assert section.numbers["self_motion"]
    assert section.numbers["real"] == len(poses)
    assert sentence(SELF_MOTION) in warnings(section)
