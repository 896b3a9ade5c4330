"""The reference of machine files: every key of the schema with its type, unit, default, meaning and drawing."""

from __future__ import annotations

import re
from collections.abc import Iterator
from inspect import cleandoc
from types import NoneType
from typing import Annotated, Any, Literal, get_args, get_origin

from pydantic import BaseModel
from pydantic.fields import FieldInfo
from pydantic_core import PydanticUndefined

from _site.key_drawings import DRAWINGS
from gough.description.schema import MachineFile, StackFile
from gough.description.units import Units, unit_of

ABSTRACT = Units(length="m", angle="rad")
NOT_DRAWN = {
    "gravity": "always in m/s2, in the base frame",
    "actuators.resolution": "a number of the drive",
    "actuators.screw_lead": "a number of the drive",
    "legs.crank": "its keys are",
    "calibration.rms": "a statistic",
    "calibration.before": "a statistic of each leg",
    "calibration.after": "a statistic of each leg",
}
"""Keys with a length, an angle or a direction that need no picture, and why."""
GEOMETRIC = {"m", "rad", "m or rad"}


def models_in(annotation: Any) -> Iterator[type[BaseModel]]:
    """Models within an annotation: of lists, of tables, of what may be missing."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield annotation
    for part in get_args(annotation):
        yield from models_in(part)


def every_key(
    model: type[BaseModel] = MachineFile, prefix: str = ""
) -> Iterator[tuple[str, FieldInfo, tuple[Any, ...]]]:
    """(dotted path, field, models of its table) of every key."""
    for name, field in model.model_fields.items():
        inner = tuple(models_in(field.annotation))
        yield f"{prefix}{name}", field, inner
        for each in inner:
            yield from every_key(each, f"{prefix}{name}.")


def unit(path: str) -> str:
    """SI unit of a key's numbers, "" of none; `q` stands for the unit of the joint coordinate."""
    if path.split(".")[0] in ("units", "published"):
        return ""
    name = path.rpartition(".")[2]
    found = [unit_of(name, ABSTRACT, joint) for joint in ("length", "angle")]
    return " or ".join(dict.fromkeys(filter(None, found)))


def is_geometric(path: str, field: FieldInfo, inner: tuple[Any, ...]) -> bool:
    """Whether a key is a length, an angle or a direction, of which a reader may ask from where to where."""
    return not inner and (
        unit(path) in GEOMETRIC
        or "Vector" in str(field.annotation)
        or path.endswith((".guide", ".axis", ".joint_axis"))
    )


def unnamed(annotation: Any) -> Any:
    """What a named type stands for."""
    return getattr(annotation, "__value__", annotation)


def shape(annotation: Any, count: str = "") -> str:
    """What is written, in words; `count` is the length that annotations around a list give."""
    annotation = unnamed(annotation)
    options = [unnamed(part) for part in get_args(annotation) if part is not NoneType]
    if get_origin(annotation) is Annotated:
        return shape(annotation.__origin__, length(annotation.__metadata__) or count)
    if get_origin(annotation) is Literal:
        return " or ".join(f"`{each!r}`".replace("'", '"') for each in options) if len(options) < 11 else "three axes"
    if get_origin(annotation) is list:
        is_vectors = any(get_origin(get_args(part)[0] if get_args(part) else part) is list for part in options)
        return LISTS.get((count, is_vectors), "list of vectors" if is_vectors else "list")
    if len(options) == 1:
        return shape(options[0], count)
    return {str: "text", float: "number", int: "number"}.get(annotation, "any")


def length(metadata: Any) -> str:
    """Length of a list that annotations give; with a star where one value stands for all legs."""
    limit = re.search(r"min_length=(\d)", str(metadata))
    return f"{limit[1]}{'*' if 'BeforeValidator' in str(metadata) else ''}" if limit else ""


LISTS = {
    ("3", False): "three numbers",
    ("6", False): "six numbers",
    ("6", True): "six vectors",
    ("6*", False): "a number, or six",
    ("6*", True): "a vector, or six",
}
"""Length of a list and whether of vectors -> in words."""


def default(field: FieldInfo) -> str:
    """Default in a cell."""
    if field.is_required():
        return "**required**"
    value = field.get_default(call_default_factory=True)
    if value is None or value is PydanticUndefined or isinstance(value, BaseModel | dict):
        return ""
    return f"`{value}`" if value != "" else "empty"


def rows(model: type[BaseModel], prefix: str, shown: dict[type[BaseModel], str]) -> Iterator[str]:
    """One row for each key of a table."""
    for name, field in model.model_fields.items():
        inner = tuple(models_in(field.annotation))
        kind = shape(field.annotation, length(field.metadata))
        if inner:
            kind = f"table as `[{shown[inner[0]]}]`" if inner[0] in shown else "table, below"
        meaning = (field.description or "").replace("|", "\\|")
        yield f"| `{name}` | {kind} | {'' if inner else unit(prefix + name)} | {default(field)} | {meaning} |"


def pictures(prefix: str, drawn: set[str]) -> Iterator[str]:
    """Drawings of which a key is in this table, each once on the page."""
    for name, drawing in DRAWINGS.items():
        if name not in drawn and any(path.rpartition(".")[0] == prefix.rstrip(".") for path in drawing.keys):
            drawn.add(name)
            yield f":::{{figure}} _generated/{name}.svg\n:alt: {drawing.alt}\n\n{drawing.alt}\n:::\n"


def table(model: type[BaseModel], prefix: str, shown: dict[type[BaseModel], str], drawn: set[str]) -> Iterator[str]:
    """A table's section and those of the tables in it; a model that has been shown is referred to."""
    yield f"## {f'`[{prefix[:-1]}]`' if prefix else 'Top level'}\n"
    yield f"{cleandoc(model.__doc__ or '')}\n"
    yield from pictures(prefix, drawn)
    yield "| key | written | unit | default | meaning |\n|---|---|---|---|---|"
    yield from rows(model, prefix, shown)
    yield ""
    for name, field in model.model_fields.items():
        for inner in models_in(field.annotation):
            if inner not in shown:
                shown[inner] = prefix + name
                yield from table(inner, f"{prefix}{name}.", shown, drawn)


def page() -> str:
    """The whole reference."""
    stack = [f"| `{name}` | {field.description} |" for name, field in StackFile.model_fields.items()]
    head = "## Two-stage machines\n\nFiles with `stages` for `base` and `platform`.\n\n| key | meaning |\n|---|---|\n"
    return "\n".join([*table(MachineFile, "", {}, set()), head + "\n".join(stack), ""])
