"""`gough schema`."""

from __future__ import annotations


def schema() -> None:
    """Print the JSON Schema of machine files, for editors."""
    from gough.cli.output import print_json
    from gough.description.json_schema import json_schema

    print_json(json_schema())
