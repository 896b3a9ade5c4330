"""`gough modes`."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Annotated, cast

import typer

import gough
from gough.cli.command import command
from gough.cli.map_output import map_answer
from gough.errors import InputError
from gough.present.answer import Answer, Field, Table, Words

if TYPE_CHECKING:
    from gough.assembly.assembly_modes import AssemblyModes
    from gough.cli.request import Array, Request

Joints = Annotated[
    str | None,
    typer.Option(metavar="Q1,...,Q6", help="Joint coordinates; without them those of the pose given, or of home."),
]
CsvOfJoints = Annotated[
    str | None, typer.Option("--csv", metavar="FILE", help="Joint coordinates from columns q1 to q6; - reads a pipe.")
]
Map = Annotated[bool, typer.Option("--map", help="How many modes are allowed, over the positions of the workspace.")]
Between = Annotated[
    str | None,
    typer.Option(metavar="I,J", help="A path of poses from mode I to mode J, and where it meets singularities."),
]


@command("pose", "map", "output", samples=7)
def modes(
    request: Request,
    joints: Joints = None,
    csv: CsvOfJoints = None,
    between: Between = None,
    as_map: Map = False,
) -> Answer:
    """All poses with the same joint coordinates.

    The nearest to home comes first. Two allowed modes mean that joint
    coordinates alone, as after power-up, leave the pose open. A change of
    side (the sign of det J) between two modes means a singularity between
    them.
    """
    m, given = request.machine, request.given
    if not as_map:
        request.counts_only_with("--map", "x", "y", "z", "samples")
    has_pose = any((given.at, given.angles, given.quaternion, given.matrix))
    if (joints is not None or csv is not None) and (as_map or has_pose):
        raise InputError("give joint coordinates with --joints or --csv, or a pose, or --map; one of them")
    if between is not None and (csv is not None or as_map):
        raise InputError("--between is for the modes of one pose or one --joints, not for --csv or --map")
    if as_map:
        make = partial(gough.assembly.assembly_mode_count_map, m, request.X_one)
        return map_answer(request.mapped("assembly modes", make), m)
    q = _joints(request, joints, csv)
    found = cast("tuple[AssemblyModes, ...]", request.watched("assembly modes", gough.assembly.assembly_modes, m, q))
    if between is not None:
        from gough.cli.mode_path import mode_path

        return mode_path(request, found[0], between)
    keys = [_keys(request, each) for each in found]
    if csv is not None:
        keys = [[Field("rows", [request.document(each) for each in keys], is_csv=False)]]
    return Answer([*_columns(request, found), *keys[0]], None if csv else lambda: _words(request, found[0]))


def _joints(request: Request, joints: str | None, csv: str | None) -> Array:
    """Joint coordinates (n, 6) [SI]."""
    import numpy as np

    from gough.cli.joint_input import read_joints

    if joints is not None or csv is not None:
        return np.atleast_2d(read_joints(request.machine, joints, csv))
    q = gough.inverse_kinematics(request.machine, request.X)
    if not np.isfinite(q).all():
        raise InputError("a leg cannot close at this pose; gough margins says by how much")
    return np.atleast_2d(q)


def _keys(request: Request, found: AssemblyModes) -> list[Field]:
    """One set of modes, for JSON."""
    return [
        Field("joints", found.q, request.machine.legs.joint_unit, is_csv=False),
        *request.poses(found.matrix, is_csv=False),
        Field("residual", found.residual, "m", is_csv=False),
        *(
            Field(key, getattr(found, name), is_csv=False)
            for key, name in (
                ("side", "side"),
                ("conditioning", "conditioning"),
                ("within_limits", "within_limits"),
                ("certified", "certified"),
                ("singular", "is_singular"),
                ("moves_freely", "moves_freely"),
                ("finite_count", "finite_count"),
                ("complete", "complete"),
            )
        ),
    ]


def _columns(request: Request, found: tuple[AssemblyModes, ...]) -> list[Field]:
    """One row for each mode of each vector of joint coordinates, numbered by `row` and `mode`."""
    import numpy as np

    counts = [len(each) for each in found]
    columns = {
        "row": np.repeat(np.arange(1, len(found) + 1), counts),
        "mode": np.concatenate([np.arange(1, count + 1) for count in counts]),
        **{name: np.concatenate([getattr(each, name) for each in found]) for name in NAMES},
        "complete": np.repeat([each.complete for each in found], counts),
    }
    fields = [Field(name, value, "m" if name == "residual" else "", is_json=False) for name, value in columns.items()]
    poses = request.poses(np.concatenate([each.matrix for each in found]), is_json=False)
    return [*fields[:2], *poses, *fields[2:]]


NAMES = ("residual", "side", "conditioning", "within_limits", "certified")


def _words(request: Request, found: AssemblyModes) -> Words:
    """The modes of one vector of joint coordinates."""
    from gough.present.show import significant

    poses = request.columns(request.poses(found.matrix))
    cells = [request.show.cells(each) for each in request.poses(found.matrix)]
    rows = []
    for k in range(len(found)):
        numbers = [cell for columns in cells for cell in columns[k]]
        words = [_verdict(found, k), "allowed" if found.within_limits[k] else "outside limits"]
        rows.append((str(k + 1), *numbers, f"{found.side[k]:+d}", significant(found.conditioning[k], 3), *words))
    yield Table(("mode", *poses, "side", "conditioning", "pose", "limits"), rows)
    sure = "all there are" if found.complete else "there may be more: no two runs agreed"
    if found.moves_freely.any():
        yield "poses that move freely are points of self-motions: the legs do not hold the platform there"
    yield f"{len(found)} real of {found.finite_count} finite complex poses; {sure}"
    allowed = int(found.within_limits.sum())
    if allowed > 1:
        yield f"{allowed} of them are allowed: joint coordinates alone do not say in which the machine is"


def _verdict(found: AssemblyModes, k: int) -> str:
    if found.is_singular[k]:
        return "moves freely" if found.moves_freely[k] else "singular"
    return "proven" if found.certified[k] else "not proven"
