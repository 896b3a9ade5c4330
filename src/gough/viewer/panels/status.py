"""The status: verdict with two buttons for a refusal above the tabs, legs and limits beside the machine."""

from __future__ import annotations

from html import escape

import numpy as np

import gough
from gough.limits.ties import in_words, listed
from gough.machine import Machine
from gough.present.show import Show, plain
from gough.present.units import decimals
from gough.viewer.panels.bars import leg_bars, limit_bars, verdict
from gough.viewer.panels.panel import STYLE, Panel, hint
from gough.viewer.scheduler import by_hand
from gough.viewer.stage import Refusal, Stage
from gough.viewer.store import Result, State

SLIGHT = 0.01
"""Part of the distance of the nearest pose below which a translation or rotation is an error of its search, which ends
when the distance, the root of the sum of the squares, does not change."""
SETTLED = 0.25
"""Time for which a refused pose stays requested before the nearest allowed one is computed [s]."""


def verdict_panel(panel: Panel) -> None:
    """The verdict, and buttons for a refused pose in a row that is kept for them: what is below keeps its position."""
    panel.text(
        lambda shown: verdict(shown[0], nearest_words(*shown)),
        of=lambda state: (state.stage, state.results.get("nearest")),
    )
    buttons = panel.gui.add_button_group("", tuple(ANSWERS))
    buttons.on_click(by_hand(lambda _: panel.store.update("refused", ANSWERS[buttons.value])))
    panel.follow(buttons, options=answers)
    panel.compute("nearest", refused, lambda state, _: nearest(state), loop=panel.store.slow, delay=SETTLED)


def status_panel(panel: Panel) -> None:
    """Text and bars for the active stage."""
    panel.text(heading)
    panel.text(lambda stage: leg_bars(stage) + limit_bars(stage.margins), of=lambda state: state.stage)


def refused(state: State) -> Refusal | None:
    """The refusal of the active stage's requested pose; None for joint values that fit no pose."""
    refusal = state.stage.refusal
    return refusal if refusal is not None and refusal.wanted is not None else None


def answers(state: State) -> tuple[str, ...]:
    """Buttons after a refusal: joint values that fit no pose have no nearest one."""
    return tuple(ANSWERS) if refused(state) is not None else (STAY,) if state.stage.refusal is not None else ()


def nearest(state: State) -> gough.limits.NearestPose:
    """The allowed pose nearest to the refused one."""
    refusal = refused(state)
    assert refusal is not None
    assert refusal.wanted is not None
    return gough.nearest_pose(state.stage.machine, refusal.wanted)


def heading(state: State) -> str:
    """The machine's title, and the position of the end platform of a stack."""
    machine, more = state.stage.machine, ""
    if state.machine.stage_dims:
        where = escape(f"end platform at {Show(machine).point(state.end[:3, 3])}")
        more = f'<div title="{escape(hint("end platform"))}">{where}</div>'
    title = state.machine.title if more else machine.title or machine.name
    return f'<div style="{STYLE}"><b style="font-size:1.2em">{escape(title)}</b>{more}</div>'


def nearest_words(stage: Stage, found: Result | None) -> str:
    """Distance and rotation of the nearest allowed pose from the refused one, as HTML, once it is known."""
    if found is None or found.key is not stage.refusal:
        return ""
    if isinstance(found.value, Exception):
        words = f"No nearest allowed pose: {found.value}"
    else:
        limits = in_words(found.value.active_limits) or "no limit"
        away = apart(stage.machine, found.value)
        words = f"Nearest allowed pose: {away} from the request, limited by {limits}."
    return f'<span title="{escape(hint("nearest pose"))}">{escape(words)}</span>'


def apart(machine: Machine, pose: gough.limits.NearestPose) -> str:
    """Translation and rotation from the requested pose; what rounds to zero or is `SLIGHT` is left out."""
    show = Show(machine)
    sizes = ((np.linalg.norm(pose.translation), "m", 1.0), (np.linalg.norm(pose.rotation), "rad", pose.length))
    said = [
        show.with_unit(size, unit, 3)
        for size, unit, weight in sizes
        if weight * size > SLIGHT * pose.distance and show.is_visible(float(size), unit)
    ]
    return listed(said) or f"less than {plain(10.0 ** -decimals(machine, 'm'))} {show.unit('m')}"


def _go_to_nearest(state: State) -> State:
    return state if refused(state) is None else state.moved(state.stage.to(nearest(state).matrix), "nearest")


def _stay(state: State) -> State:
    return state.moved(state.stage.accepted(), "stay")


STAY = "Stay here"
ANSWERS = {"Go to the nearest": _go_to_nearest, STAY: _stay}
"""Changes after a refusal, by the buttons' labels."""
