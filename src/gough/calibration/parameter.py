"""One error of a leg: what was found, and how well."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from gough.results import Quantities, Result

HELD = 0.7
"""An error of which more than this part of its spread is left was not found."""


@dataclass(frozen=True, eq=False)
class Parameter(Result):
    """An error of a leg: what was found, and how well.

    Attributes
    ----------
    name : str
        "base point 1 x", "zero 3", "gain 2", ...
    value : float
        Off the drawing by so much [SI].
    deviation : float
        Standard deviation of what was found [SI].
    spread : float
        Standard deviation before anything was measured [SI].
    unit : str
        SI unit.

    """

    COLUMNS: ClassVar[dict[str, str]] = {
        "name": "parameter", "value": "error", "deviation": "standard deviation", "words": ""
    }  # fmt: skip

    name: str
    value: float
    deviation: float
    spread: float
    unit: str

    @property
    def quantities(self) -> Quantities:
        """See `Result`."""
        return dict.fromkeys(("value", "deviation", "spread"), self.unit)

    @property
    def is_found(self) -> bool:
        """Whether the data determine it by itself."""
        return self.deviation <= HELD * self.spread

    @property
    def words(self) -> str:
        """Whether the data leave it open by itself, in words; nothing where they do not."""
        return "" if self.is_found else "not determined by itself"
