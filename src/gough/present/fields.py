"""Fields as columns of CSV and as keys of JSON, in the units of a machine's file; variables of a dataset as fields."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from gough.machine import DisplayUnits, Machine
from gough.present.answer import Answer, Field
from gough.present.units import titled, unit_of
from gough.quantity import joint_units
from gough.stacked import AnyMachine

if TYPE_CHECKING:
    import xarray


def columns(fields: Iterable[Field], units: DisplayUnits) -> dict[str, NDArray[Any]]:
    """Return columns of CSV by title, units included, with a row for each pose."""
    titles: dict[str, NDArray[Any]] = {}
    for field in fields:
        if not field.is_csv:
            continue
        values, (sizes, names) = np.asarray(field.value), map(np.ravel, _units(field, units))
        if not field.labels:
            titles[titled(_title(field), names[0])] = np.atleast_1d(_scaled(values, sizes[0]))
            continue
        for k, label in enumerate(field.labels):
            column = _scaled(values[..., k], sizes[k % len(sizes)])
            titles[titled(_title(field).format(label), names[k % len(names)])] = np.atleast_1d(column)
    return titles


def document(fields: Iterable[Field], units: DisplayUnits) -> dict[str, Any]:
    """Return keys and values of JSON; a key with a dot is nested, and one with "{}" has an entry for each label."""
    root: dict[str, Any] = {}
    for field, label in _entries(fields):
        *outer, key = (part.replace("{}", label) for part in field.key.split("."))
        place = root
        for name in outer:
            place = place.setdefault(name, {})
        if is_records(field.value):
            place[key] = [document(record, units) for record in field.value]
            continue
        # Values in SI are passed on as they are, of whatever type: only lengths and angles are converted.
        place[key] = field.value if field.value is None else _scaled(field.value, _units(field, units)[0])
    return root


def with_units(
    machine: AnyMachine, fields: Sequence[Field], shown: DisplayUnits, more: Mapping[str, Any] | None = None
) -> dict[str, Any]:
    """Return keys of JSON with their values, units and frames; `more` are units that fields do not state."""
    joints = [unit_of(shown, unit)[1] for unit in joint_units(machine)]
    joint = {"joint": joints[0]} if isinstance(machine, Machine) else {"joints": joints}
    named = {"length": shown.length, "angle": shown.angle, **joint, **units(fields, shown), **(more or {})}
    of_components = frames(fields)
    return {"units": named, **document(fields, shown), **({"frames": of_components} if of_components else {})}


def _entries(fields: Iterable[Field]) -> Iterator[tuple[Field, str]]:
    """Fields that are keys of JSON, with their label; those with "{}" in their key once for each label."""
    for field in fields:
        if field.is_json and "{}" not in field.key:
            yield field, ""
        elif field.is_json:
            for k, label in enumerate(field.labels):
                unit = field.unit if isinstance(field.unit, str) else field.unit[k]
                yield replace(field, value=field.value[k], unit=unit), label


def units(fields: Iterable[Field], units: DisplayUnits) -> dict[str, Any]:
    """Return units of the keys of JSON: one, or one for each entry of the last axis or of the last two."""
    by_key = {field.key.replace("{}", label): _units(field, units)[1] for field, label in _entries(fields)}
    return {key: names.tolist() for key, names in by_key.items() if names.any()}


def frames(fields: Iterable[Field]) -> dict[str, str]:
    """Return frames of the arrays with components, by their keys of JSON."""
    named: dict[str, str] = {}
    for field, label in _entries(fields):
        key = field.key.replace("{}", label)
        if is_records(field.value):
            named |= {f"{key}.{name}": frame for name, frame in frames(field.value[0]).items()}
        elif field.frame and np.size(field.value) > 1:
            named[key] = field.frame
    return named


def is_records(value: Any) -> bool:
    """Test whether a value is a list of records, which are lists of fields."""
    return (
        isinstance(value, list)
        and bool(value)
        and isinstance(value[0], list)
        and isinstance(next(iter(value[0]), None), Field)
    )


def variables(data: xarray.Dataset, titles: Mapping[str, str], **how: Any) -> list[Field]:
    """Return the variables of a dataset that `titles` names, as fields with a row for each entry of their first
    dimension.

    The entries of a further dimension become columns, whose labels replace "{}" in the title.
    """
    found = []
    for name in (name for name in titles if name in data.variables):
        variable = data[name]
        labels = _labels(data, str(variable.dims[1])) if variable.ndim > 1 else ()
        unit, frame = (variable.attrs.get(name, "") for name in ("units", "frame"))
        found.append(Field(name, variable.to_numpy(), unit, labels, titles[name], frame=frame, **how))
    return found


def _labels(data: xarray.Dataset, dim: str) -> tuple[str, ...]:
    names = data.coords[dim].values if dim in data.coords else range(1, data.sizes[dim] + 1)
    return tuple(map(str, names))


def map_answer(data: xarray.Dataset) -> Answer:
    """Return a map over positions: CSV has a row for each position and columns for further dimensions, JSON the
    arrays."""
    axes = [data[name].values for name in "xyz"]
    rows = [
        Field(name, axis.ravel(), "m", is_json=False)
        for name, axis in zip("xyz", np.meshgrid(*axes, indexing="ij"), strict=True)
    ]
    keys = []
    for name, variable in {**data.coords, **data.data_vars}.items():
        unit, values = variable.attrs.get("units", ""), variable.values
        if variable.attrs.get("flag_meanings") == "no yes":  # 0, 1, or NaN where it is not known
            keys.append(Field(str(name), np.where(np.isnan(values), None, values == 1.0), is_csv=False))
            values = np.select([values == 0.0, values == 1.0], ["no", "yes"], "nan")
        else:
            keys.append(Field(str(name), values, unit, is_csv=False))
        if name in data.data_vars:
            flat = np.broadcast_to(values, (*(map(len, axes)), *values.shape[3:])).reshape(len(rows[0].value), -1)
            more = [str(dim) for dim in variable.dims if dim not in ("x", "y", "z")]
            labels, column = (_labels(data, more[0]), flat) if more else ((), flat[:, 0])
            rows.append(Field(str(name), column, unit, labels, is_json=False))
    keys += [Field(str(name), value, is_csv=False) for name, value in data.attrs.items() if name not in data]
    return Answer([*rows, *keys], data=lambda: data)


def _title(field: Field) -> str:
    return field.title or field.key.replace(".", "_") + ("_{}" if field.labels else "")


def _units(field: Field, units: DisplayUnits) -> tuple[NDArray[np.float64], NDArray[np.str_]]:
    """Sizes in SI and names of the units of a field, in the form in which it states them."""
    stated = np.array(field.unit)
    sizes, names = zip(*(unit_of(units, str(unit)) for unit in stated.ravel()), strict=True)
    return np.reshape(sizes, stated.shape), np.reshape(names, stated.shape)


def _scaled(values: Any, size: Any) -> Any:
    return values if np.all(size == 1.0) else np.asarray(values) / size
