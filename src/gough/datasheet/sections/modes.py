"""Natural frequencies, where masses and the legs' stiffness are known."""

from __future__ import annotations

from typing import Any

import numpy as np

import gough
from gough.datasheet.model import Card, Column, Facts, Section, Table, Text
from gough.datasheet.sheet import GRID, Datasheet
from gough.limits.ties import in_words
from gough.present.show import jsonable, number, significant
from gough.statics.weights import masses_in_words
from gough.workspaces.minimum import WorkspaceMinimum


def modes(sheet: Datasheet) -> Section | None:
    """Table of the six modes at home and what swings in each, and where in the workspace the lowest is lowest."""
    m = sheet.machine
    is_elastic = m.actuators.stiffness is not None or m.actuators.axial_rigidity is not None
    if m.platform is None or not is_elastic or sheet.is_singular:
        return None
    found = gough.natural_frequencies(m, m.home)
    if not np.isfinite(found.frequency).all():
        return None
    shares = found.energy_shares
    lowest = gough.dynamics.lowest_frequency(m, samples=GRID) if sheet.has_workspace else None
    columns = [Column("mode", is_number=False), Column("frequency", "Hz")]
    columns += [Column(axis, "%") for axis in ("x", "y", "z", "rx", "ry", "rz")]
    rows = [
        [str(k + 1), significant(float(found.frequency[k])), *(number(100 * float(part), 0) for part in shares[k])]
        for k in range(6)
    ]
    return Section(
        key="modes",
        title="Natural frequencies",
        blocks=[
            Text(
                f"The platform on its elastic legs, the drives held; {masses_in_words(m)}. Neither damping nor the "
                "loads that the legs carry change the frequencies here. Shares are those of the kinetic energy of the "
                "platform itself: of its mass centre along, and of its turning about, each axis of the base."
            ),
            Table("Natural frequencies at home and what swings", columns, rows),
            *([Facts([("Lowest found in the workspace", _where(sheet, lowest))])] if lowest else []),
        ],
        cards=[
            Card("Lowest natural frequency", significant(float(found.frequency[0]), 3), "Hz", "at home, drives held")
        ],
        numbers={
            "frequency": jsonable(found.frequency),
            "unit": "Hz",
            "shape": jsonable(found.shape.T),
            "shape_unit": "1/sqrt(kg), 1/(m sqrt(kg)), of the platform's origin",
            "share": jsonable(shares),
            "lowest_in_the_workspace": _lowest_numbers(lowest) if lowest else None,
        },
    )


def _where(sheet: Datasheet, lowest: WorkspaceMinimum) -> str:
    held = in_words(lowest.active_limits) or "no limit"
    place = sheet.show.point(lowest.position)
    return f"{significant(lowest.value)} Hz at {place} and home's orientation, held there by: {held}"


def _lowest_numbers(lowest: WorkspaceMinimum) -> dict[str, Any]:
    return {
        "frequency": jsonable(lowest.value),
        "unit": "Hz",
        "position": jsonable(lowest.position),
        "length_unit": "m",
        "active_limits": list(lowest.active_limits),
    }
