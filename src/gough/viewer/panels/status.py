"""The status: verdict, legs and limits as bars, the load, and forces and stiffness under it."""

from __future__ import annotations

import re
from html import escape
from typing import Any

import numpy as np

import gough
from gough.arrays import Array
from gough.errors import GoughError
from gough.limits.margins import Margins
from gough.limits.ties import in_words, listed
from gough.machine import Machine
from gough.plot import _style as style
from gough.present.show import Show, in_column, plain
from gough.present.units import decimals, file_unit, force_unit, round_number, rounded, span_in_words
from gough.viewer.applied_forces import LARGEST, NOTHING, facts_of, forces
from gough.viewer.panels.move import joint_range
from gough.viewer.panels.panel import STYLE, Panel, block, hint
from gough.viewer.scene.batch import leg_margins, margin_colour
from gough.viewer.scheduler import by_hand
from gough.viewer.stage import Refusal, Stage
from gough.viewer.store import Computed, State

_ROW = "display:flex;gap:0.5em;align-items:center;margin:0.22em 0"
_BAR = "flex:1;height:0.75em;border-radius:0.4em"
ROWS = 7
"""Rows of text in the verdict's box next to the scene: as many as the longest refusal of a built-in machine needs."""
_STEADY = f"box-sizing:border-box;height:{0.9 + 1.4 * ROWS:.1f}em;overflow-y:auto"
"""Fixed height of the verdict, so that the widgets below it keep their position; longer texts scroll."""
_MORE = (
    "linear-gradient(transparent,var(--tint) 70%) bottom/100% 2em no-repeat local,"
    "linear-gradient(transparent,rgba(128,140,155,0.7)) bottom/100% 0.6em no-repeat scroll,var(--tint)"
)
"""Background of that box: a shadow at its lower edge, which shows more text to scroll to, and which the end covers."""
_TRACK = "rgba(128,140,155,0.22)"
FILLED = 0.8
"""Part of its half width that a bar without a limit fills at most: a full bar would look like a limit reached."""
LONG = 18
"""Names with more characters have their value on a line of its own."""
_NUMBER = "text-align:right;font-variant-numeric:tabular-nums;white-space:nowrap"


def leg_bars(stage: Stage) -> str:
    """Return a bar for each leg, from its lowest to its highest value, in the colour of its margin."""
    machine, unit = stage.machine, stage.machine.legs.joint_unit
    low, high = joint_range(machine)
    # A leg that cannot close has no value: its bar is the shortest, in the colour of a broken limit.
    parts = (stage.q - low) / (high - low)
    relative = np.where(np.isfinite(stage.q), leg_margins(stage.margins, of_strokes=True), -1.0)
    rows = []
    for i in range(6):
        bar, value = _track(float(parts[i]), margin_colour(float(relative[i]))), Show(machine).value(stage.q[i], unit)
        rows.append(_row(f"<b>{i + 1}</b>", bar, value, widths=(1.1, 4.6)))
    limits = float(machine.limits.joint_min.min()), float(machine.limits.joint_max.max())
    ends = span_in_words(*limits, lambda end: rounded(machine, end, unit), file_unit(machine, unit), " … ")
    return block("leg values", _title("Legs", ends.replace("-", "−")) + "".join(rows))


def limit_bars(found: Margins) -> str:
    """Return a bar for the tightest limit of each kind but the legs' travel, longest with most room."""
    rows = []
    for kind, column in limit_kinds(found).items():
        relative = float(found.relative[column])
        legs = found.legs[column]
        of = f", {'legs' if len(legs) > 1 else 'leg'} {'-'.join(map(str, legs))}" if legs else ""
        bar = _track(relative, margin_colour(relative))
        left = Show(found.machine).with_unit(relative, "%") if relative <= 1.0 else "> 100 %"
        rows.append(f"<div>{escape(kind + of)}</div>" + _row("", bar, left, widths=(0.0, 3.6)))
    return block("other limits", _title("Other limits", "relative margin") + "".join(rows)) if rows else ""


def limit_kinds(found: Margins) -> dict[str, int]:
    """Return the column of the tightest limit of each kind, the legs' own travel left out."""
    tightest: dict[str, int] = {}
    relative = np.nan_to_num(found.relative, nan=np.inf)
    for k, column in enumerate(found.columns):
        if column.quantity == "":
            continue
        # "leg 3 base cone" and "legs 1-2 clearance" are of the kinds "base cone" and "clearance".
        kind = re.sub(r"^legs? [\d-]+ ", "", column.name)
        if kind not in tightest or relative[k] < relative[tightest[kind]]:
            tightest[kind] = k
    return tightest


def verdict(stage: Stage, nearest: str = "") -> str:
    """Test whether the pose is allowed, the nearest limit, or why it was refused, where it stopped, and the nearest
    allowed pose; in words."""
    if (refusal := stage.refusal) is not None:
        more = f"; {len(refusal.reasons) - 1} more" if len(refusal.reasons) > 1 else ""
        is_distance = refusal.stop[:1].isdigit() or refusal.stop.startswith("no further")
        stop = f"It goes {refusal.stop}." if is_distance else refusal.stop.capitalize()
        lines = ["<b>Refused:</b> " + "".join(map(escape, refusal.reasons[:1])) + more, escape(stop), nearest]
        return _box(margin_colour(-1.0), [line for line in lines if line])
    found = stage.margins
    broken, singular = found.sentences(), found.singular_sentence()
    if broken or singular:
        words = "; ".join(map(escape, [*broken[:2], *([singular] if singular else [])]))
        title = "Not allowed:" if broken else "Every limit is kept, but the pose is"
        return _box(margin_colour(-1.0), [f"<b>{title}</b> {words}."])
    relative = float(found.relative[found.binding_index])
    return _box(margin_colour(relative), [f"<b>Allowed.</b> Nearest limit: {escape(found.sentence())}."])


def facts(title: str, rows: list[tuple[str, str]]) -> str:
    """Return a small table of names and values."""
    body = "".join(_pair(escape(name), value, hint(name)) for name, value in rows)
    return f'<div style="{STYLE}">{_title(title)}{body}</div>'


def forces_bars(machine: Machine, forces: Array) -> str:
    """Return forces (6,) of the actuators [N or N m] to either side of zero; coloured where the machine has a limit."""
    limit = machine.limits.actuator_force
    span = _round_scale(forces) if limit is None else float(np.max(limit))
    rows = []
    for i, (force, shown) in enumerate(zip(forces.tolist(), in_column(forces, span), strict=True)):
        relative = 1.0 if limit is None else 1.0 - abs(force) / float(limit[i])
        colour = style.CYLINDER if limit is None else margin_colour(relative)
        bar = _signed_bar(force / span, colour)
        rows.append(_row(f"<b>{i + 1}</b>", bar, shown, widths=(1.1, 4.6)))
    ends = f"± {Show(machine).with_unit(span, force_unit(machine), 3)}"
    ends = f"no limit given; {ends}" if limit is None else ends
    return "".join(rows) + f'<div style="opacity:0.65;text-align:right">{ends}</div>'


def _round_scale(values: Array) -> float:
    """Half width of bars without a limit: of 1, 2, 5 times a power of ten the first that they fill to `FILLED`."""
    largest = float(np.abs(values[np.isfinite(values)]).max(initial=0.0))
    return 1.0 / round_number(FILLED / largest) if largest > 0 else 1.0


def _row(first: str, bar: str, last: str, *, widths: tuple[float, float]) -> str:
    """A name, a bar and a number; widths of the first and the last in em."""
    name, value = (f"flex:0 0 {width}em" for width in widths)
    named = f'<div style="{name}">{first}</div>' if first else ""
    return f'<div style="{_ROW}">{named}{bar}<div style="{value};{_NUMBER}">{last}</div></div>'


def _pair(name: str, value: str, words: str) -> str:
    """A name and its value, on a line of its own below long names; what it means where the pointer rests."""
    columns = "1fr" if len(name) > LONG else "1fr auto"
    line = f"display:grid;grid-template-columns:{columns};align-items:end;column-gap:0.8em;margin:0.22em 0"
    return f'<div style="{line}" title="{escape(words)}"><div>{name}</div><div style="{_NUMBER}">{value}</div></div>'


def _title(text: str, note: str = "") -> str:
    return (
        '<div style="display:flex;flex-wrap:wrap;justify-content:space-between;column-gap:0.8em;margin:0.9em 0 0.3em">'
        f'<b>{escape(text)}</b><span style="opacity:0.65">{escape(note)}</span></div>'
    )


def _track(part: float, colour: str) -> str:
    # An empty bar would hide its colour: at least 1.5 % is drawn.
    return _bar(0.0, 100 * float(np.clip(np.nan_to_num(part), 0.015, 1.0)), colour)


def _signed_bar(part: float, colour: str) -> str:
    size = 50 * float(np.clip(np.nan_to_num(part), -1.0, 1.0))
    return _bar(min(50.0, 50.0 + size), max(50.0, 50.0 + size), colour)


def _bar(start: float, end: float, colour: str) -> str:
    """A bar from `start` to `end` of its track [%]: one element, since a page renders a dozen of them in each frame."""
    stops = f"{_TRACK} {start:.2f}%,{colour} {start:.2f}% {end:.2f}%,{_TRACK} {end:.2f}%"
    return f'<div style="{_BAR};background:linear-gradient(90deg,{stops})"></div>'


def _box(colour: str, lines: list[str]) -> str:
    inner = "".join(f"<div>{line}</div>" for line in lines)
    tint = f"--tint:color-mix(in srgb,{colour} 9.4%,var(--mantine-color-body))"
    edge = f"border-left:0.3em solid {colour};padding:0.45em 0.8em;border-radius:0.2em;{tint};background:{_MORE}"
    return block("verdict", inner, f";{edge};{_STEADY}", "gough-verdict")


SLIGHT = 0.01
"""Part of the distance of the nearest pose below which a translation or rotation is an error of its search, which ends
when the distance, the root of the sum of the squares, does not change."""
SETTLED = 0.25
"""Time for which a refused pose stays requested before the nearest allowed one is computed [s]."""


def verdict_panel(panel: Panel) -> None:
    """Build the verdict, and a fixed row of buttons for a refused pose, so that the controls below keep their
    position."""
    panel.text(
        lambda shown: verdict(shown[0], nearest_words(*shown)),
        of=lambda state: (state.stage, state.results.get("nearest")),
    )
    buttons = panel.gui.add_button_group("", tuple(ANSWERS))
    buttons.on_click(by_hand(lambda _: panel.store.update("refused", ANSWERS[buttons.value])))
    panel.follow(buttons, options=answers)
    panel.compute("nearest", refused, lambda state, _: nearest(state), loop=panel.store.slow, delay=SETTLED)


def status_panel(panel: Panel) -> None:
    """Build text and bars for the active stage."""
    panel.text(heading)
    panel.text(lambda stage: leg_bars(stage) + limit_bars(stage.margins), of=lambda state: state.stage)


def refused(state: State) -> Refusal | None:
    """Return the refusal of the active stage's requested pose; None for joint values that fit no pose."""
    refusal = state.stage.refusal
    return refusal if refusal is not None and refusal.wanted is not None else None


def answers(state: State) -> tuple[str, ...]:
    """Return buttons after a refusal: joint values that fit no pose have no nearest one."""
    return tuple(ANSWERS) if refused(state) is not None else (STAY,) if state.stage.refusal is not None else ()


def nearest(state: State) -> gough.limits.NearestPose:
    """Return the allowed pose nearest to the refused one."""
    refusal = refused(state)
    assert refusal is not None
    assert refusal.wanted is not None
    return gough.nearest_pose(state.stage.machine, refusal.wanted)


def heading(state: State) -> str:
    """Return the machine's title, and the position of the end platform of a stack."""
    machine, more = state.stage.machine, ""
    if state.machine.stage_dims:
        where = escape(f"end platform at {Show(machine).point(state.end[:3, 3])}")
        more = f'<div title="{escape(hint("end platform"))}">{where}</div>'
    title = state.machine.title if more else machine.title or machine.name
    return f'<div style="{STYLE}"><b style="font-size:1.2em">{escape(title)}</b>{more}</div>'


def nearest_words(stage: Stage, found: Computed | None) -> str:
    """Return the distance and rotation of the nearest allowed pose from the refused one, as HTML, once it is known."""
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
    """Return the translation and rotation from the requested pose; what rounds to zero or is `SLIGHT` is left out."""
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


LAG = 0.1
"""Time by which results may lag behind the machine while it moves [s]."""
NO_WEIGHT = "<div>None: there is no load, and the file gives no masses.</div>"
DECIMALS = 6
"""Decimals that can be typed: a centre in metres, or the inertia of a small payload, has more than its step."""
NOT_NEGATIVE, ENDS = (0.0, 0.0, 0.0), {"min": (-LARGEST,) * 3, "max": (LARGEST,) * 3}
INPUTS: dict[str, tuple[str, str, dict[str, Any]]] = {
    "mass": ("number", "payload [kg]", {"min": 0.0, "max": LARGEST, "step": 0.1}),
    "centre": ("vector3", "payload mass centre", {**ENDS, "step": 0.1}),
    "inertia": ("vector3", "moments of inertia [kg m²]", {**ENDS, "min": NOT_NEGATIVE, "step": 0.01}),
    "products": ("vector3", "products of inertia [kg m²]", {**ENDS, "step": 0.01}),
    "force": ("vector3", "force [N]", {**ENDS, "step": 1.0}),
    "moment": ("vector3", "moment [N m]", {**ENDS, "step": 1.0}),
    "direction": ("vector3", "stiffness along", {**ENDS, "step": 0.1}),
}
"""Kind of widget, label and options of each field of `gough.viewer.applied_forces.ForceInputs`."""
CONVENTIONS = (
    "The payload is on the end platform, and its centre in that frame; its moments xx, yy, zz and products xy, xz, yz "
    "of inertia are about that centre. Force and moment act at the point of interest, in the base's axes, as does the "
    "direction of the stiffness."
)


def forces_panel(panel: Panel) -> None:
    """Build inputs of payload, force and moment, and direction of the stiffness."""
    for name in INPUTS:
        _add_input(panel, name)
    panel.gui.add_markdown(CONVENTIONS)


def _add_input(panel: Panel, name: str) -> None:
    def change(state: State, value: Any) -> State:
        return state.with_forces(state.force_inputs._replace(**{name: value}))

    kind, label, options = INPUTS[name]
    handle = getattr(panel.gui, f"add_{kind}")(label, getattr(NOTHING, name), hint=hint(label), **options)
    handle.precision = DECIMALS  # viser takes no more decimals than the step has
    panel.bind(handle, lambda state: getattr(state.force_inputs, name), change)
    if name == "centre":
        panel.follow(handle, label=lambda state: f"{label} [{file_unit(state.machine, 'm')}]")


def response_panel(panel: Panel) -> None:
    """Build forces, stiffness, speed and frequencies under the load, computed in the background."""
    panel.text(lambda state: state.results["forces"].value[0] if "forces" in state.results else "")
    panel.text(lambda state: state.results["forces"].value[1] if "forces" in state.results else "")
    panel.compute(
        "forces",
        lambda state: (state.stages, state.active, state.force_inputs),
        lambda state, _: response(state),
        loop=panel.store.slow,
        delay=LAG,
        may_lag=True,
    )


def response(state: State) -> tuple[str, str]:
    """Return actuator forces under the load, and stiffness, speed and frequencies, as two blocks of HTML."""
    machine, X, applied = state.stage.machine, state.stage.X, state.applied
    bodies = weighing_bodies(state)
    try:
        found = forces(machine, X, applied)
        bars = forces_bars(machine, found) if found.any() or bodies != "load" else NO_WEIGHT
    except GoughError as error:
        bars = f"<div>{escape(str(error))}</div>"
    title = f'<b>Actuator forces</b> <span style="opacity:0.65">of {bodies}, at rest</span>'
    rows = Show(machine).pairs(facts_of(machine, X, applied))
    other = "" if len(state.stages) < 2 else ", the other stage rigid"
    return block("forces", title + bars), facts(f"At this pose{other}", rows) if rows else ""


def weighing_bodies(state: State) -> str:
    """Return bodies whose weight the actuators hold, and a stage above that is left out because its masses are not
    known."""
    machine, above = state.stage.machine, state.applied.above
    known = {"platform": machine.platform, "legs": machine.leg_bodies, "upper stage": above, "load": True}
    omitted = " without the upper stage, whose masses are not known" if above is None and state.has_stage_above else ""
    return listed(part for part, is_known in known.items() if is_known) + omitted
