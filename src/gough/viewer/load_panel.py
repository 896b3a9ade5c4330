"""What the pose is worth, told beside the machine: payload and direction are asked for, answers follow the pose."""

from __future__ import annotations

from collections.abc import Callable
from html import escape
from typing import TYPE_CHECKING

import numpy as np

from gough.errors import GoughError
from gough.limits.ties import listed
from gough.machine import Machine
from gough.plot._units import file_unit
from gough.viewer.bars import BOX, facts, forces_bars
from gough.viewer.loop import Loop
from gough.viewer.parts import NOBODY, by_hand, put
from gough.viewer.pose_controller import Mover
from gough.viewer.quantities import Load, facts_of, forces
from gough.viewer.stack import Stack

if TYPE_CHECKING:
    import viser

LAG = 0.1
"""How far the answers may lag behind the machine while it moves [s]."""


class Asking:
    """Inputs of the load, and two blocks of answers that are computed beside the movement, never in its way.

    Parameters
    ----------
    gui : viser.GuiApi
    mover : Mover
    slow : Loop
        On which it computes.
    answers : viser container
        Where the answers stand.
    stack : callable
        Gives the stages, of which the upper one is a load of the lower one.

    Attributes
    ----------
    changed : callable
        Called when the load has changed.

    """

    def __init__(
        self, gui: viser.GuiApi, mover: Mover, slow: Loop, answers: viser.GuiTabHandle, stack: Callable[[], Stack]
    ) -> None:
        self._slow, self._mover, self._stack = slow, mover, stack
        self.changed: Callable[[], None] = lambda: None
        self._mass = gui.add_number("payload [kg]", 0.0, min=0.0, step=0.1)
        self._centre = gui.add_vector3("its centre", (0.0, 0.0, 0.0), step=0.1)
        self._force = gui.add_vector3("force [N]", (0.0, 0.0, 0.0), step=1.0)
        self._moment = gui.add_vector3("moment [N m]", (0.0, 0.0, 0.0), step=1.0)
        self._direction = gui.add_vector3("stiffness along", (0.0, 0.0, 1.0), step=0.1)
        gui.add_markdown(
            "The payload's centre is in the platform's frame; force and moment act at the point of interest, in the "
            "base's axes, as does the direction in which stiffness is asked for."
        )
        with answers:
            self._forces = gui.add_html("")
            self._facts = gui.add_html("")
        for box in (self._mass, self._centre, self._force, self._moment, self._direction):
            box.on_update(by_hand(lambda _: self._changed()))

    def new_machine(self, mover: Mover) -> None:
        """Take the units of another machine; its payload hangs at the point of interest."""
        machine = mover.machine
        self._mover = mover
        self._centre.label = f"its centre [{file_unit(machine, 'm')}]"
        put(self._centre, tuple((machine.point_of_interest / machine.units.metres).round(6).tolist()))
        self.show(mover, NOBODY)

    def show(self, mover: Mover, askers: frozenset[str]) -> None:
        """Answer soon."""
        self._slow.post("facts", lambda: self._answer(mover), LAG)

    @property
    def load(self) -> Load:
        """What the inputs say, in SI, with the stage above; gravity is that in the base of the stage in hand."""
        stack = self._stack()
        is_stacked = len(stack.movers) > 1
        return Load(
            float(self._mass.value),
            np.array(self._centre.value) * self._mover.machine.units.metres,
            np.array([*self._force.value, *self._moment.value], dtype=float),
            np.array(self._direction.value, dtype=float),
            stack.above,
            stack.gravity if is_stacked else None,
        )

    def chosen(self) -> dict[str, list[float]]:
        """What the inputs say, in the units they show, by name."""
        boxes = (self._centre, self._force, self._moment, self._direction)
        names = ("centre", "force", "moment", "direction")
        return {"mass": [float(self._mass.value)]} | {
            name: [float(v) for v in box.value] for name, box in zip(names, boxes, strict=True)
        }

    def choose(self, wanted: dict[str, list[float]]) -> None:
        """Set the inputs that are named."""
        boxes = {"centre": self._centre, "force": self._force, "moment": self._moment, "direction": self._direction}
        for name, box in boxes.items():
            if len(wanted.get(name, ())) == 3:
                put(box, tuple(map(float, wanted[name])))
        if len(wanted.get("mass", ())) == 1:
            put(self._mass, float(wanted["mass"][0]))
        self._changed()

    def _changed(self) -> None:
        self.show(self._mover, NOBODY)
        self.changed()

    def _answer(self, mover: Mover) -> None:
        machine, X, load = mover.machine, mover.X, self.load
        unit = "N" if machine.legs.joint == "length" else "N m"
        try:
            bars = forces_bars(forces(machine, X, load), machine.limits.actuator_force, unit)
        except GoughError as error:
            bars = f"<div>{escape(str(error))}</div>"
        words = f"{self._carried(machine, load)}, at rest"
        title = f'<b>Actuator forces</b> <span style="opacity:0.65">{words}</span>'
        self._forces.content = f'<div style="{BOX}">{title}{bars}</div>'
        rows = facts_of(machine, X, load)
        other = "" if len(self._stack().movers) < 2 else ", the other stage rigid"
        self._facts.content = facts(f"At this pose{other}", rows) if rows else ""

    def _carried(self, machine: Machine, load: Load) -> str:
        """What the actuators hold, and a stage above that is not counted, its masses not being known."""
        known = {"platform": machine.platform, "legs": machine.leg_bodies, "upper stage": load.above, "load": True}
        rest = " without the upper stage, whose masses are not known" if load.above is None else ""
        return listed(part for part, is_known in known.items() if is_known) + rest * self._stack().has_stage_above
