"""Commands of statics: forces, stiffness, capacity."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Annotated, Literal, NamedTuple

from typer import Context

import gough
from gough.cli.options import (
    At,
    Centre,
    Force,
    GeneralizedForce,
    Json,
    MachineName,
    Map,
    Output,
    Payload,
    Samples,
    Sequences,
    Share,
    Si,
    Table,
    Wrench,
    flag,
    request_of,
    text,
)
from gough.cli.workspaces import lowest
from gough.errors import InputError
from gough.present.answer import MOTIONS, Answer, Field, Words, json_keys, json_of, of_result, of_rows, sentence
from gough.quantity import ALONG_AXES, AXES, WRENCH, ratios

if TYPE_CHECKING:
    from gough.arrays import Array
    from gough.cli.request import Request


def forces(
    context: Context, machine: MachineName, at: At = None, sequence: Sequences = None, share: Share = None,
    csv: Table = None, wrench: Wrench = None, generalized_force: GeneralizedForce = None, payload: Payload = None,
    centre: Centre = None,
    no_weight: Annotated[bool, flag("--no-weight", "Omit the weights of platform and legs.")] = False,
    si: Si = False, as_json: Json = False, output: Output = None,
) -> None:  # fmt: skip
    """Compute static actuator forces.

    Under --wrench (or --generalized-force, along the angles of a sequence
    or convention) and the known weights of platform and legs. At one pose
    specified by options, at several in a CSV file, or at home. Positive
    actuator forces increase the joint coordinate; a rod force, at the
    platform joint, is positive in compression. In a machine of two stages,
    both carry the wrench, in the postures of --share.
    """
    from gough.present.units import force_unit
    from gough.quantity import of_legs
    from gough.statics.capacity import known_forces
    from gough.statics.weights import masses_in_words

    request = request_of(context)
    m, X, F = request.any_machine, request.postures, request.wrench
    request.note_stage()
    weighs = not no_weight and m.has_weight
    if F is None and not weighs:
        raise InputError(f"machine {m.name!r} has no load: {NEEDS_LOAD}")
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
    more = json_keys(weights=weights)
    answer = Answer([*fields, *more], lambda: [request.leg_table(fields), sentence(weights)])
    request.write_at_poses(lambda: answer)


NEEDS_LOAD = "specify --wrench, --payload, or masses in its file"
GEOMETRIC = {
    True: "Included: the geometric stiffness of the load and of the legs under it, as in gough view.",
    False: "Not included: the geometric stiffness of a load and of the legs under it; see --loaded.",
}
UNSTABLE = "Unstable: under the load this pose is not a stable equilibrium; a stiffness is negative."
TURNED = "platform in the base"
MATRIX = ratios(WRENCH, ALONG_AXES)
"""SI units of the stiffness matrix."""


def stiffness(
    context: Context, machine: MachineName, at: At = None, sequence: Sequences = None, share: Share = None,
    csv: Table = None, wrench: Wrench = None, generalized_force: GeneralizedForce = None,
    loaded: Annotated[
        bool, flag("--loaded", "Include the geometric stiffness of all known weights and of --wrench.")
    ] = False,
    payload: Payload = None, centre: Centre = None,
    weakest: Annotated[bool, flag("--weakest", "Find the pose of the lowest stiffness in the workspace.")] = False,
    as_map: Map = False, samples: Samples = 15, si: Si = False, as_json: Json = False, output: Output = None,
) -> None:  # fmt: skip
    """Compute principal stiffnesses and deflection under a wrench.

    At one pose specified by options, at several in a CSV file, or at home;
    about the point of interest. --wrench (or --generalized-force) adds the
    deflection and the forces of the legs; with --sequence, JSON also has the
    stiffness of position and angles. --map evaluates the positions of the
    workspace. Two stages are in series, in the postures of --share.
    """
    request = request_of(context)
    m = request.any_machine
    request.at_most_one("weakest", "as_map", "loaded")
    request.note_stage()
    if not loaded:
        request.counts_only_with("--loaded", "payload", "centre")
    if loaded and request.wrench is None and not m.has_weight:
        raise InputError(f"--loaded: machine {m.name!r} has no load: {NEEDS_LOAD}")
    find, grid = gough.statics.weakest_pose, request.over_grid
    request.write_at_poses(
        lambda: _at_poses(request, loaded=loaded),
        lambda: _map(request),
        lambda: lowest(request, {one: grid(f"weakest in {one}", find, one) for one in MOTIONS}),
        "weakest",
    )


def _at_poses(request: Request, *, loaded: bool) -> Answer:
    """Principal stiffnesses and the matrix; with a load its displacement, and a note on overloaded actuators."""
    from gough.kinematics.rates import solve_or_nan
    from gough.statics.weights import masses_in_words

    m, X, F = request.any_machine, request.postures, request.wrench
    point = m.point_of_interest
    own = loaded and m.has_weight
    K = gough.stiffness(m, X, point=point, wrench=F if loaded else None, gravity=own)
    principal = gough.statics.principal_stiffness(K)
    axes = {f"{motion}_axes": getattr(principal, f"{motion}_axes").swapaxes(-1, -2) for motion in MOTIONS}
    fields = [
        *of_result(principal, *MOTIONS),
        *json_keys("", "", "base", **axes),
        *json_keys("", MATRIX, "base", matrix=K),
        *json_keys(geometric=loaded),
        *json_of(principal, "is_stable"),
    ]
    maps = request.euler_rates
    if maps is not None:
        fields += json_keys("", MATRIX, f"base, and angles of the {TURNED}", matrix_of_angles=maps.stiffness(K))
        request.note_lock()
    under: list[Field] = []
    weights = masses_in_words(m) if own else "forces are due to the load alone, without weights"
    if F is not None:
        force = gough.statics.axial_forces(m, X, F, point=point, gravity=own)
        moved = solve_or_nan(K, F[..., None])[..., 0] if loaded else gough.statics.deflection(m, X, F, point=point)
        under = _under(request, moved, force)
        fields += [*json_keys("", WRENCH, "base", wrench=F), *under, *json_keys(weights=weights)]
        request.note_forces(gough.leg_forces(m, X, request.wrenches, gravity=m.has_weight))
    elif own:
        fields += json_keys(weights=weights)

    def words() -> Words:
        yield request.show.table("of", *principal.rows())
        yield GEOMETRIC[loaded]
        if (principal.translation < 0).any() or (principal.rotation < 0).any():
            yield UNSTABLE
        if under:
            yield "\nUnder the wrench"
            yield request.show.facts(under)
            if own:
                yield "The displacement is due to the wrench alone; the forces include the weights."
        if under or own:
            yield sentence(weights)

    return Answer(fields, words)


def _under(request: Request, V: Array, force: Array | None) -> list[Field]:
    """Displacements V (..., 6) under a load, the forces of the legs, and changes of the angles of --sequence."""
    fields = [
        Field("displacement", V[..., :3], "m", AXES[:3], "d{}", "d{}", digits=4, frame="base"),
        Field("turn", V[..., 3:], "rad", AXES[:3], "r{}", "r{}", digits=4, frame="base"),
        Field("axial_force", force, "N", request.legs, "leg_{}", "force of leg {}, pushing"),
    ]
    if (maps := request.euler_rates) is not None:
        change = maps.rates(V[..., 3:])
        fields.append(Field("angle_change", change, "rad", "abc", "d{}", "angle {}", digits=4, frame=TURNED))
    return fields


def _map(request: Request) -> Answer:
    """Principal stiffnesses, and the displacement under the load, over positions."""
    from gough.present.fields import map_answer

    F, of_load = request.wrench, gough.statics.displacement_map
    found = request.over_grid("stiffness map", gough.statics.stiffness_map)
    if F is not None:
        moved = request.over_grid("displacement map", lambda m, X, **grid: of_load(m, F, X, **grid))
        found = found.assign(moved.rename(rotation="turn").drop_vars("is_allowed")).assign_attrs(moved.attrs)
    return map_answer(found)


KINDS: dict[Literal["force", "moment"], str] = {"force": "N", "moment": "N m"}


class Found(NamedTuple):
    """Payloads by mounting, loads by axis, and loads that every direction allows, at one pose."""

    payloads: Sequence[gough.statics.PayloadRow]
    rows: Sequence[gough.statics.CapacityRow]
    every: dict[str, float]


def capacity(
    context: Context, machine: MachineName, at: At = None, sequence: Sequences = None, share: Share = None,
    csv: Table = None,
    mass_centre: Annotated[
        str | None, text("X,Y,Z", "Mass centre in the platform frame; default: point of interest.", "--centre")
    ] = None,
    force: Force = None, si: Si = False, as_json: Json = False, output: Output = None,
) -> None:  # fmt: skip
    """Compute the largest payloads, forces and moments.

    The largest payload with the platform horizontal, on its side and in any
    mounting; the largest force along and moment about each axis, and in every
    direction, in addition to the known weights of platform and legs. At one
    pose, at several in a CSV file, or at home.
    """
    from gough.kinematics.inverse import postures
    from gough.present.fields import units
    from gough.statics.weights import masses_in_words

    request = request_of(context)
    m = request.any_machine
    where, own = request.numbers("--centre", mass_centre, (3,), "m"), m.has_weight
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
    answer = Answer([*fields, *json_keys(weights=weights)], partial(_words, request, of_poses[0], weights), named)
    request.write_at_poses(lambda: answer)


def _fields(found: Found) -> list[Field]:
    """One pose."""
    from gough.statics.capacity_table import capacity_fields, payload_fields

    return [
        *payload_fields(found.payloads),
        *capacity_fields(found.rows),
        *of_rows(found.rows, "axis", "plus_leg", "minus_leg", under="load.{}.", is_csv=False),
        *(Field(f"every_direction.{kind}", found.every[kind], KINDS[kind], title=f"every_{kind}") for kind in KINDS),
    ]


def _words(request: Request, found: Found, weights: str) -> Words:
    from gough.statics.capacity_table import capacity_rows, payload_fields

    legs, names = len(request.legs), [row.mounting for row in found.payloads]
    yield request.show.table("mounting", names, payload_fields(found.payloads, legs))
    yield ""
    yield request.show.table("along or about", *capacity_rows(found.rows, found.every, legs))
    yield sentence(weights)
