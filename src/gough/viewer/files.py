"""Opening machines while the page runs: by name, path or upload; a file that changes on disk is read again."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Callable
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING

import gough
from gough.errors import in_words
from gough.machine import Machine
from gough.viewer.appearance import BROKEN
from gough.viewer.bars import BOX
from gough.viewer.loop import Loop
from gough.viewer.overlays import GivenUp
from gough.viewer.parts import by_hand, put

if TYPE_CHECKING:
    import viser

    from gough.viewer.clips import Clip

Tell = Callable[[str, int, int | None], None]
"""Called with what is done, how much of it, and how much there is where that is known."""
ReadClip = Callable[[Path, Machine, str, Tell], "Clip"]
"""Makes a clip of a file for a machine; angles are those of the named convention."""
ENDINGS = ".csv,.nc,.ngc,.gcode,.tap,.cnc,.gc,.toml"
"""Of motions and paths."""
KINDS = (
    "What `gough path` takes: part programs, path files (`.toml`), CSV of poses; they are checked and timed first. "
    "CSV with `time` and a pose (`x,y,z` and angles, a quaternion or a matrix) or `q1` to `q6`; the `.nc` files of "
    "`gough path`, `simulate`, `dynamics` and `playback`. Angles are those of the convention under *Move*."
)
LONGEST_NAME = 60
"""Of an upload, its ending included [characters]."""
PERIOD = 0.5
"""Between two looks at the file on disk [s]."""


class Files:
    """Choices of a machine, an upload for motions, and the words of what went wrong.

    Parameters
    ----------
    gui : viser.GuiApi
    loop, background : Loop
        The one on which the machine moves; the one for what takes long.
    open_machine : callable
        Shows what a name or path stands for; keeps the pose where that is shown already.
    open_clip : callable
        Makes of a file of a motion what can be played, in the background, and tells of its progress.

    """

    def __init__(
        self,
        gui: viser.GuiApi,
        loop: Loop,
        background: Loop,
        open_machine: Callable[[str], None],
        open_clip: Callable[[Path, Tell], None],
    ) -> None:
        self._loop, self._background = loop, background
        self._open_machine, self._open_clip = open_machine, open_clip
        self._wishes = 0
        self._uploads = tempfile.TemporaryDirectory(prefix="gough-view-")
        self.folder = self._uploads.name
        self.source, self._stamp = "", (0, 0)
        self._error = gui.add_html("", visible=False)
        with gui.add_folder("Machine"):
            self._built_in = gui.add_dropdown("built in", tuple(info.name for info in gough.machines(stages=1)))
            self._path = gui.add_text("path", "", hint="Of a machine file on the computer on which the viewer runs.")
            self._open = gui.add_button("Open this path")
            self._upload = gui.add_upload_button("Upload a machine file", mime_type=".toml")
            gui.add_markdown("A file opened by its path is read again whenever it is saved; the pose stays.")
        with gui.add_folder("Motion"):
            self._motion_path = gui.add_text("motion file", "", hint="Of a motion or path on the viewer's computer.")
            self._play = gui.add_button("Open this motion")
            self._motion = gui.add_upload_button("Upload a motion", mime_type=ENDINGS)
            self._words = gui.add_markdown("", visible=False)
            self._bar = gui.add_progress_bar(0.0, visible=False, animated=True)
            gui.add_markdown(KINDS)
        self._built_in.on_update(by_hand(lambda _: self.open(self._built_in.value)))
        self._open.on_click(by_hand(lambda _: self.open(self._path.value.strip())))
        self._upload.on_upload(by_hand(lambda _: self._uploaded_machine()))
        self._play.on_click(by_hand(lambda _: self.open_motion(Path(self._motion_path.value.strip()))))
        self._motion.on_upload(by_hand(lambda _: self._uploaded_motion()))
        self._loop.post("watch", self._watch, PERIOD)

    def stop(self) -> None:
        """Remove what was uploaded."""
        self._uploads.cleanup()

    def opened(self, source: str) -> None:
        """Know what is shown now, and watch it where it is a file."""
        self.source, self._stamp = source, stamp(source)
        if source in self._built_in.options:
            put(self._built_in, source)
        elif not source.startswith(self.folder):
            put(self._path, source)

    def open(self, source: str) -> None:
        """Show another machine; what is wrong with it is told, and the old one stays."""
        self._loop.post("open", lambda: self._try(lambda: self._open_machine(source)))

    def open_motion(self, path: Path) -> None:
        """Make ready what a file holds, in the background; what is wrong with it is told. The newest wish counts."""
        self._wishes += 1
        wish = self._wishes

        def tell(what: str, done: int, total: int | None) -> None:
            if wish != self._wishes:
                raise GivenUp
            self._tell_progress(f"{what.replace(f'{self.folder}/', '')} …", 100.0 * done / total if total else 0)

        self._background.post("motion", lambda: self._try(lambda: self._opened(path, tell)))

    def _opened(self, path: Path, tell: Tell) -> None:
        try:
            tell(f"opening {path.name}", 0, None)
            self._open_clip(path, tell)
        except GivenUp:
            pass
        finally:
            self._tell_progress("", None)

    def _tell_progress(self, words: str, percent: float | None) -> None:
        self._words.content, self._words.visible = words, bool(words)
        self._bar.visible = percent is not None
        put(self._bar, float(min(max(percent or 0.0, 0.0), 100.0)))

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
            self.tell(words.replace(f"{self.folder}/", ""))
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
        self._try(lambda: self.open(str(self._kept(self._upload.value.name, self._upload.value.content))))

    def _uploaded_motion(self) -> None:
        self._try(lambda: self.open_motion(self._kept(self._motion.value.name, self._motion.value.content)))

    def _kept(self, name: str, content: bytes) -> Path:
        """An upload as a file; only the last part of its name counts, and of that what every file system takes."""
        plain = re.sub(r"[^\w .+()-]", "_", re.split(r"[/\\]", name)[-1])[-LONGEST_NAME:]
        path = Path(self.folder) / (plain if plain.strip(". ") else "upload")
        path.write_bytes(content)
        return path


def stamp(source: str) -> tuple[int, int]:
    """Time and size by which a changed file is known; zeros where there is none."""
    try:
        found = Path(source).stat() if source else None
    except (OSError, ValueError):
        return (0, 0)
    return (found.st_mtime_ns, found.st_size) if found is not None else (0, 0)
