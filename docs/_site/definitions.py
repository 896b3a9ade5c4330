"""The definitions of all keys of JSON, from the published schemas."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

SCHEMAS = Path(__file__).parents[1] / "schemas"


def page() -> str:
    """A table for each section of the report, and one for each command."""
    report = json.loads((SCHEMAS / "report.json").read_text("utf-8"))["properties"]
    sections = {f"{key}, of `gough report`": part for key, part in report.items() if not key.startswith("stage_")}
    others = sorted(path for path in SCHEMAS.glob("*.json") if path.stem != "report")
    commands = {f"gough {path.stem}": json.loads(path.read_text("utf-8")) for path in others}
    return "\n".join(line for title, part in {**sections, **commands}.items() for line in _table(title, part)) + "\n"


def _table(title: str, part: dict[str, Any]) -> Iterator[str]:
    """Title and rows of the keys that have a definition; nothing without any."""
    rows = [f"| `{key}` | {units} | {words} |" for key, units, words in _keys(part, "")]
    if rows:
        yield from ("", f"## {title}", "", "| key | unit | definition |", "|---|---|---|", *rows)


def _keys(part: dict[str, Any], above: str) -> Iterator[tuple[str, str, str]]:
    inner = part.get("additionalProperties")
    for key, each in [*part.get("properties", {}).items(), *([("*", inner)] if inner else [])]:
        if "description" in each and not each.get("properties"):
            yield f"{above}{key}", ", ".join(each.get("units", ())), each["description"].replace("|", "\\|")
        yield from _keys(each, f"{above}{key}.")
