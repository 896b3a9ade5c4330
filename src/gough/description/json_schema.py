"""JSON Schema of machine files, of one machine or of two stages, for editors."""

from __future__ import annotations

from typing import Any

from pydantic import Field, create_model

from gough.description.schema import STAGES, MachineFile, Pose, StackFile
from gough.description.values import Strict

# Every key of a machine file, none of them required, since the named machine may give it.
_KEYS: dict[str, Any] = {
    "machine": (str | None, Field(None, description="name or file; the stage's other keys replace those of it")),
    "mount": (Pose | None, Field(None, description="upper stage: its base frame in the platform of the lower one")),
} | {
    key: (known.annotation, Field(None, description=known.description))
    for key, known in MachineFile.model_fields.items()
}
Stage = create_model("Stage", __base__=Strict, **_KEYS)
"""A stage for editors: a machine by name or file, keys of a machine file, or both."""


class StackSchema(StackFile):
    """A machine of two stages, for editors."""

    stages: list[Stage] = Field(min_length=STAGES, max_length=STAGES, description="two, the lower one first")  # type: ignore[assignment]


def json_schema() -> dict[str, Any]:
    """JSON Schema (draft 2020-12) of machine files: of one machine, or of two stages."""
    single, stack = MachineFile.model_json_schema(), StackSchema.model_json_schema()
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        **single,
        "$defs": single["$defs"] | stack["$defs"],
        "properties": single["properties"] | {"stages": stack["properties"]["stages"]},
        "required": ["name"],
        "anyOf": [{"required": ["base", "platform"]}, {"required": ["stages"]}],
    }
