"""What `gough workspace` answers: a summary, CSV, JSON, netCDF or a mesh."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gough.cli.machine import units_of
from gough.cli.output import NETCDF, emit, is_netcdf, print_table
from gough.errors import InputError
from gough.files import write_whole
from gough.machine import Machine
from gough.report.show import uncertain
from gough.workspaces.dexterous import DexterousWorkspace
from gough.workspaces.mesh import RANGE, Mesh
from gough.workspaces.quadrature import Uncertain, boundary_share, ray_share
from gough.workspaces.ray_workspace import RayWorkspace
from gough.workspaces.rays import ray_extent
from gough.workspaces.workspace import Workspace

Array = NDArray[np.float64]
MESHES = (".stl", ".ply")


@dataclass(frozen=True, eq=False)
class Found:
    """A workspace in some shape, and its boundary if there is any."""

    shape: str
    body: Workspace | RayWorkspace | DexterousWorkspace
    mesh: Mesh | None
    machine: Machine
    ignore: tuple[str, ...] = ()

    @property
    def columns(self) -> Workspace:
        """Columns of the whole or of the dexterous part."""
        if isinstance(self.body, DexterousWorkspace):
            return self.body.columns
        if isinstance(self.body, Workspace):
            return self.body
        raise TypeError("rays have no columns")

    @cached_property
    def extent(self) -> tuple[Array, Array]:
        """Lowest and highest coordinates (3,), climbed to."""
        if isinstance(self.body, RayWorkspace):
            return ray_extent(self.machine, self.body, self.ignore)
        return self.body.extent.low, self.body.extent.high

    @cached_property
    def shares(self) -> dict[str, Uncertain]:
        """Part of the boundary on which each limit binds: by quadrature, see `gough.workspaces.quadrature`."""
        if isinstance(self.body, Workspace):
            return boundary_share(self.body)
        if isinstance(self.body, DexterousWorkspace):
            return self.body.boundary_share
        return ray_share(self.machine, self.body)


def check_output(output: Path | None, *, as_json: bool) -> None:
    """`InputError` for a file whose ending says another form than is asked for."""
    if output is None:
        return
    ending = output.suffix.lower()
    if as_json and ending in (*MESHES, *NETCDF, ".csv"):
        raise InputError(f"{output} is no name for JSON; leave --json out or give another ending")
    if not as_json and ending not in (*MESHES, *NETCDF, ".csv"):
        raise InputError(f"cannot tell the form of {output}: expected a name that ends in .csv, .nc, .stl or .ply")


def write(found: Found, machine: Machine, *, as_json: bool, output: Path | None) -> None:
    """Tell the answer, or write it to a file in the form that its ending says."""
    if output is None and not as_json:
        _tell(found, machine)
    elif output is not None and output.suffix.lower() in MESHES:
        if found.mesh is None:
            raise InputError(f"{nothing(found)}: there is no boundary to write")
        found.mesh.write(output, _unit(found, machine)[0])
    elif output is not None and is_netcdf(output):
        body = found.columns if isinstance(found.body, DexterousWorkspace) else found.body
        write_whole(output, bytes(body.dataset.to_netcdf(engine="scipy")))
    else:
        is_star = isinstance(found.body, RayWorkspace)
        columns = {} if as_json else _ray_rows(found.body, machine) if is_star else _column_rows(found.columns, machine)  # type: ignore[arg-type]
        emit(columns, _document(found, machine) if as_json else {}, as_json=as_json, output=output)


def nothing(found: Found) -> str:
    """Why there is no boundary."""
    if isinstance(found.body, RayWorkspace):
        return "the pose in the middle is not allowed (gough margins says why)"
    if isinstance(found.body, DexterousWorkspace):
        return "no position allows the whole cone"
    return "no position is allowed at this orientation"


def _unit(found: Found, machine: Machine) -> tuple[float, str]:
    """Size in SI and name of the unit along the rays or columns."""
    u = machine.units
    is_turn = isinstance(found.body, RayWorkspace) and found.body.is_rotation
    return (u.radians, u.angle) if is_turn else (u.metres, u.length)


def _document(found: Found, machine: Machine) -> dict[str, Any]:
    """Keys for JSON, in the machine's units."""
    size, unit = _unit(found, machine)
    document: dict[str, Any] = {"machine": machine.name, "units": units_of(machine), "shape": str(found.shape)}
    document |= {"volume": found.body.volume / size**3, "volume_error": found.body.volume_error / size**3}
    document["volume_unit"] = f"{unit}3"
    if found.mesh is not None:
        document["extent"] = dict(zip("xyz", np.stack(found.extent, axis=1) / size, strict=True))
        document["boundary_share"] = {name: share.value for name, share in found.shares.items()}
        document["boundary_share_error"] = {name: share.error for name, share in found.shares.items()}
    if isinstance(found.body, DexterousWorkspace):
        cone, u = found.body.cone, machine.units
        document |= {"tilt": cone.tilt / u.radians, "roll": cone.roll / u.radians}
        document |= {"orientations": found.body.orientations, "shortfall": found.body.shortfall}
    if isinstance(found.body, RayWorkspace):
        body = found.body
        document |= {"directions": body.directions, "intervals": body.ends / size, "count": body.count}
        if body.is_rotation:
            document["share_of_all_orientations"] = body.share
            document["share_of_all_orientations_error"] = body.share_error
    else:
        body = found.columns  # type: ignore[assignment]
        document |= {"x": body.x / size, "y": body.y / size, "intervals": body.ends / size, "count": body.count}  # type: ignore[attr-defined]
    document |= {"limits": body.names, "binding": body.binding}
    return document


def _column_rows(columns: Workspace, machine: Machine) -> dict[str, Any]:
    """One row for each interval of each column."""
    unit, size = machine.units.length, machine.units.metres
    i, j, k = np.nonzero(np.isfinite(columns.ends[..., 0]))
    names = np.array([*columns.names, RANGE])
    return {
        f"x_{unit}": columns.x[i] / size,
        f"y_{unit}": columns.y[j] / size,
        f"lower_{unit}": columns.ends[i, j, k, 0] / size,
        f"upper_{unit}": columns.ends[i, j, k, 1] / size,
        "lower_limit": names[columns.binding[i, j, k, 0]],
        "upper_limit": names[columns.binding[i, j, k, 1]],
    }


def _ray_rows(star: RayWorkspace, machine: Machine) -> dict[str, Any]:
    """One row for each interval of each ray."""
    unit, size = (
        (machine.units.angle, machine.units.radians)
        if star.is_rotation
        else (machine.units.length, machine.units.metres)
    )
    n, k = np.nonzero(np.isfinite(star.ends[..., 0]))
    names = np.array([*star.names, RANGE])
    return {
        **{f"d{axis}": star.directions[n, c] for c, axis in enumerate("xyz")},
        f"from_{unit}": star.ends[n, k, 0] / size,
        f"to_{unit}": star.ends[n, k, 1] / size,
        "from_limit": np.where(star.ends[n, k, 0] == 0.0, "middle", names[star.binding[n, k, 0]]),
        "to_limit": names[star.binding[n, k, 1]],
    }


def _tell(found: Found, machine: Machine) -> None:
    """The summary: volume with its error, extents, share of the boundary by limit."""
    if found.mesh is None:
        print(f"Empty: {nothing(found)}.")
        return
    size, unit = _unit(found, machine)
    body = found.body
    print(f"volume  {uncertain(float(body.volume) / size**3, float(body.volume_error) / size**3)} {unit}3")
    for sentence in _more(found, machine):
        print(sentence)
    ends = np.stack(found.extent, axis=1) / size
    axes = ("wx", "wy", "wz") if isinstance(body, RayWorkspace) and body.is_rotation else ("x", "y", "z")
    digits = 5 if isinstance(body, RayWorkspace) else 6  # climbs of turned rays end to about 1e-5
    rows = [
        (axis, f"{low:.{digits}g}", f"{high:.{digits}g}", unit) for axis, (low, high) in zip(axes, ends, strict=True)
    ]
    print()
    print_table(("axis", "from", "to", "unit"), rows, numeric=(1, 2))
    print()
    shares = [(name, uncertain(100 * share.value, 100 * share.error)) for name, share in found.shares.items()]
    print_table(("limit", "% of the boundary"), shares, numeric=(1,))


def _more(found: Found, machine: Machine) -> list[str]:
    """What else the shape has to say."""
    body, u = found.body, machine.units
    if isinstance(body, Workspace):
        several = int((body.count > 1).sum())
        note = f"; {several} of them in several intervals" if several else ""
        return [f"columns {int((body.count > 0).sum())} of {body.count.size} are inside somewhere{note}"]
    if isinstance(body, DexterousWorkspace):
        caught = "" if body.shortfall < 1e-9 else f"; {100 * body.shortfall:.2g} % of a limit's scale may be missed"
        tilt, roll = body.cone.tilt / u.radians, body.cone.roll / u.radians
        return [
            f"cone    tilt {tilt:.6g} {u.angle}, roll {roll:.6g} {u.angle}: {body.orientations} orientations, "
            f"then the worst ones between them{caught}"
        ]
    lines = (
        []
        if not body.is_rotation
        else [f"share   {uncertain(100 * float(body.share), 100 * float(body.share_error))} % of all orientations"]
    )
    if body.has_more.any():
        count = int(body.has_more.sum())
        lines.append(
            f"rays    {count} of {len(body.directions)} are allowed again farther out: the table is about the near part"
        )
    return lines
