"""Motions of the options, and histories over time as answers: rows for each time, and peaks for people."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from gough.cli.pose_input import read_timed_poses
from gough.dynamics.drive_peaks import QUANTITIES, peak_fields, peak_unit
from gough.dynamics.motions import NAMED, SplineMotion, named_motion
from gough.errors import InputError, nearest
from gough.present.answer import Answer, Field, Words, json_keys, sentence
from gough.present.fields import variables
from gough.quantity import LEGS, of_legs

if TYPE_CHECKING:
    import xarray

    from gough.cli.request import Request
    from gough.dynamics.motions import Motion
    from gough.stacked import AnyMachine

OF_LEGS = {
    "joint": "q{}",
    "reading": "r{}",
    "joint_rate": "qd{}",
    "joint_acceleration": "qdd{}",
    "force": "force{}",
    "power": "power{}",
    "joint_error": "error{}",
}
"""Quantities of the legs over time, and the titles of their columns."""
ENERGIES = {"kinetic": "", "potential": "", "energy": ""}


def read_motion(request: Request) -> Motion | None:
    """Return the motion of --motion: Sinatra's by name, or a spline through the poses of a table."""
    given = request.options
    if given.motion is None:
        request.counts_only_with("--motion", "amplitude", "half_period")
        return None
    m = request.any_machine
    if given.motion in NAMED:
        amplitude = request.amount(given.amplitude, "rad" if given.motion == "rotation" else "m")
        return named_motion(m, given.motion, amplitude, given.half_period)
    request.counts_only_with("a named motion", "half_period")
    if given.amplitude is not None:
        raise InputError(
            f"--amplitude applies only to the named motions {', '.join(NAMED)}; {given.motion} has its own"
        )
    if "." not in given.motion and given.motion != "-" and not Path(given.motion).exists():
        hint, names = nearest(given.motion, NAMED), ", ".join(NAMED)
        raise InputError(f"--motion {given.motion}: neither a file nor a named motion: {names}.{hint}")
    time, X = read_timed_poses(given.motion, request.orientation, m.units)
    request.note_displacements(X)
    return SplineMotion(time, X)


def history_answer(request: Request, data: xarray.Dataset, words: Callable[[], Words] | None = None) -> Answer:
    """Return one row for each time, with poses, legs and energies; for people `words`, by default the peaks."""
    m = request.any_machine
    units: dict[str, str | tuple[str, ...]] = {
        what: "W" if what == "power" else of_legs(m, partial(peak_unit, quantity=what)) for what in QUANTITIES.values()
    }
    of_peaks = {f"{kind}_{what}": unit for kind in ("peak", "rms") for what, unit in units.items()}
    attrs = (json_keys("", of_peaks.get(name, ""), **{name: value}) for name, value in data.attrs.items())
    fields = [*over_time(request, data), *(field for each in attrs for field in each)]
    return Answer(fields, words or (lambda: peak_words(request, data)), data=lambda: data, notes=limit_notes(data, m))


def over_time(request: Request, data: xarray.Dataset) -> list[Field]:
    """Return times, poses, legs and energies of a history."""
    return [
        *variables(data, {"time": ""}),
        *request.all_poses(data["pose"].to_numpy()),
        *_of_legs(data),
    ]


def peak_words(request: Request, data: xarray.Dataset) -> Words:
    """Yield peak and RMS of force and power, peak speed and utilisation of limits of every actuator."""
    yield request.leg_table(peak_fields(request.any_machine, data))
    yield sentence(data.attrs["masses"])


def _of_legs(data: xarray.Dataset) -> list[Field]:
    """Legs and energies of a history; "m or rad", where stages differ, becomes the unit of each leg."""
    found = variables(data, OF_LEGS | ENERGIES)
    for k, each in enumerate(found):
        if " or " in str(each.unit):
            units = [unit for unit in str(each.unit).split(" or ") for _ in LEGS]
            found[k] = replace(each, unit=units)
    return found


def limit_notes(data: xarray.Dataset, machine: AnyMachine) -> list[str]:
    """Return limits of poses that a motion breaks, limits of the drives that it exceeds, and saturation.

    A simulation that was stopped names its limit itself.
    """
    if "force" not in data:
        return [f"machine {machine.name!r} has no masses, so the forces are not known"]
    notes = []
    if data.attrs.get("limits_broken") and not data.attrs.get("stopped_by"):
        notes.append(f"the motion leaves the machine's limits: {data.attrs['limits_broken']}")
    if data.attrs["drives_exceeded"]:
        notes.append(f"the motion needs more of the drives than they allow: {data.attrs['drives_exceeded']}")
    return [*notes, *filter(None, [data.attrs["unresolved"], data.attrs.get("saturated")])]
