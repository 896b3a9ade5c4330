"""`gough follow`."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import acos
from typing import TYPE_CHECKING, Any, Literal

from typer import Argument, Option

import gough
from gough.cli.command import Request, command
from gough.cli.options import option
from gough.errors import InputError
from gough.present.answer import Answer, Field, Words, json_of, of_result, sentence
from gough.quantity import ALONG_AXES, AXES

if TYPE_CHECKING:
    import xarray

    from gough.arrays import Array
    from gough.motion.recorded import CompensatedMotion, FittedMotion, PerAxisScale, RecordedMotion

TURNED = 0.1
"""Turn of what moves from the record's axes that is worth a note [rad]."""


@dataclass(frozen=True)
class Washout:
    """Options of the washout filter of motion simulators."""

    washout: bool = option(
        False, "--washout", help="Classical washout filter of motion simulators, with tilt coordination."
    )
    breaks: str | None = option(
        metavar="X,Y,Z,R,T",
        help="Break frequencies of --washout [rad/s]: of translations along x, y, z, of rotations and of the tilt; "
        "1,1,1,0.5,0.5 if not given.",
    )

    def applied(self, request: Request, wanted: RecordedMotion) -> RecordedMotion:
        """The motion, filtered if requested."""
        w = request.numbers("--breaks", self.breaks, (5,))
        if not self.washout:
            request.counts_only_with("--washout", "breaks")
            return wanted
        how: dict[str, Any] = {} if w is None else {"translation": w[:3], "rotation": w[3], "tilt": float(w[4])}
        return gough.motion.recorded.washout(wanted, request.machine.gravity, **how)


@dataclass(frozen=True)
class Compensation:
    """Options of a base that moves under the machine."""

    compensate: bool = option(
        False, "--compensate", help="The record is that of the machine's base: keep the platform still in space."
    )
    mount: str | None = option(
        metavar="X,Y,Z[,A,B,C]",
        help="Of --compensate: pose of the base about the recorded point at --reference, in the record's axes or, "
        "with --own-axes, in those of what moves.",
    )
    axes: str | None = option(
        metavar="AXIS,...", help="Of --compensate: these of x, y, z, rx, ry, rz in space; all if not given."
    )

    def compensated(self, request: Request, base: RecordedMotion, filtered: Washout, **how: Any) -> CompensatedMotion:
        """The motion that compensates the base's."""
        if filtered != Washout():
            raise InputError("--compensate keeps the platform still, --washout has a rider feel motion: give one")
        chosen = AXES if self.axes is None else tuple(part.strip() for part in self.axes.split(","))
        how |= {"mount": request.pose("--mount", self.mount), "axes": chosen}
        compensate = gough.motion.recorded.compensate
        return request.watched("compensating the motion", compensate, request.machine, base, **how)


@command("orientation", "payload", "figure", "output")
def follow(
    request: Request,
    *,
    file: str = Argument(
        metavar="FILE", help="CSV file with a column time [s] beside those of poses; - for standard input."
    ),
    gain: Literal["single", "varying"] = Option(
        "single", help="One gain for all of the motion, or one that is reduced where it must be."
    ),
    reserve: float = Option(
        0.05, metavar="NUMBER", help="Smallest relative margin to any limit that is left.", min=0.0, max=1.0
    ),
    cutoff: float | None = Option(None, metavar="HZ", help="Cutoff of a low-pass filter; unfiltered where not given."),
    filtered: Washout,
    fade: float = Option(2.0, metavar="SECONDS", help="Time to come in from home and to go back.", min=0.0),
    reference: Literal["mean", "first"] = Option("mean", help="Pose of the record that becomes the machine's home."),
    own_axes: bool = Option(
        False,
        "--own-axes",
        help="Displacements along the axes of what moves, as they are at --reference: a ship rolls about its bow, "
        "whatever its heading. Along the record's axes without.",
    ),
    rate: float = Option(50.0, metavar="HZ", help="Samples a second in what is written.", min=0.001),
    still: Compensation,
) -> Answer:
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

    m, held, recorded = request.machine, None, gough.motion.recorded
    record = read_timed_poses(file, request.orientation, m.units)
    whole = recorded.RecordedMotion(*record, cutoff=cutoff)
    if not own_axes:
        _note_heading(request, whole.reference_pose(reference))
    wanted = whole.relative(reference, own_axes=own_axes)
    how: dict[str, Any] = {"reserve": reserve, "gain": gain, "fade": fade}
    if still.compensate:
        held = still.compensated(request, wanted, filtered, **how)
        wanted, found = held.wanted, held.fitted
    else:
        request.counts_only_with("--compensate", "mount", "axes")
        wanted = filtered.applied(request, wanted)
        found = request.watched("fitting the motion", recorded.fit_motion, m, wanted, **how)
    single = recorded.per_axis_scale(m, wanted, reserve=reserve)
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
    return replace(answer, fields=fields)


def _note_heading(request: Request, X: Array) -> None:
    """Say that what moves, with the pose X (4, 4) at the reference, has axes other than the record's."""
    from gough.cli.table import note

    angle = acos(min(max(0.5 * (X[0, 0] + X[1, 1] + X[2, 2] - 1.0), -1.0), 1.0))
    if angle > TURNED:
        note(
            f"at --reference what moves is turned by {request.show.with_unit(angle, 'rad', 3)} from the record's axes, "
            "along which displacements, --mount and --axes are taken; with --own-axes they are along its own"
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
