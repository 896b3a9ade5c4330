"""No sentence of pydantic or Typer reaches the user, whatever is wrong with a file or a command line."""

import datetime
import re
import tomllib
import typing
from pathlib import Path

import pytest
from pydantic import BaseModel
from tests.skew import SKEW

import gough
from gough.cli import main
from gough.cli.app import command
from gough.cli.usage import usage_sentence
from gough.description.check import checked, checked_stack
from gough.description.schema import MachineFile, StackFile
from gough.errors import MachineFileError, PathFileError
from gough.motion.programs.path_file_schema import PathFile, parse_path_file

FOREIGN = re.compile(
    "Input should|should be|should have|should match|after validation|unable to|Value error|validation error|"
    "Extra inputs|Field required|Unable to extract|Keys should|further information|"
    "Invalid value|No such (option|command)|unexpected extra|Missing (argument|option)|requires an|does not take"
)
"""Words of the messages of pydantic and Typer."""
ZOO = [
    "word", "", 0, -1, -1e-9, 7, 10**30, 0.5, 2.5, 1e19, float("nan"), float("inf"), True, None, [], [1], [1, 2],
    [1] * 4,
    [1] * 7, ["a", "b", "c"], [float("nan")] * 3, [[1, 2, 3]], [[1]] * 6, [{}], {}, {"word": 1}, {1: 2},
    datetime.date(2020, 1, 2), datetime.datetime(2020, 1, 2, 3), datetime.time(3),
]  # fmt: skip
"""Values of every type that TOML has and some that it has not, of wrong signs, sizes and numbers of entries."""


def models_in(annotation):
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield annotation
    for part in typing.get_args(annotation):
        yield from models_in(part)
    if isinstance(annotation, typing.TypeAliasType if hasattr(typing, "TypeAliasType") else ()):
        yield from models_in(annotation.__value__)


def places(model):
    """Places of all keys of a schema: names, 0 for the first entry of a list of tables, "part" of a dictionary."""
    for key, field in model.model_fields.items():
        yield (key,)
        for inner in models_in(field.annotation):
            step = (0,) if typing.get_origin(field.annotation) is list else ()
            step = ("part",) if typing.get_origin(field.annotation) is dict else step
            yield from ((key, *step, *rest) for rest in places(inner))


def planted(place, value):
    """A document with one value at a place."""
    found = value
    for part in reversed(place):
        found = [found] if part == 0 else {part: found}
    return found


def merged(document, other):
    if not isinstance(document, dict) or not isinstance(other, dict):
        return other
    return {**document, **{key: merged(document.get(key), value) for key, value in other.items()}}


def check_sentences(problems):
    for sentence in problems:
        assert not FOREIGN.search(sentence), sentence
        assert "\n" not in sentence


@pytest.mark.parametrize(
    "place", sorted(set(places(MachineFile)), key=str), ids=lambda place: ".".join(map(str, place))
)
def test_every_wrong_value_of_a_machine_file_has_a_sentence_of_ours(place):
    good = tomllib.loads(Path(SKEW[0]).read_text())
    for value in ZOO:
        for what in (value, {"bogus": value}):
            try:
                checked(merged(good, planted(place, what)), "m.toml")
            except MachineFileError as error:
                check_sentences(error.problems)


def test_every_wrong_value_of_a_file_of_two_stages_has_a_sentence_of_ours():
    for place in places(StackFile):
        for value in ZOO:
            try:
                checked_stack({"stages": [{}, {}], "name": "two", **planted(place, value)}, "m.toml")
            except MachineFileError as error:
                check_sentences(error.problems)


def toml(value):
    """A value as TOML; None where TOML has none."""
    if value is None or (isinstance(value, dict) and not all(isinstance(key, str) for key in value)):
        return None
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


@pytest.mark.parametrize("kind", [*SEGMENTS, "word"])
def test_every_wrong_value_of_a_path_file_has_a_sentence_of_ours(kind):
    good = {"segments": [{"kind": kind, **SEGMENTS.get(kind, {})}]}
    wrong = 0
    for model in models_in(PathFile):
        for place in {*places(model), ("bogus",)}:
            for value in filter(toml, ZOO):
                for document in (
                    merged(good, planted(place, value)),
                    {"segments": [{**good["segments"][0], **planted(place[-1:], value)}]},
                ):
                    text = "\n".join(f"{key} = {toml(each)}" for key, each in document.items())
                    try:
                        parse_path_file(text)
                    except PathFileError as error:
                        wrong += 1
                        check_sentences(error.problems)
    assert wrong > 100


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
            lines += [["m", f"{each.opts[-1]}={value}"] for value in TYPED] + [["m", each.opts[-1]]]
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
