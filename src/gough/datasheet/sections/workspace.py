"""Workspace at home: envelopes at its orientation, orientations at its place, the part where the platform can tilt."""

from __future__ import annotations

from typing import Any

import numpy as np
import plotly.graph_objects as go

from gough import plot
from gough.datasheet.model import Block, Card, Column, Facts, Picture, Section, Table, Text
from gough.datasheet.sheet import Datasheet
from gough.present.show import jsonable, uncertain
from gough.workspaces.dexterous import DexterousWorkspace
from gough.workspaces.mesh import Mesh
from gough.workspaces.workspace import Workspace

HALF_HEIGHT = 460
"""Of figures side by side [pixels]."""
VOLUMES = ((1.0, "m³"), (1e-3, "dm³"), (1e-6, "cm³"), (1e-9, "mm³"), (1e-18, "µm³"))


def workspace(sheet: Datasheet) -> Section:
    """Figures of the envelopes, of the turns and of the dexterous part; shares of what binds; card of the volume."""
    found, mesh = sheet.workspace, sheet.workspace_mesh
    if found is None:
        return _without("The legs have no largest length, so that nothing ends the workspace: it has no drawing.")
    if mesh is None:
        return _without("No position is allowed at home's orientation: there is no workspace to draw.")
    part = None if sheet.dexterous is None else sheet.dexterous[0]
    size, unit = _volume_unit(found.volume)
    volume = f"{uncertain(found.volume / size, found.volume_error / size)} {unit}"
    turns = sheet.orientations
    share = f"{uncertain(100 * float(turns.share), 100 * float(turns.share_error))} % of all that there are"
    facts = [("volume", volume), ("extent", _extent(sheet, found)), ("orientations at home's place", share)]
    blocks: list[Block] = [
        Text(
            "Where the point of interest can go while the platform keeps home's orientation, and how the platform can "
            "turn while the point stays at home. The ends are found by root finding on every limit, not by stepping."
        ),
        Facts(facts + _part_fact(sheet, part, found)),
        *_envelopes(sheet, mesh),
        *_others(sheet, part, mesh),
        _shares(sheet),
    ]
    card = Card("Workspace", uncertain(found.volume / size, found.volume_error / size), unit, "at home's orientation")
    return Section("workspace", "Workspace", blocks, [card], _numbers(sheet, found, part))


def _without(words: str) -> Section:
    return Section("workspace", "Workspace", [Text(words)], numbers={"volume": None, "why": words})


def _volume_unit(volume: float) -> tuple[float, str]:
    """The unit of volume (size in m3, name) in which this one reads well."""
    return next(((size, name) for size, name in VOLUMES if volume >= size), VOLUMES[-1])


def _extent(sheet: Datasheet, found: Workspace) -> str:
    ends, show = found.extent, sheet.show
    pairs = zip("xyz", ends.low, ends.high, strict=True)
    spans = (f"{axis} {show.value(a, 'm')} to {show.value(b, 'm')}" for axis, a, b in pairs)
    return f"{', '.join(spans)} {show.unit('m')}"


def _part_fact(sheet: Datasheet, part: DexterousWorkspace | None, whole: Workspace) -> list[tuple[str, str]]:
    if part is None:
        return []
    size, unit = _volume_unit(part.volume)
    volume = f"{uncertain(part.volume / size, part.volume_error / size)} {unit}"
    share, error = _share(part, whole)
    words = f"{volume}, {uncertain(100 * share, 100 * error)} %"
    return [(f"with {_tilt(sheet, part)} of tilt to all sides", words)]


def _share(part: DexterousWorkspace, whole: Workspace) -> tuple[float, float]:
    """Part of the volume, and its error."""
    share = part.volume / whole.volume
    return share, share * (part.volume_error / part.volume + whole.volume_error / whole.volume)


def _tilt(sheet: Datasheet, part: DexterousWorkspace) -> str:
    return f"{part.cone.tilt / sheet.machine.units.radians:.4g} {sheet.show.unit('rad')}"


def _envelopes(sheet: Datasheet, mesh: Mesh) -> list[Picture]:
    m = sheet.machine
    words = "the limit that ends it is in the colour, by kind and leg"
    return [
        Picture(
            plot.workspace(m, result=mesh),
            f"Total envelope; {words}. Point at it for places and limits, click a limit to hide it.",
            "The workspace at home's orientation as a solid, coloured by the limit that ends it; shares in the table.",
            is_scene=True,
        ),
        _half(
            plot.workspace(m, result=mesh, side="lower"),
            "Lower envelope: what faces down, as gravity has it.",
            "The lower side of the workspace, coloured by the limit that ends it.",
        ),
        _half(
            plot.workspace(m, result=mesh, side="upper"),
            "Upper envelope: what faces up.",
            "The upper side of the workspace, coloured by the limit that ends it.",
        ),
    ]


def _half(figure: go.Figure, caption: str, description: str) -> Picture:
    """One of two scenes side by side."""
    figure.update_layout(height=HALF_HEIGHT)
    return Picture(figure, caption, description, is_half=True, is_scene=True)


def _others(sheet: Datasheet, part: DexterousWorkspace | None, whole: Mesh) -> list[Picture]:
    pictures = []
    if np.any(sheet.orientations.radius):
        pictures.append(
            _half(
                plot.orientation_workspace(sheet.machine, result=sheet.orientations),
                "Orientations at home's place: a point is the turn about its direction by its distance from home.",
                "The rotation vectors that are allowed at home's place, as a solid coloured by the limit that ends it.",
            )
        )
    if part is not None and sheet.dexterous is not None:
        pictures.append(
            _half(
                plot.dexterous_workspace(sheet.machine, sheet.dexterous[1], whole=whole),
                f"Where the platform can tilt by {_tilt(sheet, part)} to all sides, inside what it reaches without.",
                "The part of the workspace that allows every tilt of a cone, inside the whole.",
            )
        )
    return pictures


def _shares(sheet: Datasheet) -> Table:
    found = sheet.boundary_share
    rows = [[name, uncertain(100 * share.value, 100 * share.error)] for name, share in found.items()]
    return Table("What ends the workspace, by area", [Column("limit", is_number=False), Column("share", "%")], rows)


def _numbers(sheet: Datasheet, found: Workspace, part: DexterousWorkspace | None) -> dict[str, Any]:
    ends, turns = found.extent, sheet.orientations
    numbers: dict[str, Any] = {
        "volume": jsonable(found.volume),
        "volume_error": jsonable(found.volume_error),
        "volume_unit": "m3",
        "extent": {
            "low": jsonable(ends.low),
            "high": jsonable(ends.high),
            "unit": "m",
            "positions_of_low": jsonable(ends.positions[0]),
            "positions_of_high": jsonable(ends.positions[1]),
            "active_limits": [list(names) for names in ends.active_limits],
        },
        "boundary_share": {name: share.value for name, share in sheet.boundary_share.items()},
        "boundary_share_error": {name: share.error for name, share in sheet.boundary_share.items()},
        "share_of_all_orientations": jsonable(np.asarray(turns.share)),
        "share_of_all_orientations_error": jsonable(np.asarray(turns.share_error)),
    }
    if part is not None:
        numbers["dexterous"] = {
            "tilt": part.cone.tilt,
            "tilt_unit": "rad",
            "volume": jsonable(part.volume),
            "volume_error": jsonable(part.volume_error),
            "shortfall": part.shortfall,
            "share": _share(part, found)[0],
            "share_error": _share(part, found)[1],
        }
    return numbers
