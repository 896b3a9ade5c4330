"""What `gough workspace` answers: a summary, CSV, JSON, netCDF or a mesh."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np

from gough.arrays import Array
from gough.cli.command import Request
from gough.errors import InputError
from gough.present.answer import NETCDF, Answer, Field, Table, Words, csv_columns, json_keys, json_of
from gough.present.show import Show
from gough.present.units import percent, with_unit
from gough.stacked import AnyMachine
from gough.workspaces.dexterous import DexterousWorkspace
from gough.workspaces.mesh import RANGE, Mesh
from gough.workspaces.quadrature import boundary_share, ray_share
from gough.workspaces.ray_workspace import RayWorkspace
from gough.workspaces.rays import ray_extent
from gough.workspaces.uncertain import Uncertain
from gough.workspaces.workspace import Workspace

MESHES = (".stl", ".ply")


@dataclass(frozen=True, eq=False)
class Found:
    """A workspace in some shape, with its extent and the shares of its limits."""

    shape: str
    body: Workspace | RayWorkspace | DexterousWorkspace
    machine: AnyMachine
    ignore: tuple[str, ...] = ()

    @property
    def is_empty(self) -> bool:
        """Whether it has no boundary."""
        inside = self.body.radius if isinstance(self.body, RayWorkspace) else self.listed.count
        return not inside.any()

    @property
    def listed(self) -> Workspace | RayWorkspace:
        """Columns of the whole or of the dexterous part, or rays."""
        return self.body.columns if isinstance(self.body, DexterousWorkspace) else self.body

    @cached_property
    def extent(self) -> tuple[Array, Array]:
        """Lowest and highest coordinates (3,), climbed to."""
        if isinstance(self.body, RayWorkspace):
            return ray_extent(self.machine.stages[0], self.body, self.ignore)
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
    """`InputError` for a file whose ending says another format than requested."""
    if output is None:
        return
    ending = output.suffix.lower()
    if as_json and ending in (*MESHES, *NETCDF, ".csv"):
        raise InputError(f"{output} is no name for JSON; leave --json out or give another ending")
    if not as_json and ending not in (*MESHES, *NETCDF, ".csv"):
        raise InputError(f"unknown format of {output}: expected a name that ends in .csv, .nc, .stl or .ply")


def workspace_answer(request: Request, found: Found) -> Answer | None:
    """The answer; nothing where the boundary is written, as a mesh."""
    output = request.options.output
    if output is not None and output.suffix.lower() in MESHES:
        if found.is_empty:
            raise InputError(f"{nothing(found)}: there is no boundary to write")
        _mesh(request, found).write(output, request.sizes([_unit(found)])[0])
        return None
    rows = _rays(found.listed) if isinstance(found.listed, RayWorkspace) else _columns(found.listed)
    keys = _keys(found) if request.options.as_json else ()  # extents and shares are climbed to
    return Answer([*rows, *keys], lambda: _words(request, found), data=lambda: found.body.dataset)


def _mesh(request: Request, found: Found) -> Mesh:
    if isinstance(found.body, RayWorkspace):
        return found.body.mesh()
    return request.watched("boundary", found.body.mesh)


def nothing(found: Found) -> str:
    """Why there is no boundary."""
    if isinstance(found.body, RayWorkspace):
        return "the pose in the middle is not allowed (gough margins says why)"
    if isinstance(found.body, DexterousWorkspace):
        return "no position allows the whole cone"
    return "no position is allowed at this orientation"


def _unit(found: Found) -> str:
    """SI unit along the rays or columns."""
    return "rad" if isinstance(found.body, RayWorkspace) and found.body.is_rotation else "m"


def _keys(found: Found) -> Iterable[Field]:
    """Keys for JSON."""
    body, listed, unit = found.body, found.listed, _unit(found)
    yield from json_keys(shape=str(found.shape))
    yield from json_of(body, "volume")
    yield from json_of(body, "volume_error", unit_key="volume_unit")
    if not found.is_empty:
        yield from json_keys("extent.", unit, **dict(zip("xyz", np.stack(found.extent, 1), strict=True)))
        yield from json_keys(boundary_share={name: share.value for name, share in found.shares.items()})
        yield from json_keys(boundary_share_error={name: share.error for name, share in found.shares.items()})
    if isinstance(body, DexterousWorkspace):
        yield from json_keys("", "rad", tilt=body.cone.tilt, roll=body.cone.roll)
        yield from json_of(body, "orientations shortfall")
    yield from json_of(listed, "directions" if isinstance(listed, RayWorkspace) else "x y")
    yield from json_of(listed, "ends:intervals count")
    if isinstance(listed, RayWorkspace) and listed.is_rotation:
        yield from json_of(listed, "share:share_of_all_orientations share_error:share_of_all_orientations_error")
    yield from json_of(listed, "names:limits binding")


def _columns(columns: Workspace) -> list[Field]:
    """One row for each interval of each column."""
    i, j, k = np.nonzero(np.isfinite(columns.ends[..., 0]))
    names = np.array([*columns.names, RANGE])
    ends, binding = columns.ends[i, j, k], names[columns.binding[i, j, k]]
    return [
        *csv_columns("m", x=columns.x[i], y=columns.y[j], lower=ends[:, 0], upper=ends[:, 1]),
        *csv_columns(lower_limit=binding[:, 0], upper_limit=binding[:, 1]),
    ]


def _rays(rays: RayWorkspace) -> list[Field]:
    """One row for each interval of each ray."""
    n, k = np.nonzero(np.isfinite(rays.ends[..., 0]))
    names, unit = np.array([*rays.names, RANGE]), "rad" if rays.is_rotation else "m"
    ends, binding = rays.ends[n, k], names[rays.binding[n, k]]
    return [
        Field("", rays.directions[n], "", tuple("xyz"), "d{}", is_json=False),
        *csv_columns(unit, **{"from": ends[:, 0]}, to=ends[:, 1]),
        *csv_columns(from_limit=np.where(ends[:, 0] == 0.0, "middle", binding[:, 0]), to_limit=binding[:, 1]),
    ]


def _words(request: Request, found: Found) -> Words:
    """Volume with its error, extents, share of the boundary by limit."""
    if found.is_empty:
        yield f"Empty: {nothing(found)}."
        return
    body, unit = found.body, _unit(found)
    yield f"volume  {request.show.uncertain(float(body.volume), float(body.volume_error), f'{unit}3')}"
    yield from _more(found, request.show)
    axes = ("wx", "wy", "wz") if unit == "rad" else ("x", "y", "z")
    ends = zip(("from", "to"), found.extent, strict=True)
    yield ""
    yield request.show.table("axis", axes, [Field("", end, [unit] * 3, head=head) for head, end in ends])
    yield ""
    shares = [(name, share.percent) for name, share in found.shares.items()]
    yield Table(("limit", "of the boundary [%]"), shares, (1,))


def _more(found: Found, show: Show) -> list[str]:
    """What else the shape has to say."""
    body = found.body
    if isinstance(body, Workspace):
        several = int((body.count > 1).sum())
        note = f"; {several} of them in several intervals" if several else ""
        return [f"columns {int((body.count > 0).sum())} of {body.count.size} are inside somewhere{note}"]
    if isinstance(body, DexterousWorkspace):
        missed = percent(body.shortfall, 2)
        caught = "" if body.shortfall < 1e-9 else f"; {missed} of a limit's scale may be missed"
        tilt, roll = (with_unit(found.machine, angle, "rad") for angle in (body.cone.tilt, body.cone.roll))
        return [
            f"cone    tilt {tilt}, roll {roll}: {body.orientations} orientations, "
            f"then the worst ones between them{caught}"
        ]
    share = show.uncertain(float(body.share), float(body.share_error), "%") if body.is_rotation else ""
    lines = [f"share   {share} of all orientations"] if share else []
    if body.has_more.any():
        count = int(body.has_more.sum())
        lines.append(
            f"rays    {count} of {len(body.directions)} are allowed again farther out: the table is about the near part"
        )
    return lines
