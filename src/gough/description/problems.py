"""Check a document against the schema: problems as sentences."""

from __future__ import annotations

import re
import types
import typing
from collections.abc import Mapping, Sequence
from datetime import date, datetime, time
from typing import Any, Literal

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from gough.description.schema import STAGES, MachineFile, StackFile
from gough.description.starter import LIKE, template_name
from gough.description.units import SPELLED_OUT, Units, unit_of
from gough.errors import MachineFileError, nearest
from gough.poses import roll_pitch_yaw

Path = Sequence[int | str]

_VECTORS = ("translation", "mass_centre", "gravity", "point_of_interest", "position", "about", "box", "ellipsoid")
"""Keys of vectors, whose components messages call x, y and z."""
_VECTORS_OF_LEGS = ("guide", "axis", "joint_axis", "mass_centre")
"""Keys under `legs` that take one vector for all legs, or six."""
_SHOWN = 60
"""Longest text that is quoted in full [characters]."""
MOST_PROBLEMS = 100
"""Most problems that are listed of a file."""
_LONGEST_INTEGER = 10**18
"""Python may refuse to print larger ones."""


class Problems(list[str]):
    """A list of sentences, collected so that all problems are reported at once."""

    def add(self, where: str, what: str) -> None:
        """Add one problem."""
        self.append(f"{where}: {what}")

    def add_legs(self, where: str, what: Mapping[int, str]) -> None:
        """Add problems of legs, by index; one sentence where all six have the same."""
        if len(what) == 6 and len(set(what.values())) == 1:
            self.add(where, what[0])
            return
        for i, sentence in what.items():
            self.add(where, f"leg {i + 1}: {sentence}")


def sentences(error: ValidationError, document: Mapping[str, Any], model: type[BaseModel]) -> list[str]:
    """Return one sentence for every problem that pydantic found, each once, in the order of the file's keys."""
    found: dict[str, None] = {}  # a value for six legs is reported six times
    for detail in error.errors():
        if len(found) == MOST_PROBLEMS:
            return [*found, f"more may follow after these {MOST_PROBLEMS}; reading ended here"]
        path = _path_as_written(detail["loc"], document)
        found[f"{_place(path, document)}: {_reason(detail, path, document, model)}"] = None
    return list(found)


def _path_as_written(loc: Path, document: Any) -> list[int | str]:
    """Place in the file of pydantic's location `loc`; without the leg's index for one value that serves all legs."""
    # The schema turns such a value into six; pydantic's location is that of one of the six.
    path: list[int | str] = []
    here = document
    for part, before in zip(loc, ("", *loc), strict=False):
        if isinstance(part, int):
            if not isinstance(here, list):
                break
            if _is_of_legs(loc, before) and not any(isinstance(value, list) for value in here):
                continue
            if part >= len(here):
                break
        path.append(part)
        here = _inside(here, part)
    return path


def _is_of_legs(path: Path, key: int | str) -> bool:
    return path[0] == "legs" and key in _VECTORS_OF_LEGS


def _inside(here: Any, part: int | str) -> Any:
    if isinstance(here, list) and isinstance(part, int):
        return here[part]
    return here.get(part) if isinstance(here, dict) else None


def _place(path: Path, document: Mapping[str, Any]) -> str:
    """Place in words: keys as in the file, points and legs counted from 1."""
    keys = [cut(part) for part in path if isinstance(part, str)]
    words = [".".join(keys)]
    here: Any = document
    key = ""
    for part in path:
        if isinstance(part, int):
            is_vector = key in _VECTORS and not _is_of_legs(path, key)
            is_component = len(words) > 1 or is_vector or (_is_of_legs(path, key) and not isinstance(here[part], list))
            is_component &= key != "euler"
            words.append(_component(part) if is_component else _item(key, part))
        else:
            key = part
        here = _inside(here, part)
    return ", ".join(words)


def _component(index: int) -> str:
    return "xyz"[index] if index < 3 else f"value {index + 1}"


def _item(key: str, index: int) -> str:
    if key == "euler":
        return f"angle {index + 1}"
    if key in ("angles", "joints", "regions"):
        return f"{key.removesuffix('s')} {index + 1}"
    return f"point {index + 1}" if key == "points" else f"leg {index + 1}"


def _reason(detail: ErrorDetails, path: Path, document: Mapping[str, Any], model: type[BaseModel]) -> str:
    if detail["type"] == "extra_forbidden":
        return unknown_key(str(path[-1]), keys_at(model, path[:-1]))
    key = str(path[-1]) if path else ""
    return complaint(detail, _unit(path, document), _EXPECTED_LISTS.get(key, "a list of numbers"))


def unknown_key(key: str, known: Sequence[str]) -> str:
    """Return complaint about a key that a table does not have."""
    meant = roll_pitch_yaw(key) if "angles" in known else ""
    hint = f" As `angles`, with their `sequence`: {meant}." if meant else nearest(key, known)
    return f"unknown key.{hint} Known here: {', '.join(known)}"


def complaint(detail: ErrorDetails, unit: str = "", expected_list: str = "a list of numbers") -> str:
    """Return what is wrong with a value, in words of ours for every type of error that pydantic reports on values.

    `unit` is that of the value, after a space. A number that comes as text, as those of the command line do, is
    written without quotes.
    """
    kind, context, value = detail["type"], detail.get("ctx", {}), detail["input"]
    words = cut(value) if isinstance(value, str) else shown(value)
    match kind:
        case "missing":
            return "is missing"
        case "literal_error":
            return not_a_choice(value, str(context["expected"]))
        case "value_error":
            return str(context["error"]).rstrip(".")
        case "finite_number":
            return f"{words}{unit} is not a finite number"
        case "greater_than_equal" | "less_than_equal":
            side, bound = ("below", context["ge"]) if "ge" in context else ("above", context["le"])
            end = "smallest" if side == "below" else "largest"
            return f"{words}{unit} is {side} {bound:g}{unit}, the {end} value allowed"
        case "greater_than":
            return f"{words}{unit} is not above {context['gt']:g}{unit}"
        case "too_short" | "too_long":
            return _wrong_length(context)
        case "string_pattern_mismatch":
            return f"{shown(value)} does not fit, expected {_pattern_in_words(context['pattern'])}"
        case "invalid_key":
            return f"{shown(value)} is not a key, expected text"
    return f"{shown(value)}, expected {_EXPECTED.get(kind.partition('_')[0], expected_list)}"


def _pattern_in_words(pattern: str) -> str:
    if r"\w" in pattern:
        return "at most 40 letters, digits, blanks, - _ . / ( )"
    return f"lower case letters, digits, {'- _ .' if '.' in pattern else '- _'}"


def not_a_choice(value: Any, expected: str) -> str:
    """Return complaint about a value that is none of the expected ones, which are quoted in `expected`."""
    choices = re.findall(r"'([^']*)'", expected)
    text = value if isinstance(value, str) else ""
    kinds = LIKE.get(template_name(text) or "", ())
    hint = next((kind for kind in kinds if kind in choices), SPELLED_OUT.get(text, SPELLED_OUT.get(text.lower())))
    meant = f" Did you mean {hint!r}?" if hint in choices else nearest(text, choices)
    angles = roll_pitch_yaw(text) if "xyz" in choices else ""
    meant = f" {angles[0].upper()}{angles[1:]}." if angles else meant
    return f"{shown(value)} is not known, expected {expected}.{meant}"


def _wrong_length(context: Mapping[str, Any]) -> str:
    wanted, count = context.get("min_length", context.get("max_length")), context["actual_length"]
    what = {6: "6 (one for each leg)", 3: "3 (x, y and z)"}.get(wanted, f"at least {wanted}")
    return f"{count} value{'s' if count != 1 else ''}, expected {what}"


_EXPECTED = {
    "float": "a number",
    "int": "a whole number",
    "string": "text",
    "bool": "true or false",
    "model": "a table of keys",
    "dict": "a table of keys",
}
"""Expected values of pydantic's errors of type and parsing, by the first word of their names."""
_EXPECTED_LISTS = {
    "points": "a list of points [x, y, z]",
    **dict.fromkeys((*_VECTORS, *_VECTORS_OF_LEGS), "[x, y, z]"),
    **dict.fromkeys(("joints", "regions", "stages", "segments"), "a list of tables"),
}


def shown(value: Any) -> str:
    """Return a value of a file as quoted in messages."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, dict):
        return "a table"
    if isinstance(value, list):
        return "a list"
    if isinstance(value, (datetime, date, time)):
        return f"the date {value}"
    if isinstance(value, int) and abs(value) > _LONGEST_INTEGER:
        return "a whole number of more than 18 digits"
    text = f"{value:g}" if isinstance(value, float) else repr(value)
    return cut(text)


def cut(text: str) -> str:
    """Return the beginning of a long text, for messages."""
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}..."


def _unit(path: Path, document: Mapping[str, Any]) -> str:
    """Unit of the quantity at `path`, as declared in the file, after a space."""
    names = [part for part in path if isinstance(part, str)]
    joint: Literal["length", "angle"] = "angle" if _turns(path, document) else "length"
    unit = unit_of(names[-1], _declared(document), joint) if names else ""
    return f" {unit}" if unit else ""


def _turns(path: Path, document: Mapping[str, Any]) -> bool:
    """Whether joint coordinates at a place of the file are angles: of cranks, or of the head's revolute joints."""
    if list(path[:2]) != ["head", "joints"] or len(path) < 3:
        return _value_at(document, "legs", "kind") in ("RUS", "RSS")
    joint = document["head"]["joints"][path[2]]
    return not (isinstance(joint, dict) and joint.get("kind") == "prismatic")


def _declared(document: Mapping[str, Any]) -> Units:
    """Units that a document declares, without unknown ones."""
    known = {}
    for name in Units.model_fields:
        value = _value_at(document, "units", name)
        if value in typing.get_args(Units.model_fields[name].annotation):
            known[name] = value
    return Units(**known)


def _value_at(document: Mapping[str, Any], table: str, key: str) -> Any:
    inner = document.get(table)
    value = inner.get(key) if isinstance(inner, dict) else None
    return value if isinstance(value, str) else None


def keys_at(model: type[BaseModel], path: Path) -> list[str]:
    """Return keys of the schema at a place of the file."""
    here: Any = model
    for part in path:
        is_model = isinstance(here, type) and issubclass(here, BaseModel)
        if isinstance(part, str) and is_model:
            field = here.model_fields.get(part)
            annotation = field.annotation if field else None
            here = annotation if typing.get_origin(annotation) is dict else _model_in(annotation)
        elif isinstance(part, str) and typing.get_origin(here) is dict:
            here = _model_in(typing.get_args(here)[1])
    return list(here.model_fields) if isinstance(here, type) and issubclass(here, BaseModel) else []


def _model_in(annotation: Any) -> Any:
    """The pydantic model inside `X | None` or `list[X]`."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return annotation
    if typing.get_origin(annotation) in (typing.Union, types.UnionType, list):
        return next((m for a in typing.get_args(annotation) if (m := _model_in(a)) is not None), None)
    return None


def checked(document: Mapping[str, Any], where: str) -> MachineFile:
    """Return the values of a machine file, checked one by one; `where` names the file in errors."""
    try:
        return MachineFile.model_validate(document)
    except ValidationError as error:
        raise MachineFileError(where, sentences(error, document, MachineFile)) from None


def checked_stack(document: Mapping[str, Any], where: str) -> StackFile:
    """Return the values of a file of two stages, without checking the stages themselves."""
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
