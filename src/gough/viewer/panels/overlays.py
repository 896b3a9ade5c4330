"""Overlays and assembly modes: switches, and what the background computes for those that are on."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass, replace
from functools import partial
from html import escape
from typing import Any

import numpy as np

import gough
from gough.errors import in_words
from gough.limits.ties import in_words as in_phrase
from gough.plot._boundary import kind_of
from gough.viewer.panels.panel import Panel, block
from gough.viewer.scene import overlays
from gough.viewer.scene.handles import go_to_mode, has_modes, mode_names, other_branch
from gough.viewer.scene.overlays import Piece, SurfacePiece, is_overlay
from gough.viewer.scheduler import by_hand
from gough.viewer.store import MODES, Progress, State, Store

SETTLED = 0.3
"""Time for which the pose must rest before long computations begin [s]."""
SOON = 0.05
ORIENTED, POSED = "At the current orientation of the platform.", "At this pose."
NAMED = "Of the machine's file, with their verdicts; or the one that the datasheet leads with."
_PATCH = "display:inline-block;width:0.9em;height:0.9em;margin-right:0.15em;vertical-align:-0.1em"
"""CSS of a patch of colour."""
NOTHING, ORIENTATION, POSE = slice(0, 0), slice(0, 3), slice(0, 4)
"""Columns of the pose on which an overlay depends."""


@dataclass(frozen=True, eq=False)
class Kind:
    """A kind of overlay: its label, the function that computes it, and the part of the state on which it depends."""

    label: str
    compute: Callable[..., list[Piece]]
    columns: slice
    delay: float
    hint: str
    has_forces: bool = False


KINDS = {
    "workspace": Kind("workspace", overlays.workspace, ORIENTATION, SETTLED, ORIENTED),
    "singular": Kind("singular surface", overlays.singular_surface, ORIENTATION, SETTLED, ORIENTED),
    "regions": Kind("proven regions", overlays.named_regions, NOTHING, SETTLED, NAMED),
    "velocity": Kind("velocity envelope", overlays.velocity_envelope, POSE, SOON, POSED),
    "stiffness": Kind("stiffness ellipsoid", overlays.stiffness_ellipsoid, POSE, SOON, POSED, has_forces=True),
}


def overlays_panel(panel: Panel) -> None:
    """Build progress, switches, and a choice of assembly modes."""
    panel.progress(lambda state: state.progress.get("overlays", Progress()) if state.overlays else Progress())
    for name, kind in KINDS.items():
        _add_switch(panel, name, kind.label, kind.hint)
        _compute(panel, name, partial(_pieces, panel.store, kind), kind.delay)
    panel.text(workspace_key)
    _add_switch(panel, MODES, "assembly modes", "Every pose with these leg values, as ghosts.")
    _compute(panel, MODES, _assembly_modes, SETTLED)
    panel.text(lambda state: block("assembly modes", words) if (words := modes_sentence(state)) else "")
    modes = panel.gui.add_button_group("assembly mode", ("–",), visible=False)
    modes.on_click(by_hand(lambda _: go_to_mode(panel.store, modes.value)))
    panel.follow(
        modes, options=lambda state: mode_names(state) or ("–",), visible=lambda state: bool(mode_names(state))
    )


def _add_switch(panel: Panel, name: str, label: str, hint: str) -> None:
    def change(state: State, is_on: Any) -> State:
        overlays = state.overlays | {name} if is_on else state.overlays - {name}
        return replace(state.without_result(name), overlays=overlays)

    panel.bind(panel.gui.add_checkbox(label, False, hint=hint), lambda state: name in state.overlays, change)


def _compute(panel: Panel, name: str, compute: Callable[[State, Callable[[], None]], object], delay: float) -> None:
    panel.compute(
        name,
        lambda state: key_of(state, name) if name in state.overlays else None,
        compute,
        loop=panel.store.background,
        delay=delay,
    )


def _pieces(store: Store, kind: Kind, state: State, check: Callable[[], None]) -> list[Piece]:
    """In the background: pieces of an overlay, with reports of the progress where that takes seconds."""

    def progress(done: int, total: int) -> None:
        check()
        if kind.delay == SETTLED:
            store.report("overlays", f"computing the {kind.label} …", min(100.0 * done / max(total, 1), 100.0))

    words = ""
    try:
        applied = {"applied": state.applied} if kind.has_forces else {}
        found = kind.compute(state.stage.machine, state.stage.X, progress, **applied)
        words = "" if found else f"no {kind.label} near home at this orientation"
    except Exception as error:
        words = in_words(error)
        raise
    finally:
        store.report("overlays", words)
    return found


def _assembly_modes(state: State, _: Callable[[], None]) -> object:
    q = state.stage.q
    return gough.assembly_modes(state.stage.machine, q) if np.isfinite(q).all() else None


def key_of(state: State, name: str) -> Hashable:
    """Return everything on which an overlay depends: the machine first, then its head, orientation or pose, legs,
    load."""
    if name == MODES:
        # Found modes stay while the machine goes from one of them to another: its leg values then differ by rounding.
        found = state.results.get(MODES)
        return found.key if found is not None and has_modes(state) else (state.model, state.stage.q.tobytes())
    kind = KINDS[name]
    applied = state.applied.key if kind.has_forces else b""
    return (state.model, state.stage.machine, state.stage.X[:3, kind.columns].round(12).tobytes(), applied)


def workspace_key(state: State) -> str:
    """Return the limits at which the workspace that is shown ends, with their colours, those of one kind together."""
    found = state.results.get("workspace")
    if found is None or not is_overlay(state, "workspace", found):
        return ""
    kinds: dict[str, list[SurfacePiece]] = {}
    for piece in found.value:
        if isinstance(piece, SurfacePiece) and piece.name:
            kinds.setdefault(kind_of(piece.name), []).append(piece)
    rows = []
    for kind in sorted(kinds):
        colours = "".join(f'<span style="{_PATCH};background:{piece.colour}"></span>' for piece in kinds[kind])
        rows.append(f"<div>{colours} {escape(in_phrase(piece.name for piece in kinds[kind]))}</div>")
    return block("workspace", "The workspace ends at:" + "".join(rows)) if rows else ""


def modes_sentence(state: State) -> str:
    """Return the number of assembly modes, once they are known."""
    if MODES not in state.overlays or not np.isfinite(state.stage.q).all():
        return ""
    if not has_modes(state):
        return "looking for all assembly modes …"
    found = state.results[MODES].value
    here, elsewhere = int(found.within_limits.sum()), other_branch((np.flatnonzero(~found.on_own_branch) + 1).tolist())
    count = f"{len(found)} assembly modes with these leg values, {here} of them within all limits; click a ghost."
    return f"{count} {elsewhere}".rstrip()
