"""The tab of moving: sliders and what they mean, gizmo, keys and switches."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from itertools import count
from typing import Any

import gough
from gough.arrays import Array
from gough.present.show import Show, plain
from gough.present.units import in_file_units, round_number, to_si
from gough.viewer.panels.panel import Panel, block, hint
from gough.viewer.panels.sliders import (
    SliderGroup,
    head_sliders,
    leg_sliders,
    pose_range,
    pose_sliders,
    to_head,
    to_joints,
    to_pose,
)
from gough.viewer.scene.gizmo import MODES
from gough.viewer.scheduler import by_hand
from gough.viewer.stage import BASE, HOME, Stage, pivots
from gough.viewer.store import State

STAGES = {"lower stage": 0, "upper stage": 1}
ORIGINS = {"from home": HOME, "in the base": BASE}
CONVENTIONS = {name: name for name in gough.frames.CONVENTIONS}
MEANINGS = "; ".join(f"{name}: {c.title}, {c.formula}" for name, c in gough.frames.CONVENTIONS.items())
KEYS = (("J", "L"), ("K", "I"), ("U", "O"))
"""For less and more of x, y, z; with Shift of the three angles."""
STEPS = {"coarse": 0.1, "medium": 0.02, "fine": 0.004}
"""Key steps as parts of half the range of the slider with the shortest one, rounded down."""
COORDINATES = ("x", "y", "z", "first angle", "second angle", "third angle")


def move_panel(panel: Panel) -> None:
    """Everything that moves the machine but playback."""
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
        panel.field(gui.add_dropdown("gizmo", MODES), "gizmo")
        panel.field(gui.add_dropdown("key steps", tuple(STEPS), hint=hint("key steps")), "key_step")
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
    """Length [m] and angle [rad] of a key step: round numbers of the machine's units."""
    machine, part = state.stage.machine, STEPS[state.key_step]
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
