"""Opening machines and motions while the page runs: by name, path or upload; a file that changes is read again."""

from __future__ import annotations

import re
from collections.abc import Callable
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any

import gough
from gough.errors import in_words
from gough.files import remove_folder, temporary_folder
from gough.viewer.appearance import BROKEN
from gough.viewer.panels.panel import STYLE, Panel
from gough.viewer.scheduler import Cancelled, by_hand
from gough.viewer.store import Progress, State

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
    """Modification time and size, which differ once a file has changed; zeros where there is none."""
    try:
        found = Path(source).stat() if source else None
    except (OSError, ValueError):
        return (0, 0)
    return (found.st_mtime_ns, found.st_size) if found is not None else (0, 0)
