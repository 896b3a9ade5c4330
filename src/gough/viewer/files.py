"""Opening machines while the page runs: by name, path or upload; a file that changes on disk is read again."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING

import gough
from gough.errors import in_words
from gough.machine import Machine
from gough.viewer.bars import BOX
from gough.viewer.look import BROKEN
from gough.viewer.loop import Loop
from gough.viewer.mover import Mover
from gough.viewer.parts import by_hand, put

if TYPE_CHECKING:
    import viser

    from gough.viewer.clips import Clip

ReadClip = Callable[[Path, Machine, str], "Clip"]
"""Makes a clip of a file for a machine; angles are those of the named convention."""
PERIOD = 0.5
"""Between two looks at the file on disk [s]."""


class Files:
    """Choices of a machine, an upload for motions, and the words of what went wrong.

    Parameters
    ----------
    gui : viser.GuiApi
    loop : Loop
        The one on which the machine moves.
    open_machine : callable
        Shows what a name or path stands for; keeps the pose where that is shown already.
    open_clip : callable
        Makes ready what a file of a motion holds.

    """

    def __init__(
        self,
        gui: viser.GuiApi,
        loop: Loop,
        open_machine: Callable[[str], None],
        open_clip: Callable[[Path], None],
    ) -> None:
        self._loop, self._open_machine, self._open_clip = loop, open_machine, open_clip
        self._folder = tempfile.TemporaryDirectory(prefix="gough-view-")
        self.source, self._stamp = "", (0, 0)
        self._error = gui.add_html("", visible=False)
        with gui.add_folder("Machine"):
            self._built_in = gui.add_dropdown("built in", tuple(info.name for info in gough.machines(stages=1)))
            self._path = gui.add_text("path", "", hint="Of a machine file on the computer on which the viewer runs.")
            self._open = gui.add_button("Open this path")
            self._upload = gui.add_upload_button("Upload a machine file", mime_type=".toml")
            gui.add_markdown("A file opened by its path is read again whenever it is saved; the pose stays.")
        with gui.add_folder("Motion"):
            self._motion = gui.add_upload_button("Upload a motion", mime_type=".csv,.nc")
            gui.add_markdown(
                "CSV with `time` and a pose (`x,y,z` and angles, a quaternion or a matrix) or `q1` to `q6`; "
                "or the `.nc` file of `gough simulate`, `dynamics` or `playback`. Angles are those of the convention "
                "under *Move*."
            )
        self._built_in.on_update(by_hand(lambda _: self.open(self._built_in.value)))
        self._open.on_click(by_hand(lambda _: self.open(self._path.value.strip())))
        self._upload.on_upload(by_hand(lambda _: self._uploaded_machine()))
        self._motion.on_upload(by_hand(lambda _: self._uploaded_motion()))
        self._loop.post("watch", self._watch, PERIOD)

    def new_machine(self, mover: Mover) -> None:
        """Nothing: it is told by `opened`."""

    def show(self, mover: Mover, asker: str) -> None:
        """Nothing: where the machine is does not matter."""

    def stop(self) -> None:
        """Remove what was uploaded."""
        self._folder.cleanup()

    def opened(self, source: str) -> None:
        """Know what is shown now, and watch it where it is a file."""
        self.source, self._stamp = source, stamp(source)
        if source in self._built_in.options:
            put(self._built_in, source)
        elif not source.startswith(self._folder.name):
            put(self._path, source)

    def open(self, source: str) -> None:
        """Show another machine; what is wrong with it is told, and the old one stays."""
        self._loop.post("open", lambda: self._try(lambda: self._open_machine(source)))

    def tell(self, words: str) -> None:
        """Show what is wrong above the choices, or nothing."""
        lines = "".join(f"<div>error: {escape(line)}</div>" for line in words.splitlines())
        edge = f"border-left:0.3em solid {BROKEN};padding:0.45em 0.8em;background:{BROKEN}18;overflow-wrap:anywhere"
        self._error.content, self._error.visible = f'<div style="{BOX};{edge}">{lines}</div>', bool(words)

    def _try(self, action: Callable[[], None]) -> None:
        try:
            action()
        except Exception as error:
            words = in_words(error)
            if not words:
                raise
            self.tell(words.replace(f"{self._folder.name}/", ""))
        else:
            self.tell("")

    def _watch(self) -> None:
        """Read the file again if it has changed."""
        self._loop.post("watch", self._watch, PERIOD)
        now = stamp(self.source)
        if now not in (self._stamp, (0, 0)):
            self._stamp = now
            self._try(lambda: self._open_machine(self.source))

    def _uploaded_machine(self) -> None:
        self.open(str(self._kept(self._upload.value.name, self._upload.value.content)))

    def _uploaded_motion(self) -> None:
        path = self._kept(self._motion.value.name, self._motion.value.content)
        self._loop.post("clip", lambda: self._try(lambda: self._open_clip(path)))

    def _kept(self, name: str, content: bytes) -> Path:
        """An upload as a file; only the last part of its name counts."""
        path = Path(self._folder.name) / (Path(name.replace("\\", "/")).name or "upload")
        path.write_bytes(content)
        return path


def stamp(source: str) -> tuple[int, int]:
    """Time and size by which a changed file is known; zeros where there is none."""
    try:
        found = Path(source).stat() if source else None
    except (OSError, ValueError):
        return (0, 0)
    return (found.st_mtime_ns, found.st_size) if found is not None else (0, 0)
