"""Leg values and margins as bars, as HTML."""

from __future__ import annotations

import re
from html import escape

import numpy as np

from gough.arrays import Array
from gough.limits.margins import Margins
from gough.machine import Machine
from gough.plot import _style as style
from gough.present.show import Show, in_column
from gough.present.units import file_unit, force_unit, round_number, rounded, span_in_words
from gough.viewer.appearance import leg_margins, margin_colour
from gough.viewer.panels.panel import STYLE, block, hint
from gough.viewer.panels.sliders import joint_range
from gough.viewer.stage import Stage

_ROW = "display:flex;gap:0.5em;align-items:center;margin:0.22em 0"
_BAR = "flex:1;height:0.75em;border-radius:0.4em"
ROWS = 7
"""Rows of text in the verdict's box beside the scene: as many as the longest refusal of a built-in machine needs."""
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
    """A bar for each leg, from its lowest to its highest value, in the colour of its margin."""
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
    """A bar for the tightest limit of each kind but the legs' travel, longest with most room."""
    rows = []
    for kind, column in limit_kinds(found).items():
        relative = float(found.relative[column])
        legs = found.legs[column]
        of = f", {'legs' if len(legs) > 1 else 'leg'} {'-'.join(map(str, legs))}" if legs else ""
        bar = _track(relative, margin_colour(relative))
        left = Show(found.machine).with_unit(relative, "%") if relative <= 1.0 else "> 100 %"
        rows.append(f"<div>{escape(kind + of)}</div>" + _row("", bar, left, widths=(0.0, 3.6)))
    return block("other limits", _title("Other limits", "room left") + "".join(rows)) if rows else ""


def limit_kinds(found: Margins) -> dict[str, int]:
    """The column of the tightest limit of each kind, the legs' own travel left out."""
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
    """Whether the pose is allowed, the nearest limit, or why it was refused, where it stopped, and the nearest allowed
    pose; in words."""
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
    """A small table of names and values."""
    body = "".join(_pair(escape(name), value, hint(name)) for name, value in rows)
    return f'<div style="{STYLE}">{_title(title)}{body}</div>'


def forces_bars(machine: Machine, forces: Array) -> str:
    """Forces (6,) of the actuators [N or N m] to either side of zero; coloured where the machine has a limit."""
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
