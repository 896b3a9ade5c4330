"""`gough forces`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from typer import Context

import gough
from gough.cli.command import request_of
from gough.cli.options import (
    At,
    Centre,
    GeneralizedForce,
    Json,
    MachineName,
    Options,
    Output,
    Payload,
    Sequences,
    Share,
    Si,
    Table,
    Wrench,
    flag,
)
from gough.errors import InputError
from gough.present.answer import Answer, Field, Words, json_keys, sentence
from gough.quantity import WRENCH

if TYPE_CHECKING:
    pass


def forces(
    context: Context, machine: MachineName, at: At = None, sequence: Sequences = None, share: Share = None,
    csv: Table = None, wrench: Wrench = None, generalized_force: GeneralizedForce = None, payload: Payload = None,
    centre: Centre = None,
    no_weight: Annotated[bool, flag("--no-weight", "Leave all weights out, of platform and legs.")] = False,
    si: Si = False, as_json: Json = False, output: Output = None,
) -> None:  # fmt: skip
    """Static actuator forces.

    Under --wrench (or --generalized-force, along the angles of a sequence
    or convention) and the weights of platform and legs, as far as their
    masses are known. At one pose given by options, at many in a CSV file,
    or at home. Positive drives the joint coordinate up; a rod's force, at
    its platform joint, is positive if it pushes. Both of two stages carry
    the wrench, at the postures that --share gives.
    """
    from gough.present.units import force_unit
    from gough.quantity import of_legs
    from gough.statics.capacity import known_forces
    from gough.statics.weights import masses_in_words

    given = Options(
        at=at, sequence=sequence, share=share, csv=csv, wrench=wrench, generalized_force=generalized_force,
        payload=payload, centre=centre, no_weight=no_weight, si=si, as_json=as_json, output=output,
    )  # fmt: skip
    request = request_of(context, machine, given)
    m, X, F = request.any_machine, request.postures, request.wrench
    request.note_stage()
    weighs = not no_weight and m.has_weight
    if F is None and not weighs:
        raise InputError(f"machine {m.name!r} carries nothing: give --wrench, --payload, or masses in its file")
    actuator = gough.leg_forces(m, X, request.wrenches, gravity=weighs)
    axial = gough.statics.axial_forces(m, X, request.wrench_at_origin, gravity=weighs)
    weights = "the machine's own weights are left out" if no_weight else masses_in_words(m)
    fields = [
        *json_keys("", WRENCH, "base", wrench_at_origin=request.wrench_at_origin),
        Field("actuator_force", actuator, of_legs(m, force_unit), request.legs, "actuator_{}", "actuator"),
        Field("axial_force", axial, "N", request.legs, "rod_{}", "rod"),
    ]
    most = known_forces(m)
    if most is not None:
        fields.append(Field("used", abs(actuator) / most, "", request.legs, "used_{}", "used", digits=3, shown="%"))
    request.note_forces(actuator)

    def words() -> Words:
        yield request.leg_table(fields)
        yield sentence(weights)

    request.write_at_poses(Answer([*fields, *json_keys(weights=weights)], words))
