"""Export: tables, a picture, and the view itself as a file or as a link."""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs

import numpy as np

from gough.files import stem_of
from gough.machine import Machine
from gough.present.answer import Field
from gough.present.fields import columns
from gough.present.write import csv_text
from gough.viewer.clips import Clip
from gough.viewer.panels.charts import QUANTITIES
from gough.viewer.panels.panel import Panel
from gough.viewer.saved_view import VIEW, SavedView, from_document, from_link
from gough.viewer.scheduler import Loop, by_hand
from gough.viewer.server import PATIENCE, evaluate, token_of
from gough.viewer.stage import PoseCoordinates, Stage
from gough.viewer.store import State
from gough.viewer.viser_parts import run_script

if TYPE_CHECKING:
    import viser


TABLE = ("position", "angles", "leg values", "forces", "powers")
"""Quantities in a table, in the order of its columns."""
QUESTION = "gough-question"
"""Key under which a window stores the query of its address, which only scripts on the page can read."""
ADDRESS = f"""(() => {{
  const seen = sessionStorage.getItem("{QUESTION}");
  sessionStorage.setItem("{QUESTION}", location.search);
  return seen === location.search ? "" : location.search;
}})()"""
"""JavaScript for the query of the address, empty when the window connects again."""


def export_panel(
    panel: Panel,
    server: viser.ViserServer,
    saved: Callable[[viser.ClientHandle], SavedView],
    restore: Callable[[SavedView], None],
) -> None:
    """Buttons for files that the browser saves, and an upload of saved views.

    Parameters
    ----------
    panel : Panel
    server : viser.ViserServer
    saved : callable
        Gives the view with one window's camera.
    restore : callable
        Shows a view; on the loop.

    """
    gui, store = panel.gui, panel.store

    def add(label: str, thread: Loop, act: Callable[[Any], None], hint: str | None = None) -> None:
        """A button that acts on the window in which it is clicked."""
        button = gui.add_button(label, hint=hint)
        button.on_click(by_hand(lambda event: thread.post(label, lambda: act(event.client))))

    def send(client: Any, ending: str, content: bytes) -> None:
        client.send_file_download(f"{stem_of(store.state.stage.machine.name)}{ending}", content, save_immediately=True)

    def connected(client: viser.ClientHandle) -> None:
        """Restore the view that a window's address holds, once: not when the window connects again."""
        found = evaluate(client, QUESTION, ADDRESS)
        if found and VIEW in parse_qs(found.lstrip("?")):
            store.loop.post("restore", lambda: restore(from_link(found)))

    with gui.add_folder("Export"):
        what = "Of the motion under Play, or else of this pose."
        add("Table (CSV)", store.loop, lambda client: send(client, *table(store.state)), what)
        add("Picture (PNG)", store.slow, lambda client: send(client, ".png", picture(client)))
        add("View as a file", store.loop, lambda client: send(client, "-view.json", saved(client).document().encode()))
        what = "Puts it into the address of this window."
        add(
            "View as a link",
            store.loop,
            lambda client: set_address(client, token_of(server), saved(client).link()),
            what,
        )
        upload = gui.add_upload_button("Open a saved view", mime_type=".json")
    upload.on_upload(
        by_hand(
            lambda _: store.loop.post(
                "restore", lambda: restore(from_document(upload.value.content, upload.value.name))
            )
        )
    )
    server.on_client_connect(connected)


def set_address(client: viser.ClientHandle, *parts: str) -> None:
    """Replace the query of a window's address by parts that are not empty."""
    link = json.dumps("?" + "&".join(part for part in parts if part))
    # The query is stored as one already read, or the window would restore the view when it connects again.
    run_script(client, f"history.replaceState(null, '', {link}); sessionStorage.setItem('{QUESTION}', {link})")
    words = "The address of this window is a link to this view now, as long as the viewer runs."
    client.add_notification("Link", words, auto_close_seconds=6.0)


def picture(client: viser.ClientHandle) -> bytes:
    """The scene as a window shows it, on white, as PNG."""
    import imageio.v3 as iio

    camera = client.camera
    seen = client.get_render(camera.image_height, camera.image_width, transport_format="png", timeout=PATIENCE)
    part = seen[..., 3:] / 255.0 if seen.shape[-1] == 4 else 1.0
    shown = (seen[..., :3] * part + 255.0 * (1.0 - part)).round().astype(np.uint8)
    file = io.BytesIO()
    iio.imwrite(file, shown, extension=".png")
    return file.getvalue()


def table(state: State) -> tuple[str, bytes]:
    """Table of the motion that can be played, or else of the pose: the end of its file name, and CSV."""
    if state.clip is None:
        return "-pose.csv", pose_csv(state.stage, state.coordinates).encode()
    return "-motion.csv", clip_csv(state.stage.machine, state.clip, state.coordinates).encode()


def clip_csv(machine: Machine, clip: Clip, coordinates: PoseCoordinates) -> str:
    """Time, the six numbers of the pose, leg values and, where known, forces and powers; one row for each sample."""
    return _csv(machine, clip, coordinates, Field("time", clip.time, "s"))


def pose_csv(stage: Stage, coordinates: PoseCoordinates) -> str:
    """The pose that is shown in one row: its six numbers, the legs and every margin."""
    found = stage.margins
    margins = Field("margins", found.values[None], found.units, found.names, "margin_{}")
    return _csv(stage.machine, Clip("", np.zeros(1), stage.X[None], stage.q[None]), coordinates, last=margins)


def _csv(machine: Machine, clip: Clip, coordinates: PoseCoordinates, *first: Field, last: Field | None = None) -> str:
    found = [QUANTITIES[choice](machine, clip, coordinates) for choice in TABLE]
    fields = [*first, *(each for each in found if each.value is not None), *([] if last is None else [last])]
    return csv_text(columns(fields, machine.units))
