"""The datasheet in a few lines, for the terminal."""

from __future__ import annotations

from collections.abc import Iterator

from gough.datasheet.build import Report
from gough.datasheet.sections.legs import joint_name
from gough.datasheet.sections.margins import of_legs, tightest, title
from gough.datasheet.sheet import Datasheet
from gough.datasheet.two_stages.build import NAMES
from gough.datasheet.two_stages.sheet import StackedSheet
from gough.limits.travel import travel_fields
from gough.present.answer import Words, aligned
from gough.present.units import force_unit
from gough.quantity import AXES


def summary(report: Report) -> Words:
    """Home, travel with the limits that end it, tightest margin, conditioning; of two stages those of both together."""
    sheet, m = report.sheet, report.sheet.machine
    yield m.title or m.name
    if isinstance(sheet, StackedSheet):
        yield f"{m.name}, two stages, twelve legs\n"
        yield from aligned(_of_two_stages(sheet))
        return
    stage = m.stages[0]
    yield f"{m.name}, six {stage.leg_kind} legs ({stage.legs.title})\n"
    yield sheet.show.table("travel", AXES, travel_fields(sheet.travel))
    yield ""
    yield from aligned(_facts(sheet))


def _facts(sheet: Datasheet) -> Iterator[tuple[str, str]]:
    show, m, margins = sheet.show, sheet.machine, sheet.margins
    unit = m.legs.joint_unit
    yield f"{joint_name(sheet)} at home".capitalize(), f"{show.numbers(sheet.q, unit)} {show.unit(unit)}"
    for k, sentence in enumerate(margins.sentences()):
        yield "" if k else "Home is not allowed", sentence
    if m.payload is not None:
        yield "Payload", f"{m.payload.mass:.6g} kg at {show.point(m.payload.mass_centre)} in the platform"
    yield title(margins), tightest(margins)
    if margins.is_singular:
        yield "Singular", margins.singular_sentence()
    if sheet.guaranteed.proof is not None:
        yield "Proven region", f"the point of interest {sheet.guaranteed.sentence()}"
    condition = f"{float(sheet.conditioning.condition_number):.4g}"
    yield "Condition number", "home is singular" if sheet.is_singular else condition


def _of_two_stages(sheet: StackedSheet) -> Iterator[tuple[str, str]]:
    for name, stage in zip(NAMES, sheet.machine.stages, strict=True):
        yield name, f"{stage.name}: six {stage.leg_kind} legs ({stage.legs.title})"
    smallest = float(of_legs(sheet.margins).smallest)
    yield title(sheet.margins), f"{of_legs(sheet.margins).binding_words}, {smallest:.3g} of its scale"
    if sheet.gain is not None:
        yield "Workspace gain", f"{sheet.gain.gain:.3g} times the larger stage alone, at home's orientation"
    if sheet.balance is not None:
        f = sheet.balance.forces
        low, high = (
            f"{part.min():.4g} to {part.max():.4g} {force_unit(stage)}"
            for part, stage in zip((f[:6], f[6:]), sheet.machine.stages, strict=True)
        )
        yield "Actuators hold at home", f"{low} in the lower stage, {high} in the upper one"
        if sheet.excess_force:
            yield "", sheet.excess_force
