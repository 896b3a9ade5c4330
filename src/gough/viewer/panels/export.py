"""Export: tables, a picture, and the view itself as a file or as a link."""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs

import numpy as np

from gough.machine import Machine
from gough.present.answer import Field
from gough.present.fields import columns
from gough.present.write import csv_text
from gough.viewer.clips import Clip
from gough.viewer.panels.charts import QUANTITIES
from gough.viewer.saved_view import VIEW, SavedView, from_document, from_link
from gough.viewer.scheduler import by_hand
from gough.viewer.server import PATIENCE, evaluate, token_of
from gough.viewer.stage import PoseCoordinates, Stage
from gough.viewer.store import Store
from gough.viewer.viser_parts import run_script

if TYPE_CHECKING:
    import viser


TABLE = ("position", "angles", "leg values", "forces", "powers")
"""Quantities of a table, in its order."""
QUESTION = "gough-question"
"""Where a window keeps the query of its address, which only scripts on the page can read."""
ADDRESS = f"""(() => {{
  const seen = sessionStorage.getItem("{QUESTION}");
  sessionStorage.setItem("{QUESTION}", location.search);
  return seen === location.search ? "" : location.search;
}})()"""
"""That, but nothing when the window connects again."""


class ExportPanel:
    """Buttons for files that the browser saves, and an upload of saved views.

    Parameters
    ----------
    server : viser.ViserServer
    store : Store
    saved : callable
        Gives the view with one window's camera.
    restore : callable
        Shows a view; on the loop.

    """

    def __init__(
        self,
        server: viser.ViserServer,
        store: Store,
        saved: Callable[[viser.ClientHandle], SavedView],
        restore: Callable[[SavedView], None],
    ) -> None:
        gui, self._token = server.gui, token_of(server)
        self._store, self._saved, self._restore = store, saved, restore
        self._loop = loop = store.scheduler.loop
        slow = store.scheduler.slow
        with gui.add_folder("Export"):
            table = gui.add_button("Table (CSV)", hint="Of the motion under Play, or else of this pose.")
            picture = gui.add_button("Picture (PNG)")
            save = gui.add_button("View as a file")
            link = gui.add_button("View as a link", hint="Puts it into the address of this window.")
            load = gui.add_upload_button("Open a saved view", mime_type=".json")
        table.on_click(by_hand(lambda event: loop.post("table", lambda: self._send_table(event.client))))
        picture.on_click(by_hand(lambda event: slow.post("picture", lambda: self._send_picture(event.client))))
        save.on_click(by_hand(lambda event: loop.post("save", lambda: self._send_view(event.client))))
        link.on_click(by_hand(lambda event: loop.post("link", lambda: self._set_address(event.client))))
        load.on_upload(by_hand(lambda _: loop.post("restore", lambda: self._uploaded(load.value))))
        server.on_client_connect(self._connected)

    def _name(self) -> str:
        """Of the machine, for files."""
        return self._store.state.stage.machine.name

    def _send_table(self, client: Any) -> None:
        state = self._store.state
        clip, machine = state.clip, state.stage.machine
        text = pose_csv(state.stage, state.coordinates) if clip is None else clip_csv(machine, clip, state.coordinates)
        name = f"{self._name()}-{'pose' if clip is None else 'motion'}.csv"
        client.send_file_download(name, text.encode(), save_immediately=True)

    def _send_picture(self, client: Any) -> None:
        """The scene as this window sees it, on white."""
        import imageio.v3 as iio

        camera = client.camera
        seen = client.get_render(camera.image_height, camera.image_width, transport_format="png", timeout=PATIENCE)
        part = seen[..., 3:] / 255.0 if seen.shape[-1] == 4 else 1.0
        shown = (seen[..., :3] * part + 255.0 * (1.0 - part)).round().astype(np.uint8)
        file = io.BytesIO()
        iio.imwrite(file, shown, extension=".png")
        client.send_file_download(f"{self._name()}.png", file.getvalue(), save_immediately=True)

    def _send_view(self, client: Any) -> None:
        name = f"{self._name()}-view.json"
        client.send_file_download(name, self._saved(client).document().encode(), save_immediately=True)

    def _set_address(self, client: Any) -> None:
        link = json.dumps("?" + "&".join(part for part in (self._token, self._saved(client).link()) if part))
        run_script(client, f"history.replaceState(null, '', {link}); sessionStorage.setItem('{QUESTION}', {link})")
        words = "The address of this window is a link to this view now, as long as the viewer runs."
        client.add_notification("Link", words, auto_close_seconds=6.0)

    def _uploaded(self, file: viser.UploadedFile) -> None:
        self._restore(from_document(file.content, file.name))

    def _connected(self, client: viser.ClientHandle) -> None:
        """Restore the view that a window's address holds, once: not when the window connects again."""
        found = evaluate(client, QUESTION, ADDRESS)
        if found and VIEW in parse_qs(found.lstrip("?")):
            self._loop.post("restore", lambda: self._restore(from_link(found)))


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
