"""Six sliders of the pose, about a chosen pivot, in a chosen convention."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

import gough
from gough.plot._units import file_unit, in_file_units
from gough.viewer.parts import Ask, by_hand, put
from gough.viewer.pose_controller import Mover
from gough.viewer.pose_coordinates import BASE, HOME, Reading, pivots
from gough.viewer.ranges import pose_range, slider_digits

if TYPE_CHECKING:
    import viser

NAME = "pose sliders"
ORIGINS = {"displacement from home": HOME, "place in the base": BASE}
SI = ("m", "m", "m", "rad", "rad", "rad")


class PoseSliders:
    """Sliders for x, y, z and three angles, with what they mean."""

    def __init__(self, gui: viser.GuiApi, mover: Mover, ask: Ask) -> None:
        self._mover, self._ask, self._is_waiting = mover, ask, False
        self._pivots = pivots(mover.machine)
        with gui.add_folder("Pose"):
            self._sliders = [gui.add_slider(name, -1.0, 1.0, 0.1, 0.0) for name in "xyzabc"]
            self._pivot = gui.add_dropdown("turns about", tuple(self._pivots))
            self._origin = gui.add_dropdown("numbers are", tuple(ORIGINS))
            titles = tuple(f"{c.title}, {c.formula}" for c in gough.frames.CONVENTIONS.values())
            self._convention = gui.add_dropdown("angles after", titles)
            self._names = dict(zip(titles, gough.frames.CONVENTIONS, strict=True))
        for slider in self._sliders:
            slider.on_update(by_hand(lambda _: self._asked()))
        for choice in (self._pivot, self._origin, self._convention):
            choice.on_update(by_hand(lambda _: ask("reading", self._refresh)))
        self.new_machine(mover)

    @property
    def reading(self) -> Reading:
        """What the six numbers mean now."""
        return Reading(
            self._pivots[self._pivot.value], self._names[self._convention.value], ORIGINS[self._origin.value]
        )

    def choose(self, wanted: dict[str, str]) -> None:
        """Set what the numbers mean; names that do not exist are left as they are."""
        pivot, convention, origin = (wanted.get(name, "") for name in ("pivot", "convention", "origin"))
        titles = {name: title for title, name in self._names.items()}
        places = {value: title for title, value in ORIGINS.items()}
        if pivot in self._pivots:
            put(self._pivot, pivot)
        put(self._convention, titles.get(convention, self._convention.value))
        put(self._origin, places.get(origin, self._origin.value))
        self._refresh(self._mover)

    def chosen(self) -> dict[str, str]:
        """What `choose` takes."""
        return {"pivot": self._pivot.value, "convention": self.reading.convention, "origin": self.reading.origin}

    def new_machine(self, mover: Mover) -> None:
        """Take ranges, units and pivots of another machine."""
        self._mover, self._pivots = mover, pivots(mover.machine)
        if tuple(self._pivots) != self._pivot.options:
            self._pivot.options = tuple(self._pivots)
        self._refresh(mover)

    def show(self, mover: Mover, askers: frozenset[str]) -> None:
        """Put the sliders where the machine is, unless it is they that move it."""
        if "head" in askers:  # the point of interest goes with the tool
            self.new_machine(mover)
        elif askers != {NAME} and not self._is_waiting:
            self._write(mover)

    def _refresh(self, mover: Mover) -> None:
        """Ranges and names of the sliders, then their values."""
        machine, reading = mover.machine, self.reading
        middle = reading.numbers(machine, machine.X_home)
        half = pose_range(machine)
        for k, (slider, name) in enumerate(zip(self._sliders, reading.names, strict=True)):
            low, high = np.sort(in_file_units(machine, [middle[k] - half[k], middle[k] + half[k]], SI[k]))
            digits = slider_digits(machine, low, high, SI[k])
            slider.label = f"{name} [{file_unit(machine, SI[k])}]"
            slider.min, slider.max = float(np.floor(low)), float(np.ceil(high))
            if high - low < 10:
                slider.min, slider.max = round(float(low), digits), round(float(high), digits)
            slider.step, slider.precision = 10.0**-digits, digits
        self._write(mover)

    def _write(self, mover: Mover) -> None:
        values = self.reading.numbers(mover.machine, mover.X)
        for slider, value, unit in zip(self._sliders, values, SI, strict=True):
            put(slider, float(in_file_units(mover.machine, value, unit).round(slider.precision + 2)))

    def _asked(self) -> None:
        """Go to where all six sliders are; until then nothing else writes them."""
        values = np.array([slider.value for slider in self._sliders])
        self._is_waiting = True

        def move(mover: Mover) -> None:
            u = mover.machine.units
            size = np.array([u.metres] * 3 + [u.radians] * 3)
            mover.to(self.reading.pose(mover.machine, values * size))
            self._is_waiting = False

        self._ask(NAME, move)
