"""Charts of a motion over time with a line at now."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from gough.arrays import Array
from gough.machine import Machine
from gough.plot import _style as style
from gough.present.answer import Field
from gough.present.units import file_unit, force_unit, in_file_units
from gough.quantity import LEGS
from gough.viewer.clips import Clip
from gough.viewer.panels.panel import Panel, hint
from gough.viewer.scheduler import by_hand
from gough.viewer.stage import PoseCoordinates
from gough.viewer.store import State

if TYPE_CHECKING:
    import viser


COLOURS = (style.ACCENT, style.AXES[2], style.AXES[1], "#7c3aed", "#d97706", "#0d8a8a")
"""Of the six legs, and of the first three axes."""
Quantity = Callable[[Machine, Clip, PoseCoordinates], Field]
"""Makes a field of a motion; its value is None where it is not known."""
MOST = 400
"""Samples to which longer motions are thinned, up to twice as many: about the pixels of a chart."""


class Chart:
    """One chart, and a choice of what it shows.

    A plot once made is hidden and shown again, never removed: a message still on its way to a removed one is an error
    on the page. Its series cannot change, so there is one plot for each set of names.
    """

    def __init__(self, panel: Panel, first: str) -> None:
        self._gui, loop, key = panel.gui, panel.store.loop, f"chart {id(self)}"
        self._choice = self._gui.add_dropdown("chart", CHOICES, initial_value=first, hint=hint(first))
        self._slot = self._gui.add_folder(None)
        self._made: dict[tuple[str, ...], viser.GuiUplotHandle] = {}
        self._chart: viser.GuiUplotHandle | None = None
        self._now = 0.0
        self._drawn: tuple[object, ...] = ()
        self._choice.on_update(by_hand(lambda _: loop.post(key, lambda: self.show(panel.store.state))))
        panel.add(self.show)

    def show(self, state: State) -> None:
        """Draw the motion of a state with a line at its time, or nothing."""
        drawn = (state.clip, state.pivot, state.convention, state.origin, self._choice.value)
        if drawn != self._drawn:
            self._drawn = drawn
            self._draw(state)
        elif self._chart is not None and state.time != self._now:
            self._now = state.time
            self._chart.data = self._with_line()

    def _draw(self, state: State) -> None:
        self._choice.hint = hint(self._choice.value)
        if self._chart is not None:
            self._chart.visible = False
            self._chart = None
        clip, self._now = state.clip, state.time
        if clip is None:
            return
        found = quantity(state.stage.machine, clip, self._choice.value, state.coordinates)
        every = max(1, len(clip.time) // MOST)
        self._time = (clip.time - clip.time[0])[::every]
        self._names, self._unit = (found[0], found[2]) if found else (("unknown",), "not known here")
        self._values = found[1][::every] if found else np.full((len(self._time), 1), np.nan)
        title = f"{self._choice.value} [{self._unit}]"
        if self._names in self._made:
            self._chart = self._made[self._names]
            self._chart.title, self._chart.data, self._chart.visible = title, self._with_line(), True
        else:
            self._chart = self._made[self._names] = self._new(title)

    def _new(self, title: str) -> viser.GuiUplotHandle:
        with self._slot:
            return self._gui.add_uplot(
                self._with_line(),
                self._series(),
                title=title,
                scales={"x": {"time": False}, "now": {"auto": False, "range": (0.0, 1.0)}},
                axes=({"label": "time [s]", "labelSize": 18, "size": 30}, {"size": 56}),
                legend={"show": True, "live": False},
                height=176,
                padding=(8, 24, 0, 0),  # half a tick's label at the top, and at the right
            )

    def _series(self) -> Any:
        lines = [
            {"label": name, "stroke": colour, "width": 1.6, "points": {"show": False}}
            for name, colour in zip(self._names, COLOURS, strict=False)
        ]
        line = {"label": "now", "stroke": style.INK, "width": 1.2, "scale": "now", "points": {"show": False}}
        return ({"label": "t"}, *lines, line)

    def _with_line(self) -> tuple[Array, ...]:
        """Time, the quantities, and a vertical line at now."""
        # All series of a plot share their times: two more samples at now carry the line, from 0 to 1 on its own scale.
        t, now = self._time, min(max(self._now, 0.0), float(self._time[-1]))
        k = int(np.searchsorted(t, now, side="right"))
        here = [np.interp(now, t, column) for column in self._values.T]
        columns = [np.insert(column, k, (value, value)) for column, value in zip(self._values.T, here, strict=True)]
        line = np.full(len(t) + 2, np.nan)
        line[k : k + 2] = 0.0, 1.0
        return (np.insert(t, k, (now, now)), *columns, line)


def quantity(
    machine: Machine, clip: Clip, choice: str, coordinates: PoseCoordinates
) -> tuple[tuple[str, ...], Array, str] | None:
    """Names, values (n, k) in the units of the machine's file, and unit of what a chart shows; None if not known."""
    found = QUANTITIES[choice](machine, clip, coordinates)
    if found.value is None:
        return None
    values = in_file_units(machine, found.value, str(found.unit))
    return tuple(map(found.head.format, found.labels)), values, file_unit(machine, str(found.unit))


def _pose(part: slice, unit: str) -> Quantity:
    def field(machine: Machine, clip: Clip, coordinates: PoseCoordinates) -> Field:
        numbers = np.array([coordinates.numbers(machine, X) for X in clip.X])
        return Field("pose", numbers[:, part], unit, coordinates.names[part], "{}", "{}")

    return field


def _legs(key: str, value: Callable[[Clip], Array | None], unit: Callable[[Machine], str]) -> Quantity:
    return lambda machine, clip, _: Field(key, value(clip), unit(machine), LEGS, f"{key}{{}}", "leg {}")


QUANTITIES: dict[str, Quantity] = {
    "leg values": _legs("q", lambda clip: clip.q, lambda machine: machine.legs.joint_unit),
    "position": _pose(slice(0, 3), "m"),
    "angles": _pose(slice(3, 6), "rad"),
    "forces": _legs("force", lambda clip: clip.force, force_unit),
    "powers": _legs("power", lambda clip: clip.power, lambda _: "W"),
}
"""Quantities of a motion: a chart shows one, a table has all."""
CHOICES = tuple(QUANTITIES)
