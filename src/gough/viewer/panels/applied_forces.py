"""The load: payload, applied force and moment; forces, stiffness and frequencies at the current pose."""

from __future__ import annotations

from html import escape
from typing import Any

from gough.errors import GoughError
from gough.limits.ties import listed
from gough.present.show import Show
from gough.present.units import file_unit
from gough.viewer.applied_forces import LARGEST, NOTHING, facts_of, forces
from gough.viewer.panels.bars import facts, forces_bars
from gough.viewer.panels.panel import Panel, block, hint
from gough.viewer.store import State

LAG = 0.1
"""Time by which results may lag behind the machine while it moves [s]."""
NO_WEIGHT = "<div>None: there is no load, and the file gives no masses.</div>"
DECIMALS = 6
"""Decimals that can be typed: a centre in metres, or the inertia of a small payload, has more than its step."""
NOT_NEGATIVE, ENDS = (0.0, 0.0, 0.0), {"min": (-LARGEST,) * 3, "max": (LARGEST,) * 3}
INPUTS: dict[str, tuple[str, str, dict[str, Any]]] = {
    "mass": ("number", "payload [kg]", {"min": 0.0, "max": LARGEST, "step": 0.1}),
    "centre": ("vector3", "payload's centre", {**ENDS, "step": 0.1}),
    "inertia": ("vector3", "its inertia [kg m²]", {**ENDS, "min": NOT_NEGATIVE, "step": 0.01}),
    "products": ("vector3", "its products [kg m²]", {**ENDS, "step": 0.01}),
    "force": ("vector3", "force [N]", {**ENDS, "step": 1.0}),
    "moment": ("vector3", "moment [N m]", {**ENDS, "step": 1.0}),
    "direction": ("vector3", "stiffness along", {**ENDS, "step": 0.1}),
}
"""Kind of widget, label and options of each field of `gough.viewer.applied_forces.ForceInputs`."""
CONVENTIONS = (
    "The payload is on the end platform, and its centre in that frame; its moments xx, yy, zz and products xy, xz, yz "
    "of inertia are about that centre. Force and moment act at the point of interest, in the base's axes, as does the "
    "direction of the stiffness."
)


def forces_panel(panel: Panel) -> None:
    """Inputs: payload, force and moment, direction of the stiffness."""
    for name in INPUTS:
        _add_input(panel, name)
    panel.gui.add_markdown(CONVENTIONS)


def _add_input(panel: Panel, name: str) -> None:
    def change(state: State, value: Any) -> State:
        return state.with_forces(state.force_inputs._replace(**{name: value}))

    kind, label, options = INPUTS[name]
    handle = getattr(panel.gui, f"add_{kind}")(label, getattr(NOTHING, name), hint=hint(label), **options)
    handle.precision = DECIMALS  # viser takes no more decimals than the step has
    panel.bind(handle, lambda state: getattr(state.force_inputs, name), change)
    if name == "centre":
        panel.follow(handle, label=lambda state: f"{label} [{file_unit(state.machine, 'm')}]")


def response_panel(panel: Panel) -> None:
    """Forces, stiffness, speed and frequencies under the load, computed while the machine moves on."""
    panel.text(lambda state: state.results["forces"].value[0] if "forces" in state.results else "")
    panel.text(lambda state: state.results["forces"].value[1] if "forces" in state.results else "")
    panel.compute(
        "forces",
        lambda state: (state.stages, state.active, state.force_inputs),
        lambda state, _: response(state),
        loop=panel.store.slow,
        delay=LAG,
        may_lag=True,
    )


def response(state: State) -> tuple[str, str]:
    """Actuator forces under the load, and stiffness, speed and frequencies, as two blocks of HTML."""
    machine, X, applied = state.stage.machine, state.stage.X, state.applied
    bodies = weighing_bodies(state)
    try:
        found = forces(machine, X, applied)
        bars = forces_bars(machine, found) if found.any() or bodies != "load" else NO_WEIGHT
    except GoughError as error:
        bars = f"<div>{escape(str(error))}</div>"
    title = f'<b>Actuator forces</b> <span style="opacity:0.65">of {bodies}, at rest</span>'
    rows = Show(machine).pairs(facts_of(machine, X, applied))
    other = "" if len(state.stages) < 2 else ", the other stage rigid"
    return block("forces", title + bars), facts(f"At this pose{other}", rows) if rows else ""


def weighing_bodies(state: State) -> str:
    """Bodies whose weight the actuators hold, and a stage above that is left out because its masses are not known."""
    machine, above = state.stage.machine, state.applied.above
    known = {"platform": machine.platform, "legs": machine.leg_bodies, "upper stage": above, "load": True}
    omitted = " without the upper stage, whose masses are not known" if above is None and state.has_stage_above else ""
    return listed(part for part, is_known in known.items() if is_known) + omitted
