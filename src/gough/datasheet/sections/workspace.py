"""Workspace at home: envelopes at its orientation with the dexterous part, and orientations at its position."""

from __future__ import annotations

import plotly.graph_objects as go

from gough import plot
from gough.datasheet.model import Block, Card, Folded, Picture, Section, Text, facts, for_people
from gough.datasheet.sheet import Datasheet
from gough.present.answer import Field, of_result
from gough.present.units import percent
from gough.workspaces.dexterous import DexterousWorkspace
from gough.workspaces.mesh import Mesh, share_of_rotations
from gough.workspaces.workspace import Workspace

TOTAL_HEIGHT, HALF_HEIGHT = 500, 460
"""Heights of figures alone and side by side [pixels]."""
DEXTEROUS = tuple(f"dexterous.{name}" for name in ("tilt", "volume", "volume_error", "share", "share_error"))
WHOLE = 0.98
"""Part of the allowed orientations that counts as all of them: a mesh has about 1 % less or more."""
ENDED_BY = "What ends the workspace, by area"
EXPLAINED = (
    "Where the point of interest can go while the platform keeps home's orientation, and how the platform can turn "
    "while the point stays at home. The ends are found by root finding on every limit, not by stepping."
)
ORIENTATIONS = "Orientations at home's place"


def workspace(sheet: Datasheet) -> Section:
    """Figures of the envelopes and of the dexterous part; shares of the limits in the boundary."""
    found, mesh = sheet.workspace, sheet.workspace_mesh
    if found is None:
        return _without("The legs have no largest length, so that nothing ends the workspace: it has no drawing.")
    if mesh is None:
        return _without("No position is allowed at home's orientation: there is no workspace to draw.")
    part = None if sheet.dexterous is None else sheet.dexterous[0]
    fields = [*_whole(sheet, found), *([] if part is None else _part(sheet, part, found))]
    total, *sides = _envelopes(sheet, mesh)
    total.figure.layout.height = TOTAL_HEIGHT  # lower than that of a page with this figure alone
    volume, _, unit = sheet.show.volume(found.volume, found.volume_error).rpartition(" ")
    card = Card("Workspace", volume, unit, "at home's orientation", of=("volume", "volume_error"))
    return Section(
        key="workspace",
        title="Workspace",
        blocks=[
            Text(EXPLAINED),
            facts(sheet.show, fields),
            total,
            Folded("Upper and lower envelope, and what ends the workspace", [*sides, found.share_table(ENDED_BY)]),
            *_dexterous(sheet, mesh),
        ],
        cards=[card],
        fields=fields,
    )


def _without(words: str) -> Section:
    return Section("workspace", "Workspace", [Text(words)], fields=[Field("volume", None, "m3",
        doc="Volume of all positions of the point of interest that are allowed with home's orientation, "
        "parts detached from home included."), Field("why", words,
        doc="Why there is no workspace.")])  # fmt: skip


def _whole(sheet: Datasheet, found: Workspace) -> list[Field]:
    ends, show = found.extent, sheet.show
    pairs = zip("xyz", ends.low, ends.high, strict=True)
    spans = ", ".join(f"{axis} {show.value(a, 'm')} to {show.value(b, 'm')}" for axis, a, b in pairs)
    return [
        *found.volume_fields(),
        for_people("volume", show.volume(found.volume, found.volume_error), "volume", "volume_error"),
        *of_result(ends, "low", under="extent."),
        *of_result(ends, "high", under="extent."),
        *of_result(
            ends, ("low_positions", "positions_of_low"), ("high_positions", "positions_of_high"), under="extent."
        ),
        *of_result(
            ends,
            "active_limits",
            under="extent.",
            doc="Limits whose relative margins are below 1e-5 at the least x, y, z and at the greatest.",
        ),
        for_people("extent", f"{spans} {show.unit('m')}", "extent.low", "extent.high"),
        *found.share_fields(),
    ]


def _part(sheet: Datasheet, part: DexterousWorkspace, whole: Workspace) -> list[Field]:
    share = part.volume / whole.volume
    # Relative errors of a quotient add.
    error = share * (part.volume_error / part.volume + whole.volume_error / whole.volume)
    words = f"{sheet.show.volume(part.volume, part.volume_error)}, {sheet.show.uncertain(share, error, '%')}"
    return [
        *of_result(
            part,
            "tilt",
            under="dexterous.",
            doc="Half the tilt of the platform's z axis that home allows to all sides (the least of rx, ry in both "
            "senses), rounded down to one digit of degrees, whatever the unit of the file.",
        ),
        *of_result(
            part,
            "volume",
            under="dexterous.",
            doc="Volume of the positions at which every tilt of the platform's z axis from home's, up to that angle "
            "and to all sides, is allowed.",
        ),
        *of_result(part, "volume_error", "shortfall", under="dexterous."),
        Field("dexterous.share", share, doc="dexterous.volume over volume."),
        Field("dexterous.share_error", error, doc="Its estimated error: the relative errors of both added."),
        for_people(f"with {_tilt(sheet, part)} of tilt to all sides", words, *DEXTEROUS),
    ]


def _tilt(sheet: Datasheet, part: DexterousWorkspace) -> str:
    return f"{part.tilt / sheet.machine.units.radians:.4g} {sheet.show.unit('rad')}"


def _envelopes(sheet: Datasheet, mesh: Mesh) -> list[Picture]:
    """The whole envelope, and its lower and its upper side."""
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
    figure.layout.height = HALF_HEIGHT
    return Picture(figure, caption, description, is_half=True, is_scene=True)


def _dexterous(sheet: Datasheet, whole: Mesh) -> list[Picture]:
    if sheet.dexterous is None:
        return []
    part, mesh = sheet.dexterous
    picture = _half(
        plot.dexterous_workspace(sheet.machine, mesh, whole=whole),
        f"Where the platform can tilt by {_tilt(sheet, part)} to all sides, inside what it reaches without.",
        "The part of the workspace that allows every tilt of a cone, inside the whole.",
    )
    return [picture]


def orientations(sheet: Datasheet) -> Section:
    """How the platform can turn at home's place: the last part of the section on the workspace."""
    found, around = sheet.orientations, sheet.orientations_mesh
    words, share = found.facts()["share"], 0.0 if around is None else share_of_rotations(around)
    if around is not None and share < WHOLE * found.share:
        words += f", of which the {percent(share, 2)} around home are drawn: the others are not connected with it"
    fields = [
        *of_result(
            found, ("share", "share_of_all_orientations"),
            doc="Part of all orientations about the point of interest at home that is allowed, by the invariant "
            "measure 2 (1 - cos |w|)/|w|^2 d3w of rotation vectors w, of 8 pi^2 in all.",
        ),
        *of_result(
            found, ("share_error", "share_of_all_orientations_error"), doc="Estimated error of that part."
        ),
        Field("share_of_orientations_around_home", share,
            doc="The part of them, by the same measure, that is connected with home's orientation by allowed "
            "ones at turns of less than 180 degrees: the inside of a mesh with triangles of about a "
            "twentieth of its extent."),
    ]  # fmt: skip
    return Section("workspace", "Workspace", [_turns(sheet, around, words)], fields=fields)


def _turns(sheet: Datasheet, around: Mesh | None, words: str) -> Block:
    if around is None:
        return Text(f"{ORIENTATIONS}: {words}.")
    return _half(
        plot.orientation_workspace(sheet.machine, result=around),
        f"{ORIENTATIONS}, {words}. A point is the turn about its direction by its distance from home.",
        "The rotation vectors that are allowed at home's place, as a solid coloured by the limit that ends it.",
    )
