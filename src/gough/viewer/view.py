"""The viewer: one state, shown by the scene and the panels in all windows, and the page that one call opens."""

from __future__ import annotations

import threading
import webbrowser
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from html import escape
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs

import numpy as np

import gough
from gough.checks.arguments import checks_arguments
from gough.description.parse import only_files
from gough.errors import InputError, in_words
from gough.files import remove_folder, temporary_folder
from gough.machine import Machine
from gough.stacked import StackedMachine
from gough.viewer.access import Fence
from gough.viewer.applied_forces import ForceInputs, carrying_in_dynamics
from gough.viewer.clips import Clip
from gough.viewer.panels.files import FilesPanel, Report, export_panel
from gough.viewer.panels.move import move_panel
from gough.viewer.panels.overlays import overlays_panel
from gough.viewer.panels.panel import Panel
from gough.viewer.panels.player import PlayerPanel, begun
from gough.viewer.panels.status import forces_panel, response_panel, status_panel, verdict_panel
from gough.viewer.saved_view import VIEW, SavedView, from_link, restored, saved_view
from gough.viewer.scene.ground import aim
from gough.viewer.scene.handles import Gizmo, ModeGhosts, RefusedGhost
from gough.viewer.scene.machine import MachinesScene
from gough.viewer.scene.overlays import OverlaysScene, ToolTip
from gough.viewer.scheduler import Cancelled
from gough.viewer.server import PLAIN, on_page
from gough.viewer.stage import Stage
from gough.viewer.store import Show, State, Store, initial
from gough.viewer.viser_parts import notify

if TYPE_CHECKING:
    import viser

ReadClip = Callable[[Path, Machine, str, Report], Clip]
"""Makes a clip from a file for a machine; angles are those of the named convention."""
OPENED = "Forces are as recorded, or with the payload under Load; the force and moment there are not in them."
CAMERA = ("position", "look_at", "up_direction")
LEFT, RIGHT = 224, 286
"""Widths of the panels [px]: the scene has three fifths of a window of 1280 px."""
PICTURE, PLAYER = 1 / 40, 0.12
"""Shortest time between two updates of the machine with its text and bars, and of the charts [s]."""
SLIDERS = 0.05
"""The same for sliders and what else a page draws slowly [s]."""


class View:
    """The page: the store, and everything that shows its state.

    Parameters
    ----------
    server : viser.ViserServer
        A fresh one.
    machine : Machine or StackedMachine
    source : str
        Name or path under which the machine was loaded; default: its own name.
    read_clip : callable, optional
        Reads recorded motions from files.
    fence : Fence, optional
        Which files the page may open; default: those below the folder in which Python runs.

    """

    def __init__(
        self,
        server: viser.ViserServer,
        machine: Machine | StackedMachine,
        source: str | None = None,
        read_clip: ReadClip | None = None,
        fence: Fence | None = None,
    ) -> None:
        self.server, self._read_clip = server, read_clip
        self.fence = Fence([Path.cwd()]) if fence is None else fence
        self.store = Store(initial(machine.name if source is None else source, machine), self.show_error)
        self._model: Machine | None = None
        self._machine: Machine | StackedMachine | None = None
        self._query = ""
        self._build()
        self.store.follow("picture", self._show_picture, PICTURE)
        self.store.follow("player", self._playback.show, PLAYER)
        self.store.follow("sliders", self._show_rest, SLIDERS)
        self.store.update("begin", replace)
        on_page(server, self._page_opened)
        server.on_client_connect(self._connected)

    @property
    def state(self) -> State:
        """The state that is shown, or will be in an instant."""
        return self.store.state

    @property
    def stage(self) -> Stage:
        """The active stage."""
        return self.state.stage

    def move(self, hand: str, change: Callable[[Stage], Stage]) -> None:
        """Move the active stage on behalf of a control `hand`; returns at once, and the newest request counts."""
        self.store.update(hand, lambda state: state.moved(change(state.stage), hand))

    def draw_plainly(self) -> None:
        """Draw as without a graphics card: no shadows and edges."""
        self.store.put(shadows=False)

    def carry(self, applied: ForceInputs) -> None:
        """Put another load on the machine."""
        self.store.update("forces", lambda state: state.with_forces(applied))

    def stop(self) -> None:
        """Stop the threads, and remove uploaded files."""
        self.files.stop()
        self.store.stop()

    def open(self, source: str, poses: Sequence[Any] = ()) -> None:
        """Show the machine of a name or path; a machine that is shown already keeps its pose. On the loop."""
        with only_files(self.fence.check):
            machine = gough.load(source)
        kept = [stage.X for stage in self.state.stages] if source == self.state.source else []
        self.store.set(self.state.opened(source, machine, poses or kept))

    def open_clip(self, path: Path, report: Report) -> tuple[Clip, bytes]:
        """Make the motion of a file ready, unless the machine changes meanwhile. In the background.

        Returns the clip, and the key of the load for which it was computed.
        """
        if self._read_clip is None:
            raise InputError("this viewer was started without a reader for motions; use gough view")
        self.fence.check(path)
        before = self.state

        def checked(what: str, done: int, total: int | None) -> None:
            if self.state.model is not before.model:
                raise Cancelled
            report(what, done, total)

        clip = self._read_clip(
            path, carrying_in_dynamics(before.stage.machine, before.applied), before.convention, checked
        )
        if clip.force is not None:
            clip = replace(clip, note=f"{clip.note} {OPENED}".strip())  # after a verdict
        checked("drawing", 0, None)
        self.store.update("clip", lambda state: begun(state, clip) if state.model is before.model else state)
        return clip, before.applied.key

    def saved(self, client: viser.ClientHandle | None = None) -> SavedView:
        """Return the view of the current state, with the camera of one window."""
        camera = None if client is None else {name: getattr(client.camera, name).tolist() for name in CAMERA}
        return saved_view(self.state, camera)

    def restore(self, view: SavedView) -> None:
        """Show a saved view. On the loop."""
        if view.machine != self.state.source:
            self.open(view.machine)
        self.store.set(restored(self.state, view))
        self._show_picture(self.state)  # now, as it aims the cameras at another machine: the view's camera comes after
        if all(name in view.camera for name in CAMERA):
            for client in self.server.get_clients().values():
                aim(client, *(np.array(view.camera[name]) for name in CAMERA))

    def show_error(self, error: Exception) -> None:
        """Show an error in every window, worded as on the command line."""
        words = in_words(error)
        if not words:
            import traceback

            traceback.print_exception(error)
            words = f"This should not have happened: {type(error).__name__}: {error}"
        notify(self.server, words)

    def _build(self) -> None:
        """Panels on both sides: the machine's status on the left, controls on the right."""
        server, gui, store = self.server, self.server.gui, self.store
        self._machines = MachinesScene(server)
        scene: list[Show] = [
            self._machines.show,
            RefusedGhost(server.scene).show,
            ModeGhosts(server.scene, store).show,
            Gizmo(server.scene, store).show,
            ToolTip(server.scene).show,
        ]
        status, controls, self._playback = (Panel(gui, store) for _ in range(3))
        left = gui.add_panel()
        machine = left.add_tab("Machine")
        left.dock_left()
        left.set_width(LEFT)
        gui.main_panel.dock_right()
        gui.main_panel.set_width(RIGHT)
        verdict_panel(status)  # above the tabs, where a phone shows it too
        with machine:
            status_panel(status)
            response_panel(controls)
        tabs = gui.add_tab_group()
        with tabs.add_tab("Move"):
            move_panel(controls)
        with tabs.add_tab("Load"):
            forces_panel(controls)
        with tabs.add_tab("Overlays"):
            overlays_panel(controls)
        with tabs.add_tab("Play"):
            self.player = PlayerPanel(self._playback)
        with tabs.add_tab("File"):
            self.files = FilesPanel(controls, self.open, self.open_clip)
            self.fence.add(self.files.folder)
            export_panel(controls, server, self.saved, self.restore)
        self._quick = [*scene, status.show]
        self._rest = [OverlaysScene(server.scene).show, controls.show]

    def _show_picture(self, state: State) -> None:
        """Show the machine with its text in one message, so that a page draws once."""
        # Models are compared by identity: states share what has not changed.
        if state.model is not self._model:
            self._model = state.model
            self._show_rest(state)  # now, as the sliders' ranges are those of the machine
        with self.server.atomic():
            for show in self._quick:
                show(state)
        self.server.flush()
        if state.machine is not self._machine:
            self._machine = state.machine
            self._machines.aim()  # not within the atomic block
        self.player.keep_playing(state)

    def _show_rest(self, state: State) -> None:
        """Show what a page takes longer to draw."""
        for show in self._rest:
            show(state)

    def _connected(self, client: viser.ClientHandle) -> None:
        # An upright window, such as a phone's; the initial camera is that of wide ones. At once: the loop may be busy
        # for seconds when the first window opens.
        if client.camera.image_height > client.camera.image_width:
            self._machines.aim(client)
        query, self._query = self._query, ""
        if query:
            self.store.loop.post("restore", lambda: self.restore(from_link(query)))

    def _page_opened(self, query: str) -> None:
        """Follow the query of an address: plain drawing at once, a view when the window connects."""
        asked = parse_qs(query, keep_blank_values=True, max_num_fields=20)
        if PLAIN in asked:
            self.draw_plainly()
        if VIEW in asked:
            self._query = query


REDIRECT = """<!DOCTYPE html>
<html><head><meta charset="utf-8"><meta name="referrer" content="no-referrer"><title>Gough</title>
<meta http-equiv="refresh" content="0;url={address}"></head>
<body><a href="{address}">Open the viewer</a></body></html>
"""


class Page:
    """A page that is open; `close` it, or use it in a `with` statement.

    Attributes
    ----------
    view : View
        Moves the machine and gives what is shown.
    address : str
        Address of the page, with the token that every request needs.

    """

    def __init__(self, view: View, address: str) -> None:
        self.view, self.address, self._browser = view, address, ExitStack()

    def __repr__(self) -> str:
        return f"<Page of {self.view.state.machine.name!r} at {self.address}>"

    def __enter__(self) -> Page:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def open_in_browser(self) -> None:
        """Open the page in the browser, without the token in its command line."""
        self._browser.enter_context(opened(self.address))

    def wait(self) -> None:
        """Wait until an exception, such as the KeyboardInterrupt of Ctrl-C."""
        threading.Event().wait()

    def close(self) -> None:
        """Close the page, its server and its threads."""
        from gough.viewer.server import stop_server

        self._browser.close()
        self.view.stop()
        stop_server(self.view.server)


@checks_arguments
def view(
    machine: Machine | StackedMachine,
    *,
    host: str = "127.0.0.1",
    port: int = 0,
    is_plain: bool = False,
    opens_browser: bool = True,
    source: str | None = None,
    fence: Fence | None = None,
    read_clip: Callable[..., Any] | None = None,
) -> Page:
    """Show a machine on a local web page with controls for poses and loads; return while the page stays open.

    Parameters
    ----------
    machine : Machine or StackedMachine
    host, port : str, int
        Address on which the page's server listens; port 0 is any free one. Beyond this computer others who have the
        address can move the model.
    is_plain : bool
        Draw as without a graphics card.
    opens_browser : bool
        Open the page in the browser.
    source : str, optional
        Name or path under which the machine was loaded, so that the page reads the file again when it changes.
    fence : Fence, optional
        Which files the page may open; default: those below the current folder.
    read_clip : callable, optional
        Reads motions from files, as `gough view` does; without it the page plays none.

    Returns
    -------
    Page
        `.address`, `.view`, `.wait()` and `.close()`.

    Raises
    ------
    InputError
        Where viser is not installed (the extra `view`), or nothing can listen at that address.

    """
    if find_spec("viser") is None:
        raise InputError("gough view needs viser; install it in a checkout of Gough with: pip install '.[view]'")
    from gough.viewer.server import address, start_server
    from gough.viewer.view import View

    server = start_server(host, port)
    shown = View(server, machine, source, read_clip, Fence([Path.cwd()]) if fence is None else fence)
    if is_plain:
        shown.draw_plainly()
    page = Page(shown, address(server, plain=is_plain))
    if opens_browser:
        page.open_in_browser()
    return page


@contextmanager
def opened(address: str) -> Iterator[None]:
    """Open an address in the browser, by a page in a private folder that redirects there and is removed at the end."""
    # Every user of a computer can read command lines, and the address has the token.
    folder = temporary_folder("gough-view-")
    try:
        page = folder / "gough-view.html"
        page.touch(mode=0o600)
        page.write_text(REDIRECT.format(address=escape(address)), "utf-8")
        webbrowser.open(page.as_uri())
        yield
    finally:
        remove_folder(folder)
