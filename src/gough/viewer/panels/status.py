"""The status beside the machine: verdict, legs and limits, and two buttons after a refusal."""

from __future__ import annotations

from html import escape

import numpy as np

import gough
from gough.limits.ties import in_words, listed
from gough.machine import Machine
from gough.present.show import Show, plain
from gough.present.units import decimals
from gough.viewer.panels.bars import leg_bars, limit_bars
from gough.viewer.panels.panel import STYLE, Panel, block, hint
from gough.viewer.stage import Refusal
from gough.viewer.store import State

SLIGHT = 0.01
"""Part of the distance of the nearest pose below which a translation or rotation is an error of its search, which ends
when the distance, the root of the sum of the squares, does not change."""
SETTLED = 0.25
"""Time for which a refused pose stays requested before the nearest allowed one is computed [s]."""


def status_panel(panel: Panel) -> None:
    """Text and bars for the active stage."""
    panel.text(heading)
    panel.text(lambda stage: leg_bars(stage) + limit_bars(stage.margins), of=lambda state: state.stage)
    panel.text(nearest_block)
    panel.button("Go to the nearest", "nearest", _go_to_nearest, visible=lambda state: refused(state) is not None)
    panel.button(
        "Stay here",
        "stay",
        lambda state: state.moved(state.stage.accepted(), "stay"),
        color="gray",
        visible=lambda state: state.stage.refusal is not None,
    )
    panel.compute("nearest", refused, lambda state, _: nearest(state), loop=panel.store.slow, delay=SETTLED)


def refused(state: State) -> Refusal | None:
    """The refusal of the active stage's requested pose; None for joint values that fit no pose."""
    refusal = state.stage.refusal
    return refusal if refusal is not None and refusal.wanted is not None else None


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


def nearest_block(state: State) -> str:
    """Distance and rotation of the nearest allowed pose from the refused one, once it is known."""
    found = state.results.get("nearest")
    if found is None or found.key is not state.stage.refusal:
        return ""
    if isinstance(found.value, Exception):
        return block("nearest pose", escape(f"No nearest allowed pose: {found.value}"))
    pose = found.value
    limits = in_words(pose.active_limits) or "no limit"
    words = f"Nearest allowed pose: {apart(state.stage.machine, pose)} from the requested one, limited by {limits}."
    return block("nearest pose", escape(words))


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
