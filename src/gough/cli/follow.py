"""`gough follow`."""

from __future__ import annotations

from dataclasses import replace
from math import acos
from typing import TYPE_CHECKING, Annotated, Any, Literal

from typer import Argument, Context, Option

import gough
from gough.cli.command import request_of
from gough.cli.options import Figure, Json, MachineName, Options, Output, Sequences, flag, number, text
from gough.errors import InputError
from gough.present.answer import Field, Words, json_of, of_result, sentence
from gough.quantity import ALONG_AXES, AXES

if TYPE_CHECKING:
    import xarray

    from gough.arrays import Array
    from gough.cli.request import Request
    from gough.motion.recorded import CompensatedMotion, FittedMotion, PerAxisScale

TURNED = 0.1
"""Turn of what moves from the record's axes that is worth a note [rad]."""


def follow(
    context: Context, machine: MachineName,
    file: Annotated[
        str, Argument(metavar="FILE", help="CSV file with a column time [s] beside those of poses; - for standard "
                      "input.")
    ],
    gain: Annotated[
        Literal["single", "varying"],
        Option(help="One gain for all of the motion, or one that is reduced where it must be."),
    ] = "single",
    cutoff: Annotated[float | None, number("HZ", "Cutoff of a low-pass filter; unfiltered where not given.")] = None,
    washout: Annotated[
        bool, flag("--washout", "Classical washout filter of motion simulators, with tilt coordination.")
    ] = False,
    fade: Annotated[float, number("SECONDS", "Time to come in from home and to go back.", low=0.0)] = 2.0,
    own_axes: Annotated[
        bool,
        flag("--own-axes", "Displacements along the axes of what moves, as they are at the record's mean: a ship rolls "
             "about its bow, whatever its heading. Along the record's axes without."),
    ] = False,
    rate: Annotated[float, number("HZ", "Samples a second in what is written.", low=0.001)] = 50.0,
    compensate: Annotated[
        bool, flag("--compensate", "The record is that of the machine's base: keep the platform still in space.")
    ] = False,
    mount: Annotated[
        str | None,
        text("X,Y,Z[,A,B,C]", "Of --compensate: pose of the base about the recorded point at the record's mean, in the "
             "record's axes or, with --own-axes, in those of what moves."),
    ] = None,
    axes: Annotated[
        str | None, text("AXIS,...", "Of --compensate: these of x, y, z, rx, ry, rz in space; all if not given.")
    ] = None,
    sequence: Sequences = None, figure: Figure = None, as_json: Json = False, output: Output = None,
) -> None:  # fmt: skip
    """Fit a recorded motion into the machine's limits.

    Poses of a ship or a vehicle over time in; scaled about home until the
    worst margin of all limits together, and the legs' speeds, allow it.
    Reports the gain, beside that under limits on single axes, and speeds
    and forces of the legs. With --json or --output poses and legs over time.
    With --compensate the platform moves against the record, so that it
    stays where it is in space; the answer has what remains.
    """
    from gough.cli.histories import history_answer
    from gough.cli.pose_input import read_timed_poses
    from gough.present.fields import variables

    given = Options(sequence=sequence, figure=figure, as_json=as_json, output=output)
    request = request_of(context, machine, given)
    m, held, recorded = request.machine, None, gough.motion.recorded
    record = read_timed_poses(file, request.orientation, m.units)
    whole = recorded.RecordedMotion(*record, cutoff=cutoff)
    if not own_axes:
        _note_heading(request, whole.reference_pose("mean"))
    wanted = whole.relative("mean", own_axes=own_axes)
    how: dict[str, Any] = {"gain": gain, "fade": fade}
    if compensate:
        if washout:
            raise InputError("--compensate keeps the platform still, --washout has a rider feel motion: give one")
        chosen = AXES if axes is None else tuple(part.strip() for part in axes.split(","))
        how |= {"mount": request.pose("--mount", mount), "axes": chosen}
        held = request.watched("compensating the motion", recorded.compensate, m, wanted, **how)
        wanted, found = held.wanted, held.fitted
    else:
        request.counts_only_with("--compensate", "mount", "axes")
        wanted = recorded.washout(wanted, m.gravity) if washout else wanted
        found = request.watched("fitting the motion", recorded.fit_motion, m, wanted, **how)
    single = recorded.per_axis_scale(m, wanted)
    if held is None:
        request.draw(lambda: gough.plot.fitted_motion({f"{found.kind} gain": found}, single))
    else:
        request.draw(lambda: gough.plot.compensated_motion(held))
    data = (held or found).forces(None if request.is_for_people else found.motion.resampled(rate)[0])
    written = data.drop_vars("joint_acceleration")  # at the start it depends on the samples
    answer = history_answer(request, written, lambda: _words(request, found, single, held, data))
    fields = [
        *json_of(single, "safe", "alone", under="single_axes."),
        *json_of(found, ("worst", "worst_margin"), "binding", "speed_used"),
        *answer.fields,
        *_movements(held, data),
        *variables(data, {"gain": ""}),
    ]
    request.write(replace(answer, fields=fields))


def _note_heading(request: Request, X: Array) -> None:
    """Say that what moves, with the pose X (4, 4) at the reference, has axes other than the record's."""
    from gough.cli.table import note

    angle = acos(min(max(0.5 * (X[0, 0] + X[1, 1] + X[2, 2] - 1.0), -1.0), 1.0))
    if angle > TURNED:
        note(
            f"at the record's mean what moves is turned by {request.show.with_unit(angle, 'rad', 3)} from the record's "
            "axes, along which displacements, --mount and --axes are taken; with --own-axes they are along its own"
        )


def _words(
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
        yield "\nMovement in space of the point of interest, coming in and going out apart"
        movements = ("peak_uncompensated", "rms_uncompensated", "peak_remaining", "rms_remaining")
        yield request.show.table("axis", AXES, of_result(held, *movements, digits=4))
    if "force" in data:
        yield from peak_words(request, data)
    else:
        yield request.leg_table(LegWork.of(found.extremes).fields(request.machine))


def _movements(held: CompensatedMotion | None, data: xarray.Dataset) -> list[Field]:
    """Movements of the point of interest in space over time, and their root mean squares."""
    if held is None:
        return []
    return [
        *(
            Field(name, data[name].values, ALONG_AXES, AXES, frame="inertial")
            for name in ("uncompensated", "remaining")
        ),
        *json_of(held, "rms_uncompensated", "rms_remaining"),
    ]
