"""Maps over positions, asked for and written out: netCDF in SI, CSV and JSON in the machine's units."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from gough.cli.numbers import numbers
from gough.cli.output import emit, is_netcdf
from gough.cli.progress import watched
from gough.errors import InputError
from gough.files import write_whole
from gough.machine import DisplayUnits, Machine

if TYPE_CHECKING:
    import xarray

Array = NDArray[np.float64]
Made = TypeVar("Made")

_MOST = 10_000
"""Positions along an axis."""


@dataclass(frozen=True)
class Grid:
    """The options that lay a grid of positions, as typed."""

    x: str | None = None
    y: str | None = None
    z: str | None = None
    samples: int = 15

    def places(self, units: DisplayUnits) -> dict[str, Any]:
        """As the keywords of maps [m]."""
        given: dict[str, Any] = {"samples": self.samples}
        for name, text in (("x", self.x), ("y", self.y), ("z", self.z)):
            if text is not None:
                given[name] = numbers(f"--{name}", text, range(1, _MOST)) * units.metres
        return given


def one_orientation(X: Array) -> Array:
    """The pose (4, 4) whose orientation a map keeps; `InputError` for many."""
    if X.ndim != 2:
        raise InputError("a search of the workspace keeps one orientation; give one pose, without --csv")
    return X


def mapped(what: str, make: Callable[..., Made], machine: Machine, grid: Grid) -> Made:
    """`make(**places, progress=...)` with a progress bar; its `what` is told."""
    places = grid.places(machine.units)
    return watched(what, make, **places)


def write_dataset(dataset: xarray.Dataset, machine: Machine, *, as_json: bool, output: Path | None) -> None:
    """Write a dataset: netCDF where the file's name ends in .nc, else JSON or CSV."""
    if output is not None and is_netcdf(output, as_json=as_json):
        write_whole(output, bytes(dataset.to_netcdf(engine="scipy")))
        return
    emit(_columns(dataset, machine), _document(dataset, machine), as_json=as_json, output=output)


def counted(unit: str, units: DisplayUnits) -> tuple[float, str]:
    """Size in SI and name of the unit in which the command line gives a quantity of the SI unit `unit`."""
    base, per = next((unit.removesuffix(per), per) for per in ("/s2", "/s", "") if unit.endswith(per))
    size, name = {"m": (units.metres, units.length), "rad": (units.radians, units.angle)}.get(base, (1.0, base))
    return size, name + per


def titled(name: str, unit: str) -> str:
    """A column's title with its unit: "speed_mm_per_s"."""
    return f"{name}_{unit}".replace("/", "_per_").replace(" ", "_").removesuffix("_1").removesuffix("_")


def _columns(dataset: xarray.Dataset, machine: Machine) -> dict[str, Array | NDArray[np.str_]]:
    """One row for each position; further dimensions become columns."""
    sizes = tuple(dataset.sizes[name] for name in ("x", "y", "z"))
    units = machine.units
    grid = np.meshgrid(*(dataset[name].values / units.metres for name in ("x", "y", "z")), indexing="ij")
    columns: dict[str, Array | NDArray[np.str_]] = {
        titled(name, units.length): axis.ravel() for name, axis in zip("xyz", grid, strict=True)
    }
    for name, variable in dataset.data_vars.items():
        size, unit = counted(variable.attrs.get("units", "1"), units)
        values = np.broadcast_to(variable.values, (*sizes, *variable.shape[3:])).reshape(int(np.prod(sizes)), -1)
        labels = _labels(dataset, variable)
        for k, label in enumerate(labels):
            whole = values[:, k] if values.dtype.kind == "b" else values[:, k] / size
            columns[titled(f"{name}{label}", unit)] = _in_words(whole) if _is_flag(variable) else whole
    return columns


def _is_flag(variable: xarray.DataArray) -> bool:
    """Whether its numbers mean no (0) and yes (1), or are not a number."""
    return bool(variable.attrs.get("flag_meanings") == "no yes")


def _in_words(values: Array) -> NDArray[np.str_]:
    return np.select([values == 0.0, values == 1.0], ["no", "yes"], "nan")


def _labels(dataset: xarray.Dataset, variable: xarray.DataArray) -> list[str]:
    """Endings such as _x or _1, one for each entry of a dimension beyond the positions."""
    more = [dim for dim in variable.dims if dim not in ("x", "y", "z")]
    if not more:
        return [""]
    dim = more[0]
    names = dataset.coords[dim].values if dim in dataset.coords else range(1, dataset.sizes[dim] + 1)
    return [f"_{name}" for name in names]


def _document(dataset: xarray.Dataset, machine: Machine) -> dict[str, Any]:
    document: dict[str, Any] = {"machine": machine.name, "units": {}}
    for name, values in {**dataset.coords, **dataset.data_vars}.items():
        size, unit = counted(values.attrs.get("units", "1"), machine.units)
        if "units" in values.attrs:
            document["units"][name] = unit
        document[str(name)] = values.values / size if values.dtype.kind == "f" else values.values
        if _is_flag(values):
            document[str(name)] = np.where(np.isnan(values), None, values.values == 1.0)
    for name, value in dataset.attrs.items():
        document.setdefault(str(name), value)
    return document
