"""Singularities at home's orientation: where they are, and a proof that the limits keep clear of them, if they do."""

from __future__ import annotations

from math import isfinite

from gough import plot
from gough.datasheet.model import Block, Card, Picture, Section, Text, facts, for_people
from gough.datasheet.sheet import Datasheet
from gough.present.answer import Field, of_result, sentence
from gough.present.units import bound_in_words
from gough.singularity.free_regions import SingularityFreeProof

EXPLAINED = (
    "At a singular pose the legs no longer hold the platform in every direction. Here is where that is at home's "
    "orientation, and whether all other limits together keep the machine off. Sampling could not say so: boxes that "
    "cover everything the limits allow are halved until a bound proves for each that no pose in it is singular, or a "
    "singular pose is found."
)


def singularity(sheet: Datasheet) -> Section:
    """Verdict about the workspace with its bound, distance from home, and the surface with the workspace."""
    free = sheet.singularity_proof
    words = "nothing ends the legs' travel, so that there is no workspace to judge" if free is None else free.sentence()
    verdict = Text(sentence(words), is_warning=free is not None and not free.is_proven)
    fields = [*_distance(sheet), *([] if free is None else _workspace(sheet, free))]
    blocks: list[Block] = [Text(EXPLAINED), verdict, facts(sheet.show, fields), _picture(sheet)]
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
        description="The workspace as a body and the singular surface beside or through it.",
        is_scene=True,
    )
