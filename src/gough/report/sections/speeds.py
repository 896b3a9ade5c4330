"""Top speeds at home, where the drives' top speeds are known."""

from __future__ import annotations

import numpy as np

from gough.analysis.travel import AXES
from gough.report.datasheet import Datasheet
from gough.report.model import Card, Column, Section, Table, Text
from gough.report.show import jsonable, significant


def speeds(sheet: Datasheet) -> Section | None:
    """Guaranteed speed along each axis alone: the least over the legs of top speed / |Jacobian element|."""
    m, show = sheet.machine, sheet.show
    if m.limits.joint_speed is None:
        return None
    J_qV = np.abs(sheet.jacobian_at(m.point_of_interest))
    with np.errstate(divide="ignore", invalid="ignore"):
        per_leg = m.limits.joint_speed[:, None] / J_qV
    top, slowest = per_leg.min(axis=0), per_leg.argmin(axis=0)
    si = ["m"] * 3 + ["rad"] * 3
    shown = [float(show.plain(v, s)) if np.isfinite(v) else np.inf for v, s in zip(top, si, strict=True)]
    units = [f"{show.unit(s)}/s" for s in si]
    rows = [[axis, significant(shown[k]), units[k], f"leg {slowest[k] + 1}"] for k, axis in enumerate(AXES)]
    columns = [Column("axis", is_number=False), Column("top speed"), Column("unit", is_number=False)]
    least = [min(shown[:3]), min(shown[3:])]
    return Section(
        key="speeds",
        title="Speeds at home",
        blocks=[
            Text(
                "Speed of the point of interest along, and about, each axis alone that no drive has to exceed its top speed "
                f"for. Top speed of the drives: {_drive_speed(sheet)}."
            ),
            Table("Guaranteed top speed, one axis at a time", [*columns, Column("set by", is_number=False)], rows),
        ],
        cards=[Card("Top speed at home", f"{significant(least[0], 3)} {units[0]}", f"and {significant(least[1], 3)} {units[3]}")],
        numbers={
            axis: {"top_speed": jsonable(shown[k]), "unit": units[k], "leg": int(slowest[k]) + 1}
            for k, axis in enumerate(AXES)
        },
    )


def _drive_speed(sheet: Datasheet) -> str:
    show, si = sheet.show, sheet.machine.legs.joint_unit
    values = sorted({significant(float(show.plain(v, si))) for v in np.asarray(sheet.machine.limits.joint_speed)})
    return f"{' to '.join(dict.fromkeys((values[0], values[-1])))} {show.unit(si)}/s"
