"""The tab of moving: sliders of the pose, of the legs and of the tool head, gizmo, keys and switches."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import count
from typing import Any

import numpy as np

import gough
from gough.arrays import Array
from gough.machine import Machine
from gough.present.show import Show, plain
from gough.present.units import decimals, file_unit, in_file_units, round_number, to_si
from gough.quantity import ALONG_AXES, LEGS
from gough.viewer.panels.panel import Panel, block, hint
from gough.viewer.scene.handles import GIZMO_MODES
from gough.viewer.scheduler import by_hand
from gough.viewer.stage import BASE, HOME, Stage, pivots
from gough.viewer.store import State
from gough.viewer.viser_parts import mark_ends

BEYOND = 1.15
"""Slider range, as a multiple of the travel: a little more, so that one sees what stops the machine."""
UNLIMITED = np.array([0.4, 1.0])
"""Half the range where nothing limits it: as a part of the machine's size, and [rad]."""
DIGITS, FEWEST_STEPS = 3, 500
"""Largest number of decimals, except where fewer than `STEPS` steps would remain: small machines have tiny strokes."""
LONGEST = 7
"""Characters of the numbers under the ends of a slider: two of them fit below it."""


@dataclass(frozen=True)
class Slider:
    """What one slider shows, in the units of the machine's file; `hint` defines its numbers."""

    label: str
    low: float
    high: float
    digits: int
    value: float
    hint: str


Describe = Callable[[State], list[Slider]]
Move = Callable[[State, Array], Stage]


def pose_sliders(state: State) -> list[Slider]:
    """Return six coordinates of the active stage's pose."""
    machine, coordinates = state.stage.machine, state.coordinates
    middle, half = coordinates.numbers(machine, machine.X_home), pose_range(machine)
    values, labels = coordinates.numbers(machine, state.stage.X), ["position"] * 3 + ["angles"] * 3
    return _sliders(machine, coordinates.names, ALONG_AXES, (middle - half, middle + half), values, labels)


def to_pose(state: State, values: Array) -> Stage:
    """Return the active stage at six coordinates."""
    machine = state.stage.machine
    return state.stage.to(state.coordinates.pose(machine, to_si(machine, values, ALONG_AXES)))


def leg_sliders(state: State) -> list[Slider]:
    """Return six joint values of the active stage, from the shortest leg to the longest."""
    machine, names = state.stage.machine, [f"leg {leg}" for leg in LEGS]
    units = [machine.legs.joint_unit] * 6
    return _sliders(machine, names, units, joint_range(machine), state.stage.q, ["leg values"] * 6)


def to_joints(state: State, values: Array) -> Stage:
    """Return the active stage at six joint values, by forward kinematics on its assembly mode."""
    machine = state.stage.machine
    return state.stage.to_joints(to_si(machine, values, machine.legs.joint_unit))


def head_sliders(state: State) -> list[Slider]:
    """Return joint values of the tool head, where the machine has one."""
    machine, head = state.stage.machine, state.stage.machine.head
    if head is None:
        return []
    far = np.array([np.pi if unit == "rad" else 0.3 * machine.size for unit in head.units])
    low, high = (np.array([getattr(joint, end) for joint in head.moving]) for end in ("minimum", "maximum"))
    low, high = np.where(np.isfinite(low), low, -far), np.where(np.isfinite(high), high, far)
    names = [joint.name for joint in head.moving]
    return _sliders(machine, names, head.units, (low, high), np.clip(head.q, low, high), ["head"] * len(names))


def to_head(state: State, values: Array) -> Stage:
    """Return the active stage with its tool head at joint values; the platform stays, the tip moves."""
    head = state.stage.machine.head
    if head is None or len(values) != len(head.units):
        return state.stage
    return state.stage.with_head(to_si(state.stage.machine, values, head.units))


def _sliders(
    machine: Machine, names: Sequence[str], units: Sequence[str], ends: tuple[Array, Array], values: Array,
    labels: Sequence[str],
) -> list[Slider]:  # fmt: skip
    """Sliders from SI, with the definitions of `labels`."""
    found = []
    for k, (low, high, value) in enumerate(np.array([in_file_units(machine, x, units) for x in (*ends, values)]).T):
        digits = slider_digits(machine, low, high, units[k])
        # Ranges of ten or more in the file's unit are widened to whole numbers.
        has_whole_ends = high - low >= 10
        lowest = np.floor(low) if has_whole_ends else round(low, digits)
        highest = np.ceil(high) if has_whole_ends else round(high, digits)
        label = f"{names[k]} [{file_unit(machine, units[k])}]"
        shown = float(np.round(value, digits + 2)) + 0.0  # no negative zero
        found.append(Slider(label, float(lowest), float(highest), digits, shown, hint(labels[k])))
    return found


def end_labels(slider: Slider) -> tuple[str, str]:
    """Return numbers under both ends: with as many decimals as have room, and so many at least that the two differ."""
    ends = (slider.low, slider.high)
    labels = [tuple(_shortest(end, digits) for end in ends) for digits in range(slider.digits, -1, -1)]
    distinct = [(low, high) for low, high in labels if low != high]
    return next((pair for pair in distinct if max(map(len, pair)) <= LONGEST), distinct[-1])


def _shortest(value: float, digits: int) -> str:
    """A number rounded to so many decimals, written plainly or with a power of ten, whichever is shorter."""
    plain = np.format_float_positional(round(value, digits) + 0.0, trim="-")
    power = np.format_float_scientific(round(value, digits) + 0.0, trim="-", exp_digits=1)
    return min(plain, power, key=len)


@lru_cache(maxsize=8)
def pose_range(machine: Machine) -> Array:
    """Return half the range of the pose sliders: displacements from home along and about each axis (6,) [m, rad]."""
    unlimited = np.repeat(UNLIMITED * (machine.size, 1.0), 3)
    directions = np.concatenate([np.eye(6), -np.eye(6)])
    farthest = gough.travel(machine, directions).distance.reshape(2, 6).max(axis=0)
    # No travel at all, as from a home pose that is not allowed, would leave a slider without a range.
    is_known = np.isfinite(farthest) & (farthest > 1e-6 * unlimited)
    return np.where(is_known, np.minimum(BEYOND * np.where(is_known, farthest, 0.0), 2.5 * unlimited), unlimited)


@lru_cache(maxsize=8)
def joint_range(machine: Machine) -> tuple[Array, Array]:
    """Return the range of the leg sliders: lowest and highest joint coordinates (6,) [m or rad]."""
    half = 0.4 * machine.size if machine.legs.joint == "length" else np.pi
    home = np.nan_to_num(gough.inverse_kinematics(machine, machine.X_home))
    low, high = machine.limits.joint_min, machine.limits.joint_max
    return np.where(np.isfinite(low), low, home - half), np.where(np.isfinite(high), high, home + half)


def slider_digits(machine: Machine, low: float, high: float, si_unit: str) -> int:
    """Return decimals of a slider from `low` to `high` in the file's units."""
    needed = np.ceil(np.log10(FEWEST_STEPS / abs(high - low)) - 1e-9)
    return max(min(decimals(machine, si_unit), DIGITS), int(needed))


class SliderGroup:
    """A folder of sliders, hidden where there are none.

    Parameters
    ----------
    panel : Panel
    name : str
        Title of the folder.
    describe : callable
        The sliders of a state.
    move : callable
        The active stage after a state, at values of the sliders.

    """

    def __init__(self, panel: Panel, name: str, describe: Describe, move: Move) -> None:
        self._gui, self._store, self._describe, self._move = panel.gui, panel.store, describe, move
        self.folder, self._hand = panel.gui.add_folder(name), f"{name} sliders"
        self._handles: list[Any] = []
        self._shown: list[tuple[float, float]] = []
        panel.add(self._show)

    def _show(self, state: State) -> None:
        # Sliders that moved the machine last are not written: they may be dragged on beyond a limit that stopped it.
        if state.hand == self._hand or self._store.is_waiting(self._hand):
            return
        sliders = self._describe(state)
        self.folder.visible = bool(sliders)
        if len(sliders) != len(self._handles):
            self._make(len(sliders))
        for handle, slider in zip(self._handles, sliders, strict=True):
            handle.label, handle.hint, handle.min, handle.max = slider.label, slider.hint, slider.low, slider.high
            handle.step, handle.precision = 10.0**-slider.digits, slider.digits
            mark_ends(handle, *end_labels(slider))
        self._shown = [(round(slider.value, slider.digits) + 0.0, slider.value) for slider in sliders]
        for handle, (shown, value) in zip(self._handles, self._shown, strict=True):
            if np.isfinite(value):
                handle.value = shown

    def _make(self, count: int) -> None:
        for handle in self._handles:
            handle.remove()
        with self.folder:
            self._handles = [self._gui.add_slider(f"{self._hand} {k}", 0.0, 1.0, 0.1, 0.0) for k in range(count)]
        for handle in self._handles:
            handle.on_update(by_hand(lambda _: self._moved()))

    def _moved(self) -> None:
        """Move the machine to the values of all sliders."""
        # Values are written rounded, in one format. Those that nobody has changed keep their other digits.
        known = zip(self._handles, self._shown, strict=True)
        values = np.array([value if handle.value == shown else handle.value for handle, (shown, value) in known])
        self._store.update(self._hand, lambda state: state.moved(self._move(state, values), self._hand))


STAGES = {"lower stage": 0, "upper stage": 1}
ORIGINS = {"from home": HOME, "in the base": BASE}
CONVENTIONS = {name: name for name in gough.frames.CONVENTIONS}
MEANINGS = "; ".join(f"{name}: {c.title}, {c.formula}" for name, c in gough.frames.CONVENTIONS.items())
KEYS = (("J", "L"), ("K", "I"), ("U", "O"))
"""For less and more of x, y, z; with Shift of the three angles."""
KEY_STEPS = {"coarse": 0.1, "medium": 0.02, "fine": 0.004}
"""Key steps as parts of half the range of the slider with the shortest one, rounded down."""
COORDINATES = ("x", "y", "z", "first angle", "second angle", "third angle")


def move_panel(panel: Panel) -> None:
    """Build all controls that move the machine except playback."""
    gui = panel.gui
    panel.choice(
        "active stage",
        lambda _: STAGES,
        lambda state: state.active,
        State.activated,
        visible=lambda state: len(state.stages) > 1,
    )
    panel.button("Home", "home", _home)
    with SliderGroup(panel, "Pose", pose_sliders, to_pose).folder:
        _coordinate(panel, "pivot", "pivot", lambda state: {name: name for name in pivots(state.stage.machine)})
        _coordinate(panel, "origin", "coordinates", lambda _: ORIGINS)
        _coordinate(panel, "convention", "angles", lambda _: CONVENTIONS, MEANINGS)
    SliderGroup(panel, "Tool head", head_sliders, to_head)
    SliderGroup(panel, "Legs", leg_sliders, to_joints)
    with gui.add_folder("Gizmo, keys and drawing"):
        panel.field(gui.add_dropdown("gizmo", GIZMO_MODES), "gizmo")
        panel.field(gui.add_dropdown("key steps", tuple(KEY_STEPS), hint=hint("key steps")), "key_step")
        panel.text(_key_help)
        _add_keys(panel)
        panel.bind(gui.add_checkbox("stop at limits", True), lambda state: state.stage.keeps_limits, _limited)
        shadows = gui.add_checkbox("shadows and edges", True, hint="Without a graphics card this is slow.")
        panel.field(shadows, "shadows")
        panel.field(gui.add_checkbox("frames", False), "frames")
        panel.field(gui.add_checkbox("leg numbers", True), "numbers")


def _coordinate(
    panel: Panel, name: str, title: str, options: Callable[[State], dict[str, str]], words: str | None = None
) -> None:
    """A choice of what the six coordinates mean: a field of the state."""

    def chosen(state: State, value: Any) -> State:
        # No slider has moved the machine: those that are being dragged are written again, with their new meaning.
        return replace(state, hand="coordinates", **{name: value})

    panel.choice(title, options, lambda state: getattr(state, name), chosen, words)


def _add_keys(panel: Panel) -> None:
    """Commands with hot keys, which the command palette (Ctrl K) lists."""
    presses = count()

    def add(k: int, sign: int, key: Any, modifier: Any) -> None:
        label = f"{'More' if sign > 0 else 'Less'} {COORDINATES[k]}"
        command = panel.gui.add_command(label, hotkey=key, modifier=modifier)

        def pressed(_: object) -> None:
            # A key of its own for each press: the store would keep only the last of several presses in a row.
            panel.store.update(f"key {next(presses)}", lambda state: state.moved(_stepped(state, k, sign), "keys"))

        command.on_trigger(by_hand(pressed))

    for k, pair in enumerate(KEYS):
        for sign, key in zip((-1, 1), pair, strict=True):
            add(k, sign, key, None)
            add(k + 3, sign, key, "shift")
    home = panel.gui.add_command("Go home", hotkey="H")
    home.on_trigger(by_hand(lambda _: panel.store.update("home", _home)))


def _key_help(state: State) -> str:
    show, (length, angle) = Show(state.stage.machine), key_steps(state)
    sizes = [f"{plain(show.in_units(step, unit))} {show.unit(unit)}" for step, unit in ((length, "m"), (angle, "rad"))]
    return block(
        "key steps",
        f"<b>J L</b> x, <b>K I</b> y, <b>U O</b> z by {sizes[0]}; with <b>Shift</b> turns by {sizes[1]}; "
        "<b>H</b> home; <b>Space</b> plays. Click the scene first.",
    )


def key_steps(state: State) -> Array:
    """Return the length [m] and angle [rad] of a key step: round numbers of the machine's units."""
    machine, part = state.stage.machine, KEY_STEPS[state.key_step]
    shortest = in_file_units(machine, pose_range(machine).reshape(2, 3).min(axis=1), ("m", "rad"))
    return to_si(machine, [round_number(part * half) for half in shortest.tolist()], ("m", "rad"))


def _home(state: State) -> State:
    return state.moved(state.stage.home(), "home")


def _stepped(state: State, k: int, sign: int) -> Stage:
    """The active stage with its k-th coordinate changed by one key step."""
    machine = state.stage.machine
    numbers = state.coordinates.numbers(machine, state.stage.X)
    numbers[k] += sign * key_steps(state)[k // 3]
    return state.stage.to(state.coordinates.pose(machine, numbers))


def _limited(state: State, keeps_limits: bool) -> State:
    """Limits kept or not, by all stages."""
    stages = tuple(replace(stage, keeps_limits=keeps_limits) for stage in state.stages)
    return replace(state, stages=stages).moved(state.stage.limited(keeps_limits), "limits")
