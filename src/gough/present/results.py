"""Results as datasets, as sentences, and as tables for notebooks; parts of machines as facts."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import fields
from html import escape
from textwrap import shorten
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from gough.arrays import MachinePart
from gough.machine import DisplayUnits
from gough.present.show import metric, plain, without_noise
from gough.present.units import decimals, readable, rounded, unit_of, volume_unit, without_one
from gough.quantity import Quantity, Variable

if TYPE_CHECKING:
    import xarray

LISTED = 12
"""Largest number of values that a table lists; of more it shows smallest and largest."""
WITHOUT_MACHINE = 4
"""Decimals of metres and radians of results that know no machine."""
FEWEST = 100
"""Lengths and angles of fewer last decimals than this are in a prefixed unit, such as µm."""
SHORT = 300
"""Largest number of characters of a result's `repr`."""
UNITS_OF_PARTS = {
    **dict.fromkeys(("b_P", "a_B", "c_B", "r_B", "rod_length", "leg_radius", "box", "radius", "sizes", "about"), "m"),
    **dict.fromkeys(("joint_min", "joint_max", "resolution", "zero", "sine", "cosine", "middle", "period"), "m or rad"),
    **dict.fromkeys(("half_angle", "minimum", "tilt", "rotation"), "rad"),
    **dict.fromkeys(("stiffness", "base_joint_stiffness", "platform_joint_stiffness"), "N/m"),
    **{"joint_speed": "m/s or rad/s", "joint_acceleration": "m/s2 or rad/s2", "actuator_force": "N or N m"},
    **{"axial_rigidity": "N", "coulomb_friction": "N or N m", "viscous_friction": "N s/m or N m s/rad"},
    **{"rotor_inertia": "kg m2", "transmission": "rad/m or rad/rad", "curvature": "1/m or 1/rad", "q": "rad or m"},
    **{"mass": "kg", "mass_centre": "m", "inertia": "kg m2"},
}
"""SI units of the fields of parts of machines."""


def variables(result: Any, declared: Iterable[Quantity] | None = None) -> Iterator[Variable]:
    """Return values of the quantities that a result has, of all or of those `declared`."""
    return filter(None, (each.of(result) for each in (result.QUANTITIES.values() if declared is None else declared)))


def _listed(result: Any) -> Iterator[Variable]:
    """Values of the quantities in tables."""
    return variables(result, (each for each in result.QUANTITIES.values() if each.is_listed))


def dataset_of(result: Any) -> xarray.Dataset:
    """Return the quantities of a result as a dataset, with units, in SI.

    Leading axes are the dimension "pose", or the one that the result names, and "pose_1", "pose_2" and so on where
    there are several. A single value with the name of a dimension, which no variable may have, is an attribute.
    """
    import xarray

    found = list(variables(result))
    machine = getattr(result, "machine", None)
    arrays = {name: array for each in found for name, array in _arrays(each).items()}
    dims = {dim for each in found for dim in each.dims}
    texts = {name: arrays.pop(name)[1].item() for name in sorted(dims & arrays.keys()) if not arrays[name][0]}
    coords = {dim: names for dim, names in _labels(result, found).items() if dim not in arrays}
    return xarray.Dataset(arrays, coords, texts | ({} if machine is None else {"machine": machine.name}))


def _arrays(each: Variable) -> dict[str, Any]:
    """A variable as what xarray takes, by name: two of complex numbers; where units differ "..._unit" has them."""
    declared = each.quantity
    found: dict[str, Any] = {}
    attrs = {"long_name": declared.title, "definition": declared.doc, "symbol": declared.symbol}
    attrs |= {"frame": declared.frame, "units": "" if each.units.ndim else str(each.units)}
    if each.units.ndim:
        units = np.broadcast_to(each.units, each.values.shape[-each.units.ndim :])
        found[f"{declared.name}_unit"] = (each.dims[-each.units.ndim :], units)
        attrs["units_of"] = f"{declared.name}_unit"
    is_complex = each.values.dtype.kind == "c"
    parts = {"_real": each.values.real, "_imag": each.values.imag} if is_complex else {"": each.values}
    attrs = {key: value for key, value in attrs.items() if value}
    return found | {f"{declared.name}{part}": (each.dims, values, attrs) for part, values in parts.items()}


def _labels(result: Any, found: Iterable[Variable]) -> dict[str, Any]:
    """Labels of the dimensions that have as many entries."""
    sizes = {dim: size for each in found for dim, size in zip(each.dims, each.values.shape, strict=True)}
    labels = {dim: result.labels(dim) for dim in sizes}
    return {
        dim: [int(name) if name.isdigit() else name for name in names]
        for dim, names in labels.items()
        if len(names) == sizes[dim]
    }


def dataset_of_rows(rows: Sequence[Any]) -> xarray.Dataset:
    """Return a table as a dataset along a dimension with the name of the rows' first quantity, such as "axis"."""
    import xarray

    if not rows:
        return xarray.Dataset()
    of_rows = [list(variables(row)) for row in rows]
    along = of_rows[0][0].quantity.name
    found: dict[str, Any] = {}
    for parts in zip(*of_rows, strict=True):
        units = np.array([part.units for part in parts])
        units = units if (units != units[0]).any() else units[0]
        values = np.array([part.values for part in parts])
        found |= _arrays(Variable(parts[0].quantity, (along, *parts[0].dims), values, units))
    coords = {dim: names for dim, names in _labels(rows[0], of_rows[0]).items() if dim not in found}
    return xarray.Dataset(found, coords)


def headline(result: Any) -> str:
    """Return the kind of a result and the range of its headlines, or of its first quantity, in one sentence."""
    declared = list(result.QUANTITIES.values())
    chosen = list(variables(result, [each for each in declared if each.is_headline] or declared[:1]))
    parts = [
        " ".join(filter(None, (each.quantity.title, *_range(result, values, unit))))
        for each in chosen
        for unit, values in each.by_unit()
    ]
    last = chosen[-1]
    count = last.values.shape[: last.dims.index(dims[0]) if (dims := last.quantity.dims) else None]
    many = f" of {np.prod(count, dtype=int)} {result.BATCH}s" if count else ""
    return f"{_kind(result)}{many}: {', '.join(parts)}"


def in_one_line(shown: Any, words: str) -> str:
    """Return the class name and a summary, shortened if long: "<LoadFactor: factor 2.5>"."""
    rest = words.removeprefix(_kind(shown))
    text = rest if rest.startswith((":", " of ")) else f": {words}"
    return shorten(f"<{type(shown).__name__}{text}", SHORT, placeholder=" ...") + ">"


def result_html(result: Any) -> str:
    """Return the sentence, and the result's own table, or one of every quantity in the units of the machine's file, or
    SI."""
    own = result._shown_table()
    if own is not None:
        return html_table(str(result), tuple(own.header), [tuple(row) for row in own.rows])
    listed = [each for each in variables(result) if each.quantity.is_listed]
    rows = [(each.quantity.title, *_cell(result, values, unit)) for each in listed for unit, values in each.by_unit()]
    return html_table(str(result), ("", "", "unit"), rows)


def facts_html(shown: Any) -> str:
    """Return the class name and a table of its facts."""
    return html_table(_kind(shown), ("", ""), list(shown.facts().items()))


def _kind(shown: Any) -> str:
    """Name of a class in words: "LoadFactor" is "Load factor"."""
    return re.sub(r"(?<=[a-z])(?=[A-Z])", " ", type(shown).__name__).lower().capitalize()


def rows_html(rows: Sequence[Any], machine: Any = None) -> str:
    """Return a table of rows of one class; columns with one unit have it in the header, others next to each number."""
    if not rows:
        return html_table("", (), ())
    declared = rows[0].QUANTITIES
    names = rows[0].ROW or declared
    return _columns_html([(declared[name].title, [_with_unit(row, name, machine) for row in rows]) for name in names])


def named_html(results: Mapping[str, Any]) -> str:
    """Return a table with a row for each result, and a column for each of its quantities."""
    columns = [("", [(name, "") for name in results])]
    for parts in zip(*map(_listed, results.values()), strict=True):
        of_rows = [list(part.by_unit()) for part in parts]
        for each in zip(*of_rows, strict=True):  # a column for each unit
            cells = [_cell(row, values, unit) for row, (unit, values) in zip(results.values(), each, strict=True)]
            columns.append((parts[0].quantity.title, cells))
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
    each = row.QUANTITIES[name].of(row)
    if each.values.dtype.kind not in "fiub":
        return ", ".join(map(str, each.values.ravel())), ""
    return _written(machine, each.values.ravel(), str(each.units))


def html_table(caption: str, header: tuple[str, ...], rows: Sequence[tuple[str, ...]]) -> str:
    """Return a plain table of HTML, every text escaped."""
    head = "".join(f"<th>{escape(title)}</th>" for title in header)
    body = "".join(f"<tr>{''.join(f'<td>{escape(cell)}</td>' for cell in row)}</tr>" for row in rows)
    above = f"<caption>{escape(caption)}</caption>" if caption else ""
    return f"<table>{above}<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


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


def one_line_of_part(part: MachinePart) -> str:
    """Return the class name and the specified values, shortened if long."""
    facts = ", ".join(f"{name} {words}" for name, words in _facts_of_part(part).items())
    return in_one_line(part, facts or "nothing given")


def html_of_part(part: MachinePart) -> str:
    """Return the class name and a table of the specified values."""
    return html_table(type(part).__name__, ("", ""), list(_facts_of_part(part).items()))


def _facts_of_part(part: Any) -> dict[str, str]:
    """Fields of a part that are given, by name; those of its own parts behind its name."""
    facts: dict[str, str] = {}
    for field in fields(part):
        name, value = field.name, getattr(part, field.name)
        if isinstance(value, MachinePart):
            facts |= {f"{name} {inner}": words for inner, words in _facts_of_part(value).items()}
        elif isinstance(value, float | np.ndarray) and np.isfinite(value).any():
            facts[name] = _part_with_unit(np.asarray(value), UNITS_OF_PARTS.get(name, ""))
        elif isinstance(value, str):
            facts[name] = value
        elif isinstance(value, tuple):  # of a head
            facts[name] = ", ".join(joint.name for joint in value)
    return facts


def _part_with_unit(values: NDArray[Any], unit: str) -> str:
    """Numbers and their unit; what all legs have in common once."""
    if values.ndim and len(values) == 6 and np.array_equal(values, np.broadcast_to(values[0], values.shape)):
        return f"{_four_digits(values[0])} {unit}".rstrip() + " each"
    return f"{_four_digits(values)} {unit}".rstrip()


def _four_digits(values: NDArray[Any]) -> str:
    """Numbers in four digits, rows in parentheses."""
    if not values.ndim:
        return f"{float(values) + 0.0:.4g}".replace("-", "\N{MINUS SIGN}")
    return ", ".join(f"({_four_digits(row)})" if values.ndim > 1 else _four_digits(row) for row in values)
