"""A file name that ends in .nc gets netCDF, whatever the command; never text under that name."""

import json

import numpy as np
import pytest
import xarray

COMMANDS = [
    "inverse hexel --at 0,0,700",
    "forward hexel --joints 586.8,586.8,586.8,586.8,586.8,586.8",
    "margins hexel",
    "travel hexel",
    "corners hexel --strokes",
    "linear-map hexel",
    "velocity hexel",
    "stiffness hexel",
    "forces servo",
    "accuracy hexaglide",
    "capacity servo",
    "conditioning hexel",
    "nearest hexel --at 0,0,1250",
    "modes hexel",
    "singularity hexel",
    "workspace hexel --samples 5",
    "velocity hexel --map --samples 3",
    "dynamics sinatra2009 --motion vertical",
]


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_that_computes_writes_netcdf(run, tmp_path, command):
    path = tmp_path / "answer.nc"
    ran = run(*command.split(), "-o", str(path))
    assert ran.code == 0, ran.err
    assert path.read_bytes()[:3] == b"CDF"
    with xarray.open_dataset(path, engine="scipy") as data:
        assert data.sizes
        assert data.data_vars


def test_netcdf_holds_the_numbers_of_json(run, tmp_path):
    path = tmp_path / "answer.nc"
    assert run("inverse", "hexel", "--at", "10,0,700", "-o", str(path)).code == 0
    told = json.loads(run("inverse", "hexel", "--at", "10,0,700", "--json").out)
    with xarray.open_dataset(path, engine="scipy") as data:
        found = [float(data[name][0]) for name in data.data_vars if name.startswith("q")]
        assert data.attrs["machine"] == "hexel"
    np.testing.assert_array_equal(found, told["joints"])


def test_json_under_the_name_of_netcdf_is_refused(run, tmp_path):
    path = tmp_path / "answer.nc"
    ran = run("margins", "hexel", "--json", "-o", str(path))
    assert ran.code == 2
    assert "is a name for netCDF" in ran.err
    assert not path.exists()
