"""Commands of kinematics: inverse, forward, linear-map, modes, playback."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any, Literal, cast

from typer import Argument, Context, Option

import gough
from gough.cli.options import (
    POSE,
    Angles,
    At,
    Figure,
    Joints,
    Json,
    MachineName,
    Map,
    Output,
    Samples,
    Sequences,
    Share,
    Si,
    Table,
    flag,
    request_of,
    text,
)
from gough.errors import GoughError, InputError
from gough.present.answer import Answer, Field, Words, csv_columns, json_keys, json_of, of_result, sentence
from gough.quantity import ALONG_AXES, AXES, LEGS, TWELVE_LEGS

if TYPE_CHECKING:
    import xarray

    from gough.cli.request import Request


def inverse(
    context: Context, machine: MachineName, at: At = None, angles: Angles = None,
    quaternion: Annotated[str | None, text("X,Y,Z,W", "Orientation of the pose, if not in --at.")] = None,
    sequence: Sequences = None, share: Share = None, csv: Table = None,
    choice: Annotated[
        Literal["fixed", "margin", "force", "relative-force"] | None,
        Option(help="Two stages: choice of the redundant coordinates."),
    ] = None,
    passive: Annotated[bool, flag("--passive", "Add the angles of universal and ball joints from home.")] = False,
    si: Si = False, as_json: Json = False, output: Output = None,
) -> None:  # fmt: skip
    """Compute inverse kinematics: joint coordinates of poses.

    For one pose specified by options, several in a CSV file, or home. If a
    leg cannot close, its coordinate is nan (null in JSON). A machine of two
    stages has twelve coordinates, selected by --choice. If the machine file
    has encoders, their readings r1 to r6 are printed too.
    """
    from gough.machine import Machine

    request = request_of(context)
    m = request.any_machine
    if not isinstance(m, Machine):
        if share is not None and choice not in (None, "fixed"):
            raise InputError(f"--share requires --choice fixed, got {choice}")
        request.write(_of_two_stages(request, (choice or "fixed").replace("-", " "), passive=passive))
        return
    if choice is not None:
        raise InputError(f"--choice requires a machine of two stages; {m.name!r} has one")
    request.write(_of_one_stage(request, passive=passive))


def _of_one_stage(request: Request, *, passive: bool) -> Answer:
    """Six joint coordinates of poses."""
    import numpy as np

    from gough.limits.ties import some_of

    m, X = request.machine, request.X
    q = request.in_parts("inverse kinematics", lambda part: gough.inverse_kinematics(m, part), X)
    request.note_joints(q)
    is_open, notes = np.isnan(q).any(axis=-1), list[str]()
    if is_open.any():
        which = some_of(is_open, "this pose", "poses")
        notes = [f"a leg cannot close at {which}: its joint coordinate is nan; see gough margins for the distance"]
    return Answer([*request.joints(q), *(request.passive_joints(X) if passive else [])], notes=notes)


def _of_two_stages(request: Request, choice: Any, *, passive: bool) -> Answer:
    """Twelve joint coordinates of poses of the end platform, and the poses of the intermediate platform."""
    X, machine = request.X, cast(gough.StackedMachine, request.any_machine)
    with request.progress("inverse kinematics", max(1, X[..., 0, 0].size)) as advance:
        found = gough.stages.resolve_redundancy(machine, X, choice, progress=lambda k, n: advance(1))
    units = [stage.legs.joint_unit for stage in machine.stages for _ in LEGS]
    fields = [
        *json_of(found, "choice"),
        Field("joints", found.joints, units, TWELVE_LEGS, "q{}"),
        *request.poses(found.matrix[..., 0, :, :], as_intermediate=True),
        *of_result(found, "margin"),
        *(request.passive_joints(found.matrix) if passive else []),
    ]
    refusal = found.margins.refusal()
    return Answer(fields, notes=[f"with this choice {refusal}"] if refusal else [])


def forward(
    context: Context, machine: MachineName, joints: Joints = None,
    readings: Annotated[str | None, text("R1,...,R6", "Encoder readings in place of joint coordinates.")] = None,
    csv: Table = None,
    near: Annotated[str | None, text("POSE", f"Pose to start from instead of home: {POSE}.")] = None,
    sequence: Sequences = None, si: Si = False, as_json: Json = False, output: Output = None,
) -> None:  # fmt: skip
    """Compute forward kinematics: poses of joint coordinates.

    For one vector, or several in a CSV file: columns q1 to q6, or r1 to r6
    for encoder readings. The search starts from home or from --near. The
    orientation is a quaternion, or Euler angles with --sequence. Certified
    poses are proven to satisfy the joint coordinates within the stated error
    bounds. In a batch, rows without a solution are nan with a status, and
    the exit code is 1.
    """
    import numpy as np

    from gough.cli.joint_input import read_joints
    from gough.stacked import StackedMachine

    request = request_of(context)
    m, has_two = request.any_machine, isinstance(request.any_machine, StackedMachine)
    if has_two and near is not None:
        raise InputError(
            "--near requires a single machine; for a stack, start from home or solve each stage (NAME:1, NAME:2)"
        )
    start = request.pose("--near", near)
    q = read_joints(request)
    found = request.in_parts(
        "forward kinematics", lambda part: gough.forward_kinematics(m, part, near=start, throw=q.ndim == 1), q, 1
    )
    missing = int((~found.converged).sum())
    fields = [*request.all_poses(found.matrix), *of_result(found, "residual", "iterations")]
    if has_two:
        note = f"no poses of both platforms found for {missing} rows"
        fields += of_result(found, "converged")
    else:
        note = f"no pose found for {missing} of {len(q)} rows: probably none has these values, which gough modes proves"
        request.note_joints(q)
        proof = found.certificate
        fields += [
            Field("status", found.status_words),
            Field("certified", proof.proven),
            Field("error_position", np.where(proof.proven, proof.position_error, np.nan), "m"),
            Field("error_rotation", np.where(proof.proven, proof.rotation_error, np.nan), "rad"),
        ]
    request.write(Answer(fields, notes=[note] if missing else [], code=int(missing > 0)))


def linear_map(
    context: Context, machine: MachineName, at: At = None, sequence: Sequences = None, share: Share = None,
    figure: Figure = None, si: Si = False, as_json: Json = False, output: Output = None,
) -> None:  # fmt: skip
    """Compute the matrix from platform to joint displacements.

    Prints T^-1, whose columns are the displacements of all joints for each of
    dx, dy, dz, dRx, dRy, dRz of the point of interest, with rotations
    Rx Ry Rz about it; and its inverse T. At one pose specified by options, or
    at home. --figure draws the error of the map.
    """
    import numpy as np

    request = request_of(context)
    m = request.any_machine
    found = gough.kinematics.linear_map(m, request.X_one)
    request.draw(lambda: gough.plot.linear_map_error(found))
    joints = [stage.legs.joint_unit for stage in m.stages]
    # Columns of CSV have one unit each: without it where the joints of two stages have different ones.
    units = [f"{joints[0]}/{si}" for si in ALONG_AXES] if len(set(joints)) == 1 else ""
    fields = [
        *csv_columns(leg=request.legs),
        Field("T_inv", found.T_inv, units, AXES, "T_inv_{}", is_json=False),
        *request.poses(found.X, is_csv=False),
        *json_of(found, "point"),
        *json_of(found, "T_inv", "T"),
    ]

    def words() -> Words:
        yield from found.tables()
        if np.isnan(found.T).any():
            yield "The map has no inverse: the pose is singular."

    request.write(Answer(fields, words))


OF_MODES = ("side", "conditioning", "within_limits", "certified")


def modes(
    context: Context, machine: MachineName, joints: Joints = None, at: At = None, sequence: Sequences = None,
    csv: Table = None,
    between: Annotated[str | None, text("I,J", "Path from mode I to mode J, with its singularities.")] = None,
    as_map: Map = False, samples: Samples = 7, si: Si = False, as_json: Json = False, output: Output = None,
) -> None:  # fmt: skip
    """Find all assembly modes of joint coordinates.

    For the joint coordinates of --joints, of a CSV file (columns q1 to q6),
    of a pose, or of home. --map counts the allowed modes over positions.

    Modes are sorted by distance from home. If two modes are allowed, joint
    coordinates alone, as after power-up, do not determine the pose. If the
    sign of det J differs between two modes, a singularity lies between them.
    """
    request = request_of(context)
    request.refuse_grid()
    request.at_most_one("joints csv", "at", "as_map")
    request.at_most_one("between", "csv", "as_map")
    if as_map:
        request.write(request.map("assembly modes", gough.assembly.assembly_mode_count_map))
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
    order = np.argsort(s, kind="stable")  # the singular poses follow the entries of the path
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


def playback(
    context: Context, machine: MachineName,
    file: Annotated[str, Argument(metavar="FILE", help="CSV file with columns time [s] and q1 to q6; - for stdin.")],
    sequence: Sequences = None, as_json: Json = False, output: Output = None,
) -> None:  # fmt: skip
    """Compute forward kinematics of recorded joint coordinates.

    Converts measured or commanded joint coordinates over time to poses, each
    continued from the last valid pose, with status and proven error bounds.
    Samples that lead to another assembly mode are flagged; samples without a
    pose are nan with a status, and the exit code is 1.
    """
    from gough.cli.joint_input import read_joint_history
    from gough.motion.joint_space.joint_motion import playback as play
    from gough.present.fields import variables

    request = request_of(context)
    m = request.machine
    time, q = read_joint_history(file, m)
    data = request.watched("forward kinematics", play, m, time, q)
    request.note_joints(q)
    request.note_speeds(time, q)
    notes, missing = _notes(data)
    words = [word.replace("_", " ") for word in data["status"].attrs["flag_meanings"].split()]
    fields = [
        Field("time", time, "s"),
        *request.joints(q),
        *request.poses(data["pose"].to_numpy()),
        *variables(data, {"residual": "", "iterations": ""}),
        Field("status", [words[k] for k in data["status"].to_numpy()]),
        *variables(data, {"certified": "", "error_position": "", "error_rotation": ""}),
    ]
    request.write(Answer(fields, data=lambda: data, notes=notes, code=int(missing > 0)))


def _notes(data: xarray.Dataset) -> tuple[list[str], int]:
    """Notes on samples of another assembly mode and without a pose, and the number of the latter."""
    from gough.kinematics.forward import Status
    from gough.present.show import plain

    count, changes, notes = data.sizes["time"], int(data["mode_change"].sum()), []
    missing = int((data["status"] == Status.NOT_CONVERGED).sum())
    if changes:
        when = float(data["time"][data["mode_change"]][0])
        notes.append(f"{changes} of {count} samples lead to another assembly mode, the first at {plain(when)} s")
    if missing:
        notes.append(f"no pose found for {missing} of {count} samples: their joint values may fit no pose")
    return notes, missing
