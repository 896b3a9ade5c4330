"""A machine file without faults, to spoil one thing at a time."""

import pytest

from gough.description.build import from_document
from gough.description.parse import parse
from gough.errors import MachineFileError

GOOD = """
name = "good"

[units]
length = "mm"
angle = "deg"
inertia = "kg mm2"

[base]
points = [[200, 50, 0], [200, -50, 0], [-57, -198, 0], [-143, -148, 0], [-143, 148, 0], [-57, 198, 0]]

[platform]
points = [[80, 90, 0], [80, -90, 0], [38, -114, 0], [-118, -24, 0], [-118, 24, 0], [38, 114, 0]]
mass = 3

[home]
translation = [0, 0, 300]

[limits]
joint_min = 250
joint_max = 400
"""


@pytest.fixture
def good_text():
    return GOOD


@pytest.fixture
def problems_of():
    """The problems of the good file with some of its lines changed and others added at its end."""

    def find(*changes, add=""):
        text = GOOD
        for old, new in changes:
            assert old in text, f"{old!r} is not in the good file"
            text = text.replace(old, new)
        with pytest.raises(MachineFileError) as caught:
            from_document(parse(text + add, "m.toml"), "m.toml")
        assert str(caught.value).splitlines() == [f"m.toml: {problem}" for problem in caught.value.problems]
        return caught.value.problems

    return find


@pytest.fixture(scope="session")
def jsonschema():
    """Imported by the worker that needs it: it builds grammars, which takes a second or two."""
    import jsonschema

    return jsonschema
