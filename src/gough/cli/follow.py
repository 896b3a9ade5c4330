"""`gough follow`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from typer import Argument, Option

import gough
from gough.cli.command import Array, Request, command
from gough.cli.options import option
from gough.errors import InputError
from gough.present.answer import AXES, LEGS, Answer, Field, Words, json_keys, sentence

if TYPE_CHECKING:
    import xarray

    from gough.machine import Machine
    from gough.motion.recorded.compensation import CompensatedMotion
    from gough.motion.recorded.fitting import FittedMotion, PerAxisScale
    from gough.motion.recorded.recorded_motion import RecordedMotion


@dataclass(frozen=True)
class Washout:
    """Options of the filter of motion simulators."""

    washout: bool = option(
        False, "--washout", help="Through a motion simulator's filter: onsets, and tilt for what lasts."
    )
    breaks: str | None = option(
        metavar="X,Y,Z,R,T",
        help="Break frequencies of --washout [rad/s]: of translations along x, y, z, of rotations and of the tilt; "
        "1,1,1,0.5,0.5 if not given.",
    )

    def applied(self, machine: Machine, wanted: RecordedMotion) -> RecordedMotion:
        """The motion through the filter, or as it is."""
        from gough.cli.table import numbers
        from gough.motion.recorded.washout import washout

        if self.breaks is None:
            return washout(wanted, machine.gravity) if self.washout else wanted
        if not self.washout:
            raise InputError("--breaks are those of the washout filter: give --washout as well")
        w = numbers("--breaks", self.breaks, (5,))
        return washout(wanted, machine.gravity, translation=w[:3], rotation=w[3], tilt=float(w[4]))


@dataclass(frozen=True)
class Compensation:
    """Options of a base that moves under the machine."""

    compensate: bool = option(
        False, "--compensate", help="The record is that of the machine's base: keep the platform still in space."
    )
    mount: str | None = option(
        metavar="X,Y,Z[,A,B,C]",
        help="Of --compensate: pose of the base about the recorded point, in the record's axes at --reference.",
    )
    axes: str | None = option(
        metavar="AXIS,...", help="Of --compensate: these of x, y, z, rx, ry, rz in space; all if not given."
    )

    def compensated(
        self, request: Request, base: RecordedMotion, filtered: Washout, **how: Any
    ) -> CompensatedMotion | None:
        """The motion of the base compensated, if the options say so."""
        from gough.motion.recorded.compensation import compensate

        if not self.compensate:
            request.counts_only_with("--compensate", "mount", "axes")
            return None
        if filtered != Washout():
            raise InputError("--compensate keeps the platform still, --washout has a rider feel motion: give one")
        chosen = AXES if self.axes is None else tuple(part.strip() for part in self.axes.split(","))
        place = request.pose("--mount", self.mount)
        return request.watched(
            "compensating the motion", compensate, request.machine, base, mount=place, axes=chosen, **how
        )


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
    cutoff: float | None = Option(None, metavar="HZ", help="Leave out what is quicker; all is kept where not given."),
    filtered: Washout,
    fade: float = Option(2.0, metavar="SECONDS", help="Time to come in from home and to go back.", min=0.0),
    reference: Literal["mean", "first"] = Option("mean", help="Pose of the record that becomes the machine's home."),
    rate: float = Option(50.0, metavar="HZ", help="Samples a second in what is written.", min=0.001),
    still: Compensation,
) -> Answer:
    """Follow a recorded motion as far as there is room.

    Poses of a ship or a vehicle over time in; scaled about home until the
    worst margin of all limits together, and the legs' speeds, allow it.
    Says the gain, beside what limits on single axes would allow, and what
    the legs must do. With --json or --output poses and legs over time.
    With --compensate the platform moves against the record, so that it
    stays where it is in space; the answer has what remains.
    """
    from gough.cli.pose_input import read_timed_poses
    from gough.motion.recorded.fitting import fit_motion, per_axis_scale
    from gough.motion.recorded.recorded_motion import RecordedMotion

    m = request.machine
    record = read_timed_poses(file, request.orientation, m.units)
    wanted = RecordedMotion(*record, cutoff=cutoff).relative(reference)
    how: dict[str, Any] = {"reserve": reserve, "gain": gain, "fade": fade}
    held = still.compensated(request, wanted, filtered, **how)
    if held is None:
        wanted = filtered.applied(m, wanted)
        found = request.watched("fitting the motion", fit_motion, m, wanted, **how)
    else:
        wanted, found = held.wanted, held.fitted
    single = per_axis_scale(m, wanted, reserve=reserve)
    request.draw(lambda: _figure(found, single, gain, held))
    notes = [f"machine {m.name!r} has no masses, so the forces are not known"] if m.platform is None else []
    if request.is_for_people:
        return Answer(words=lambda: _words(request, found, single, gain, held), notes=notes)
    return Answer(_fields(request, found, single, rate, held))


def _figure(found: FittedMotion, single: PerAxisScale, gain: str, held: CompensatedMotion | None) -> Any:
    if held is not None:
        return gough.plot.compensated_motion(held)
    return gough.plot.fitted_motion({f"{gain} gain": found}, single)


def _words(
    request: Request, found: FittedMotion, axes: PerAxisScale, gain: str, held: CompensatedMotion | None
) -> Words:
    import numpy as np

    from gough.cli.compensation import remains
    from gough.cli.histories import limit_notes, loads
    from gough.present.units import percent

    m, worst = request.machine, found.gain.max()
    yield f"Gain: {worst:.4g}." if gain == "single" else f"Gain: {worst:.4g} at most, {found.scale:.4g} in the mean."
    yield f"Limits on single axes would allow {axes.safe:.4g}; each axis alone promises {axes.alone:.4g}."
    yield f"Smallest relative margin: {found.worst:.4g} ({found.binding})."
    yield sentence(gough.motion.check_path(m, found.motion).sentence())
    if np.isfinite(found.speed_used):
        yield f"The fastest leg is at {percent(found.speed_used, 3)} of its top speed."
    if held is not None:
        yield "\nMovement in space of the point of interest, coming in and going out apart"
        yield remains(request, held)
    if m.platform is not None:
        data = _history(m, found, held)
        yield from loads(request, data)
        for each in limit_notes(data, m):
            request.note(each)
        return
    data = _history(m, found, held, np.linspace(*found.motion.span, 4 * len(found.time)))
    q, unit = data["joint"].to_numpy(), m.legs.joint_unit
    columns = [
        Field("", q.min(axis=0), unit, head="lowest"),
        Field("", q.max(axis=0), unit, head="highest"),
        Field("", np.abs(data["joint_rate"].to_numpy()).max(axis=0), f"{unit}/s", head="top speed"),
    ]
    yield request.show.table("leg", LEGS, columns)


def _history(
    machine: Machine, found: FittedMotion, held: CompensatedMotion | None, t: Array | None = None
) -> xarray.Dataset:
    """What the legs do, with forces and powers where masses are known."""
    if machine.platform is None:
        return gough.motion.leg_motion(machine, found.motion, t)
    return gough.dynamics.motion_loads(machine, found.motion, t) if held is None else held.loads(t)


def _fields(
    request: Request, found: FittedMotion, axes: PerAxisScale, rate: float, held: CompensatedMotion | None
) -> list[Field]:
    from gough.cli.compensation import remaining_fields
    from gough.cli.histories import OF_LEGS, with_readings
    from gough.present.fields import variables

    t, _ = found.motion.resampled(rate)
    data = with_readings(_history(request.machine, found, held, t), request.machine)
    titles = {name: OF_LEGS[name] for name in ("joint", "reading", "joint_rate", "force", "power")}
    return [
        *json_keys(single_axes={"safe": axes.safe, "alone": axes.alone}, worst_margin=found.worst),
        *json_keys(binding=found.binding, speed_used=found.speed_used),
        *variables(data, {"time": ""}, is_unit_in_key=True),
        *request.poses(data["pose"].to_numpy()),
        *variables(data, titles, is_unit_in_key=True),
        *([] if held is None else remaining_fields(held, t)),
        Field("gain", found.gain_at(t)),
    ]
