"""Fields as columns of CSV and as keys of JSON, in the units of a machine's file; variables of a dataset as fields."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from fnmatch import fnmatchcase
from functools import cache
from importlib import resources
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


@cache
def _endings(place: str) -> tuple[tuple[str, str], ...]:
    """Endings of keys, with stars, and the frames of their components in a command or section; the first that fits."""
    tables = tomllib.loads((resources.files("gough.present") / "frames.toml").read_text("utf-8"))
    found: list[tuple[str, str]] = []
    for table in (tables.get(place, {}), tables["every"]):
        pairs = [(ending, frame) for frame, endings in table.items() for ending in endings]
        found += sorted(pairs, key=lambda pair: -pair[0].count("."))
    return tuple(found)


def frame_of(place: str, key: str) -> str | None:
    """Frame of the components of a quantity by its key in JSON; None where it has none."""
    return next((frame for ending, frame in _endings(place) if fnmatchcase(f".{key}", f"*.{ending}")), None)


def frames(place: str, document: Mapping[str, Any], path: str = "") -> dict[str, str]:
    """Frames of the arrays with components in the JSON of a command or of a section, by their keys."""
    named: dict[str, str] = {}
    for name, entry in document.items():
        key, value = f"{path}{name}", entry.tolist() if isinstance(entry, np.ndarray) else entry
        if isinstance(value, Mapping):
            named |= frames(place, value, f"{key}.")
        elif isinstance(value, list | tuple) and value:
            row, frame = value[0], frame_of(place, key)
            named |= frames(place, row, f"{key}.") if isinstance(row, Mapping) else {key: frame} if frame else {}
    return named


def variables(data: xarray.Dataset, titles: Mapping[str, str], **how: Any) -> list[Field]:
    """The variables of a dataset that `titles` names, as fields with a row for each entry of their first dimension.

    The entries of a further dimension become columns, whose labels replace "{}" in the title.
    """
    found = []
    for name in (name for name in titles if name in data.variables):
        variable = data[name]
        labels = _labels(data, str(variable.dims[1])) if variable.ndim > 1 else ()
        unit = variable.attrs.get("units", "")
        found.append(Field(name, variable.to_numpy(), unit, labels, titles[name], **how))
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
