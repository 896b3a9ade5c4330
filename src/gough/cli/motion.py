"""Commands of motion: path, place, follow."""

from __future__ import annotations

from dataclasses import replace
from math import acos
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from typer import Argument, Context, Option

import gough
from gough.cli.options import (
    Figure,
    Json,
    MachineName,
    Output,
    Sequences,
    Work,
    flag,
    named,
    number,
    request_of,
    text,
)
from gough.errors import InputError
from gough.present.answer import JSON, Answer, Field, Words, aligned, json_keys, json_of, of_result, sentence
from gough.quantity import ALONG_AXES, AXES, LEGS

if TYPE_CHECKING:
    import xarray

    from gough.arrays import Array
    from gough.cli.request import Request
    from gough.motion.recorded import CompensatedMotion, FittedMotion, PerAxisScale

STRUT_PROGRAMS = (".ngc", ".nc", ".gcode", ".tap", ".cnc", ".gc")
OF_UNTIMED = ("feed", "blend")
"""Options for paths without times only, by their names in Python."""


def _write_struts(request: Request, found: gough.motion.PathReport, file: str, target: Path) -> None:
    """Write the motion as a program of the joints."""
    from gough.files import write_whole
    from gough.motion.programs.joint_program import joint_program

    with request.progress("dividing the motion") as advance:
        program = joint_program(request.machine, found.motion, title=_title(found, file), progress=advance)  # type: ignore[arg-type]
    write_whole(target, program.text)
    request.note(f"wrote {target}: {program.sentence()}")


def _title(found: gough.motion.PathReport, file: str) -> str:
    """Name of the source and, of a part program, the side of the spindle."""
    return f"{file}; tool {found.plan.spindle}" if found.plan.spindle else file


def path(
    context: Context, machine: MachineName,
    file: Annotated[
        str, Argument(metavar="FILE", help="Part program (.ngc, .gcode, .tap, .cnc, .nc), path file (.toml), or CSV of "
                      "poses with or without a column time; - for a CSV on standard input.")
    ],
    timing: Annotated[
        Literal["feed", "optimal", "given"] | None,
        Option(help="Feeds where the legs allow, shortest time, or times of the table (default if it has them)."),
    ] = None,
    work: Work = None,
    feed: Annotated[float | None, number("NUMBER", "Speed of the tip; default: the feeds of the file.")] = None,
    blend: Annotated[
        float | None, number("NUMBER", "Tolerance of corners; default for part programs: 0.01 mm.", low=0)
    ] = None,
    joint_speed: Annotated[float | None, number("NUMBER", "Joint speed limit; default: the machine's.")] = None,
    acceleration: Annotated[float | None, number("NUMBER", "Joint acceleration limit.")] = None,
    uncertainty: Annotated[
        str | None,
        text("LENGTH[,ANGLE]|FILE.csv|calibration", "Check all poses this near the path: a distance and an angle, a "
             "table of them along the path, or the covariance of the calibrated machine."),
    ] = None,
    spindle: Annotated[
        Literal["+z", "-z"] | None,
        Option(help="Side of the spindle along z of the tool frame; default: the file's, or the side that points up."),
    ] = None,
    strut_program: Annotated[
        Path | None, Option(metavar="FILE.ngc", help="Write the motion as a joint program for LinuxCNC.",
                            callback=named(*STRUT_PROGRAMS))
    ] = None,
    sequence: Sequences = None, figure: Figure = None, as_json: Json = False, output: Output = None,
) -> None:  # fmt: skip
    """Check the feasibility and timing of a path.

    The whole path is checked against every limit, including between points,
    then timed with the programmed feeds where the legs allow. Prints the most
    loaded leg and the violations. --output writes the motion of the legs over
    time (CSV; netCDF for .nc), --json the report in numbers.
    """
    from gough.cli.path_input import is_program, read_path, reported, uncertainty_of
    from gough.motion.timed_path import TimedPath

    request = request_of(context)
    if not is_program(file):
        request.counts_only_with("part programs", "spindle")
    plan = read_path(file, request, spindle=spindle)
    if isinstance(plan, TimedPath):
        request.counts_only_with("poses without times, or with --timing optimal or feed", *OF_UNTIMED)
    near: dict[str, Any] = {}
    if uncertainty is not None:
        near["uncertainty"] = uncertainty_of(uncertainty, request, plan)
    found = reported(plan, request, **near)
    files = {"--output": output, "--figure": figure, "--strut-program": strut_program}
    wanted = [name for name, target in files.items() if target is not None]
    if wanted and found.motion is None:
        raise InputError(f"{wanted[0]}: no motion to write: {found.why_not}")
    if output is not None:
        request.write_file(_history(request, found), as_json=output.suffix.lower() == JSON)
    request.draw(lambda: gough.plot.animation(request.machine, found.history))  # type: ignore[arg-type]
    if strut_program is not None:
        _write_struts(request, found, file, strut_program)
    request.print(Answer(_fields(found), lambda: _path_words(request, found)))


def _history(request: Request, found: gough.motion.PathReport) -> Answer:
    """The legs over time, with the line, segment or row, the tip, the head and the smallest margin."""
    from gough.cli.histories import over_time
    from gough.present.fields import variables

    data: Any = found.history
    time, *rest = over_time(request, data)
    fields = [time, *variables(data, {"number": found.plan.counts}), *rest, *variables(data, {"tip": "tip_{}"})]
    if "head_joint" in data:
        fields += request.head(data["head_joint"].to_numpy())
    return Answer([*fields, *variables(data, {"margin": ""})], data=lambda: data)


def _fields(found: gough.motion.PathReport) -> list[Field]:
    check, work = found.check, found.work
    fields = [
        *json_keys(source=found.plan.where),
        *json_of(found, ("is_feasible", "feasible"), "stretches", "broken_limits", "roll", "duration"),
        *json_keys(verdict=check.verdict, boxes=check.boxes, tightest=check.tightest),
    ]
    if found.plan.spindle:
        fields += json_keys(spindle=found.plan.spindle_record())
    if work is None or not found.is_reachable:
        return [*fields, *json_of(found, "why_not")]
    return [
        *fields,
        *json_of(found, "times", unit="s"),
        *json_of(found, ("binding", "held_back_by"), ("worst_utilisation", "worst_share"), "worst_limit"),
        *json_keys(hardest_leg=work.hardest),
        *work.fields(found.machine, "legs."),
    ]


def _path_words(request: Request, found: gough.motion.PathReport) -> Words:
    yield from map(sentence, found.plan.contents)
    yield from found.verdict()
    yield from aligned(found.facts().items())
    if found.work is not None and found.is_reachable:
        yield ""
        yield request.show.table("leg", LEGS, found.work.fields(found.machine))


def place(
    context: Context, machine: MachineName,
    at: Annotated[
        str | None, text("POSE", "Position X,Y,Z of the tool's tip in the base frame, with --axis; or a pose of the "
                         "tool, A,B,C or a quaternion behind its position.")
    ] = None,
    axis: Annotated[str | None, text("I,J,K", "Direction of the tool's z axis; rotation about it is free.")] = None,
    head_joints: Annotated[
        str | None, text("Q1,...", "Joints of the head, in the file's units; default: optimised.", "--joints")
    ] = None,
    tool_path: Annotated[
        str | None,
        text("FILE", "Path of the tool: columns x, y, z, i, j, k or poses; - reads standard input.", "--csv"),
    ] = None,
    sequence: Sequences = None, as_json: Json = False, output: Output = None,
) -> None:  # fmt: skip
    """Optimise platform and head joints for a tool pose.

    Maximises the smallest relative margin to any limit, for a pose of the
    tool, a point and an axis, or a path of either. Prints the platform's
    pose, the joint coordinates of legs and head, and the smallest relative
    margin; the exit code is 1 if a limit is violated.
    """
    from gough.cli.pose_input import read_tool_path
    from gough.motion.heads.kinematics import head_of

    request = request_of(context)
    m, head = request.machine, head_of(request.machine)
    held = request.numbers("--joints", head_joints, (len(head.moving),), head.units)
    found: gough.motion.heads.ToolPlacement | gough.motion.heads.ToolTrack
    if tool_path is None:
        found = _placed(request, at, axis, held)
        why, binding = f"the tool cannot be held there: {found.sentence()}", [Field("binding", found.binding)]
        is_held = found.is_allowed
    elif at is not None or axis is not None:
        raise InputError("specify either one tool pose by options, or a path with --csv")
    else:
        path = read_tool_path(tool_path, request.orientation, m.units)
        found = request.watched("following the tool", gough.motion.heads.follow_tool, m, **path, start=held)
        why, binding, is_held = found.sentence(), [], bool(found.is_allowed.all())
    fields = [
        *request.poses(found.matrix),
        *request.joints(gough.inverse_kinematics(m, found.matrix)),
        *request.head(found.joints),
        Field("margin", found.margin),
        *binding,
    ]
    request.write(Answer(fields, notes=[] if is_held else [why], code=int(not is_held)))


def _placed(request: Request, at: str | None, axis: str | None, held: Array | None) -> gough.motion.heads.ToolPlacement:
    """Platform and head for one pose of the tool; `held` are given coordinates of the head."""
    m, place_tool = request.machine, gough.motion.heads.place_tool
    if at is None:
        raise InputError("--at: specify the place of the tool's tip, X,Y,Z, and --axis or an orientation")
    if axis is None:
        return place_tool(m, request.X, joints=held)
    point, direction = request.numbers("--at", at, (3,), "m"), request.numbers("--axis", axis, (3,))
    return place_tool(m, point=point, axis=direction, joints=held)


TURNED = 0.1
"""Turn of what moves from the record's axes that is worth a note [rad]."""


def follow(
    context: Context, machine: MachineName,
    file: Annotated[str, Argument(metavar="FILE", help="CSV file with columns time [s] and of poses; - for stdin.")],
    gain: Annotated[Literal["single", "varying"], Option(help="Constant gain, or varying over time.")] = "single",
    cutoff: Annotated[float | None, number("HZ", "Cutoff of a low-pass filter; default: none.")] = None,
    washout: Annotated[bool, flag("--washout", "Apply a washout filter with tilt coordination.")] = False,
    fade: Annotated[float, number("SECONDS", "Fade-in and fade-out time from and to home.", low=0.0)] = 2.0,
    own_axes: Annotated[
        bool, flag("--own-axes", "Displacements along the moving body's axes at the record's mean, not the record's.")
    ] = False,
    rate: Annotated[float, number("HZ", "Sample rate of the output.", low=0.001)] = 50.0,
    compensate: Annotated[bool, flag("--compensate", "Hold the platform still on the recorded base motion.")] = False,
    mount: Annotated[
        str | None,
        text("X,Y,Z[,A,B,C]", "With --compensate: pose of the base about the recorded point, at the record's mean."),
    ] = None,
    axes: Annotated[str | None, text("AXIS,...", "With --compensate: axes to hold (x, y, z, rx, ry, rz).")] = None,
    sequence: Sequences = None, figure: Figure = None, as_json: Json = False, output: Output = None,
) -> None:  # fmt: skip
    """Fit a recorded motion into the machine's limits.

    Scales recorded poses, such as of a ship or a vehicle, about home until
    all limits and the speeds of the legs are satisfied. Prints the gain, the
    gain for limits on single axes, and speeds and forces of the legs. --json
    or --output writes poses and legs over time. With --compensate the
    platform moves against the record to stay fixed in space, and the result
    has the remaining motion.
    """
    from gough.cli.histories import history_answer
    from gough.cli.pose_input import read_timed_poses
    from gough.present.fields import variables

    request = request_of(context)
    m, held, recorded = request.machine, None, gough.motion.recorded
    record = read_timed_poses(file, request.orientation, m.units)
    whole = recorded.RecordedMotion(*record, cutoff=cutoff)
    if not own_axes:
        _note_heading(request, whole.reference_pose("mean"))
    wanted = whole.relative("mean", own_axes=own_axes)
    how: dict[str, Any] = {"gain": gain, "fade": fade}
    if compensate:
        if washout:
            raise InputError("--compensate and --washout are mutually exclusive")
        chosen = AXES if axes is None else tuple(part.strip() for part in axes.split(","))
        how |= {"mount": request.pose("--mount", mount), "axes": chosen}
        held = request.watched("compensating the motion", recorded.compensate, m, wanted, **how)
        wanted, found = held.wanted, held.fitted
    else:
        request.counts_only_with("--compensate", "mount", "axes")
        wanted = recorded.washout(wanted, m.gravity) if washout else wanted
        found = request.watched("fitting the motion", recorded.fit_motion, m, wanted, **how)
    single = recorded.per_axis_scale(m, wanted)
    figure_of, gains = gough.plot.fitted_motion, {f"{found.kind} gain": found}
    request.draw(lambda: figure_of(gains, single) if held is None else gough.plot.compensated_motion(held))
    data = (held or found).forces(None if request.is_for_people else found.motion.resampled(rate)[0])
    written = data.drop_vars("joint_acceleration")  # at the start it depends on the samples
    answer = history_answer(request, written, lambda: _follow_words(request, found, single, held, data))
    fields = [
        *json_of(single, "safe", "alone", under="single_axes."),
        *json_of(found, ("worst", "worst_margin"), "binding", "speed_used"),
        *answer.fields,
    ]
    if held is not None:  # movements of the point of interest in space
        movements = ("uncompensated", "remaining")
        fields += [Field(name, data[name].values, ALONG_AXES, AXES, frame="inertial") for name in movements]
        fields += json_of(held, *(f"rms_{name}" for name in movements))
    request.write(replace(answer, fields=[*fields, *variables(data, {"gain": ""})]))


def _note_heading(request: Request, X: Array) -> None:
    """Say that what moves, with the pose X (4, 4) at the reference, has axes other than the record's."""
    from gough.cli.table import note

    angle = acos(min(max(0.5 * (X[0, 0] + X[1, 1] + X[2, 2] - 1.0), -1.0), 1.0))
    if angle > TURNED:
        note(
            f"at the record's mean what moves is turned by {request.show.with_unit(angle, 'rad', 3)} from the record's "
            "axes, along which displacements, --mount and --axes are taken; with --own-axes they are along its own"
        )


def _follow_words(
    request: Request, found: FittedMotion, single: PerAxisScale, held: CompensatedMotion | None, data: xarray.Dataset
) -> Words:
    from gough.cli.histories import peak_words
    from gough.motion.report import LegWork

    yield from map(sentence, found.sentences())
    yield sentence(single.sentence())
    yield sentence(gough.motion.check_path(request.machine, found.motion).sentence())
    if found.drives_exceeded:
        yield sentence(f"not kept by the drives: {found.drives_exceeded}")
    if held is not None:
        yield "\nMovement in space of the point of interest, without fade-in and fade-out"
        movements = ("peak_uncompensated", "rms_uncompensated", "peak_remaining", "rms_remaining")
        yield request.show.table("axis", AXES, of_result(held, *movements, digits=4))
    if "force" in data:
        yield from peak_words(request, data)
    else:
        yield request.leg_table(LegWork.of(found.extremes).fields(request.machine))
