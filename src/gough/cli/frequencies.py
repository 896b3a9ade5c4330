"""`gough frequencies`."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Annotated

from typer import Context

import gough
from gough.cli.command import request_of
from gough.cli.lowest import lowest as lowest_answer
from gough.cli.options import (
    At,
    Centre,
    Json,
    MachineName,
    Map,
    Options,
    Output,
    Payload,
    Samples,
    Sequences,
    Share,
    Si,
    Table,
    flag,
    text,
)
from gough.present.answer import Answer, Words, json_keys, json_of, of_result, sentence

if TYPE_CHECKING:
    from gough.cli.request import Request


def frequencies(
    context: Context, machine: MachineName, at: At = None, sequence: Sequences = None, share: Share = None,
    csv: Table = None, payload: Payload = None, centre: Centre = None,
    inertia: Annotated[
        str | None,
        text("XX,YY,ZZ[,XY,XZ,YZ]", "The payload's inertia about its centre, in the platform's axes [kg m2]; a point "
             "mass without it."),
    ] = None,
    loaded: Annotated[
        bool, flag("--loaded", "Count the geometric stiffness of all known weights and of the legs that carry them.")
    ] = False,
    lowest: Annotated[bool, flag("--lowest", "Search the workspace for the pose of the lowest frequency.")] = False,
    as_map: Map = False, samples: Samples = 15, si: Si = False, as_json: Json = False, output: Output = None,
) -> None:  # fmt: skip
    """Natural frequencies and mode shapes.

    The platform with all that it carries on elastic legs, the drives held,
    without damping. At one pose given by options, at many in a CSV file,
    or at home. With --map over the positions of the workspace.
    """
    from gough.dynamics.natural_frequencies import SHAPE
    from gough.statics.weights import inertia_in_words

    given = Options(
        at=at, sequence=sequence, share=share, csv=csv, as_map=as_map, samples=samples, payload=payload, centre=centre,
        inertia=inertia, si=si, as_json=as_json, output=output,
    )  # fmt: skip
    request = request_of(context, machine, given)
    m = request.any_machine
    request.refuse_grid("--lowest", lowest)
    request.at_most_one("as_map", "lowest", "loaded")
    request.note_stage()
    if as_map:
        request.write(request.map("frequency map", gough.dynamics.frequency_map, m, request.X_one))
        return
    if lowest:
        slowest = request.mapped("lowest frequency", gough.dynamics.lowest_frequency, m, request.X_one)
        request.write(lowest_answer(request, {"frequency": slowest}))
        return
    found = gough.natural_frequencies(m, request.postures, gravity=loaded)
    weights, missing = inertia_in_words(m, has_drives=False), found.missing()
    fields = [
        *of_result(found, "frequency", labels=request.legs),
        *json_of(found, "square", "is_stable"),
        *json_of(found, ("energy_shares", "energy_share")),
        *json_keys("", SHAPE * len(m.stages), "base", shape=found.shape.swapaxes(-1, -2)),
        *json_keys(geometric=loaded, weights=weights),
    ]
    words = partial(_words, request, found, weights, loaded=loaded)
    request.write_at_poses(Answer(fields, words, notes=[missing] if missing else []))


def _words(request: Request, found: gough.dynamics.NaturalFrequencies, weights: str, *, loaded: bool) -> Words:
    yield found.table()
    of = found.machine.moving_platforms
    yield f"Shares are those of the {of}'s kinetic energy: its mass centre along, its turning about the axes."
    yield sentence(weights)
    geometric = "counted" if loaded else "not counted; --loaded counts it"
    yield f"Drives held, no damping; the geometric stiffness of the weights and of the legs under them is {geometric}."
