"""Taking home what is shown: tables, a picture, and the view itself as a file or as a link."""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs

import numpy as np

from gough.viewer.loop import Loop
from gough.viewer.parts import by_hand
from gough.viewer.pose_controller import Mover
from gough.viewer.pose_coordinates import Reading
from gough.viewer.server import token_of
from gough.viewer.state import VIEW, State, from_document, from_link
from gough.viewer.table import clip_csv, pose_csv
from gough.viewer.viser_parts import run_script
from gough.viewer.window import PATIENCE, ask

if TYPE_CHECKING:
    import viser

    from gough.viewer.clips import Clip

QUESTION = "gough-question"
"""Where a window's page puts what stands behind ? in its address, which only scripts on the page can read."""
ADDRESS = f"""(() => {{
  const seen = sessionStorage.getItem("{QUESTION}");
  sessionStorage.setItem("{QUESTION}", location.search);
  return seen === location.search ? "" : location.search;
}})()"""
"""That, but nothing when the window connects again."""


class Keeping:
    """Buttons for files that the browser saves, and the way back from them.

    Parameters
    ----------
    server : viser.ViserServer
    loop, slow : Loop
        On which the machine moves; on which pictures are waited for.
    shown : callable
        Gives the mover, the motion under Play and what the six numbers mean.
    state : callable
        Gives the state with one window's camera.
    restore : callable
        Shows a state.

    """

    def __init__(
        self,
        server: viser.ViserServer,
        loop: Loop,
        slow: Loop,
        shown: Callable[[], tuple[Mover, Clip | None, Reading]],
        state: Callable[[viser.ClientHandle], State],
        restore: Callable[[State], None],
    ) -> None:
        gui, self._token = server.gui, token_of(server)
        self._loop, self._slow, self._shown, self._state, self._restore = loop, slow, shown, state, restore
        with gui.add_folder("Take home"):
            self._table = gui.add_button("Table (CSV)", hint="Of the motion under Play, or else of this pose.")
            self._picture = gui.add_button("Picture (PNG)")
            self._save = gui.add_button("View as a file")
            self._link = gui.add_button("View as a link", hint="Puts it into the address of this window.")
            self._load = gui.add_upload_button("Open a saved view", mime_type=".json")
        self._table.on_click(by_hand(lambda event: loop.post("table", lambda: self._send_table(event.client))))
        self._picture.on_click(by_hand(lambda event: slow.post("picture", lambda: self._send_picture(event.client))))
        self._save.on_click(by_hand(lambda event: loop.post("save", lambda: self._send_view(event.client))))
        self._link.on_click(by_hand(lambda event: loop.post("link", lambda: self._set_address(event.client))))
        self._load.on_upload(by_hand(lambda _: loop.post("restore", self._uploaded)))
        server.on_client_connect(self._connected)

    def _name(self) -> str:
        """Of the machine, for files."""
        return self._shown()[0].machine.name

    def _send_table(self, client: Any) -> None:
        mover, clip, reading = self._shown()
        machine = mover.machine
        text = pose_csv(mover, reading) if clip is None else clip_csv(machine, clip, reading)
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
        client.send_file_download(name, self._state(client).document().encode(), save_immediately=True)

    def _set_address(self, client: Any) -> None:
        link = json.dumps("?" + "&".join(part for part in (self._token, self._state(client).link()) if part))
        run_script(client, f"history.replaceState(null, '', {link}); sessionStorage.setItem('{QUESTION}', {link})")
        words = "The address of this window is a link to this view now, as long as the viewer runs."
        client.add_notification("Link", words, auto_close_seconds=6.0)

    def _uploaded(self) -> None:
        self._restore(from_document(self._load.value.content, self._load.value.name))

    def _connected(self, client: viser.ClientHandle) -> None:
        """Restore the view that a window's address holds, once: not when the window connects again."""
        found = ask(client, QUESTION, ADDRESS)
        if found and VIEW in parse_qs(found.lstrip("?")):
            self._loop.post("restore", lambda: self._restore(from_link(found)))
