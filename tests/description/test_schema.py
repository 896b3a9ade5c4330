"""The JSON Schema, the reference page and the models say the same."""

import re
import tomllib
from pathlib import Path
from typing import get_args

import pytest
from pydantic import BaseModel
from tests.skew import SKEW, SKEW_STACK

import gough
from gough.description import units
from gough.description.build import from_document
from gough.description.parse import machine_text
from gough.description.schema import MachineFile, StackFile, Stage, json_schema
from gough.loading import stack_of

PAGE = (Path(__file__).parents[2] / "docs" / "machine-files.md").read_text()


def models_in(annotation):
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield annotation
    for part in get_args(annotation):
        yield from models_in(part)


def fields(model=MachineFile, prefix=""):
    """Every key of the format with its field."""
    for key, field in model.model_fields.items():
        yield f"{prefix}{key}", field
        for inner in models_in(field.annotation):
            yield from fields(inner, f"{prefix}{key}.")


FIELDS = dict(fields())


def test_the_walk_reaches_the_depths():
    assert {"name", "units.length", "base.pitch_circle.radius", "legs.bodies.inertia.xy"} <= set(FIELDS)


def test_every_key_is_explained_in_the_schema_and_on_the_page():
    assert [key for key, one in FIELDS.items() if not one.description or f"`{key.split('.')[-1]}`" not in PAGE] == []


@pytest.mark.parametrize("quantity", units.Units.model_fields)
def test_the_page_lists_every_unit(quantity):
    choices = get_args(units.Units.model_fields[quantity].annotation)
    section = PAGE.partition("## `[units]`")[2].partition("\n## ")[0]
    (line,) = re.findall(rf"^\| `{quantity}` \| (.*?) \| (.*?) \|", section, flags=re.MULTILINE)
    assert line == (", ".join(choices), units.Units.model_fields[quantity].default)
    assert set(getattr(units, quantity.upper())) == set(choices)


def test_the_page_names_no_key_that_is_not_there():
    known = {part for key in FIELDS for part in key.split(".")} | set(StackFile.model_fields) | set(Stage.model_fields)
    tables = re.findall(r"^\| (`[a-z_`, ]+`) \|", PAGE, flags=re.MULTILINE)
    named = {name for cell in tables for name in re.findall(r"`([a-z_]+)`", cell)}
    assert named <= known | {"kind"}
    assert len(named) > 60


def test_the_example_on_the_page_is_a_machine():
    example, stack = re.findall(r"```toml\n(.*?)```", PAGE, flags=re.DOTALL)
    machine = from_document(tomllib.loads(example), "the page")
    assert gough.margins(machine, machine.home).is_allowed
    double, _ = stack_of(tomllib.loads(stack), "the page", Path())
    assert gough.margins(double, double.X_home).is_allowed


@pytest.mark.parametrize("name", [*(machine.name for machine in gough.machines()), *SKEW, SKEW_STACK])
def test_built_in_files_fit_the_json_schema(jsonschema, name):
    jsonschema.Draft202012Validator(json_schema()).validate(tomllib.loads(machine_text(name)[1]))


def test_the_json_schema_is_one(jsonschema):
    jsonschema.Draft202012Validator.check_schema(json_schema())


@pytest.mark.parametrize(
    ("table", "key", "value"),
    [
        ("units", "length", "milimeter"),
        ("limits", "joint_max", "400"),
        ("limits", "joint_max", [1, 2, 3]),
        ("limits", "joint_mx", 3),
        ("platform", "mass", -1),
        ("base", "points", [[1, 2]]),
    ],
)
def test_the_json_schema_refuses_what_gough_refuses(jsonschema, good_text, table, key, value):
    document = tomllib.loads(good_text)
    document[table][key] = value
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.Draft202012Validator(json_schema()).validate(document)
    with pytest.raises(gough.errors.MachineFileError):
        from_document(document, "m.toml")
