"""Sliders of the tool head's joints, where the machine has a head."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from gough.machine import Machine
from gough.plot._units import decimals, file_unit, in_file_units
from gough.viewer.parts import Ask, by_hand, put
from gough.viewer.pose_controller import Mover

if TYPE_CHECKING:
    import viser

NAME = "head"


class HeadSliders:
    """A folder that is there if there is a head; the tool's tip goes with it, the platform stays."""

    def __init__(self, gui: viser.GuiApi, mover: Mover, ask: Ask) -> None:
        self._gui, self._ask = gui, ask
        self._folder = gui.add_folder("Tool head", visible=False)
        self._sliders: list[viser.GuiSliderHandle[float]] = []

    def new_machine(self, mover: Mover) -> None:
        """Take the joints of another machine's head."""
        for slider in self._sliders:
            slider.remove()
        self._sliders.clear()
        machine = mover.machine
        self._folder.visible = machine.head is not None
        if machine.head is None:
            return
        with self._folder:
            for k in range(len(machine.head.moving)):
                slider = self._slider(machine, k)
                slider.on_update(by_hand(lambda _: self._asked()))
                self._sliders.append(slider)

    def show(self, mover: Mover, askers: frozenset[str]) -> None:
        """Show where a motion has the head."""
        head = mover.machine.head
        if head is not None and askers != {NAME} and len(self._sliders) == len(head.units):
            for slider, value, unit in zip(self._sliders, head.q, head.units, strict=True):
                shown = float(in_file_units(mover.machine, value, unit))
                put(slider, min(max(shown, slider.min), slider.max))

    def _slider(self, machine: Machine, k: int) -> viser.GuiSliderHandle[float]:
        assert machine.head is not None
        joint, unit = machine.head.moving[k], machine.head.units[k]
        half = np.pi if unit == "rad" else 0.3 * machine.size
        ends = [e if np.isfinite(e) else s * half for e, s in ((joint.minimum, -1), (joint.maximum, 1))]
        low, high, now = in_file_units(machine, [*ends, machine.head.q[k]], unit).tolist()
        step = 10.0 ** -min(decimals(machine, unit), 2)
        label = f"{joint.name} [{file_unit(machine, unit)}]"
        return self._gui.add_slider(label, low, high, step, min(max(now, low), high))

    def _asked(self) -> None:
        values = [float(slider.value) for slider in self._sliders]

        def move(mover: Mover) -> None:
            head = mover.machine.head
            if head is not None and len(values) == len(head.units):
                u = mover.machine.units
                size = np.array([u.radians if unit == "rad" else u.metres for unit in head.units])
                mover.turn_head(np.array(values) * size)

        self._ask(NAME, move)
