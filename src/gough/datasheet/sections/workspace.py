"""Workspace and orientations at home, singularities among the positions, and assembly modes."""

from __future__ import annotations

from math import isfinite

import numpy as np
import plotly.graph_objects as go

import gough
from gough import plot
from gough.datasheet.model import Block, Card, Folded, Picture, Section, Text, facts, for_people, warnings
from gough.datasheet.sheet import Datasheet
from gough.displacements import rotation_angles
from gough.plot.machine_figures import MOST
from gough.present.answer import Field, of_result, sentence
from gough.present.units import bound_in_words, percent
from gough.singularity.free_regions import SingularityFreeProof
from gough.workspaces.dexterous import DexterousWorkspace
from gough.workspaces.mesh import Mesh, share_of_rotations
from gough.workspaces.workspace import Workspace

TOTAL_HEIGHT, HALF_HEIGHT = 500, 460
"""Heights of figures alone and side by side [pixels]."""
DEXTEROUS = tuple(f"dexterous.{name}" for name in ("tilt", "volume", "volume_error", "share", "share_error"))
WHOLE = 0.98
"""Part of the allowed orientations that counts as all of them: a mesh has about 1 % less or more."""
ENDED_BY = "What ends the workspace, by area"
WORKSPACE_EXPLAINED = (
    "Where the point of interest can go while the platform keeps home's orientation, and how the platform can turn "
    "while the point stays at home. The ends are found by root finding on every limit, not by stepping."
)
ORIENTATIONS = "Orientations at home's place"


def workspace(sheet: Datasheet) -> Section:
    """Return figures of the envelopes and of the dexterous part; shares of the limits in the boundary."""
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
            Text(WORKSPACE_EXPLAINED),
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
    """Determine how the platform can turn at home's place: the last part of the section on the workspace."""
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


SINGULARITY_EXPLAINED = (
    "At a singular pose the legs no longer hold the platform in every direction. Here is where that is at home's "
    "orientation, and whether all other limits together keep the machine off. Sampling could not say so: boxes that "
    "cover everything the limits allow are halved until a bound proves for each that no pose in it is singular, or a "
    "singular pose is found."
)


def singularity(sheet: Datasheet) -> Section:
    """Return the verdict about the workspace with its bound, distance from home, and the surface with the workspace."""
    free = sheet.singularity_proof
    words = "the legs' travel is unbounded, so the workspace is undefined" if free is None else free.sentence()
    verdict = Text(sentence(words), is_warning=free is not None and not free.is_proven)
    fields = [*_distance(sheet), *([] if free is None else _workspace(sheet, free))]
    blocks: list[Block] = [Text(SINGULARITY_EXPLAINED), verdict, facts(sheet.show, fields), _picture(sheet)]
    cards = [] if free is None else [_card(free)]
    return Section(key="singularity", title="Singularities", blocks=blocks, cards=cards, fields=fields)


def _distance(sheet: Datasheet) -> list[Field]:
    near, show = sheet.singular_distance, sheet.show
    is_found = isfinite(near.upper)
    words = show.between(near.lower, near.upper, "m") if is_found else near.sentence()
    nearest = "Nearest singular position found" if is_found else ""
    return [
        for_people("Distance from home", words, "distance.lower", "distance.upper"),
        *of_result(near, "lower", under="distance."),
        *of_result(near, "upper", under="distance."),
        Field("distance.position", near.position if is_found else None, "m", head=nearest, frame="base",
            doc="That position of the point of interest, in the base."),
    ]  # fmt: skip


def _workspace(sheet: Datasheet, free: SingularityFreeProof) -> list[Field]:
    is_proven = free.is_proven and isfinite(free.smallest)
    words = sheet.show.between(free.bound, free.smallest, "1") if is_proven else ""
    return [
        *of_result(
            free,
            "verdict",
            "part",
            "bound",
            ("smallest", "smallest_found"),
            ("witness_point", "witness"),
            under="workspace.",
        ),
        Field("workspace.sentence", free.sentence(), doc="The verdict in words."),
        for_people("Smallest singular value" * is_proven, words, "workspace.bound", "workspace.smallest_found"),
        *of_result(free, "boxes", under="workspace.", head="Boxes looked at"),
    ]


def _card(free: SingularityFreeProof) -> Card:
    if free.is_proven:
        bound = f"proven; singular value above {bound_in_words(free.bound)}"
        return Card("Singularities within limits", "none", detail=bound, of=("workspace.verdict",))
    verdict = "yes" if free.verdict == "refuted" else "undecided"
    return Card("Singularities within limits", verdict, detail="see below", of=("workspace.verdict",))


def _picture(sheet: Datasheet) -> Picture:
    # Fewer cells than by default, for a smaller page.
    figure = plot.singular_surface(
        sheet.machine, result=sheet.singularity_proof, distance=sheet.singular_distance, cells=18
    )
    is_found = isfinite(sheet.singular_distance.upper)
    nearest = "; the dashed line leads from home to the nearest one found" if is_found else ""
    return Picture(
        figure=figure,
        caption="Positions at home's orientation: what all other limits allow (grey), and the singular surface, where "
        f"it comes near{nearest}.",
        description="The workspace as a body and the singular surface next to it or through it.",
        is_scene=True,
    )


MODES_EXPLAINED = (
    "Poses of the platform with the joint coordinates of home, found by following the forty solutions of a generic "
    "machine to this one and proven with rounding counted. Between two of different side lies a singularity."
)


def assembly(sheet: Datasheet) -> Section | None:
    """Return the table and pictures of the modes; None if a leg cannot close at home."""
    m, show = sheet.machine, sheet.show
    if not np.isfinite(sheet.q).all():
        return None
    found = gough.assembly_modes(m, sheet.q)
    assert not isinstance(found, tuple)
    counts, modes = _counts(found), _modes(sheet, found)
    is_free = bool(found.moves_freely.any())
    number = [str(k + 1) for k in range(len(found.matrix))]
    table = show.table("mode", number, modes, "Poses with the joint coordinates of home, the nearest first")
    picture = Picture(
        figure=plot.assembly_modes(m, found),
        caption=f"{_which(len(number))} side by side, to one scale; the platform is coloured where the machine allows "
        "the pose.",
        is_scene=True,
        description="Drawings of the platform in each assembly mode, at most six.",
    )
    real, allowed = counts[0].value, counts[2].value
    words = f"{allowed} within limits" + is_free * ", and a self-motion"
    return Section(
        key="assembly",
        title="Assembly modes",
        blocks=[
            *warnings(*found.warnings()),
            Text(MODES_EXPLAINED),
            facts(show, counts),
            Folded("Every mode", [table, picture]),
        ],
        cards=[Card("Assembly modes at home", str(real), detail=words, of=("real",))],
        fields=[
            *counts,
            Field("self_motion", is_free,
                doc="Whether the platform can move from one of the poses with the joint coordinates held."),
            Field("complete", found.complete,
                doc="Whether all paths of the continuation ended, so that no pose is missing."),
            Field("modes.mode", np.arange(1, len(number) + 1), doc="Number of the pose, by its distance from home."),
            *modes,
        ],
    )  # fmt: skip


def _which(count: int) -> str:
    return "The modes" if count <= MOST else f"The {MOST} of {count} modes that are nearest to home,"


def _counts(found: gough.assembly.AssemblyModes) -> list[Field]:
    alone = found.is_counted
    return [
        Field("real", int(alone.sum()), head="Real poses" + (not alone.all()) * ", in addition to a self-motion",
            doc="Real poses with the joint coordinates of home; the poses of a self-motion, which have no "
            "number, are left out here and below."),
        Field("finite", found.finite_count, head="Finite complex solutions",
            doc="Complex solutions of the leg equations that are finite."),
        Field("within_limits", int((found.within_limits & alone).sum()), head="Of the real ones, within all limits",
            doc="Real ones that keep every limit, the singularity's side among them."),
        Field("certified", int(found.certified.sum()), head="Of the real ones, proven",
            doc="Real ones proven by an interval test, rounding counted."),
    ]  # fmt: skip


def _modes(sheet: Datasheet, found: gough.assembly.AssemblyModes) -> list[Field]:
    """Fields with one entry for each mode."""
    X = found.matrix
    return [
        Field("modes.position", X[:, :3, 3], "m", tuple("xyz"), head="{}", frame="base",
            doc="Position of the platform's origin, base frame."),
        Field("modes.turned", rotation_angles(sheet.machine.X_home[:3, :3].T @ X[:, :3, :3]), "rad", head="turned",
            doc="Angle of the rotation from home's orientation."),
        Field("modes.side", found.side,
            doc="Sign of the determinant of the rows [u, R b x u] there, with the driven points of home; 0 "
            "at a singular pose."),
        Field("modes.conditioning", found.conditioning,
            doc="Smallest over largest singular value there, of the matrix under conditioning."),
        Field("modes.allowed", found.within_limits,
            doc="Whether the pose keeps every limit, the singularity's side among them."),
        *found.columns(),
    ]  # fmt: skip
