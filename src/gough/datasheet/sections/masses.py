"""Masses of the platform and of the legs' parts, if they are known."""

from __future__ import annotations

import numpy as np

from gough.datasheet.model import Section
from gough.datasheet.sheet import Datasheet
from gough.present.answer import Field

PRODUCTS = {"xx": (0, 0), "yy": (1, 1), "zz": (2, 2), "xy": (0, 1), "xz": (0, 2), "yz": (1, 2)}


def masses(sheet: Datasheet) -> Section | None:
    """Mass, mass centre and inertia of every known body."""
    m = sheet.machine
    bodies = {**m.platform_parts, **m.leg_parts}
    if not bodies:
        return None
    names, each = list(bodies), list(bodies.values())
    inertia = np.array([body.inertia for body in each])
    # The six independent entries of each inertia matrix, in the order of the columns.
    products = np.stack([inertia[:, i, j] for i, j in PRODUCTS.values()], axis=1)
    mass, centre = [body.mass for body in each], np.array([body.mass_centre for body in each])
    columns = (
        Field("{}.mass", mass, "kg", head="mass"),
        Field("{}.mass_centre", centre, "m", tuple("xyz"), head="centre {}"),
        Field("{}.inertia", products, "kg m²", tuple(PRODUCTS), head="J{}"),
    )
    return Section(
        key="masses",
        title="Masses",
        blocks=[sheet.show.table("body", names, columns, "Bodies, each in its own frame; inertia about mass centre")],
        fields=[
            Field("{}.mass", mass, "kg", names, doc="The machine file's."),
            Field("{}.mass_centre", centre, "m", names, frame="part",
                doc="In the part's frame (docs/machine-files.md)."),
            Field("{}.inertia", inertia, "kg m2", names, frame="part",
                doc="Inertia matrix about the mass centre, in the part's axes."),
        ],
        is_folded=True,
    )  # fmt: skip
