"""The tab of moving: sliders and what they mean, gizmo, keys and switches."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

import gough
from gough.machine import Machine
from gough.present.show import Show, plain
from gough.viewer.panels.inputs import Choice, Input, block, button, field_input, hint, show_all
from gough.viewer.panels.sliders import (
    SliderGroup,
    head_sliders,
    leg_sliders,
    pose_range,
    pose_sliders,
    sizes_of,
    to_head,
    to_joints,
    to_pose,
)
from gough.viewer.scene.gizmo import MODES
from gough.viewer.scheduler import by_hand
from gough.viewer.stage import BASE, HOME, Stage, pivots
from gough.viewer.store import Shows, State, Store

if TYPE_CHECKING:
    import viser

STAGES = {"lower stage": 0, "upper stage": 1}
ORIGINS = {"from home": HOME, "in the base": BASE}
KEYS = (("J", "L"), ("K", "I"), ("U", "O"))
"""For less and more of x, y, z; with Shift of the three angles."""
STEPS = {"coarse": 0.1, "medium": 0.02, "fine": 0.004}
"""Key steps as parts of the range of a slider, rounded."""
MIDDLE = "medium"


class MovePanel:
    """Everything that moves the machine but playback."""

    def __init__(self, gui: viser.GuiApi, store: Store) -> None:
        self._store, self._count = store, 0
        active = gui.add_dropdown("active stage", tuple(STAGES), visible=False)
        self._active = Choice(store, active, lambda _: STAGES, lambda state: state.active, State.activated)
        button(store, gui.add_button("Home"), "home", _home)
        pose = SliderGroup(gui, store, "Pose", pose_sliders, to_pose)
        with pose.folder:
            meaning = _meaning(gui, store)
        head = SliderGroup(gui, store, "Tool head", head_sliders, to_head)
        legs = SliderGroup(gui, store, "Legs", leg_sliders, to_joints)
        with gui.add_folder("Gizmo, keys and drawing"):
            gizmo = field_input(store, gui.add_dropdown("gizmo", MODES), "gizmo")
            self._add_keys(gui)
            switches = _switches(gui, store)
        self._views: list[Shows] = [self._active, *meaning, pose, head, legs, gizmo, *switches]

    def show(self, state: State) -> None:
        """Show a state."""
        self._active.handle.visible = len(state.stages) > 1
        show_all(self._views, state)
        self._show_steps(state)

    def _add_keys(self, gui: viser.GuiApi) -> None:
        """Commands with hot keys, which the command palette (Ctrl K) lists."""
        self._size = gui.add_dropdown("key steps", tuple(STEPS), initial_value=MIDDLE, hint=hint("key steps"))
        self._size.on_update(by_hand(lambda _: self._show_steps(self._store.state)))
        self._help = gui.add_html("")
        for k, pair in enumerate(KEYS):
            for sign, key in zip((-1, 1), pair, strict=True):
                for is_rotation in (False, True):
                    self._add_key(gui, k + 3 * is_rotation, sign, key)
        home = gui.add_command("Go home", hotkey="H")
        home.on_trigger(by_hand(lambda _: self._store.update("home", _home)))

    def _add_key(self, gui: viser.GuiApi, k: int, sign: int, key: str) -> None:
        """One command that changes the k-th coordinate; quick strokes each count, so each has a key of its own."""
        what = ("x", "y", "z", "first angle", "second angle", "third angle")[k]
        label = f"{'More' if sign > 0 else 'Less'} {what}"
        command = gui.add_command(label, hotkey=key, modifier="shift" if k > 2 else None)  # type: ignore[arg-type]

        def step(_: object) -> None:
            self._count += 1
            size = STEPS[self._size.value]
            self._store.update(f"key {self._count}", lambda state: state.moved(_stepped(state, k, sign * size), "keys"))

        command.on_trigger(by_hand(step))

    def _show_steps(self, state: State) -> None:
        machine, show = state.stage.machine, Show(state.stage.machine)
        steps = zip(key_steps(machine, STEPS[self._size.value]), ("m", "rad"), strict=True)
        length, angle = (f"{plain(show.in_units(step, unit))} {show.unit(unit)}" for step, unit in steps)
        self._help.content = block(
            "key steps",
            f"<b>J L</b> x, <b>K I</b> y, <b>U O</b> z by {length}; with <b>Shift</b> turns by {angle}; "
            "<b>H</b> home; <b>Space</b> plays. Click the scene first.",
        )


def key_steps(machine: Machine, part: float) -> tuple[float, float]:
    """Length [m] and angle [rad] of a key step: round numbers of the machine's units."""
    least = pose_range(machine).reshape(2, 3).min(axis=1)
    length, angle = (
        round_number(part * float(half / size)) * size
        for half, size in zip(least, sizes_of(machine, ("m", "rad")).tolist(), strict=True)
    )
    return length, angle


def round_number(value: float) -> float:
    """The largest of 1, 2, 5 times a power of ten that is not above a value."""
    power = 10.0 ** np.floor(np.log10(value))
    return float(max(k * power for k in (1, 2, 5) if k * power <= value * (1 + 1e-9)))


def _home(state: State) -> State:
    return state.moved(state.stage.home(), "home")


def _stepped(state: State, k: int, part: float) -> Stage:
    machine = state.stage.machine
    numbers = state.coordinates.numbers(machine, state.stage.X)
    numbers[k] += np.sign(part) * key_steps(machine, abs(part))[k // 3]
    return state.stage.to(state.coordinates.pose(machine, numbers))


def _meaning(gui: viser.GuiApi, store: Store) -> list[Input]:
    """What the six coordinates mean."""
    conventions = {name: name for name in gough.frames.CONVENTIONS}
    meanings = "; ".join(f"{name}: {c.title}, {c.formula}" for name, c in gough.frames.CONVENTIONS.items())

    def chosen(name: str, title: str, options: dict[str, str], words: str | None = None) -> Choice:
        return Choice(
            store,
            gui.add_dropdown(title, tuple(options), hint=words),
            lambda _: options,
            lambda state: getattr(state, name),
            lambda state, value: replace(state, hand="coordinates", **{name: value}),
        )

    pivot = Choice(
        store,
        gui.add_dropdown("pivot", ("point of interest",)),
        lambda state: {name: name for name in pivots(state.stage.machine)},
        lambda state: state.pivot,
        lambda state, value: replace(state, hand="coordinates", pivot=value),
    )
    return [pivot, chosen("origin", "coordinates", ORIGINS), chosen("convention", "angles", conventions, meanings)]


def _switches(gui: viser.GuiApi, store: Store) -> list[Input]:
    """Whether limits are kept, and what is drawn."""
    limits = Input(
        store,
        gui.add_checkbox("stop at limits", True),
        lambda state: state.stage.keeps_limits,
        _limited,
    )
    shadows = gui.add_checkbox("shadows and edges", True, hint="Without a graphics card this is slow.")
    return [
        limits,
        field_input(store, gui.add_checkbox("frames", False), "frames"),
        field_input(store, gui.add_checkbox("leg numbers", True), "numbers"),
        field_input(store, shadows, "shadows"),
    ]


def _limited(state: State, keeps_limits: bool) -> State:
    """Limits kept or not, by all stages."""
    stages = tuple(replace(stage, keeps_limits=keeps_limits) for stage in state.stages)
    return replace(state, stages=stages).moved(state.stage.limited(keeps_limits), "limits")
