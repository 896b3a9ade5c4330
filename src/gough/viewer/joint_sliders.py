"""Six sliders of the legs: forward kinematics while they move, staying on the assembly mode."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from gough.viewer.parts import Ask, by_hand, put
from gough.viewer.pose_controller import Mover
from gough.viewer.ranges import joint_range, slider_digits

if TYPE_CHECKING:
    import viser

NAME = "leg sliders"


class JointSliders:
    """One slider for each leg, from its shortest to its longest."""

    def __init__(self, gui: viser.GuiApi, mover: Mover, ask: Ask) -> None:
        self._ask, self._is_waiting = ask, False
        with gui.add_folder("Legs"):
            self._sliders = [gui.add_slider(f"leg {i + 1}", 0.0, 1.0, 0.1, 0.0) for i in range(6)]
        for slider in self._sliders:
            slider.on_update(by_hand(lambda _: self._asked()))
        self.new_machine(mover)

    def new_machine(self, mover: Mover) -> None:
        """Take ranges and units of another machine."""
        machine = mover.machine
        ends = np.stack(joint_range(machine), axis=-1) / machine.joint_scale
        for i, (slider, (low, high)) in enumerate(zip(self._sliders, ends.tolist(), strict=True)):
            digits = slider_digits(machine, low, high, machine.legs.joint_unit)
            slider.label = f"leg {i + 1} [{machine.joint_unit}]"
            slider.min, slider.max = round(low, digits), round(high, digits)
            slider.step, slider.precision = 10.0**-digits, digits
        self._write(mover)

    def show(self, mover: Mover, askers: frozenset[str]) -> None:
        """Put the sliders where the legs are, unless it is they that move them."""
        if askers != {NAME} and not self._is_waiting:
            self._write(mover)

    def _write(self, mover: Mover) -> None:
        for slider, q in zip(self._sliders, mover.q / mover.machine.joint_scale, strict=True):
            if np.isfinite(q):
                put(slider, float(np.round(q, slider.precision + 2)))

    def _asked(self) -> None:
        values = np.array([slider.value for slider in self._sliders])

        self._is_waiting = True

        def move(mover: Mover) -> None:
            mover.to_joints(values * mover.machine.joint_scale)
            self._is_waiting = False

        self._ask(NAME, move)
