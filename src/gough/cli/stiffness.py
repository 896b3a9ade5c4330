"""`gough stiffness`."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Annotated, Literal

import typer

import gough
from gough.cli import options
from gough.cli.command import command
from gough.cli.lowest import Lowest, lowest
from gough.cli.map_output import map_answer
from gough.errors import InputError
from gough.present.answer import TWELVE_LEGS, WRENCH, Answer, Field, Table, Words

if TYPE_CHECKING:
    from gough.cli.request import Array, Request

Loaded = Annotated[
    bool,
    typer.Option(
        "--loaded",
        help="Count the geometric stiffness of the legs that carry all known weights, and --wrench if given.",
    ),
]
Weakest = Annotated[bool, typer.Option("--weakest", help="Search the workspace for the softest pose.")]
GEOMETRIC = {
    True: "Counted: the geometric stiffness of the legs under load, as gough view counts it.",
    False: "Not counted: the geometric stiffness of legs under load; --loaded counts it, as gough view does.",
}
MOTIONS: tuple[tuple[Literal["translation", "rotation"], str, str], ...] = (
    ("translation", "N/m", "N/µm"),
    ("rotation", "N m/rad", "N m/mrad"),
)
UNITS = {"translation": "N/m", "rotation": "N m/rad", "matrix": "N/m, N/rad; N m/m, N m/rad", "axial_force": "N"}


@command("pose", "share", "csv", "map", "payload", "output")
def stiffness(
    request: Request, wrench: options.Wrench = None, loaded: Loaded = False, weakest: Weakest = False
) -> Answer:
    """Principal stiffnesses, and what a load does.

    At one pose given by options, at many in a CSV file, or at home; about
    the point of interest. --wrench adds its displacement and the forces
    of the legs. With --map over the positions of the workspace. Two
    stages are in series, at the postures that --share gives.
    """
    from gough.statics.weights import has_weight

    m, as_map, F = request.any_machine, request.options["as_map"], request.wrench(wrench)
    if not (as_map or weakest):
        request.counts_only_with("--map or --weakest", "x", "y", "z", "samples")
    request.note_stage()
    if weakest and as_map:
        raise InputError("--weakest and --map exclude each other; give one")
    if loaded and (weakest or as_map):
        raise InputError("--loaded is for poses, not for --map or --weakest")
    if not loaded:
        request.counts_only_with("--loaded", "payload", "centre", "inertia")
    if loaded and F is None and not has_weight(m):
        raise InputError(
            f"--loaded: machine {m.name!r} carries nothing: give --wrench, --payload, or masses in its file"
        )
    if as_map:
        return _map(request, F)
    if weakest:
        find = gough.statics.weakest_pose
        found: dict[str, Lowest] = {
            motion: (
                request.mapped(f"weakest in {motion}", partial(find, request.machine, request.X_one, motion)),
                unit,
            )
            for motion, unit, _ in MOTIONS
        }
        return lowest(request, found)
    return _at_poses(request, F, loaded=loaded)


def _at_poses(request: Request, F: Array | None, *, loaded: bool) -> Answer:
    """Principal stiffnesses and the matrix; displacement under the load."""
    from gough.statics.weights import has_weight, masses_in_words

    m, X = request.any_machine, request.postures
    point = m.point_of_interest
    own = loaded and has_weight(m)
    force = None
    if F is not None or loaded:
        force = gough.statics.axial_forces(m, X, [0.0] * 6 if F is None else F, point=point, gravity=own)
    counted = force if loaded else None
    K = gough.stiffness(m, X, point=point, leg_force=counted)
    principal = gough.statics.principal_stiffness(K)
    fields = []
    for motion, unit, _ in MOTIONS:
        fields.append(Field(motion, getattr(principal, motion), unit, ("1", "2", "3")))
        axes = getattr(principal, f"{motion}_axes").swapaxes(-1, -2)
        fields.append(Field(f"{motion}_axes", axes, is_csv=False))
    fields += [Field("matrix", K, is_csv=False), Field("geometric", loaded, is_csv=False)]
    under: list[Field] = []
    weights = masses_in_words(m) if own else "forces are those of the load alone, without weights"
    if F is not None:
        V = gough.statics.displacement_under_load(m, X, F, point=point, leg_force=counted)
        under = [
            Field("displacement", V[..., :3], "m", tuple("xyz"), "d{}", "d{}", digits=4),
            Field("turn", V[..., 3:], "rad", tuple("xyz"), "r{}", "r{}", digits=4),
            Field("axial_force", force, "N", TWELVE_LEGS[: 6 * len(m.stages)], "leg_{}", "force of leg {}, pushing"),
        ]
        fields += [Field("wrench", F, WRENCH, is_csv=False), *under, Field("weights", weights, is_csv=False)]
        _note_forces(request, F)
    fields.append(Field("is_allowed", request.note_poses(), is_csv=False))

    def words() -> Words:
        yield _principal(request, fields)
        yield GEOMETRIC[loaded]
        if under:
            yield "\nUnder the load"
            yield request.show.facts(under)
            yield f"{weights[0].upper()}{weights[1:]}."

    return Answer(fields, words, UNITS)


def _principal(request: Request, fields: list[Field]) -> Table:
    rows = []
    for (motion, _, shown), values, axes in zip(MOTIONS, fields[::2], fields[1::2], strict=False):
        for value, axis in zip(values.value, axes.value, strict=True):
            rows.append((motion, request.show.value(value, shown), shown, *(f"{round(a, 4) + 0.0:.4f}" for a in axis)))
    return Table(("of", "stiffness", "unit", "axis x", "axis y", "axis z"), rows)


def _note_forces(request: Request, F: Array) -> None:
    """Whether the actuators can hold the load that is meant, beside the machine's own weights."""
    from gough.statics.capacity import at_origin
    from gough.statics.weights import has_weight

    m, X = request.any_machine, request.postures
    at_end = at_origin(m, request.X, F)
    request.note_forces(gough.leg_forces(m, X, at_end, gravity=has_weight(m)))


def _map(request: Request, F: Array | None) -> Answer:
    """Principal stiffnesses, and the displacement under the load, over positions."""
    m, X = request.any_machine, request.X_one
    found = request.mapped("stiffness map", partial(gough.statics.stiffness_map, m, X))
    if F is not None:
        make = partial(gough.statics.displacement_map, m, F, X)
        loaded = request.mapped("displacement map", make).rename(rotation="turn")
        found = found.assign(loaded.drop_vars("is_allowed")).assign_attrs(loaded.attrs)
    return map_answer(found, m)
