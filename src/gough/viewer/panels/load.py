"""The load: payload, applied force and moment; forces, stiffness and frequencies at the current pose."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from gough.errors import GoughError
from gough.limits.ties import listed
from gough.present.show import Show
from gough.present.units import file_unit
from gough.viewer.loads import facts_of, forces
from gough.viewer.panels.bars import facts, forces_bars
from gough.viewer.panels.inputs import Input, block, hint, show_all
from gough.viewer.store import State, Store

if TYPE_CHECKING:
    import viser

LAG = 0.1
"""How far the answers may lag behind the machine while it moves [s]."""
UNLOADED = "<div>None: there is no load, and the file gives no masses.</div>"


class LoadPanel:
    """Inputs of the load, and answers that are computed beside the movement.

    Parameters
    ----------
    gui : viser.GuiApi
    store : Store
    answers : viser container
        Where the answers are shown.

    """

    def __init__(self, gui: viser.GuiApi, store: Store, answers: viser.GuiTabHandle) -> None:
        zero = (0.0, 0.0, 0.0)
        handles = {
            "mass": gui.add_number("payload [kg]", 0.0, min=0.0, step=0.1),
            "centre": gui.add_vector3("payload's centre", zero, step=0.1),
            "inertia": gui.add_vector3("its inertia [kg m²]", zero, min=zero, step=0.01),
            "products": gui.add_vector3("its products [kg m²]", zero, step=0.01),
            "force": gui.add_vector3("force [N]", zero, step=1.0),
            "moment": gui.add_vector3("moment [N m]", zero, step=1.0),
            "direction": gui.add_vector3("stiffness along", (0.0, 0.0, 1.0), step=0.1),
        }
        for handle in handles.values():
            handle.hint = hint(handle.label)
        gui.add_markdown(
            "The payload is on the end platform, and its centre in that frame; its moments xx, yy, zz and products xy, "
            "xz, yz of inertia are about that centre. Force and moment act at the point of interest, in the base's "
            "axes, as does the direction of the stiffness."
        )
        self.inputs = {name: _load_input(store, handle, name) for name, handle in handles.items()}
        with answers:
            self._forces, self._facts = gui.add_html(""), gui.add_html("")
        self._task = store.task("load", is_quick=True, delay=LAG, may_lag=True)
        self.show(store.state)

    def show(self, state: State) -> None:
        """Show the inputs of a state and the last answers, and have new ones computed."""
        self.inputs["centre"].handle.label = f"payload's centre [{file_unit(state.machine, 'm')}]"
        show_all(list(self.inputs.values()), state)
        self._task.request((state.stages, state.active, state.load_inputs), lambda _: answers(state))
        if "load" in state.results:
            self._forces.content, self._facts.content = state.results["load"].value


def answers(state: State) -> tuple[str, str]:
    """Actuator forces, stiffness, speed and frequencies under the load, as HTML."""
    machine, X, load = state.stage.machine, state.stage.X, state.load
    what = carried(state)
    try:
        found = forces(machine, X, load)
        bars = forces_bars(machine, found) if found.any() or what != "load" else UNLOADED
    except GoughError as error:
        bars = f"<div>{escape(str(error))}</div>"
    title = f'<b>Actuator forces</b> <span style="opacity:0.65">of {what}, at rest</span>'
    rows = Show(machine).pairs(facts_of(machine, X, load))
    other = "" if len(state.stages) < 2 else ", the other stage rigid"
    return block("forces", title + bars), facts(f"At this pose{other}", rows) if rows else ""


def carried(state: State) -> str:
    """What the actuators hold, and a stage above that is not counted because its masses are not known."""
    machine, above = state.stage.machine, state.load.above
    known = {"platform": machine.platform, "legs": machine.leg_bodies, "upper stage": above, "load": True}
    rest = " without the upper stage, whose masses are not known" if above is None else ""
    return listed(part for part, is_known in known.items() if is_known) + rest * state.has_stage_above


def _load_input(store: Store, handle: object, name: str) -> Input:
    def change(state: State, value: object) -> State:
        return state.with_load(state.load_inputs._replace(**{name: value}))  # type: ignore[arg-type]

    return Input(store, handle, lambda state: getattr(state.load_inputs, name), change)
