"""JSON Schemas of what commands write, from the declarations of their fields."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from gough.present.answer import Field
from gough.present.fields import is_records

DRAFT = "https://json-schema.org/draft/2020-12/schema"
ATOMS = {"numbers": "number", "texts": "string", "flags": "boolean"}
"""Kinds of values and the type of one: each may be null, and a list of them, of lists and so on."""
OPEN = {
    "units": "Unit of every key that has one: a name, or one for each entry of the last axis, or of the last two.",
    "frames": "Frame of the components of arrays, by key.",
}
"""Keys that all commands write, whose own keys are those of the others."""


def schema_of(title: str, fields: Iterable[Field]) -> dict[str, Any]:
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


def merged(one: Mapping[str, Any], other: Mapping[str, Any]) -> dict[str, Any]:
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


def _object() -> dict[str, Any]:
    return {"type": "object", "properties": {}, "additionalProperties": False}


def _place(node: dict[str, Any], field: Field) -> None:
    """Add a field to the object of its outer keys, which stand for any name where they are "{}"."""
    *outer, last = field.key.split(".")
    for key in outer:
        node = _child(node, key, _object())
    leaf: dict[str, Any] = {"description": field.doc} if field.doc else {}
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


def _child(node: dict[str, Any], key: str, default: dict[str, Any]) -> dict[str, Any]:
    if key == "{}":
        node["additionalProperties"] = node["additionalProperties"] or default
        return node["additionalProperties"]
    return node["properties"].setdefault(key, default)


def _kinds(value: Any) -> set[str]:
    """The kinds of the entries of a value that are not None."""
    if isinstance(value, np.ndarray) and value.dtype.kind == "O":
        value = value.tolist()
    if isinstance(value, list | tuple):
        return set().union(*(_kinds(entry) for entry in value))
    return set() if value is None else {{"U": "texts", "b": "flags"}.get(np.asarray(value).dtype.kind, "numbers")}
