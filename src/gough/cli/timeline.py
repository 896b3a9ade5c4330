"""Histories over time, written out: netCDF in SI, CSV and JSON in the machine's units."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from gough.cli.dataset import counted, titled
from gough.cli.machine import units_of
from gough.cli.output import emit, is_netcdf
from gough.cli.pose_input import Orientation
from gough.cli.pose_output import pose_columns, pose_values
from gough.files import write_whole
from gough.machine import Machine

if TYPE_CHECKING:
    import xarray

SHORT = {
    "joint": "q",
    "joint_rate": "qd",
    "joint_acceleration": "qdd",
    "force": "force",
    "power": "power",
    "joint_error": "error",
}
"""Quantities of the legs, and what their columns are called."""
SCALARS = ("kinetic", "potential", "energy")


def write_history(
    data: xarray.Dataset, machine: Machine, orientation: Orientation, *, as_json: bool, output: Path | None
) -> None:
    """Write a history: netCDF where the file's name ends in .nc, else JSON or CSV."""
    if output is not None and is_netcdf(output, as_json=as_json):
        write_whole(output, bytes(data.to_netcdf(engine="scipy")))
        return
    pose = pose_values(data["pose"].to_numpy(), orientation, machine.units)
    columns: dict[str, Any] = {"time_s": data["time"].to_numpy(), **pose_columns(pose, machine.units)}
    document: dict[str, Any] = {
        "machine": machine.name,
        "units": units_of(machine),
        "time_s": columns["time_s"],
        **pose,
    }
    for name, short in SHORT.items():
        if name not in data:
            continue
        size, unit = counted(data[name].attrs["units"], machine.units)
        values = data[name].to_numpy() / size
        columns |= {titled(f"{short}{i + 1}", unit): values[:, i] for i in range(6)}
        document[titled(name, unit)] = values
    for name in SCALARS:
        columns[f"{name}_J"] = document[f"{name}_J"] = data[name].to_numpy()
    document |= {name: value for name, value in data.attrs.items() if name not in document}
    emit(columns, document, as_json=as_json, output=output)


def tell_loads(data: xarray.Dataset, machine: Machine) -> None:
    """Peak and root mean square of force and power, peak speed and used limits of every actuator, as a table."""
    from gough.cli.output import print_table
    from gough.dynamics.drive_limits import drive_peaks, unit_of_peak
    from gough.dynamics.histories import peaks

    unit, found = data["force"].attrs["units"], peaks(data)
    header = ["leg", f"peak force [{unit}]", f"RMS force [{unit}]", "peak power [W]", "RMS power [W]"]
    columns = list(found.values())
    drives = drive_peaks(machine, data)
    for peak in drives:
        if peak.quantity != "force":
            size, name = unit_of_peak(machine, peak.quantity)
            header.append(f"peak {peak.quantity} [{name}]")
            columns.append(peak.peak / size)
    rows = [[str(i + 1), *(f"{column[i]:.6g}" for column in columns)] for i in range(6)]
    for peak in drives:
        if peak.used is not None:
            header.append(f"{peak.quantity} used [%]")
            for row, used in zip(rows, peak.used, strict=True):
                row.append(f"{100 * used:.3g}")
    print_table(header, rows, numeric=range(len(header)))
    masses = data.attrs["masses"]
    print(f"{masses[0].upper()}{masses[1:]}.")


def tell_limits(data: xarray.Dataset, machine: Machine, *, has_stopped: bool = False) -> None:
    """Say which limit of a pose a motion breaks first, which limits of the drives it exceeds, what was saturated.

    A simulation that `has_stopped` has said already at which limit of a pose.
    """
    from gough.cli.output import note
    from gough.limits.margins import margins

    broken = np.flatnonzero(~(data["margin"].to_numpy() >= 0).all(axis=1))
    if len(broken) and not has_stopped:
        k = int(broken[0])
        sentence = margins(machine, data["pose"].to_numpy()[k]).sentences()[0]
        note(f"the motion leaves the machine's limits, from {float(data['time'][k]):.4g} s on: {sentence}")
    if data.attrs["drives_exceeded"]:
        note(f"the motion asks more of the drives than they allow: {data.attrs['drives_exceeded']}")
    if data.attrs.get("saturated"):
        note(data.attrs["saturated"])
