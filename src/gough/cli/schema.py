"""`gough schema`."""

from __future__ import annotations


def schema() -> None:
    """Print the JSON Schema of machine files, for editors."""
    from gough.description.json_schema import json_schema
    from gough.present.write import print_json

    print_json(json_schema())
