"""Steps by keys: small moves about and along the base's axes, home, the first look."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from gough.plot._units import file_unit
from gough.viewer.parts import Ask, by_hand
from gough.viewer.pose_controller import Mover
from gough.viewer.pose_coordinates import Reading
from gough.viewer.ranges import pose_range

if TYPE_CHECKING:
    import viser

KEYS = (("J", "L"), ("K", "I"), ("U", "O"))
"""For less and more of x, y, z; with Shift of the three angles."""
PARTS = {"coarse": 0.1, "middle": 0.02, "fine": 0.004}
"""Of the way from home to a slider's end, rounded."""


class Keyboard:
    """Commands with hot keys, which the command palette (Ctrl K) lists."""

    def __init__(self, gui: viser.GuiApi, mover: Mover, ask: Ask, reading: Callable[[], Reading]) -> None:
        self._ask, self._reading, self._count = ask, reading, 0
        self._size = gui.add_dropdown("key steps", tuple(PARTS), initial_value="middle")
        self._size.on_update(by_hand(lambda _: self._tell(mover)))
        self._help = gui.add_markdown("")
        for k, pair in enumerate(KEYS):
            for sign, key in zip((-1, 1), pair, strict=True):
                for turn in (False, True):
                    self._command(gui, k + 3 * turn, sign, key, shift=turn)
        home = gui.add_command("Go home", hotkey="H")
        home.on_trigger(by_hand(lambda _: ask("home", lambda mover: mover.home())))
        self.new_machine(mover)

    def new_machine(self, mover: Mover) -> None:
        """Take the step sizes of another machine."""
        self._machine = mover.machine
        self._range = pose_range(mover.machine)
        self._tell(mover)

    def show(self, mover: Mover, askers: frozenset[str]) -> None:
        """Nothing: keys show nothing."""

    @property
    def steps(self) -> tuple[float, float]:
        """Length [m] and angle [rad] of a step: round numbers of the machine's units."""
        u, part = self._machine.units, PARTS[self._size.value]
        ways = self._range[:3].min() / u.metres, self._range[3:].min() / u.radians
        length, angle = (round_number(part * float(way)) for way in ways)
        return length * u.metres, angle * u.radians

    def _tell(self, mover: Mover) -> None:
        u, (length, angle) = self._machine.units, self.steps
        self._help.content = (
            f"**J L** x, **K I** y, **U O** z by {length / u.metres:g} {file_unit(self._machine, 'm')}; with **Shift** "
            f"turns by {angle / u.radians:g} {file_unit(self._machine, 'rad')}; **H** home; **Space** plays. "
            "Click the scene first."
        )

    def _command(self, gui: viser.GuiApi, k: int, sign: int, key: str, *, shift: bool) -> None:
        """One command that changes the k-th number of the pose."""
        what = ("x", "y", "z", "first angle", "second angle", "third angle")[k]
        label = f"{'More' if sign > 0 else 'Less'} {what}"
        command = gui.add_command(label, hotkey=key, modifier="shift" if shift else None)  # type: ignore[arg-type]
        command.on_trigger(by_hand(lambda _: self._step(k, sign)))

    def _step(self, k: int, sign: int) -> None:
        """Ask for one step; quick ones each count, so each is a wish of its own."""

        def move(mover: Mover) -> None:
            reading = self._reading()
            numbers = reading.numbers(mover.machine, mover.X)
            numbers[k] += sign * self.steps[k // 3]
            mover.to(reading.pose(mover.machine, numbers))

        self._count += 1
        self._ask(f"key {self._count}", move)


def round_number(value: float) -> float:
    """The largest of 1, 2, 5 times a power of ten that is not above a value."""
    power = 10.0 ** np.floor(np.log10(value))
    return float(max(k * power for k in (1, 2, 5) if k * power <= value * (1 + 1e-9)))
