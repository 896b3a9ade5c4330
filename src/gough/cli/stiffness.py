"""`gough stiffness`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from typer import Context

import gough
from gough.cli.columns import ANGLES
from gough.cli.command import request_of
from gough.cli.lowest import lowest
from gough.cli.options import (
    At,
    Centre,
    GeneralizedForce,
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
    Wrench,
    flag,
)
from gough.errors import InputError
from gough.present.answer import MOTIONS, Answer, Field, Words, json_keys, json_of, of_result, sentence
from gough.quantity import ALONG_AXES, WRENCH, ratios

if TYPE_CHECKING:
    from gough.arrays import Array
    from gough.cli.request import Request

GEOMETRIC = {
    True: "Counted: the geometric stiffness of the load and of the legs under it, as gough view counts it.",
    False: "Not counted: the geometric stiffness of a load and of the legs under it; --loaded counts it, as gough view "
    "does.",
}
UNSTABLE = "Unstable: under the load this pose is no equilibrium that lasts; a stiffness is negative."
MATRIX = ratios(WRENCH, ALONG_AXES)
"""SI units of the stiffness matrix."""


def stiffness(
    context: Context, machine: MachineName, at: At = None, sequence: Sequences = None, share: Share = None,
    csv: Table = None, wrench: Wrench = None, generalized_force: GeneralizedForce = None,
    loaded: Annotated[
        bool,
        flag("--loaded", "Count the geometric stiffness of all known weights, of --wrench if given, and of the legs "
             "under them."),
    ] = False,
    payload: Payload = None, centre: Centre = None,
    weakest: Annotated[bool, flag("--weakest", "Search the workspace for the pose of least stiffness.")] = False,
    as_map: Map = False, samples: Samples = 15, si: Si = False, as_json: Json = False, output: Output = None,
) -> None:  # fmt: skip
    """Principal stiffnesses, and the deflection under a wrench.

    At one pose given by options, at many in a CSV file, or at home; about
    the point of interest. --wrench (or --generalized-force) adds the
    deflection and the forces of the legs; with --sequence JSON has the
    stiffness of position and angles, too. With --map over the positions of the workspace. Two
    stages are in series, at the postures that --share gives.
    """
    given = Options(
        at=at, sequence=sequence, share=share, csv=csv, as_map=as_map, samples=samples, wrench=wrench,
        generalized_force=generalized_force, payload=payload, centre=centre, si=si, as_json=as_json, output=output,
    )  # fmt: skip
    request = request_of(context, machine, given)
    m = request.any_machine
    request.refuse_grid("--weakest", weakest)
    request.at_most_one("weakest", "as_map", "loaded")
    request.note_stage()
    if not loaded:
        request.counts_only_with("--loaded", "payload", "centre")
    if loaded and request.wrench is None and not m.has_weight:
        raise InputError(
            f"--loaded: machine {m.name!r} carries nothing: give --wrench, --payload, or masses in its file"
        )
    if as_map:
        request.write(_map(request))
    elif weakest:
        find, X = gough.statics.weakest_pose, request.X_one
        found = {str(one): request.mapped(f"weakest in {one}", find, m, X, one) for one in MOTIONS}
        request.write(lowest(request, found))
    else:
        request.write_at_poses(_at_poses(request, loaded=loaded))


def _at_poses(request: Request, *, loaded: bool) -> Answer:
    """Principal stiffnesses and the matrix; with a load its displacement, and a note on overloaded actuators."""
    from gough.kinematics.rates import solve_or_nan
    from gough.statics.weights import masses_in_words

    m, X, F = request.any_machine, request.postures, request.wrench
    point = m.point_of_interest
    own = loaded and m.has_weight
    K = gough.stiffness(m, X, point=point, wrench=F if loaded else None, gravity=own)
    principal = gough.statics.principal_stiffness(K)
    fields = of_result(principal, "translation", "rotation")
    axes = (each.swapaxes(-1, -2) for each in (principal.translation_axes, principal.rotation_axes))
    fields += json_keys("", "", "base", **dict(zip(("translation_axes", "rotation_axes"), axes, strict=True)))
    fields += json_keys("", MATRIX, "base", matrix=K)
    fields += json_keys(geometric=loaded)
    fields += json_of(principal, "is_stable")
    maps = request.euler_rates
    if maps is not None:
        fields += json_keys(
            "", MATRIX, "base, and angles of the platform in the base", matrix_of_angles=maps.stiffness(K)
        )
        request.note_lock()
    under: list[Field] = []
    weights = masses_in_words(m) if own else "forces are those of the load alone, without weights"
    if F is not None:
        force = gough.statics.axial_forces(m, X, F, point=point, gravity=own)
        moved = solve_or_nan(K, F[..., None])[..., 0] if loaded else gough.statics.deflection(m, X, F, point=point)
        under = [*_under(request, moved, force), *_of_angles(maps, moved)]
        fields += [*json_keys("", WRENCH, "base", wrench=F), *under, *json_keys(weights=weights)]
        request.note_forces(gough.leg_forces(m, X, request.wrenches, gravity=m.has_weight))
    elif own:
        fields += json_keys(weights=weights)
    falls = (principal.translation < 0).any() or (principal.rotation < 0).any()

    def words() -> Words:
        yield request.show.table("of", *principal.rows())
        yield GEOMETRIC[loaded]
        if falls:
            yield UNSTABLE
        if under:
            yield "\nUnder the wrench"
            yield request.show.facts(under)
            if own:
                yield "The displacement is that by the wrench alone; the forces are those of the weights too."
        if under or own:
            yield sentence(weights)

    return Answer(fields, words)


def _under(request: Request, V: Array, force: Array | None) -> list[Field]:
    """Displacements V (..., 6) under a load, and the forces of the legs."""
    return [
        Field("displacement", V[..., :3], "m", tuple("xyz"), "d{}", "d{}", digits=4, frame="base"),
        Field("turn", V[..., 3:], "rad", tuple("xyz"), "r{}", "r{}", digits=4, frame="base"),
        Field("axial_force", force, "N", request.legs, "leg_{}", "force of leg {}, pushing"),
    ]


def _of_angles(maps: gough.frames.EulerRates | None, V: Array) -> list[Field]:
    """Changes of the angles in displacements V (..., 6), where these are counted in angles."""
    if maps is None:
        return []
    return [
        Field(
            "angle_change",
            maps.rates(V[..., 3:]),
            "rad",
            ANGLES,
            "d{}",
            "angle {}",
            digits=4,
            frame="platform in the base",
        )
    ]


def _map(request: Request) -> Answer:
    """Principal stiffnesses, and the displacement under the load, over positions."""
    from gough.present.fields import map_answer

    m, X, F = request.any_machine, request.X_one, request.wrench
    found = request.mapped("stiffness map", gough.statics.stiffness_map, m, X)
    if F is not None:
        moved = request.mapped("displacement map", gough.statics.displacement_map, m, F, X).rename(rotation="turn")
        found = found.assign(moved.drop_vars("is_allowed")).assign_attrs(moved.attrs)
    return map_answer(found, m.units)
