"""Keys of a machine file of two stages, as a pydantic model; each stage is checked as the machine it makes."""

from __future__ import annotations

from typing import Any

from pydantic import Field

from gough.description.schema import Named
from gough.description.units import Units

STAGES = 2
"""Stages a file may have."""
OF_A_STAGE = ("machine", "mount")
"""Keys of a stage beside those of a machine file."""


class StackFile(Named):
    """A machine of two stages."""

    units: Units = Field(Units(), description="of `mount`, and of the whole machine's poses; each stage has its own")
    stages: list[dict[str, Any]] = Field(description="two, the lower one first")
    share: float = Field(0.5, ge=0, le=1, description="the lower stage's part of displacements of the end platform")
    published: dict[str, Any] = Field(default_factory=dict, description="figures the source prints")
