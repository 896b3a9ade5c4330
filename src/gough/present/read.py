"""Reading of netCDF files, which may be damaged or come from elsewhere."""

from __future__ import annotations

import warnings
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING

from gough.arrays import Array
from gough.checks.numbers import of_shape
from gough.errors import InputError
from gough.files import DATA, read_bounded

if TYPE_CHECKING:
    import xarray


def read_netcdf(path: str | Path) -> xarray.Dataset:
    """Read a netCDF file whole; `InputError` for a damaged file, or one of another kind."""
    return netcdf_of(read_bounded(path, DATA), str(path))


def netcdf_of(content: bytes, where: str) -> xarray.Dataset:
    """Return the data set in the bytes of a netCDF file; `InputError` as of `read_netcdf`."""
    import xarray

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of SciPy about files that it could not read to their end
            # From memory: sizes that a damaged header names are not allocated, and no file stays open.
            return xarray.load_dataset(BytesIO(content), engine="scipy", decode_times=False)
    except Exception:  # SciPy's reader checks nothing and raises whatever follows
        raise InputError(f"{where} is not a netCDF file that Gough wrote, or is damaged") from None


def variable(data: xarray.Dataset, name: str, shape: str, where: str) -> Array:
    """Return numbers of a variable with a shape as `gough.checks.numbers.of_shape` takes it; `InputError` for
    others."""
    if name not in data:
        raise InputError(f"{where} has no variable {name}")
    return of_shape(f"{where}: {name}", data[name].to_numpy(), shape)
