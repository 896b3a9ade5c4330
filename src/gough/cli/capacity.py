"""`gough capacity`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Annotated, Literal, NamedTuple

from typer import Context

import gough
from gough.cli.command import request_of
from gough.cli.options import (
    At,
    Force,
    Json,
    MachineName,
    Options,
    Output,
    Sequences,
    Share,
    Si,
    Table,
    text,
)
from gough.present.answer import Answer, Field, Words, json_keys, of_rows, sentence

if TYPE_CHECKING:
    from gough.arrays import Array
    from gough.cli.request import Request

KINDS: dict[Literal["force", "moment"], str] = {"force": "N", "moment": "N m"}


class Found(NamedTuple):
    """Payloads by mounting, loads by axis, and loads that every direction allows, at one pose."""

    payloads: Sequence[gough.statics.PayloadRow]
    rows: Sequence[gough.statics.CapacityRow]
    every: dict[str, float]


def capacity(
    context: Context, machine: MachineName, at: At = None, sequence: Sequences = None, share: Share = None,
    csv: Table = None,
    centre: Annotated[
        str | None, text("X,Y,Z", "Mass centre of the payload in the platform frame; default: point of interest.")
    ] = None,
    force: Force = None, si: Si = False, as_json: Json = False, output: Output = None,
) -> None:  # fmt: skip
    """Largest payloads, forces and moments.

    The payload with the platform horizontal, on its side and in any
    mounting; the largest force along and moment about each axis, and in
    every direction, beside the weights of platform and legs as far as
    their masses are known. At one pose, at many in a CSV file, or at home.
    """
    from gough.kinematics.inverse import postures
    from gough.present.fields import units
    from gough.statics.weights import masses_in_words

    given = Options(at=at, sequence=sequence, share=share, csv=csv, si=si, as_json=as_json, output=output)
    request = request_of(context, machine, given)
    m = request.any_machine
    where, own = request.numbers("--centre", centre, (3,), "m"), m.has_weight
    request.note_stage()

    def found(end: Array) -> Found:
        X = postures(m, end)
        payloads = gough.statics.payload_table(m, X, mass_centre=where, actuator_force=force)
        rows = gough.statics.capacity_table(m, X, gravity=own, actuator_force=force)
        every = (gough.statics.guaranteed_wrench(m, X, kind, gravity=own, actuator_force=force) for kind in KINDS)
        return Found(payloads, rows, dict(zip(KINDS, map(float, every), strict=True)))

    of_poses, weights = request.one_by_one("capacity", found), masses_in_words(m)
    rows = [_fields(each) for each in of_poses]
    fields, named = rows[0], units(rows[0], m.units)
    if request.X.ndim > 2:  # columns of CSV over all poses, and for JSON an object for each pose
        same = zip(*rows, strict=True)
        columns = [replace(each[0], value=[one.value for one in each], is_json=False) for each in same]
        fields = [*columns, *json_keys(poses=rows)]
    words = partial(_words, request, of_poses[0], weights)
    request.write_at_poses(Answer([*fields, *json_keys(weights=weights)], words, named))


def _fields(found: Found) -> list[Field]:
    """One pose."""
    from gough.statics.capacity_table import capacity_fields
    from gough.statics.payload_table import payload_fields

    return [
        *payload_fields(found.payloads),
        *capacity_fields(found.rows),
        *of_rows(found.rows, "axis", "plus_leg", "minus_leg", under="load.{}.", is_csv=False),
        *(Field(f"every_direction.{kind}", found.every[kind], KINDS[kind], title=f"every_{kind}") for kind in KINDS),
    ]


def _words(request: Request, found: Found, weights: str) -> Words:
    from gough.statics.capacity_table import capacity_rows
    from gough.statics.payload_table import payload_fields

    legs, names = len(request.legs), [row.mounting for row in found.payloads]
    yield request.show.table("mounting", names, payload_fields(found.payloads, legs))
    yield ""
    yield request.show.table("along or about", *capacity_rows(found.rows, found.every, legs))
    yield sentence(weights)
