"""Overlays that switches put on the scene: computed in the background, with progress, given up when the pose moves."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from gough.errors import in_words
from gough.viewer import surfaces
from gough.viewer.loop import Loop
from gough.viewer.parts import ACTIVE, by_hand
from gough.viewer.pieces import Piece, put_up, take_down
from gough.viewer.pose_controller import Mover
from gough.viewer.quantities import Load

if TYPE_CHECKING:
    import viser

Array = NDArray[np.float64]
Compute = Callable[..., list[Piece]]

SETTLED = 0.3
"""How long the pose must rest before what takes long is begun [s]."""


ORIENTED, POSED = "At the orientation the platform has now.", "At this pose."


class GivenUp(Exception):  # noqa: N818 - it is no error
    """What is computed is not wanted any more."""


@dataclass(frozen=True, eq=False)
class Kind:
    """A sort of overlay: what its switch says, how it is computed, on which part of the pose it depends."""

    label: str
    compute: Compute
    rows: slice
    """Of the pose's columns: the orientation only, or all."""
    delay: float
    hint: str


KINDS = {
    "workspace": Kind("workspace", surfaces.workspace, slice(0, 3), SETTLED, ORIENTED),
    "singular": Kind("singular surface", surfaces.singular_surface, slice(0, 3), SETTLED, ORIENTED),
    "velocity": Kind("velocity envelope", surfaces.velocity_envelope, slice(0, 4), 0.05, POSED),
    "stiffness": Kind("stiffness ellipsoid", surfaces.stiffness_ellipsoid, slice(0, 4), 0.05, POSED),
}


LOADED = ("stiffness",)
"""Overlays that depend on the load."""


class Overlays:
    """Switches, a progress bar and a line of words; the surfaces come when they are ready.

    Parameters
    ----------
    server : viser.ViserServer
    mover : Mover
    background : Loop
        On which they are computed.
    load : callable
        Gives what the platform carries.

    Attributes
    ----------
    shown : dict
        What each overlay that is ready depends on.

    """

    def __init__(
        self, server: viser.ViserServer, mover: Mover, background: Loop, load: Callable[[], Load] = Load
    ) -> None:
        gui, self._load = server.gui, load
        self._scene, self._background, self._mover = server.scene, background, mover
        self._switches = {name: gui.add_checkbox(kind.label, False, hint=kind.hint) for name, kind in KINDS.items()}
        self._words = gui.add_markdown("", visible=False)
        self._bar = gui.add_progress_bar(0.0, visible=False, animated=True)
        self.shown: dict[str, bytes] = {}
        for name, switch in self._switches.items():
            switch.on_update(by_hand(partial(self._by_hand, name)))

    def new_machine(self, mover: Mover) -> None:
        """Forget what was computed for another machine."""
        self._mover = mover
        for name in KINDS:
            self.shown.pop(name, None)
            take_down(self._scene, _node(name))
            self._switched(name)

    def show(self, mover: Mover, askers: frozenset[str]) -> None:
        """Compute anew what the pose has changed, once it rests."""
        for name in KINDS:
            self._switched(name)

    def chosen(self) -> list[str]:
        """Names of the overlays that are on."""
        return [name for name, switch in self._switches.items() if switch.value]

    def choose(self, names: list[str]) -> None:
        """Switch these on, the others off."""
        for name, switch in self._switches.items():
            switch.value = name in names  # type: ignore[misc]
            self._switched(name)

    def _by_hand(self, name: str, event: Any) -> None:
        self._switched(name)

    def _switched(self, name: str) -> None:
        """Begin or take down one overlay, as its switch says."""
        if not self._switches[name].value:
            self._background.drop(name)
            self.shown.pop(name, None)
            take_down(self._scene, _node(name))
        elif self.shown.get(name) != self._key(name):
            self._background.drop(name)
            self._background.post(name, lambda: self._compute(name), KINDS[name].delay)

    def _key(self, name: str) -> bytes:
        """What the overlay depends on."""
        X = self._mover.X[:3, KINDS[name].rows]
        load = self._load().key if name in LOADED else b""
        return str(id(self._mover.machine)).encode() + X.round(12).tobytes() + load

    def _compute(self, name: str) -> None:
        """On the background loop: compute, show, unless the wish has changed meanwhile."""
        kind, key, mover = KINDS[name], self._key(name), self._mover
        is_slow = kind.delay == SETTLED

        def progress(done: int, total: int) -> None:
            if not self._switches[name].value or self._key(name) != key:
                raise GivenUp
            if is_slow:
                self._tell(f"computing the {kind.label} …", 100.0 * done / max(total, 1))

        try:
            progress(0, 1)
            load = {"load": self._load()} if name in LOADED else {}
            pieces = kind.compute(mover.machine, mover.X, progress, **load)
            progress(1, 1)
            put_up(self._scene, _node(name), pieces)
            self.shown[name] = key
            self._tell("" if pieces else f"no {kind.label} near home at this orientation")
        except GivenUp:
            self._tell("")
            self._switched(name)
        except Exception as error:
            if not in_words(error):
                raise
            self.shown[name] = key
            take_down(self._scene, _node(name))
            self._tell(in_words(error))

    def _tell(self, words: str, percent: float | None = None) -> None:
        self._words.content, self._words.visible = words, bool(words)
        self._bar.visible = percent is not None
        _write(self._bar, percent or 0.0)


def _write(bar: Any, percent: float) -> None:
    bar.value = float(np.clip(percent, 0.0, 100.0))


def _node(name: str) -> str:
    return f"{ACTIVE}/overlays/{name}"
