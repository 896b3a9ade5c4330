"""`gough follow --compensate`: what the base does, and what remains at the platform."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from gough.cli.command import Array, Request
from gough.motion.recorded.compensation import CompensatedMotion
from gough.present.answer import ALONG_AXES, AXES, Field, Table, json_keys

if TYPE_CHECKING:
    pass


def remains(request: Request, found: CompensatedMotion) -> Table:
    """For people: peak and RMS of each axis, with the platform held at home and compensated."""
    columns = [
        Field("", values, ALONG_AXES, head=head, digits=4)
        for head, values in (
            ("held, peak", found.peak(found.uncompensated)),
            ("held, RMS", found.rms(found.uncompensated)),
            ("compensated, peak", found.peak(found.remaining)),
            ("compensated, RMS", found.rms(found.remaining)),
        )
    ]
    return request.show.table("axis", AXES, columns)


def remaining_fields(found: CompensatedMotion, t: Array) -> list[Field]:
    """Movements of the point of interest in space over times (n,), for programs."""
    fields = []
    for key, values in (("uncompensated", found.uncompensated), ("remaining", found.remaining)):
        at = np.stack([np.interp(t, found.time, column) for column in values.T], axis=-1)
        fields.append(Field(key, at, ALONG_AXES, AXES, f"{key}_{{}}"))
        fields += json_keys("rms_", ALONG_AXES, **{key: found.rms(values)})
    return fields
