"""`gough modes`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, cast

from typer import Context

import gough
from gough.cli.command import request_of
from gough.cli.options import (
    At,
    Joints,
    Json,
    MachineName,
    Map,
    Options,
    Output,
    Samples,
    Sequences,
    Si,
    Table,
    text,
)
from gough.errors import GoughError, InputError
from gough.present.answer import Answer, Field, Words, csv_columns, json_keys, json_of, sentence
from gough.quantity import LEGS

if TYPE_CHECKING:
    from gough.cli.request import Request

OF_MODES = ("side", "conditioning", "within_limits", "certified")


def modes(
    context: Context, machine: MachineName, joints: Joints = None, at: At = None, sequence: Sequences = None,
    csv: Table = None,
    between: Annotated[
        str | None, text("I,J", "A path of poses from mode I to mode J, and where it meets singularities.")
    ] = None,
    as_map: Map = False, samples: Samples = 7, si: Si = False, as_json: Json = False, output: Output = None,
) -> None:  # fmt: skip
    """Assembly modes: all poses of the same joint coordinates.

    With those of --joints, of many in a CSV file (columns q1 to q6), of
    the pose given, or of home; with --map how many modes are allowed.

    The nearest to home comes first. Two allowed modes mean that joint
    coordinates alone, as after power-up, do not determine the pose. A
    change of side (the sign of det J) between two modes means a singularity
    between them.
    """
    request = request_of(
        context,
        machine,
        Options(
            joints=joints, at=at, sequence=sequence, csv=csv, as_map=as_map, samples=samples, si=si, as_json=as_json,
            output=output,
        ),
    )  # fmt: skip
    request.refuse_grid()
    request.at_most_one("joints csv", "at", "as_map")
    request.at_most_one("between", "csv", "as_map")
    if as_map:
        count = gough.assembly.assembly_mode_count_map
        request.write(request.map("assembly modes", count, request.machine, request.X_one))
    else:
        request.write(_modes(request, between))


def _modes(request: Request, between: str | None) -> Answer:
    """Modes of joint coordinates, or the path between two modes."""
    from gough._compile import compile_kernels
    from gough.cli.joint_input import joints_or_pose

    m, assembly = request.machine, gough.assembly
    if between is not None:
        compile_kernels()
    q = joints_or_pose(request)
    found = cast(
        "tuple[gough.assembly.AssemblyModes, ...]", request.watched("assembly modes", assembly.assembly_modes, m, q)
    )
    if between is not None:
        return _path_between(request, found[0], between)
    # CSV has a row for each mode of each row of the file; JSON an object for each row of the file.
    keys = [_keys(request, each) for each in found]
    if request.options.csv is not None:
        keys = [json_keys(rows=keys)]
    return Answer([*_columns(request, found), *keys[0]], lambda: _words(request, found[0]))


def _keys(request: Request, found: gough.assembly.AssemblyModes) -> list[Field]:
    """Modes of one vector of joint coordinates, for JSON."""
    more = ("residual", *OF_MODES, ("is_singular", "singular"), "moves_freely", "finite_count", "complete")
    return [*json_of(found, ("q", "joints")), *request.poses(found.matrix, is_csv=False), *json_of(found, *more)]


def _columns(request: Request, found: Sequence[gough.assembly.AssemblyModes]) -> list[Field]:
    """One row for each mode of each vector of joint coordinates, numbered by `row` and `mode`."""
    import numpy as np

    counts, names = [len(each) for each in found], ("matrix", "residual", *OF_MODES, "is_singular", "moves_freely")
    of_all = {name: np.concatenate([getattr(each, name) for each in found]) for name in names}
    return [
        *csv_columns(row=np.repeat(np.arange(1, len(found) + 1), counts)),
        *csv_columns(mode=np.concatenate([np.arange(1, count + 1) for count in counts])),
        *request.poses(of_all.pop("matrix"), is_json=False),
        *csv_columns("m", residual=of_all.pop("residual")),
        *csv_columns(
            singular=of_all.pop("is_singular"), **of_all, complete=np.repeat([each.complete for each in found], counts)
        ),
    ]


def _words(request: Request, found: gough.assembly.AssemblyModes) -> Words:
    numbers = [str(k) for k in range(1, len(found) + 1)]
    yield request.show.table("mode", numbers, [*request.poses(found.matrix), *found.columns()])
    yield from map(sentence, (found.sentence(), *found.warnings()))


def _path_between(request: Request, found: gough.assembly.AssemblyModes, between: str) -> Answer:
    """The path between two modes "I,J" of the table: a row for each pose, the singular ones among them."""
    import numpy as np

    m, count = request.machine, len(found)
    chosen = request.numbers("--between", between, (2,))
    if not (np.isin(chosen, np.arange(1, count + 1)).all() and chosen[0] != chosen[1]):
        raise InputError(f"--between: {between!r}, expected two different modes of 1 to {count}")
    first, last = map(int, chosen)
    path = gough.assembly.mode_transition(m, found.matrix[first - 1], found.matrix[last - 1])
    if path is None:
        raise GoughError(f"no path found from mode {first} to mode {last}: a leg cannot close on any path tried")
    s = np.concatenate([path.s, path.crossings])
    order = np.argsort(s, kind="stable")  # entries after those of the path are the singular poses
    X = np.concatenate([path.matrix, path.crossing_poses])[order]
    fields = [
        *json_keys(between=[first, last]),
        Field("s", s[order]),
        *request.poses(X),
        Field("joints", gough.inverse_kinematics(m, X), m.legs.joint_unit, LEGS, "q{}"),
        Field("allowed", gough.margins(m, X).is_allowed),
        Field("singular", order >= len(path.s)),
        *json_keys(crossings=path.crossings),
    ]
    return Answer(fields, notes=[f"from mode {first} to mode {last}, {path.sentence()}"])
