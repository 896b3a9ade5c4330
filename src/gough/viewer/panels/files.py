"""The tab of files: machines and motions by name, path or upload; tables, a picture, the view as a file or a link."""

from __future__ import annotations

import io
import json
import re
from collections.abc import Callable
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

import gough
from gough.errors import in_words
from gough.files import remove_folder, stem_of, temporary_folder
from gough.machine import Machine
from gough.present.answer import Field
from gough.present.fields import columns
from gough.present.write import csv_text
from gough.viewer.clips import Clip
from gough.viewer.panels.panel import STYLE, Panel
from gough.viewer.panels.player import QUANTITIES
from gough.viewer.saved_view import SavedView, from_document
from gough.viewer.scene.batch import BROKEN
from gough.viewer.scheduler import Cancelled, Loop, by_hand
from gough.viewer.server import PATIENCE, token_of
from gough.viewer.stage import PoseCoordinates, Stage
from gough.viewer.store import Progress, State
from gough.viewer.viser_parts import run_script

if TYPE_CHECKING:
    import viser

    from gough.viewer.clips import Clip

Report = Callable[[str, int, int | None], None]
"""Receives the current step, the amount done, and the total where it is known; may cancel by an exception."""
ENDINGS = ".csv,.nc,.ngc,.gcode,.tap,.cnc,.gc,.toml"
"""Endings of the files of motions and paths."""
KINDS = (
    "What `gough path` takes: part programs, path files (`.toml`), CSV of poses; they are checked and timed first. "
    "CSV with `time` and a pose (`x,y,z` and angles, a quaternion or a matrix) or `q1` to `q6`; the `.nc` files of "
    "`gough path`, `simulate`, `dynamics` and `playback`. Angles are those of the convention under *Move*."
)
LONGEST_NAME = 60
"""Longest name of an upload, with its ending [characters]."""
PATH = "Of a machine file on the computer on which the viewer runs."
PERIOD = 0.5
"""Time between two checks of the file on disk [s]."""


class FilesPanel:
    """Choices of a machine and of a motion, and what is wrong with a file.

    Parameters
    ----------
    panel : Panel
    open_machine : callable
        Shows the machine of a name or path; on the loop.
    open_clip : callable
        Makes the motion of a file ready to be played, and reports its progress; in the background. Returns the clip,
        and the key of the load for which it was computed.

    """

    def __init__(
        self,
        panel: Panel,
        open_machine: Callable[[str], None],
        open_clip: Callable[[Path, Report], tuple[Clip, bytes]],
    ) -> None:
        gui, store = panel.gui, panel.store
        self._store, self._open_machine, self._open_clip = store, open_machine, open_clip
        self._requests = 0
        self._opened: tuple[Path, Clip, bytes] | None = None
        self.folder = str(temporary_folder("gough-view-"))
        self._source, self._stamp = "", (0, 0)
        self._error = gui.add_html("", visible=False)
        with gui.add_folder("Machine"):
            self._built_in: Any = gui.add_dropdown("built in", tuple(info.name for info in gough.machines(stages=1)))
            self._path: Any = gui.add_text("path", "", hint=PATH)
            self._open = gui.add_button("Open this path")
            upload = gui.add_upload_button("Upload a machine file", mime_type=".toml")
            gui.add_markdown("A file opened by its path is read again whenever it is saved; the pose stays.")
        with gui.add_folder("Motion"):
            motion_path = gui.add_text("motion file", "", hint="Of a motion or path on the viewer's computer.")
            play = gui.add_button("Open this motion")
            self._motion = gui.add_upload_button("Upload a motion", mime_type=ENDINGS)
            panel.progress(lambda state: state.progress.get("motion", Progress()))
            gui.add_markdown(KINDS)
        self._built_in.on_update(by_hand(lambda _: self.open(self._built_in.value)))
        self._open.on_click(by_hand(lambda _: self.open(self._path.value.strip())))
        upload.on_upload(by_hand(lambda _: self._uploaded(upload, lambda path: self.open(str(path)))))
        play.on_click(by_hand(lambda _: self.open_motion(Path(motion_path.value.strip()))))
        self._motion.on_upload(by_hand(lambda _: self._uploaded(self._motion, self.open_motion)))
        panel.add(self._show_source)
        panel.add(self._follow_forces)
        store.loop.post("watch", self._watch, PERIOD)

    def stop(self) -> None:
        """Remove what was uploaded."""
        remove_folder(Path(self.folder))

    def _show_source(self, state: State) -> None:
        """Show where the machine came from: a built-in name or a path, but not the path of an upload."""
        if state.source == self._source:
            return
        self._source, self._stamp = state.source, stamp(state.source)
        if state.source in self._built_in.options:
            self._built_in.value = state.source
        elif not state.source.startswith(self.folder):
            self._path.value = state.source

    def _follow_forces(self, state: State) -> None:
        """Open the motion of the file that is shown once more where its forces are those under another load."""
        if self._opened is None:
            return
        path, clip, forces = self._opened
        if state.clip is clip and clip.force is not None and state.applied.key != forces:
            self._opened = None
            self.open_motion(path)

    def open(self, source: str) -> None:
        """Show another machine; an error is shown, and the old one stays."""
        self._store.loop.post("open", lambda: self._try(lambda: self._open_machine(source)))

    def open_motion(self, path: Path) -> None:
        """Open the motion of a file in the background; an error is shown. The newest request counts."""
        self._requests += 1
        request = self._requests

        def report(what: str, done: int, total: int | None) -> None:
            if request != self._requests:
                raise Cancelled
            percent = 100.0 * done / total if total else 0.0
            self._store.report("motion", f"{what.replace(f'{self.folder}/', '')} …", min(max(percent, 0.0), 100.0))

        self._store.background.post("motion", lambda: self._try(lambda: self._read(path, report)))

    def _read(self, path: Path, report: Report) -> None:
        try:
            report(f"opening {path.name}", 0, None)
            self._opened = (path, *self._open_clip(path, report))
            self._follow_forces(self._store.state)
        except Cancelled:
            pass
        finally:
            self._store.report("motion")

    def show_error(self, words: str) -> None:
        """Show an error above the choices, or nothing."""
        lines = "".join(f"<div>error: {escape(line)}</div>" for line in words.splitlines())
        edge = f"border-left:0.3em solid {BROKEN};padding:0.45em 0.8em;background:{BROKEN}18;overflow-wrap:anywhere"
        self._error.content, self._error.visible = f'<div style="{STYLE};{edge}">{lines}</div>', bool(words)

    def _try(self, action: Callable[[], None]) -> None:
        try:
            action()
        except Exception as error:
            words = in_words(error)
            if not words:
                raise
            self.show_error(words.replace(f"{self.folder}/", ""))
        else:
            self.show_error("")

    def _watch(self) -> None:
        """Read the machine file again if it has changed; one that is gone for the moment is being saved."""
        self._store.loop.post("watch", self._watch, PERIOD)
        now = stamp(self._source)
        if now not in (self._stamp, (0, 0)):
            self._stamp = now
            self._try(lambda: self._open_machine(self._source))

    def _uploaded(self, button: viser.GuiUploadButtonHandle, opened: Callable[[Path], None]) -> None:
        self._try(lambda: opened(self._kept(button.value.name, button.value.content)))

    def _kept(self, name: str, content: bytes) -> Path:
        """An upload as a file in the folder of uploads."""
        # The name comes from the page: only its last part counts, without characters that some file systems refuse.
        plain = re.sub(r"[^\w .+()-]", "_", re.split(r"[/\\]", name)[-1])[-LONGEST_NAME:]
        path = Path(self.folder) / (plain if plain.strip(". ") else "upload")
        path.write_bytes(content)
        return path


def stamp(source: str) -> tuple[int, int]:
    """Return modification time and size, which differ once a file has changed; zeros where there is none."""
    try:
        found = Path(source).stat() if source else None
    except (OSError, ValueError):
        return (0, 0)
    return (found.st_mtime_ns, found.st_size) if found is not None else (0, 0)


TABLE = ("position", "angles", "leg values", "forces", "powers")
"""Quantities in a table, in the order of its columns."""


def export_panel(
    panel: Panel,
    server: viser.ViserServer,
    saved: Callable[[viser.ClientHandle], SavedView],
    restore: Callable[[SavedView], None],
) -> None:
    """Build buttons for files that the browser saves, and an upload of saved views.

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


def set_address(client: viser.ClientHandle, *parts: str) -> None:
    """Replace the query of a window's address by parts that are not empty."""
    link = json.dumps("?" + "&".join(part for part in parts if part))
    run_script(client, f"history.replaceState(null, '', {link})")
    words = "The address of this window is a link to this view now, as long as the viewer runs."
    client.add_notification("Link", words, auto_close_seconds=6.0)


def picture(client: viser.ClientHandle) -> bytes:
    """Return the scene as a window shows it, on white, as PNG."""
    import imageio.v3 as iio

    camera = client.camera
    seen = client.get_render(camera.image_height, camera.image_width, transport_format="png", timeout=PATIENCE)
    part = seen[..., 3:] / 255.0 if seen.shape[-1] == 4 else 1.0
    shown = (seen[..., :3] * part + 255.0 * (1.0 - part)).round().astype(np.uint8)
    file = io.BytesIO()
    iio.imwrite(file, shown, extension=".png")
    return file.getvalue()


def table(state: State) -> tuple[str, bytes]:
    """Return the table of the motion that can be played, or else of the pose: the end of its file name, and CSV."""
    if state.clip is None:
        return "-pose.csv", pose_csv(state.stage, state.coordinates).encode()
    return "-motion.csv", clip_csv(state.stage.machine, state.clip, state.coordinates).encode()


def clip_csv(machine: Machine, clip: Clip, coordinates: PoseCoordinates) -> str:
    """Return the time, the six numbers of the pose, leg values and, where known, forces and powers; one row for each
    sample."""
    return _csv(machine, clip, coordinates, Field("time", clip.time, "s"))


def pose_csv(stage: Stage, coordinates: PoseCoordinates) -> str:
    """Return the pose that is shown in one row: its six numbers, the legs and every margin."""
    found = stage.margins
    margins = Field("margins", found.values[None], found.units, found.names, "margin_{}")
    return _csv(stage.machine, Clip("", np.zeros(1), stage.X[None], stage.q[None]), coordinates, last=margins)


def _csv(machine: Machine, clip: Clip, coordinates: PoseCoordinates, *first: Field, last: Field | None = None) -> str:
    found = [QUANTITIES[choice](machine, clip, coordinates) for choice in TABLE]
    fields = [*first, *(each for each in found if each.value is not None), *([] if last is None else [last])]
    return csv_text(columns(fields, machine.units))
