"""`gough forces`."""

from __future__ import annotations

import gough
from gough.cli.command import Request, command
from gough.errors import InputError
from gough.present.answer import Answer, Field, Words, json_keys, sentence
from gough.quantity import WRENCH


@command("pose", "share", "csv", "load", "payload", "no_weight", "output")
def forces(request: Request) -> Answer:
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

    m, X, F, no_weight = request.any_machine, request.postures, request.wrench, request.options.no_weight
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

    fields += json_keys(weights=weights, is_allowed=request.note_poses())
    return Answer(fields, words)
