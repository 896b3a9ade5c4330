"""The options of all commands together: how many there are, and what they say of a pose."""

from dataclasses import fields

import pytest

from gough.cli.app import command
from gough.cli.options import Options

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
        (("margins", "hexel", "--at", "0,0,800", "--angles", "1,2,3"), "use --at X,Y,Z,A,B,C"),
        (("travel", "hexel", "--quaternion", "0,0,0,1"), "use --at X,Y,Z,QX,QY,QZ,QW"),
        (("margins", "hexel", "--matrix", "1"), "use --csv FILE, with columns m00 to m33"),
        (("inverse", "hexel", "--at", "0,0,800,1,2,3", "--angles", "1,2,3", "--sequence", "XYZ"), "already"),
        (("margins", "hexel", "--at", "0,0,800,0,0,0,2"), "quaternion's length is 2"),
    ],
)
def test_an_orientation_is_given_once_and_with_its_position(run, arguments, words):
    assert words in run(*arguments).complaint


OTHER_MEANING = {"samples", "at"}
"""Shared options with a help of their own: samples of shapes and over time; poses of a tool."""


def test_shared_options_are_the_same_in_all_commands():
    """Requests read them by the names of parameters: another option of such a name would be read as the shared one."""
    shared, forms = {each.name for each in fields(Options)} - OTHER_MEANING, {}
    for command_of in commands().values():
        for each in command_of.params:
            if each.name in shared:
                forms.setdefault(each.name, set()).add((tuple(each.opts), each.metavar, each.help))
    assert {name: of for name, of in forms.items() if len(of) > 1} == {}
    assert {"at", *forms} >= {"csv", "sequence", "share", "as_json", "output", "payload", "centre"}
