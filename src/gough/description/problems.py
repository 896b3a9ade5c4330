"""pydantic's findings, as sentences an engineer can act on."""

from __future__ import annotations

import types
import typing
from collections.abc import Mapping, Sequence
from typing import Any

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from gough.description.units import Units
from gough.errors import nearest

_UNIT_OF = {
    "mass": "mass",
    "modulus": "pressure",
    "area": "area",
    "stiffness": "stiffness",
    "base_joint_stiffness": "stiffness",
    "platform_joint_stiffness": "stiffness",
    "half_angle": "angle",
    "pair_angle": "angle",
    "tilt": "angle",
    "rotation": "angle",
    "base_plate_angle": "angle",
    "platform_plate_angle": "angle",
    "radius": "length",
    "leg_radius": "length",
    "rod_length": "length",
    "height": "length",
    "screw_lead": "length",
    "xx": "inertia",
    "yy": "inertia",
    "zz": "inertia",
}


def sentences(error: ValidationError, document: Mapping[str, Any], model: type[BaseModel]) -> list[str]:
    """One sentence for every problem, each once, in the order of the file's keys."""
    found: dict[str, None] = {}
    for detail in error.errors():
        path = _path_as_written(detail["loc"], document)
        found[f"{_dotted(path)}: {_reason(detail, path, document, model)}"] = None
    return list(found)


def _path_as_written(loc: Sequence[int | str], document: Any) -> list[int | str]:
    """The place in the file; a number that stands for six legs has no index of its own."""
    path: list[int | str] = []
    here = document
    for part in loc:
        if isinstance(part, int) and not isinstance(here, list):
            break
        if isinstance(part, int) and part >= len(here):
            break
        path.append(part)
        here = here.get(part) if isinstance(here, dict) else here[part] if isinstance(here, list) else None  # type: ignore[call-overload]
    return path


def _dotted(path: Sequence[int | str]) -> str:
    text = ""
    for part in path:
        text += f"[{part + 1}]" if isinstance(part, int) else f".{part}" if text else part
    return text


def _reason(
    detail: ErrorDetails, path: Sequence[int | str], document: Mapping[str, Any], model: type[BaseModel]
) -> str:
    kind, context, value = detail["type"], detail.get("ctx", {}), detail["input"]
    unit = _unit(path, document)
    match kind:
        case "missing":
            return "is missing"
        case "extra_forbidden":
            known = _keys_at(model, path[:-1])
            return f"unknown key;{nearest(str(path[-1]), known)} Known here: {', '.join(known)}"
        case "literal_error":
            expected = str(context["expected"])
            return f"{value!r} is not known, expected {expected}.{nearest(str(value), expected.replace(chr(39), '').split(', '))}"
        case "finite_number":
            return f"{value} is not a finite number"
        case "greater_than_equal":
            return f"{value:g}{unit} is below {context['ge']:g}{unit}, the smallest value allowed"
        case "greater_than":
            return f"{value:g}{unit} is not above {context['gt']:g}{unit}"
        case "too_short" | "too_long":
            wanted = context.get("min_length", context.get("max_length"))
            what = "one for each leg" if wanted == 6 else "x, y and z"
            return f"{context['actual_length']} values, expected {wanted} ({what})"
        case "string_pattern_mismatch":
            return f"{value!r} does not fit the pattern {context['pattern']}"
    return f"{detail['msg'][0].lower()}{detail['msg'][1:]}, got {value!r}"


def _unit(path: Sequence[int | str], document: Mapping[str, Any]) -> str:
    """Unit of the quantity at `path`, as the file declares it, with a space before it."""
    names = [part for part in path if isinstance(part, str)]
    quantity = _UNIT_OF.get(names[-1]) if names else None
    if quantity is None:
        return ""
    declared = document.get("units", {})
    default = Units.model_fields[quantity].default
    return f" {declared.get(quantity, default) if isinstance(declared, dict) else default}"


def _keys_at(model: type[BaseModel], path: Sequence[int | str]) -> list[str]:
    """Keys the schema knows at a place of the file."""
    here: Any = model
    for part in path:
        if isinstance(part, str) and isinstance(here, type) and issubclass(here, BaseModel):
            field = here.model_fields.get(part)
            here = _model_in(field.annotation) if field else None
    return list(here.model_fields) if isinstance(here, type) and issubclass(here, BaseModel) else []


def _model_in(annotation: Any) -> Any:
    """The pydantic model inside `X | None` or `dict[str, X]`."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return annotation
    if typing.get_origin(annotation) in (typing.Union, types.UnionType, dict):
        return next((m for a in typing.get_args(annotation) if (m := _model_in(a)) is not None), None)
    return None
