"""Panels as declarations: each widget is bound to functions of the state, for what it shows and for what it changes."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import replace
from html import escape
from typing import TYPE_CHECKING, Any

from gough.present.definitions import in_words
from gough.viewer.scheduler import by_hand
from gough.viewer.store import Progress, State, Store

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
        self._parts: list[Callable[[State], None]] = []

    def show(self, state: State) -> None:
        """Show a state."""
        for part in self._parts:
            part(state)

    def add(self, part: Callable[[State], None]) -> None:
        """Call `part` with each state that is shown."""
        self._parts.append(part)
        part(self.store.state)

    def follow(self, handle: Any, **properties: Of) -> None:
        """Set properties of a widget to functions of the state."""

        def show(state: State) -> None:
            for name, of in properties.items():
                setattr(handle, name, of(state))

        self.add(show)

    def text(self, content: Callable[[Any], str], of: Of = lambda state: state) -> None:
        """HTML made from a part of the state, hidden while empty; made anew only when that part is another object."""
        handle, shown = self.gui.add_html("", visible=False), None

        def show(state: State) -> None:
            nonlocal shown
            part = of(state)
            if part is not shown:
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
        """Let an input show and change a value of the state."""
        self.add(Input(self.store, handle, read, change).show)

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
        """A dropdown whose options, words and their values, depend on the state."""
        handle = self.gui.add_dropdown(label, tuple(options(self.store.state)), hint=hint)
        self.add(Choice(self.store, handle, options, read, change).show)
        self.follow(handle, **properties)

    def compute(
        self,
        name: str,
        key: Callable[[State], Hashable | None],
        compute: Callable[[State, Callable[[], None]], object],
        *,
        delay: float,
        is_quick: bool = True,
        may_lag: bool = False,
    ) -> None:
        """Background work whose result becomes part of the state, anew for each key; None is a state that needs none.

        `compute` takes the state and a check that raises when the result is no longer needed.
        """
        task = self.store.task(name, is_quick=is_quick, delay=delay, may_lag=may_lag)

        def show(state: State) -> None:
            needed = key(state)
            if needed is None:
                task.cancel()
            else:
                task.request(needed, lambda check: compute(state, check))

        self.add(show)


class Input:
    """An input bound to a value of the state, by its functions `read` and `change`.

    Parameters
    ----------
    store : Store
    handle : viser input
    read : callable
        The value that the input shows, of a state.
    change : callable
        The state with another value.

    """

    def __init__(self, store: Store, handle: Any, read: Of, change: Callable[[State, Any], State]) -> None:
        self._store, self._handle, self._read, self._change = store, handle, read, change
        self._key, self._known = f"input {id(self)}", handle.value
        handle.on_update(by_hand(lambda _: self._typed()))

    def show(self, state: State) -> None:
        """Show the value of a state."""
        value = self._read(state)
        # Text that is being typed stays: what it already stands for is not written over it, nor anything else while its
        # own change waits on the loop.
        if value != self._known and not self._store.is_waiting(self._key):
            self._known = self._handle.value = value

    def _typed(self) -> None:
        value = self._known = self._handle.value
        self._store.update(self._key, lambda state: self._change(state, value))


class Choice(Input):
    """A dropdown bound to a value of the state: `options` gives words and values, `read` and `change` use values."""

    def __init__(
        self,
        store: Store,
        handle: Any,
        options: Callable[[State], dict[str, Any]],
        read: Of,
        change: Callable[[State, Any], State],
    ) -> None:
        def words(state: State) -> str:
            known, shown = options(state), read(state)
            return next((words for words, value in known.items() if value == shown), next(iter(known)))

        def chosen(state: State, words: Any) -> State:
            known = options(state)
            return change(state, known[words]) if words in known else state

        super().__init__(store, handle, words, chosen)
        self._options = options

    def show(self, state: State) -> None:
        """Offer the options of a state, and show its choice."""
        offered = tuple(self._options(state))
        if offered != tuple(self._handle.options):
            self._handle.options = offered
            self._known = self._handle.value  # which viser replaces when it is not among the new options
        super().show(state)


def hint(label: str) -> str:
    """Definition of the numbers beside a label, from `gough.present`; labels end with a unit in brackets."""
    return in_words("viewer", label.partition(" [")[0])


def block(label: str, inner: str, more: str = "", name: str = "") -> str:
    """A block of HTML of class `name`, with the definition of its numbers as tooltip."""
    return f'<div class="{name}" style="{STYLE}{more}" title="{escape(hint(label))}">{inner}</div>'
