"""Fields as columns of CSV and as keys of JSON, in the units of a machine's file; variables of a dataset as fields."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from gough.machine import DisplayUnits
from gough.present.answer import Answer, Field
from gough.present.units import titled, unit_of

if TYPE_CHECKING:
    import xarray


def columns(fields: Iterable[Field], units: DisplayUnits) -> dict[str, NDArray[Any]]:
    """Columns of CSV by title, units included, with a row for each pose."""
    found: dict[str, NDArray[Any]] = {}
    for each in fields:
        if not each.is_csv:
            continue
        values, (sizes, names) = np.asarray(each.value), _units(each, units)
        if not each.labels:
            found[titled(_title(each), names[0])] = np.atleast_1d(_scaled(values, sizes[0]))
            continue
        for k, label in enumerate(each.labels):
            column = _scaled(values[..., k], sizes[k % len(sizes)])
            found[titled(_title(each).format(label), names[k % len(names)])] = np.atleast_1d(column)
    return found


def document(fields: Iterable[Field], units: DisplayUnits) -> dict[str, Any]:
    """Keys and values of JSON; a key with a dot is nested, and one with "{}" has an entry for each label."""
    found: dict[str, Any] = {}
    for each, label in _entries(fields):
        *outer, key = (part.replace("{}", label) for part in each.key.split("."))
        place = found
        for name in outer:
            place = place.setdefault(name, {})
        sizes, names = _units(each, units)
        key = titled(key, names[0]) if each.is_unit_in_key else key
        if _is_records(each.value):
            place[key] = [document(record, units) for record in each.value]
            continue
        # Values in SI are passed on as they are, of whatever type: only lengths and angles are converted.
        scale = sizes[0] if len(sizes) == 1 else np.array(sizes)
        place[key] = each.value if np.all(scale == 1.0) or each.value is None else _scaled(each.value, scale)
        if each.unit_key:
            place[each.unit_key] = names[0] if len(names) == 1 else names
    return found


def _entries(fields: Iterable[Field]) -> Iterator[tuple[Field, str]]:
    """Fields that are keys of JSON, with their label; those with "{}" in their key once for each label."""
    for each in fields:
        if each.is_json and "{}" not in each.key:
            yield each, ""
        elif each.is_json:
            for k, label in enumerate(each.labels):
                unit = each.unit if isinstance(each.unit, str) else each.unit[k]
                yield replace(each, value=each.value[k], unit=unit), label


def units(fields: Iterable[Field], units: DisplayUnits) -> dict[str, str | list[str]]:
    """Units of the keys of JSON that do not name theirs: one, or one for each label."""
    named = {
        each.key.replace("{}", label): _units(each, units)[1]
        for each, label in _entries(fields)
        if not each.is_unit_in_key
    }
    return {key: names[0] if len(names) == 1 else names for key, names in named.items() if any(names)}


def frames(fields: Iterable[Field]) -> dict[str, str]:
    """Frames of the arrays with components, by their keys of JSON."""
    named: dict[str, str] = {}
    for each, label in _entries(fields):
        key = each.key.replace("{}", label)
        if _is_records(each.value):
            named |= {f"{key}.{name}": frame for name, frame in frames(each.value[0]).items()}
        elif each.frame and np.size(each.value) > 1:
            named[key] = each.frame
    return named


def _is_records(value: Any) -> bool:
    """Whether a value is a list of records."""
    return (
        isinstance(value, list)
        and bool(value)
        and isinstance(value[0], list)
        and isinstance(next(iter(value[0]), None), Field)
    )


def variables(data: xarray.Dataset, titles: Mapping[str, str], **how: Any) -> list[Field]:
    """The variables of a dataset that `titles` names, as fields with a row for each entry of their first dimension.

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


def map_answer(data: xarray.Dataset, units: DisplayUnits) -> Answer:
    """A map over positions: CSV has a row for each position and columns for further dimensions, JSON the arrays."""
    axes = [data[name].values for name in "xyz"]
    rows = [
        Field(name, axis.ravel(), "m", is_json=False)
        for name, axis in zip("xyz", np.meshgrid(*axes, indexing="ij"), strict=True)
    ]
    keys, named = [], {}
    for name, variable in {**data.coords, **data.data_vars}.items():
        unit, values = variable.attrs.get("units", "1"), variable.values
        if "units" in variable.attrs:
            named[str(name)] = unit_of(units, unit)[1]
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
    return Answer([*rows, *keys], units=named, data=lambda: data)


def _title(each: Field) -> str:
    return each.title or each.key.replace(".", "_") + ("_{}" if each.labels else "")


def _units(each: Field, units: DisplayUnits) -> tuple[list[float], list[str]]:
    """Sizes in SI and names of the units of a field: one of each, or one for each label."""
    given = [each.unit] if isinstance(each.unit, str) else each.unit
    sizes, names = zip(*(unit_of(units, unit) for unit in given), strict=True)
    return list(sizes), list(names)


def _scaled(values: Any, size: Any) -> Any:
    return values if np.all(size == 1.0) else np.asarray(values) / size
