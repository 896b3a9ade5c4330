"""Numbers, vectors and values of six legs in machine files, as pydantic types."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field
from typing_extensions import TypeAliasType

LARGEST = 1e18
"""Largest number in a file, in any unit: products of sixteen of them stay within the range of doubles."""

# Named types, not plain aliases: pydantic makes the schema of each once, not at every use, which takes longer.
Number = TypeAliasType("Number", Annotated[float, Field(ge=-LARGEST, le=LARGEST, allow_inf_nan=False)])
Positive = TypeAliasType("Positive", Annotated[float, Field(gt=0, le=LARGEST, allow_inf_nan=False)])
NonNegative = TypeAliasType("NonNegative", Annotated[float, Field(ge=0, le=LARGEST, allow_inf_nan=False)])
Three = Field(min_length=3, max_length=3)
Six = Field(min_length=6, max_length=6)
Vector = TypeAliasType("Vector", Annotated[list[Number], Three])
# fmt: off
Sequence = Literal[
    "XYZ", "XZY", "YXZ", "YZX", "ZXY", "ZYX", "XYX", "XZX", "YXY", "YZY", "ZXZ", "ZYZ",
    "xyz", "xzy", "yxz", "yzx", "zxy", "zyx", "xyx", "xzx", "yxy", "yzy", "zxz", "zyz",
]
# fmt: on


def _no_boolean(value: Any) -> Any:
    """The value, true and false as words: to Python they equal 1 and 0."""
    return str(value).lower() if isinstance(value, bool) else value


Sign = Annotated[Literal[-1, 1], BeforeValidator(_no_boolean)]


def _six_numbers(value: Any) -> Any:
    """One number for all legs becomes six."""
    return [value] * 6 if not isinstance(value, list) else value


def _six_vectors(value: Any) -> Any:
    """One vector for all legs becomes six."""
    return value if isinstance(value, list) and any(isinstance(v, list) for v in value) else [value] * 6


PerLeg = TypeAliasType(
    "PerLeg",
    Annotated[
        list[Number],
        Six,
        BeforeValidator(_six_numbers, json_schema_input_type=Number | Annotated[list[Number], Six]),
    ],
)
PerLegPositive = TypeAliasType(
    "PerLegPositive",
    Annotated[
        list[Positive],
        Six,
        BeforeValidator(_six_numbers, json_schema_input_type=Positive | Annotated[list[Positive], Six]),
    ],
)
PerLegNonNegative = TypeAliasType(
    "PerLegNonNegative",
    Annotated[
        list[NonNegative],
        Six,
        BeforeValidator(_six_numbers, json_schema_input_type=NonNegative | Annotated[list[NonNegative], Six]),
    ],
)
PerLegSign = TypeAliasType(
    "PerLegSign",
    Annotated[
        list[Sign],
        Six,
        BeforeValidator(_six_numbers, json_schema_input_type=Sign | Annotated[list[Sign], Six]),
    ],
)
PerLegVector = TypeAliasType(
    "PerLegVector",
    Annotated[
        list[Vector],
        Six,
        BeforeValidator(_six_vectors, json_schema_input_type=Vector | Annotated[list[Vector], Six]),
    ],
)


class Strict(BaseModel):
    """Base of all tables: unknown keys are errors, and so is text in place of a number."""

    # Built with the whole file: built table by table, each is built again as part of those that contain it.
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True, defer_build=True)
