"""Results as datasets, as sentences, and as tables for notebooks."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import fields, is_dataclass
from html import escape
from textwrap import shorten
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from gough.machine import DisplayUnits
from gough.present.answer import value_of
from gough.present.show import metric, plain, without_noise
from gough.present.units import decimals, readable, rounded, unit_of, volume_unit, without_one

if TYPE_CHECKING:
    import xarray

LABELS = {"axis": ("x", "y", "z"), "leg": (1, 2, 3, 4, 5, 6)}
"""Coordinates of dimensions of this length."""
LISTED = 12
"""Largest number of values that a table lists; of more it shows smallest and largest."""
WITHOUT_MACHINE = 4
"""Decimals of metres and radians of results that know no machine."""
FEWEST = 100
"""Lengths and angles of fewer last decimals than this are in a prefixed unit, such as µm."""
SHORT = 300
"""Largest number of characters of a result's `repr`."""


def variables(result: Any) -> Iterator[tuple[str, str, tuple[str, ...], NDArray[Any]]]:
    """Name, SI unit, names of the last dimensions and values of the arrays that a result declares."""
    machine = getattr(result, "machine", None)
    joint = machine.stages[0].legs.joint_unit if machine is not None else "m or rad"
    for name, declared in result.quantities.items():
        unit, *dims = (declared,) if isinstance(declared, str) else declared
        value = value_of(result, name)
        if value is None:
            continue
        values, unit, name = np.asarray(value), re.sub(r"^q\b", joint, unit), name.replace(".", "_")
        if unit.startswith("m|rad"):  # a twist, displacement or the like: two variables, as their units differ
            for kind, part, one in (("translation", slice(3), "m"), ("rotation", slice(3, 6), "rad")):
                yield f"{name}_{kind}", unit.replace("m|rad", one), (*dims[:-1], "axis"), values[..., part]
        else:
            yield name, unit, tuple(dims), values


def long_name(result: Any, name: str) -> str:
    """Long name of a quantity."""
    return str(result.NAMES.get(name, name.replace("_", " ")))


def dataset_of(result: Any) -> xarray.Dataset:
    """The arrays of a result as a dataset, with units, in SI; texts are attributes.

    Leading axes are the dimension "pose", or the one that the result names, and "pose_1", "pose_2" and so on where
    there are several.
    """
    import xarray

    found, coords = {}, {}
    for name, unit, dims, values in variables(result):
        first = values.ndim - len(dims)
        batch = [result.BATCH] if first == 1 else [f"{result.BATCH}_{k + 1}" for k in range(first)]
        found[name] = ([*batch, *dims], values, {"units": unit, "long_name": long_name(result, name)})
        for dim, size in zip(dims, values.shape[first:], strict=True):
            if dim in LABELS and len(LABELS[dim]) == size:
                coords[dim] = list(LABELS[dim])
    machine = getattr(result, "machine", None)
    words = {name: value for name, value in _fields(result).items() if isinstance(value, str)}
    return xarray.Dataset(found, coords, {**words, **({} if machine is None else {"machine": machine.name})})


def dataset_of_rows(rows: Sequence[Any]) -> xarray.Dataset:
    """A table as a dataset along a dimension with the name of the rows' first field, such as "axis".

    Where rows differ in the unit of a quantity, its attribute names all of them, and "..._unit" has that of each row.
    """
    import xarray

    if not rows:
        return xarray.Dataset()
    row, *others = _fields(rows[0])
    found: dict[str, Any] = {}
    coords: dict[str, Any] = {row: [getattr(each, row) for each in rows]}
    for each in zip(*map(variables, rows), strict=True):
        name, _, dims, _ = each[0]
        units = [unit for _, unit, _, _ in each]
        coords |= {dim: list(LABELS[dim]) for dim in dims if dim in LABELS}
        attrs = {"units": " or ".join(dict.fromkeys(units)), "long_name": long_name(rows[0], name)}
        found[name] = ((row, *dims), np.array([values for *_, values in each]), attrs)
        if len(set(units)) > 1:
            found[f"{name}_unit"] = (row, units)
    for name in (name for name in others if name not in (*found, "machine")):
        values = np.array([_plain(getattr(each, name)) for each in rows])
        found[name] = (row, values, {"units": "1"} if values.dtype.kind in "fiub" else {})
    return xarray.Dataset(found, coords)


def headline(result: Any) -> str:
    """Kind of a result and the range of its first quantities, in one sentence."""
    names = result.HEADLINES or tuple(result.quantities)[:1]
    parts, count = [], ()
    for key, unit, dims, values in variables(result):
        if key.removesuffix("_translation").removesuffix("_rotation") in names:
            parts.append(" ".join(filter(None, (long_name(result, key), *_range(result, values, unit)))))
            count = values.shape[: values.ndim - len(dims)]
    many = f" of {np.prod(count, dtype=int)} {result.BATCH}s" if count else ""
    return f"{_kind(result)}{many}: {', '.join(parts)}"


def in_one_line(shown: Any, words: str) -> str:
    """Name of the class and words on it, shortened where they are long: "<LoadFactor: factor 2.5>"."""
    rest = words.removeprefix(_kind(shown))
    text = rest if rest.startswith((":", " of ")) else f": {words}"
    return shorten(f"<{type(shown).__name__}{text}", SHORT, placeholder=" ...") + ">"


def result_html(result: Any) -> str:
    """The sentence, and the result's own table, or one of every quantity in the units of the machine's file, or SI."""
    own = result._shown_table()
    if own is not None:
        return html_table(str(result), tuple(own.header), [tuple(row) for row in own.rows])
    rows = [(long_name(result, key), *_cell(result, values, unit)) for key, unit, _, values in variables(result)]
    return html_table(str(result), ("", "", "unit"), rows)


def facts_html(shown: Any) -> str:
    """Name of the class, and a table of its facts."""
    return html_table(_kind(shown), ("", ""), list(shown.facts().items()))


def _kind(shown: Any) -> str:
    """Name of a class in words: "LoadFactor" is "Load factor"."""
    return re.sub(r"(?<=[a-z])(?=[A-Z])", " ", type(shown).__name__).lower().capitalize()


def rows_html(rows: Sequence[Any], machine: Any = None) -> str:
    """A table of rows of one class; columns with one unit have it in the header, others beside each number."""
    if not rows:
        return html_table("", (), ())
    columns = getattr(rows[0], "COLUMNS", {}) or {name: name for name in _fields(rows[0])}
    return _columns_html(
        [(header, [_with_unit(row, name, machine) for row in rows]) for name, header in columns.items()]
    )


def named_html(results: Mapping[str, Any]) -> str:
    """A table with a row for each result, and a column for each of its quantities."""
    columns = [("", [(name, "") for name in results])]
    for each in zip(*map(variables, results.values()), strict=True):
        cells = [_cell(row, values, unit) for row, (_, unit, _, values) in zip(results.values(), each, strict=True)]
        columns.append((long_name(next(iter(results.values())), each[0][0]), cells))
    return _columns_html(columns)


def _columns_html(columns: Iterable[tuple[str, list[tuple[str, str]]]]) -> str:
    """A table of columns, each with its header and its cells, which are texts with units."""
    headers, lines = [], []
    for header, cells in columns:
        units = {unit for _, unit in cells}
        headers.append(f"{header} [{units.pop()}]" if len(units) == 1 and "" not in units else header)
        lines.append([f"{text} {unit}".rstrip() if units else text for text, unit in cells])
    return html_table("", tuple(headers), list(zip(*lines, strict=True)))


def _with_unit(row: Any, name: str, machine: Any) -> tuple[str, str]:
    """An attribute as text, and its unit."""
    value = getattr(row, name)
    declared = getattr(row, "quantities", {}).get(name, "")
    unit = declared if isinstance(declared, str) else declared[0]
    if not unit:
        return str(_plain(value)), ""
    return _written(machine, np.ravel(value), unit)


def _plain(value: Any) -> Any:
    """A value of a row for one cell: several names or numbers as text."""
    return ", ".join(map(str, value)) if isinstance(value, tuple) else value


def html_table(caption: str, header: tuple[str, ...], rows: Sequence[tuple[str, ...]]) -> str:
    """A plain table of HTML, every text escaped."""
    head = "".join(f"<th>{escape(title)}</th>" for title in header)
    body = "".join(f"<tr>{''.join(f'<td>{escape(cell)}</td>' for cell in row)}</tr>" for row in rows)
    above = f"<caption>{escape(caption)}</caption>" if caption else ""
    return f"<table>{above}<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def _fields(result: Any) -> dict[str, Any]:
    return {each.name: getattr(result, each.name) for each in fields(result)} if is_dataclass(result) else {}


def _unit(machine: Any, values: NDArray[Any], unit: str) -> tuple[float, str]:
    """Size and name of the unit that suits values [unit]: that of the machine's file, SI without a machine, or a
    prefixed one for stiffnesses, volumes, and small lengths and angles."""
    units = DisplayUnits() if machine is None else machine.units
    size, name = unit_of(units, readable(units, unit))
    largest = float(np.max(np.abs(values), initial=0.0, where=np.isfinite(values)))
    if unit == "m3":
        return unit_of(units, volume_unit(largest))
    if unit in ("m", "rad") and 0 < largest < FEWEST * 10.0 ** -_decimals(machine, unit) * size:
        return metric([largest], unit, units)
    return size, name


def _decimals(machine: Any, unit: str) -> int:
    return WITHOUT_MACHINE if machine is None else decimals(machine, unit)


def _written(machine: Any, values: NDArray[Any], unit: str) -> tuple[str, str]:
    """Values [unit] as text, and the unit: lengths and angles in the decimals that fit the machine, others in four
    significant digits or all before the point."""
    size, name = _unit(machine, values, unit)
    if machine is not None and (size, name) == unit_of(machine.units, unit) and unit in ("m", "rad"):
        texts = [rounded(machine, value, unit) for value in values]
    else:
        texts = [_short(value / size) for value in values]
    return ", ".join(texts), without_one(name)


def _short(value: float) -> str:
    """Four significant digits, or all before the point below 1e7."""
    return plain(value, len(f"{abs(value):.0f}") if 1e4 <= abs(value) < 1e7 else 4)


def _cell(result: Any, values: NDArray[Any], unit: str) -> tuple[str, str]:
    """A quantity as text, the extent of many numbers; and its unit."""
    machine = getattr(result, "machine", None)
    if values.dtype.kind not in "fiub":
        return (" × ".join(map(str, values.shape)) if values.ndim else str(values)), without_one(unit)
    if values.size > LISTED:
        text, shown = _range(result, values, unit)
        return f"{' × '.join(map(str, values.shape))}, {text}", shown
    if values.dtype.kind != "f":
        return ", ".join(map(str, values.ravel())), without_one(unit)
    return _written(machine, without_noise(values, unit).ravel(), unit)


def _range(result: Any, values: NDArray[Any], unit: str) -> tuple[str, str]:
    """Range of the finite numbers, and its unit; for flags the number of those that are set."""
    if values.dtype.kind == "b":
        return ("yes" if values else "no") if values.ndim == 0 else f"{values.sum()} of {values.size}", ""
    if values.dtype.kind not in "fiu":
        return str(values) if values.ndim == 0 else f"{len(np.unique(values))} different", ""
    finite = values[np.isfinite(values)]
    if not len(finite):
        return "unknown" if np.isnan(values).all() else "without end", ""
    size, name = _unit(getattr(result, "machine", None), finite, unit)
    low, high = (_short(end / size) for end in (finite.min(), finite.max()))
    return low if low == high else f"{low} to {high}", without_one(name)
