"""Maps over positions as answers: netCDF in SI, CSV and JSON in the machine's units."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gough.present.answer import Answer, Field

if TYPE_CHECKING:
    import xarray

    from gough.stacked import AnyMachine


def map_answer(data: xarray.Dataset, machine: AnyMachine) -> Answer:
    """A map: one row for each position, further dimensions as columns; in JSON the arrays as they are."""
    import numpy as np

    from gough.present.units import unit_of

    axes = [data[name].values for name in "xyz"]
    rows = [
        Field(name, axis.ravel(), "m", is_json=False)
        for name, axis in zip("xyz", np.meshgrid(*axes, indexing="ij"), strict=True)
    ]
    keys, units = [], {}
    for name, variable in {**data.coords, **data.data_vars}.items():
        unit, values = variable.attrs.get("units", "1"), variable.values
        if "units" in variable.attrs:
            units[str(name)] = unit_of(machine.units, unit)[1]
        if variable.attrs.get("flag_meanings") == "no yes":
            keys.append(Field(str(name), np.where(np.isnan(values), None, values == 1.0), is_csv=False))
            values = np.select([values == 0.0, values == 1.0], ["no", "yes"], "nan")
        else:
            keys.append(Field(str(name), values, unit, is_csv=False))
        if name in data.data_vars:
            rows.append(_rows(data, str(name), values, unit))
    keys += [Field(str(name), value, is_csv=False) for name, value in data.attrs.items() if name not in data]
    return Answer([*rows, *keys], units=units, data=lambda: data)


def _rows(data: xarray.Dataset, name: str, values: Any, unit: str) -> Field:
    """A variable with a row for each position, and a column for each entry of a dimension beyond them."""
    import numpy as np

    sizes = tuple(data.sizes[axis] for axis in "xyz")
    flat = np.broadcast_to(values, (*sizes, *values.shape[3:])).reshape(int(np.prod(sizes)), -1)
    more = [dim for dim in data[name].dims if dim not in ("x", "y", "z")]
    if not more:
        return Field(name, flat[:, 0], unit, is_json=False)
    dim = more[0]
    names = data.coords[dim].values if dim in data.coords else range(1, data.sizes[dim] + 1)
    return Field(name, flat, unit, tuple(map(str, names)), is_json=False)
