"""The options of all commands together: how many there are, and what they say of a pose."""

import pytest

from gough.cli.app import command

MOST = 300
"""Options of all commands, without --help: others belong in Python."""


def commands():
    """Every command by its name, those of groups too."""
    found = command().commands
    return {name: inner for name, one in found.items() for inner in getattr(one, "commands", {name: one}).values()}


def test_commands_have_few_options():
    options = [each for one in commands().values() for each in one.params if each.param_type_name == "option"]
    assert len([each for each in options if "--help" not in each.opts]) <= MOST
    assert all(each.help for each in options)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("margins", "hexel", "--at", "0,0,800", "--angles", "1,2,3"), "here it is --at X,Y,Z,A,B,C"),
        (("travel", "hexel", "--quaternion", "0,0,0,1"), "here it is --at X,Y,Z,QX,QY,QZ,QW"),
        (("margins", "hexel", "--matrix", "1"), "here it is --csv FILE, with columns m00 to m33"),
        (("inverse", "hexel", "--at", "0,0,800,1,2,3", "--angles", "1,2,3", "--sequence", "XYZ"), "already"),
        (("margins", "hexel", "--at", "0,0,800,0,0,0,2"), "quaternion's length is 2"),
    ],
)
def test_an_orientation_is_given_once_and_with_its_position(run, arguments, words):
    assert words in run(*arguments).complaint
