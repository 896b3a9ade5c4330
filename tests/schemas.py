"""The published schemas of what commands write as JSON: whatever they write fits them, and they state no other keys.

With WRITE_SCHEMAS=1 in the environment, tests that use this add what is new; remove the files before.
"""

import json
import os
from pathlib import Path

import jsonschema

from gough.present.json_schema import merged, schema_of

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
