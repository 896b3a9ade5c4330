"""Fields as columns of CSV and keys of JSON, in the units of a machine's file."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gough.machine import DisplayUnits
from gough.present.answer import Field
from gough.present.units import titled, unit_of


def columns(fields: Iterable[Field], units: DisplayUnits) -> dict[str, NDArray[Any]]:
    """Titles with units, and one row for each pose."""
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
    """Keys of JSON; a key with a dot is nested, and one with "{}" has an entry for each label."""
    found: dict[str, Any] = {}
    for each, label in _entries(fields):
        *outer, key = (part.replace("{}", label) for part in each.key.split("."))
        place = found
        for name in outer:
            place = place.setdefault(name, {})
        sizes, names = _units(each, units)
        key = titled(key, names[0]) if each.is_unit_in_key else key
        scale = sizes[0] if len(sizes) == 1 else np.array(sizes)
        place[key] = each.value if np.all(scale == 1.0) or each.value is None else _scaled(each.value, scale)
        if each.unit_key:
            place[each.unit_key] = names[0] if len(names) == 1 else names
    return found


def _entries(fields: Iterable[Field]) -> Iterator[tuple[Field, str]]:
    """The fields of JSON, those with "{}" in their key once for each label."""
    for each in fields:
        if each.is_json and "{}" not in each.key:
            yield each, ""
        elif each.is_json:
            for k, label in enumerate(each.labels):
                unit = each.unit if isinstance(each.unit, str) else each.unit[k]
                yield replace(each, value=each.value[k], unit=unit), label


def units(fields: Iterable[Field], units: DisplayUnits) -> dict[str, str | list[str]]:
    """Names of the units of the keys of JSON that have one and do not name it: one, or one for each label."""
    named = {each.key: _units(each, units)[1] for each in fields if each.is_json and not each.is_unit_in_key}
    return {key: names[0] if len(names) == 1 else names for key, names in named.items() if any(names)}


def _title(each: Field) -> str:
    return each.title or each.key.replace(".", "_") + ("_{}" if each.labels else "")


def _units(each: Field, units: DisplayUnits) -> tuple[list[float], list[str]]:
    """Sizes in SI and names of the units of a field: one, or one for each label."""
    given = [each.unit] if isinstance(each.unit, str) else each.unit
    sizes, names = zip(*(unit_of(units, unit) for unit in given), strict=True)
    return list(sizes), list(names)


def _scaled(values: Any, size: Any) -> Any:
    return values if np.all(size == 1.0) else np.asarray(values) / size
