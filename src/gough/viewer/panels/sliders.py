"""Sliders of the pose, of the legs and of the tool head: what each shows, and where it moves the machine."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from gough.arrays import Array
from gough.machine import Machine
from gough.present.units import decimals, file_unit, in_file_units
from gough.viewer.coordinates import joint_range, pose_range, slider_digits
from gough.viewer.panels.inputs import hint
from gough.viewer.scheduler import by_hand, put
from gough.viewer.stage import Stage
from gough.viewer.store import State, Store

if TYPE_CHECKING:
    import viser


SI = ("m", "m", "m", "rad", "rad", "rad")
"""Units of a pose's coordinates."""


@dataclass(frozen=True)
class Slider:
    """What one slider shows, in the units of the machine's file."""

    label: str
    low: float
    high: float
    digits: int
    value: float
    words: str
    """What its numbers mean."""


Describe = Callable[[State], list[Slider]]
Move = Callable[[State, Array], Stage]


def pose_sliders(state: State) -> list[Slider]:
    """Six coordinates of the active stage's pose."""
    machine, coordinates = state.stage.machine, state.coordinates
    middle, half = coordinates.numbers(machine, machine.X_home), pose_range(machine)
    values = coordinates.numbers(machine, state.stage.X)
    found = []
    for k, name in enumerate(coordinates.names):
        low, high = np.sort(in_file_units(machine, [middle[k] - half[k], middle[k] + half[k]], SI[k]))
        digits = slider_digits(machine, low, high, SI[k])
        ends = (np.floor(low), np.ceil(high)) if high - low >= 10 else (round(low, digits), round(high, digits))
        value = float(in_file_units(machine, values[k], SI[k]).round(digits + 2)) + 0.0
        words = hint("position" if SI[k] == "m" else "angles")
        label = f"{name} [{file_unit(machine, SI[k])}]"
        found.append(Slider(label, float(ends[0]), float(ends[1]), digits, value, words))
    return found


def to_pose(state: State, values: Array) -> Stage:
    """The active stage at six coordinates."""
    machine = state.stage.machine
    return state.stage.to(state.coordinates.pose(machine, values * _sizes(machine, SI)))


def leg_sliders(state: State) -> list[Slider]:
    """Six joint values of the active stage, from the shortest leg to the longest."""
    machine = state.stage.machine
    ends = np.stack(joint_range(machine), axis=-1) / machine.displayed_joint_size
    found = []
    for i, ((low, high), q) in enumerate(zip(ends.tolist(), state.stage.q / machine.displayed_joint_size, strict=True)):
        digits = slider_digits(machine, low, high, machine.legs.joint_unit)
        label = f"leg {i + 1} [{machine.displayed_joint_unit}]"
        value = float(np.round(q, digits + 2)) + 0.0
        found.append(Slider(label, round(low, digits), round(high, digits), digits, value, hint("leg values")))
    return found


def to_joints(state: State, values: Array) -> Stage:
    """The active stage at six joint values, by forward kinematics on its assembly mode."""
    return state.stage.to_joints(values * state.stage.machine.displayed_joint_size)


def head_sliders(state: State) -> list[Slider]:
    """Joint values of the tool head, where the machine has one."""
    machine = state.stage.machine
    if machine.head is None:
        return []
    found = []
    for joint, unit, now in zip(machine.head.moving, machine.head.units, machine.head.q, strict=True):
        half = np.pi if unit == "rad" else 0.3 * machine.size
        ends = [e if np.isfinite(e) else s * half for e, s in ((joint.minimum, -1), (joint.maximum, 1))]
        low, high, value = in_file_units(machine, [*ends, now], unit).tolist()
        label = f"{joint.name} [{file_unit(machine, unit)}]"
        value = min(max(value, low), high)
        found.append(Slider(label, low, high, min(decimals(machine, unit), 2), value, hint("head")))
    return found


def to_head(state: State, values: Array) -> Stage:
    """The active stage with its tool head at joint values; the platform stays, the tip moves."""
    head = state.stage.machine.head
    if head is None or len(values) != len(head.units):
        return state.stage
    return state.stage.with_head(values * _sizes(state.stage.machine, head.units))


def _sizes(machine: Machine, units: tuple[str, ...]) -> Array:
    """The file's units of length and angle in SI."""
    return np.array([machine.units.radians if unit == "rad" else machine.units.metres for unit in units])


class SliderGroup:
    """A folder of sliders, there where it has any.

    While they are dragged they are not written: the machine may have stopped at a limit, and the sliders go on.

    Parameters
    ----------
    gui : viser.GuiApi
    store : Store
    name : str
        Title of the folder.
    describe : callable
        The sliders of a state.
    move : callable
        The active stage after a state, at values of the sliders.

    """

    def __init__(self, gui: viser.GuiApi, store: Store, name: str, describe: Describe, move: Move) -> None:
        self._gui, self._store, self._describe, self._move = gui, store, describe, move
        self.folder, self._hand = gui.add_folder(name), f"{name} sliders"
        self._handles: list[viser.GuiSliderHandle[float]] = []
        self.show(store.state)

    def show(self, state: State) -> None:
        """Show the values of a state, unless it is these sliders that move the machine."""
        if state.hand == self._hand or self._store.is_waiting(self._hand):
            return
        sliders = self._describe(state)
        self.folder.visible = bool(sliders)
        if len(sliders) != len(self._handles):
            self._make(len(sliders))
        for handle, slider in zip(self._handles, sliders, strict=True):
            handle.label, handle.hint, handle.min, handle.max = slider.label, slider.words, slider.low, slider.high
            handle.step, handle.precision = 10.0**-slider.digits, slider.digits
            if np.isfinite(slider.value):
                put(handle, slider.value)

    def _make(self, count: int) -> None:
        for handle in self._handles:
            handle.remove()
        with self.folder:
            self._handles = [self._gui.add_slider(f"{self._hand} {k}", 0.0, 1.0, 0.1, 0.0) for k in range(count)]
        for handle in self._handles:
            handle.on_update(by_hand(lambda _: self._moved()))

    def _moved(self) -> None:
        """Move the machine to where all sliders are."""
        values = np.array([handle.value for handle in self._handles])
        self._store.update(self._hand, lambda state: state.moved(self._move(state, values), self._hand))
