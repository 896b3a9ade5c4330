"""Histories over time as answers: netCDF in SI, CSV and JSON in the machine's units, peaks for people."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from gough.cli.command import Request
from gough.dynamics.drive_peaks import drive_peaks
from gough.dynamics.histories import peaks
from gough.limits.margins import margins
from gough.present.answer import LEGS, Answer, Field, Words, json_keys, sentence
from gough.present.fields import variables

if TYPE_CHECKING:
    import xarray

    from gough.machine import Machine

OF_LEGS = {
    "joint": "q{}",
    "reading": "r{}",
    "joint_rate": "qd{}",
    "joint_acceleration": "qdd{}",
    "force": "force{}",
    "power": "power{}",
    "joint_error": "error{}",
}
"""Quantities of the legs over time, and what their columns are called."""
ENERGIES = {"kinetic": "", "potential": "", "energy": ""}


def with_readings(data: xarray.Dataset, machine: Machine) -> xarray.Dataset:
    """A history with what the controller reads and commands, where the machine's file has encoders."""
    if machine.encoders is None:
        return data
    joint = data["joint"]
    return data.assign(reading=(joint.dims, machine.encoders.readings(joint.to_numpy()), joint.attrs))


def history_answer(request: Request, data: xarray.Dataset, words: Callable[[], Words] | None = None) -> Answer:
    """One row for each time, with poses, legs and energies; for people the peaks if no other `words`."""
    data = with_readings(data, request.machine)
    units = {"force": data["force"].attrs["units"], "power": "W"}
    of_peaks = {f"{kind}_{what}": unit for kind in ("peak", "rms") for what, unit in units.items()}
    fields = [
        *variables(data, {"time": ""}, is_unit_in_key=True),
        *request.poses(data["pose"].to_numpy()),
        *variables(data, OF_LEGS | ENERGIES, is_unit_in_key=True),
        *(
            field
            for name, value in data.attrs.items()
            for field in json_keys("", of_peaks.get(name, ""), **{name: value})
        ),
    ]
    notes = limit_notes(data, request.machine)
    return Answer(fields, words or (lambda: loads(request, data)), data=lambda: data, notes=notes)


def loads(request: Request, data: xarray.Dataset) -> Words:
    """Peak and root mean square of force and power, peak speed and used limits of every actuator."""
    unit, found, drives = data["force"].attrs["units"], peaks(data), drive_peaks(request.machine, data)
    fields = [
        Field("", found[f"{kind}_{what}"], unit if what == "force" else "W", head=f"{head} {what}")
        for what in ("force", "power")
        for kind, head in (("peak", "peak"), ("rms", "RMS"))
    ]
    for peak in drives:
        if peak.quantity != "force":
            per = "/s" if peak.quantity == "speed" else "/s2"
            fields.append(Field("", peak.peak, f"{request.machine.legs.joint_unit}{per}", head=f"peak {peak.quantity}"))
    fields += [
        Field("", peak.used, head=f"{peak.quantity} used", digits=3, shown="%")
        for peak in drives
        if peak.used is not None
    ]
    yield request.show.table("leg", LEGS, fields)
    yield sentence(data.attrs["masses"])


def limit_notes(data: xarray.Dataset, machine: Machine) -> list[str]:
    """Which limit of a pose a motion breaks first, which limits of the drives it exceeds, what was saturated.

    A simulation that was stopped has said already at which limit of a pose.
    """
    notes, broken = [], np.flatnonzero(~(data["margin"].to_numpy() >= 0).all(axis=1))
    if len(broken) and not data.attrs.get("stopped_by"):
        k = int(broken[0])
        sentence = margins(machine, data["pose"].to_numpy()[k]).sentences()[0]
        notes.append(f"the motion leaves the machine's limits, from {float(data['time'][k]):.4g} s on: {sentence}")
    if data.attrs["drives_exceeded"]:
        notes.append(f"the motion needs more of the drives than they allow: {data.attrs['drives_exceeded']}")
    return [*notes, *filter(None, [data.attrs.get("saturated")])]
