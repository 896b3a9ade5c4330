"""Panels as declarations: each widget is bound to functions of the state, for what it shows and for what it changes."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import replace
from html import escape
from typing import TYPE_CHECKING, Any

from gough.viewer.quantities import QUANTITIES
from gough.viewer.scheduler import Loop, Task, by_hand
from gough.viewer.store import Progress, Show, State, Store

if TYPE_CHECKING:
    import viser

Of = Callable[[State], Any]
"""A function of the state."""
STYLE = "margin:0.5em 1.1em 0.5em 0.8em;font-size:0.85em;line-height:1.4"
"""CSS of a block of HTML on the page."""


class Panel:
    """A part of the page: widgets in the order of their declaration, all functions of the state.

    Each method declares one widget. Widgets are shown with the state of the store at once, and by `show` later.

    Parameters
    ----------
    gui : viser.GuiApi
    store : Store

    """

    def __init__(self, gui: viser.GuiApi, store: Store) -> None:
        self.gui, self.store = gui, store
        self._parts: list[Show] = []

    def show(self, state: State) -> None:
        """Show a state."""
        for part in self._parts:
            part(state)

    def add(self, part: Show) -> None:
        """Call `part` with each state that is shown."""
        self._parts.append(part)
        part(self.store.state)

    def follow(self, handle: Any, **properties: Of) -> None:
        """Set properties of a widget to functions of the state."""

        def show(state: State) -> None:
            for name, of in properties.items():
                value = of(state)
                if getattr(handle, name) != value:  # viser sends equal options again
                    setattr(handle, name, value)

        self.add(show)

    def text(self, content: Callable[[Any], str], of: Of = lambda state: state) -> None:
        """HTML made from a part of the state, hidden while empty; made anew only when that part, or one of a tuple of
        parts, is another object."""
        handle, shown = self.gui.add_html("", visible=False), None

        def show(state: State) -> None:
            nonlocal shown
            part = of(state)
            if part != shown:  # states and stages are equal only to themselves
                shown, handle.content = part, content(part)
                handle.visible = bool(handle.content)

        self.add(show)

    def progress(self, of: Callable[[State], Progress]) -> None:
        """Words and a bar for background work, hidden while there is none."""
        words = self.gui.add_markdown("", visible=False)
        bar = self.gui.add_progress_bar(0.0, visible=False, animated=True)
        self.follow(words, content=lambda state: of(state).words, visible=lambda state: bool(of(state).words))
        self.follow(
            bar, visible=lambda state: of(state).percent is not None, value=lambda state: of(state).percent or 0.0
        )

    def button(
        self, label: str, key: str, change: Callable[[State], State], /, color: Any = None, **properties: Of
    ) -> viser.GuiButtonHandle:
        """A button that changes the state; a second click replaces a change of this key that has not begun."""
        handle = self.gui.add_button(label, color=color)
        handle.on_click(by_hand(lambda _: self.store.update(key, change)))
        self.follow(handle, **properties)
        return handle

    def bind(self, handle: Any, read: Of, change: Callable[[State, Any], State]) -> None:
        """Let an input show a value of the state, `read` of it, and change the state to `change` of it and a value."""
        key, known = f"input {id(handle)}", handle.value

        def show(state: State) -> None:
            nonlocal known
            value = read(state)
            # Text that is being typed stays: the input is written only where the value differs from the last one read
            # or written, and not while its own change waits on the loop.
            if value != known and not self.store.is_waiting(key):
                known = handle.value = value

        def typed(_: object) -> None:
            nonlocal known
            value = known = handle.value
            self.store.update(key, lambda state: change(state, value))

        handle.on_update(by_hand(typed))
        self.add(show)

    def field(self, handle: Any, name: str) -> None:
        """Let an input show and change one field of the state."""
        self.bind(handle, lambda state: getattr(state, name), lambda state, value: replace(state, **{name: value}))

    def choice(
        self,
        label: str,
        options: Callable[[State], dict[str, Any]],
        read: Of,
        change: Callable[[State, Any], State],
        hint: str | None = None,
        **properties: Of,
    ) -> None:
        """A dropdown bound to a value of the state; its options, words and their values, depend on the state."""
        handle = self.gui.add_dropdown(label, tuple(options(self.store.state)), hint=hint)

        def words(state: State) -> str:
            known, shown = options(state), read(state)
            return next((words for words, value in known.items() if value == shown), next(iter(known)))

        def chosen(state: State, words: Any) -> State:
            known = options(state)
            return change(state, known[words]) if words in known else state

        # The options first: a value that is not among them cannot be written.
        self.follow(handle, options=lambda state: tuple(options(state)), **properties)
        self.bind(handle, words, chosen)

    def compute(
        self,
        name: str,
        key: Callable[[State], Hashable | None],
        compute: Callable[[State, Callable[[], None]], object],
        *,
        loop: Loop,
        delay: float,
        may_lag: bool = False,
    ) -> None:
        """Background work whose result becomes part of the state, anew for each key; None is a state that needs none.

        `compute` takes the state and a check that raises when the result is no longer needed.
        """

        def done(key: Hashable, value: object) -> None:
            self.store.update(f"result {name}", lambda state: state.with_result(name, key, value))

        task = Task(loop, name, done, delay, may_lag=may_lag)
        self.add(lambda state: task.request(key(state), lambda check: compute(state, check)))


def hint(label: str) -> str:
    """Definition of the numbers beside a label, which may end with a unit in brackets; "" without one."""
    quantity = QUANTITIES.get(label.partition(" [")[0])
    return "" if quantity is None else quantity.doc


def block(label: str, inner: str, more: str = "", name: str = "") -> str:
    """A block of HTML of class `name`, with the definition of its numbers as tooltip."""
    return f'<div class="{name}" style="{STYLE}{more}" title="{escape(hint(label))}">{inner}</div>'
