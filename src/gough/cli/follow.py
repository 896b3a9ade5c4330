"""`gough follow`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

import gough
from gough.cli import options
from gough.cli.command import command
from gough.errors import InputError
from gough.present.answer import LEGS, Answer, Field, Words

if TYPE_CHECKING:
    from gough.cli.request import Array, Request
    from gough.machine import Machine
    from gough.motion.recorded.compensation import CompensatedMotion
    from gough.motion.recorded.fitting import FittedMotion, PerAxisScale
    from gough.motion.recorded.recorded_motion import RecordedMotion

File = Annotated[
    str,
    typer.Argument(metavar="FILE", help="CSV file with a column time [s] beside those of poses; - for standard input."),
]
Gain = Annotated[
    Literal["single", "varying"],
    typer.Option(help="One gain for all of the motion, or one that is reduced where it must be."),
]
Reserve = Annotated[
    float, typer.Option(metavar="NUMBER", help="Smallest relative margin to any limit that is left.", min=0.0, max=1.0)
]
Cutoff = Annotated[
    float | None, typer.Option(metavar="HZ", help="Leave out what is quicker; all is kept where not given.")
]
Washout = Annotated[
    bool, typer.Option("--washout", help="Through a motion simulator's filter: onsets, and tilt for what lasts.")
]
Breaks = Annotated[
    str | None,
    typer.Option(
        metavar="X,Y,Z,R,T",
        help="Break frequencies of --washout [rad/s]: of translations along x, y, z, of rotations and of the tilt; "
        "1,1,1,0.5,0.5 if not given.",
    ),
]
Fade = Annotated[float, typer.Option(metavar="SECONDS", help="Time to come in from home and to go back.", min=0.0)]
Reference = Annotated[
    Literal["mean", "first"], typer.Option(help="Pose of the record that becomes the machine's home.")
]
Rate = Annotated[float, typer.Option(metavar="HZ", help="Samples a second in what is written.", min=0.001)]


Compensate = Annotated[
    bool,
    typer.Option("--compensate", help="The record is that of the machine's base: keep the platform still in space."),
]
Mount = Annotated[
    str | None,
    typer.Option(
        metavar="X,Y,Z[,A,B,C]",
        help="Of --compensate: pose of the base about the recorded point, in the record's axes at --reference.",
    ),
]
Axes = Annotated[
    str | None,
    typer.Option(metavar="AXIS,...", help="Of --compensate: these of x, y, z, rx, ry, rz in space; all if not given."),
]


@command("orientation", "payload", "output")
def follow(
    request: Request,
    file: File,
    gain: Gain = "single",
    reserve: Reserve = 0.05,
    cutoff: Cutoff = None,
    washout: Washout = False,
    breaks: Breaks = None,
    fade: Fade = 2.0,
    reference: Reference = "mean",
    rate: Rate = 50.0,
    compensate: Compensate = False,
    mount: Mount = None,
    axes: Axes = None,
    figure: options.Figure = None,
) -> Answer:
    """Follow a recorded motion as far as there is room.

    Poses of a ship or a vehicle over time in; scaled about home until the
    worst margin of all limits together, and the legs' speeds, allow it.
    Says the gain, beside what limits on single axes would allow, and what
    the legs must do. With --json or --output poses and legs over time.
    With --compensate the platform moves against the record, so that it
    stays where it is in space; the answer has what remains.
    """
    from gough.cli.compensation import compensated
    from gough.cli.pose_input import read_timed_poses
    from gough.motion.recorded.fitting import fit_motion, per_axis_scale
    from gough.motion.recorded.recorded_motion import RecordedMotion

    m = request.machine
    record = read_timed_poses(file, request.orientation, m.units)
    wanted = RecordedMotion(*record, cutoff=cutoff).relative(reference)
    how: dict[str, Any] = {"reserve": reserve, "gain": gain, "fade": fade}
    held = None
    if compensate:
        if washout or breaks is not None:
            raise InputError("--compensate keeps the platform still, --washout has a rider feel motion: give one")
        held = compensated(request, wanted, mount, axes, **how)
        wanted, found = held.wanted, held.fitted
    else:
        request.counts_only_with("--compensate", "mount", "axes")
        if washout or breaks is not None:
            wanted = _washed_out(m, wanted, breaks, washout=washout)
        found = request.watched("fitting the motion", fit_motion, m, wanted, **how)
    single = per_axis_scale(m, wanted, reserve=reserve)
    request.draw(figure, lambda: _figure(found, single, gain, held))
    notes = [f"machine {m.name!r} has no masses, so the forces are not known"] if m.platform is None else []
    if request.is_for_people:
        return Answer(words=lambda: _words(request, found, single, gain, held), notes=notes)
    return Answer(_fields(request, found, single, rate, held))


def _figure(found: FittedMotion, single: PerAxisScale, gain: str, held: CompensatedMotion | None) -> Any:
    if held is not None:
        return gough.plot.compensated_motion(held)
    return gough.plot.fitted_motion({f"{gain} gain": found}, single)


def _washed_out(machine: Machine, wanted: RecordedMotion, breaks: str | None, *, washout: bool) -> RecordedMotion:
    from gough.cli.numbers import numbers
    from gough.motion.recorded.washout import washout as wash_out

    if not washout:
        raise InputError("--breaks are those of the washout filter: give --washout as well")
    if breaks is None:
        return wash_out(wanted, machine.gravity)
    w = numbers("--breaks", breaks, (5,))
    return wash_out(wanted, machine.gravity, translation=w[:3], rotation=w[3], tilt=float(w[4]))


def _words(
    request: Request, found: FittedMotion, axes: PerAxisScale, gain: str, held: CompensatedMotion | None
) -> Words:
    import numpy as np

    from gough.cli.compensation import remains
    from gough.cli.histories import limit_notes, loads

    m, worst = request.machine, found.gain.max()
    yield f"Gain: {worst:.4g}." if gain == "single" else f"Gain: {worst:.4g} at most, {found.scale:.4g} in the mean."
    yield f"Limits on single axes would allow {axes.safe:.4g}; each axis alone promises {axes.alone:.4g}."
    yield f"Smallest relative margin: {found.worst:.4g} ({found.binding})."
    proof = gough.motion.check_path(m, found.motion).sentence()
    yield f"{proof[0].upper()}{proof[1:]}."
    if np.isfinite(found.speed_used):
        yield f"The fastest leg is at {100 * found.speed_used:.3g} % of its top speed."
    if held is not None:
        yield "\nMovement in space of the point of interest, coming in and going out apart"
        yield remains(request, held)
    if m.platform is not None:
        data = gough.dynamics.motion_loads(m, found.motion) if held is None else held.loads()
        yield from loads(request, data)
        for each in limit_notes(data, m):
            request.note(each)
        return
    q, qd = _legs(m, found, np.linspace(*found.motion.span, 4 * len(found.time)))[1:]
    unit = m.legs.joint_unit
    columns = [
        Field("", q.min(axis=0), unit, head="lowest"),
        Field("", q.max(axis=0), unit, head="highest"),
        Field("", np.abs(qd).max(axis=0), f"{unit}/s", head="top speed"),
    ]
    yield request.show.table("leg", LEGS, columns)


def _legs(machine: Machine, found: FittedMotion, t: Array) -> tuple[Array, Array, Array]:
    X, V, _ = found.motion(t)
    return X, gough.inverse_kinematics(machine, X), gough.joint_rates(machine, X, V)


def _fields(
    request: Request, found: FittedMotion, axes: PerAxisScale, rate: float, held: CompensatedMotion | None
) -> list[Field]:
    from gough.cli.compensation import remaining_fields

    m, (t, _) = request.machine, found.motion.resampled(rate)
    X, q, qd = _legs(m, found, t)
    unit = m.legs.joint_unit
    fields = [
        Field("single_axes", {"safe": axes.safe, "alone": axes.alone}, is_csv=False),
        Field("worst_margin", found.worst, is_csv=False),
        Field("binding", found.binding, is_csv=False),
        Field("speed_used", found.speed_used, is_csv=False),
        Field("time", t, "s", is_unit_in_key=True),
        *request.poses(X),
        Field("joint", q, unit, LEGS, "q{}", is_unit_in_key=True),
        Field("joint_rate", qd, f"{unit}/s", LEGS, "qd{}", is_unit_in_key=True),
    ]
    if m.platform is not None:
        data = gough.dynamics.motion_loads(m, found.motion, t) if held is None else held.loads(t)
        for name in ("force", "power"):
            values = data[name]
            fields.append(
                Field(name, values.to_numpy(), values.attrs["units"], LEGS, f"{name}{{}}", is_unit_in_key=True)
            )
    if held is not None:
        fields += remaining_fields(held, t)
    return [*fields, Field("gain", found.gain_at(t))]
