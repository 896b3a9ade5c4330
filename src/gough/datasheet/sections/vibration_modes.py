"""Natural frequencies, if masses and the legs' stiffness are known."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

import gough
from gough.datasheet.model import Card, Section, Text, facts, warnings
from gough.datasheet.sections.stiffness import lowest_place
from gough.datasheet.sheet import GRID, Sheet
from gough.dynamics.natural_frequencies import SHAPE
from gough.present.answer import Field, of_result
from gough.statics.weights import inertia_in_words

HELD = "at home, drives held"


def vibration_modes(sheet: Sheet[Any]) -> Section | None:
    """Table of the modes at home with the shares of their kinetic energy, and the lowest frequency in the workspace."""
    m, show = sheet.machine, sheet.show
    if any(stage.platform is None for stage in m.stages) or not sheet.is_elastic or sheet.is_singular:
        return None
    found, weighing = gough.natural_frequencies(m, m.home), gough.natural_frequencies(m, m.home, gravity=True)
    if not np.isfinite(found.frequency[0]):
        return None
    swings = (
        *of_result(found, "frequency"),
        *(replace(each, digits=3) for each in found.swings),
    )
    lowest = _lowest(sheet)
    return Section(
        key="modes",
        title="Natural frequencies",
        blocks=[
            Text(
                f"The platform on its elastic legs, the drives held; {inertia_in_words(m, has_drives=False)}. "
                "Neither damping nor the loads that the legs carry change the frequencies here. Shares refer to "
                f"the kinetic energy of the {m.moving_platforms} itself: of its mass centre along, and of its turning "
                "about, each axis of the base."
            ),
            *warnings(found.missing(), "" if weighing.is_stable else f"Under the weights {weighing.missing()}"),
            show.table("mode", sheet.legs, swings, "Natural frequencies at home and what swings"),
            *([facts(show, lowest)] if sheet.has_workspace else []),
        ],
        cards=[
            Card("Lowest natural frequency", show.short(found.frequency[0], "Hz"), "Hz", HELD, of=("frequency",)),
        ],
        fields=[
            *swings,
            Field("is_stable_under_weights", bool(weighing.is_stable),
                doc="Whether home is a stable equilibrium under all known weights: K plus their geometric "
                "stiffness, the second derivative of the whole potential energy, has no negative "
                "eigenvalue."),
            Field("shape", found.shape.T, SHAPE * len(m.stages), frame="base",
                doc="s of each frequency (rows), [translation, rotation] of the platform's origin, s^T M s = "
                "1."),
            *lowest,
        ],
    )  # fmt: skip


def _lowest(sheet: Sheet[Any]) -> list[Field]:
    """Smallest lowest frequency in the workspace, and where it is."""
    key = "lowest_in_the_workspace"
    if not sheet.has_workspace:
        return []
    found = gough.dynamics.lowest_frequency(sheet.machine, samples=GRID)
    return lowest_place(found, key, "Lowest found in the workspace", name="frequency")
