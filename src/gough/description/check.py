"""TOML documents -> values checked against the schema, with a sentence for each error."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pydantic import ValidationError

from gough.description.problems import sentences, shown
from gough.description.schema import STAGES, MachineFile, StackFile
from gough.errors import MachineFileError


def checked(document: Mapping[str, Any], where: str) -> MachineFile:
    """The values of a machine file, checked one by one; `where` names the file in errors."""
    try:
        return MachineFile.model_validate(document)
    except ValidationError as error:
        raise MachineFileError(where, sentences(error, document, MachineFile)) from None


def checked_stack(document: Mapping[str, Any], where: str) -> StackFile:
    """The values of a file of two stages, without checking the stages themselves."""
    problems: list[str] = []
    stages = document["stages"]
    if not isinstance(stages, list) or not all(isinstance(stage, dict) for stage in stages):
        problems.append(f"stages: {shown(stages)}, expected two tables, each headed [[stages]], the lower stage first")
    elif len(stages) != STAGES:
        tables = "one table" if len(stages) == 1 else f"{len(stages)} tables"
        problems.append(f"stages: {tables}, expected {STAGES}, each headed [[stages]], the lower stage first")
    rest = {**document, "stages": []}
    misplaced = [key for key in rest if key in MachineFile.model_fields and key not in StackFile.model_fields]
    problems += [f"{key}: belongs to a stage; write it under [[stages]], as [stages.{key}]" for key in misplaced]
    try:
        StackFile.model_validate({key: value for key, value in rest.items() if key not in misplaced})
    except ValidationError as error:
        problems += sentences(error, document, StackFile)
    if problems:
        raise MachineFileError(where, problems)
    return StackFile.model_validate(document)
