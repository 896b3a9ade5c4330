"""The published schemas of what commands write as JSON: whatever they write fits them, and they state no other keys.

Schemas follow from the fields that commands write. With WRITE_SCHEMAS=1 in the environment, tests that use this add
what is new; remove the files before.
"""

import json
import os
from pathlib import Path

import jsonschema
import numpy as np

from gough.present.fields import is_records

DRAFT = "https://json-schema.org/draft/2020-12/schema"
ATOMS = {"numbers": "number", "texts": "string", "flags": "boolean"}
"""Kinds of values and the type of one: each may be null, and a list of them, of lists and so on."""
OPEN = {
    "units": "Unit of every key that has one: a name, or one for each entry of the last axis, or of the last two.",
    "frames": "Frame of the components of arrays, by key.",
}
"""Keys that all commands write, whose own keys are those of the others."""


def schema_of(title, fields):
    """The schema of fields: an object with a key for each, whose description is the definition of the field."""
    root = _object()
    for field in fields:
        if field.is_json:
            _place(root, field)
    for key, doc in OPEN.items():
        root["properties"][key] = {"type": "object", "description": doc}
    kinds = {
        name: {"anyOf": [{"type": [atom, "null"]}, {"type": "array", "items": {"$ref": f"#/$defs/{name}"}}]}
        for name, atom in ATOMS.items()
    }
    return {"$schema": DRAFT, "title": title, **root, "required": ["units"], "$defs": kinds}


def merged(one, other):
    """The schema of what fits one or another: all keys of both."""
    both = {**other, **one}
    added = other.get("description", "")
    if isinstance(added, str) and added not in (words := one.get("description", "")):
        both["description"] = f"{words} {added}".lstrip()
    if "properties" in both:
        ours, theirs = one.get("properties", {}), other.get("properties", {})
        both["properties"] = {key: merged(ours.get(key, {}), theirs.get(key, {})) for key in sorted({*ours, *theirs})}
        both["additionalProperties"] = (
            merged(*(each.get("additionalProperties") or {} for each in (one, other))) or False
        )
    if "units" in both:
        both["units"] = sorted({*one.get("units", ()), *other.get("units", ())})
    if "anyOf" in both and "anyOf" in one and "anyOf" in other:
        both["anyOf"] = one["anyOf"] + [kind for kind in other["anyOf"] if kind not in one["anyOf"]]
    return both


def _object():
    return {"type": "object", "properties": {}, "additionalProperties": False}


def _place(node, field):
    """Add a field to the object of its outer keys, which stand for any name where they are "{}"."""
    *outer, last = field.key.split(".")
    for key in outer:
        node = _child(node, key, _object())
    leaf = {"description": field.doc} if field.doc else {}
    if is_records(field.value):
        row = _object()
        for column in field.value[0]:
            _place(row, column)
        leaf |= {"type": "array", "items": row}
    elif isinstance(field.value, dict):
        leaf["type"] = "object"
    elif isinstance(field.value, list) and field.value and isinstance(field.value[0], dict):
        leaf |= {"type": "array", "items": {"type": "object"}}
    else:
        kinds = _kinds(field.value) or {"numbers"}
        leaf["anyOf"] = [{"$ref": f"#/$defs/{kind}"} for kind in kinds] if len(kinds) == 1 else [{}]
        leaf["units"] = sorted(set(map(str, np.ravel(np.array(field.unit)))) - {""})
    _child(node, last, leaf)


def _child(node, key, default):
    if key == "{}":
        node["additionalProperties"] = node["additionalProperties"] or default
        return node["additionalProperties"]
    return node["properties"].setdefault(key, default)


def _kinds(value):
    """The kinds of the entries of a value that are not None."""
    if isinstance(value, np.ndarray) and value.dtype.kind == "O":
        value = value.tolist()
    if isinstance(value, list | tuple):
        return set().union(*(_kinds(entry) for entry in value))
    return set() if value is None else {{"U": "texts", "b": "flags"}.get(np.asarray(value).dtype.kind, "numbers")}


PUBLISHED = Path(__file__).parents[1] / "docs" / "schemas"
MORE = {"machine": {"type": "string", "description": "Name of the machine."}}
"""Keys that all commands write beside the fields of their answers."""


def published(command):
    """The schema of a command."""
    return json.loads((PUBLISHED / f"{command.replace(' ', '-')}.json").read_text("utf-8"))


def check(command, document, fields, more=MORE):
    """Let what a command wrote, and the fields from which it was written, fit its schema."""
    made = schema_of(f"gough {command} --json", fields)
    made["properties"] |= more
    if "WRITE_SCHEMAS" in os.environ:
        path = PUBLISHED / f"{command.replace(' ', '-')}.json"
        known = published(command) if path.exists() else made
        path.write_text(json.dumps(merged(made, known), indent=1, ensure_ascii=False) + "\n", "utf-8")
    known = published(command)
    jsonschema.Draft202012Validator.check_schema(known)
    jsonschema.validate(document, known)
    assert keys_and_units(merged(known, made)) == keys_and_units(known), "not what is published: see tests/schemas.py"


def keys_and_units(schema):
    """A schema without its words."""
    if isinstance(schema, list):
        return [keys_and_units(part) for part in schema]
    if not isinstance(schema, dict):
        return schema
    return {key: keys_and_units(part) for key, part in schema.items() if not isinstance(part, str) or key == "$ref"}
