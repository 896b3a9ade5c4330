"""No sentence of pydantic or Typer reaches the user, whatever is wrong with a file or a command line."""

import datetime
import re
import tomllib
from pathlib import Path

import jsonschema
import pytest
from tests.schema_values import edges, places
from tests.skew import SKEW, SKEW_STACK

import gough
from gough.cli import main
from gough.cli.app import command, usage_sentence
from gough.description.problems import checked, checked_stack
from gough.description.schema import MachineFile, StackFile
from gough.errors import MachineFileError, PathFileError
from gough.motion.programs.path_file_schema import PathFile, parse_path_file

FOREIGN = re.compile(
    "Input should|should be|should have|should match|after validation|unable to|Value error|validation error|"
    "Extra inputs|Field required|Unable to extract|Keys should|further information|"
    "Invalid value|No such (option|command)|unexpected extra|Missing (argument|option)|requires an|does not take"
)
"""Words of the messages of pydantic and Typer."""
DATES = datetime.date(2020, 1, 2), datetime.datetime(2020, 1, 2, 3), datetime.time(3)
"""What TOML has and JSON does not."""


def check_sentences(problems):
    for sentence in problems:
        assert not FOREIGN.search(sentence), sentence
        assert "\n" not in sentence


def replaced(document, place, value):
    """A copy of a document with one value in place of what is there, in the first of a list of tables."""
    if not place:
        return value
    if place[0] == 0:
        first, *rest = document if isinstance(document, list) and document else [{}]
        return [replaced(first, place[1:], value), *rest]
    inside = document if isinstance(document, dict) else {}
    return {**inside, place[0]: replaced(inside.get(place[0]), place[1:], value)}


MACHINE, STACK, PATH = (model.model_json_schema() for model in (MachineFile, StackFile, PathFile))
"""Schemas as they are published."""
PLACES = {schema["title"]: list(places(schema, schema)) for schema in (MACHINE, STACK, PATH)}


def accepted_beyond(schema, place, node, check):
    """Values at a place that a check accepts and an independent validator of JSON schemas does not; refusals are
    sentences."""
    judge, found = jsonschema.Draft202012Validator({"$defs": schema["$defs"], **node}), []
    for value in (*edges(node, schema, 1), *DATES):
        try:
            check(value)
        except (MachineFileError, PathFileError) as error:
            check_sentences(error.problems)
        else:
            found += [] if judge.is_valid(value) else [value]
    return found


def test_every_value_beyond_the_schema_of_machine_files_is_refused_in_a_sentence_of_ours():
    good, found = tomllib.loads(Path(SKEW[0]).read_text()), []
    for place, node in PLACES[MACHINE["title"]]:
        check = lambda value, at=place: checked(replaced(good, at, value), "m.toml")  # noqa: E731
        found += [(place, value) for value in accepted_beyond(MACHINE, place, node, check)]
    assert found == []


def test_every_value_beyond_the_schema_of_two_stages_is_refused_in_a_sentence_of_ours():
    good = tomllib.loads(Path(SKEW_STACK).read_text())
    for place, node in PLACES[STACK["title"]]:
        found = accepted_beyond(STACK, place, node, lambda value: checked_stack(replaced(good, place, value), "m.toml"))  # noqa: B023
        assert found == [], place


def in_toml(value):
    """Whether TOML can say a value."""
    if isinstance(value, dict):
        return all(isinstance(key, str) for key in value) and all(map(in_toml, value.values()))
    return all(map(in_toml, value)) if isinstance(value, list) else value is not None


def toml(value):
    """A value as TOML."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key} = {toml(each)}" for key, each in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(toml, value)) + "]"
    if isinstance(value, bool):
        return str(value).lower()
    return f'"{value}"' if isinstance(value, str) else str(value)


SEGMENTS = {
    "line": {"to": [0, 0, 1]},
    "arc": {"through": [0, 0, 1], "to": [0, 1, 1]},
    "via": {"points": [[0, 0, 1]]},
    "spline": {"points": [[0, 0, 1]]},
    "rest": {"duration": 1},
}


@pytest.mark.parametrize("kind", SEGMENTS)
def test_every_value_beyond_the_schema_of_path_files_is_refused_in_a_sentence_of_ours(kind):
    good = {"segments": [{"kind": kind, **SEGMENTS[kind]}]}
    for place, node in PLACES[PATH["title"]]:

        def check(value, place=place):
            if not in_toml(value):
                raise PathFileError("p", ["TOML has no such value"])
            document = replaced(good, place, value)
            parse_path_file("\n".join(f"{key} = {toml(each)}" for key, each in document.items()))

        assert accepted_beyond(PATH, place, node, check) == [], place


TYPED = ["word", "", "1.5", "-3", "-1e9", "1e99", "999999999999999999999999", "nan", "1,2", "é"]


def options():
    """Every command with its parameters, and those of its own commands."""
    for name, one in command().commands.items():
        for inner, each in one.commands.items() if hasattr(one, "commands") else [("", one)]:
            yield [name, *([inner] if inner else [])], each


@pytest.mark.parametrize(
    ("words", "one"), list(options()), ids=lambda value: "-".join(value) if isinstance(value, list) else ""
)
def test_every_wrong_option_has_a_sentence_of_ours(words, one):
    lines = [["m", "--bogus"], ["a", "b", "c", "d"], []]
    for each in one.params:
        if each.param_type_name == "option" and each.name != "help":
            beyond = [bound + step for bound, step in ((each.min, -1), (each.max, 1)) if bound is not None]
            for value in beyond:
                with pytest.raises(Exception):  # noqa: B017, PT011
                    one.make_context(" ".join(words), ["m", f"{each.opts[-1]}={value}"])
            lines += [["m", f"{each.opts[-1]}={value}"] for value in (*TYPED, *beyond)] + [["m", each.opts[-1]]]
    refused = 0
    for line in lines:
        try:
            one.make_context(" ".join(words), list(line))
        except gough.errors.GoughError:
            continue
        except Exception as error:
            refused += 1
            said = usage_sentence(error)
            assert not FOREIGN.search(said), (line, said)
            assert "\n" not in said
    assert refused


def test_an_unknown_command_and_conventions_in_any_case(capsys, tmp_path, monkeypatch):
    assert main(["repor"]) == 2
    assert "unknown command 'repor'. Did you mean 'report'" in capsys.readouterr().err
    lines = ["inverse", "hexel", "--at", "0,0,-800", "--angles", "1,2,3", "--convention"]
    answers = set()
    for name in ("pi", "PI", "Pi"):
        assert main([*lines, name]) == 0
        answers.add(capsys.readouterr().out)
    assert len(answers) == 1


def test_machine_files_in_the_folder_are_meant(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "hp150.toml").write_text(Path(SKEW[0]).read_text())
    for name in ("hp150", "hp15", "hp15.toml", "HP150.toml"):
        with pytest.raises(gough.errors.UnknownMachineError, match=r"Did you mean hp150\.toml\?"):
            gough.load(name)
