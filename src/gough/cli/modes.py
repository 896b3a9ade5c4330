"""`gough modes`."""

from __future__ import annotations

from typing import cast

from typer import Option

import gough
from gough.cli.command import Array, Request, command
from gough.errors import InputError
from gough.present.answer import Answer, Field, Table, Words, csv_columns, json_keys, json_of

OF_MODES = ("side", "conditioning", "within_limits", "certified")


@command("joints", "pose", "csv", "map", "output", samples=7)
def modes(
    request: Request,
    between: str | None = Option(
        None, metavar="I,J", help="A path of poses from mode I to mode J, and where it meets singularities."
    ),
) -> Answer:
    """All poses with the same joint coordinates.

    With those of --joints, of many in a CSV file (columns q1 to q6), of
    the pose given, or of home; with --map how many modes are allowed.

    The nearest to home comes first. Two allowed modes mean that joint
    coordinates alone, as after power-up, leave the pose open. A change of
    side (the sign of det J) between two modes means a singularity between
    them.
    """
    m, given = request.machine, request.options
    request.refuse_grid()
    has_pose = any((given.at, given.angles, given.quaternion, given.matrix))
    has_joints = given.joints is not None or given.readings is not None or given.csv is not None
    if has_joints and (given.as_map or has_pose):
        raise InputError("give joint coordinates with --joints or --csv, or a pose, or --map; one of them")
    if between is not None and (given.csv is not None or given.as_map):
        raise InputError("--between is for the modes of one pose or one --joints, not for --csv or --map")
    if given.as_map:
        return request.map("assembly modes", gough.assembly.assembly_mode_count_map, m, request.X_one)
    find = gough.assembly.assembly_modes
    found = cast(
        "tuple[gough.assembly.AssemblyModes, ...]", request.watched("assembly modes", find, m, _joints(request))
    )
    if between is not None:
        from gough.cli.mode_path import mode_path

        return mode_path(request, found[0], between)
    keys = [_keys(request, each) for each in found]
    if given.csv is not None:
        from gough.present.fields import document

        keys = [json_keys(rows=[document(each, m.units) for each in keys])]
    return Answer([*_columns(request, found), *keys[0]], lambda: _words(request, found[0]))


def _joints(request: Request) -> Array:
    """Joint coordinates (n, 6) [SI]."""
    import numpy as np

    from gough.cli.joint_input import read_joints

    given = request.options
    if given.joints is not None or given.readings is not None or given.csv is not None:
        return np.atleast_2d(read_joints(request.machine, given))
    q = gough.inverse_kinematics(request.machine, request.X)
    if not np.isfinite(q).all():
        raise InputError("a leg cannot close at this pose; gough margins says by how much")
    return np.atleast_2d(q)


def _keys(request: Request, found: gough.assembly.AssemblyModes) -> list[Field]:
    """One set of modes, for JSON."""
    return [
        *json_keys("", request.machine.legs.joint_unit, joints=found.q),
        *request.poses(found.matrix, is_csv=False),
        *json_of(found, f"residual {' '.join(OF_MODES)} is_singular:singular moves_freely finite_count complete"),
    ]


def _columns(request: Request, found: tuple[gough.assembly.AssemblyModes, ...]) -> list[Field]:
    """One row for each mode of each vector of joint coordinates, numbered by `row` and `mode`."""
    import numpy as np

    counts = [len(each) for each in found]
    all_of = {
        name: np.concatenate([getattr(each, name) for each in found]) for name in ("matrix", "residual", *OF_MODES)
    }
    return [
        *csv_columns(row=np.repeat(np.arange(1, len(found) + 1), counts)),
        *csv_columns(mode=np.concatenate([np.arange(1, count + 1) for count in counts])),
        *request.poses(all_of.pop("matrix"), is_json=False),
        *csv_columns("m", residual=all_of.pop("residual")),
        *csv_columns(**all_of, complete=np.repeat([each.complete for each in found], counts)),
    ]


def _words(request: Request, found: gough.assembly.AssemblyModes) -> Words:
    """The modes of one vector of joint coordinates."""
    from gough.present.fields import columns
    from gough.present.show import significant

    poses = columns(request.poses(found.matrix), request.machine.units)
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


def _verdict(found: gough.assembly.AssemblyModes, k: int) -> str:
    if found.is_singular[k]:
        return "moves freely" if found.moves_freely[k] else "singular"
    return "proven" if found.certified[k] else "not proven"
