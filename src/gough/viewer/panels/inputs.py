"""Inputs of the page that show a value of the state and change it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from html import escape
from typing import Any

from gough.present.definitions import in_words
from gough.viewer.scheduler import by_hand
from gough.viewer.store import Shows, State, Store

STYLE = "margin:0.5em 1.1em 0.5em 0.8em;font-size:0.85em;line-height:1.4"
"""Of a block of HTML on the page."""


def hint(label: str) -> str:
    """What the numbers beside a label mean, from the table of definitions; labels end with a unit in brackets."""
    return in_words("viewer", label.partition(" [")[0])


def block(label: str, inner: str, more: str = "", name: str = "") -> str:
    """A block of HTML that says what its numbers mean where the pointer rests; a class by name."""
    return f'<div class="{name}" style="{STYLE}{more}" title="{escape(hint(label))}">{inner}</div>'


class Input:
    """An input bound to a value of the state.

    Written only with new values and while no change of its own waits, so that typed text stays.

    Parameters
    ----------
    store : Store
    handle : viser input
    read : callable
        The value that the input shows, of a state.
    change : callable
        The state with another value.

    """

    def __init__(
        self, store: Store, handle: Any, read: Callable[[State], Any], change: Callable[[State, Any], State]
    ) -> None:
        self._store, self.handle, self._read, self._change = store, handle, read, change
        self._key, self._known = f"input {id(self)}", handle.value
        handle.on_update(by_hand(lambda _: self._typed()))

    def show(self, state: State) -> None:
        """Show the value of a state."""
        value = self._read(state)
        if value != self._known and not self._store.is_waiting(self._key):
            self._known = self.handle.value = value

    def _typed(self) -> None:
        value = self._known = self.handle.value
        self._store.update(self._key, lambda state: self._change(state, value))


def field_input(store: Store, handle: Any, name: str) -> Input:
    """An input of one field of the state."""
    return Input(
        store, handle, lambda state: getattr(state, name), lambda state, value: replace(state, **{name: value})
    )


class Choice(Input):
    """A dropdown whose options depend on the state; its values are words for the options' values.

    Parameters
    ----------
    store : Store
    handle : viser dropdown
    options : callable
        Words and values, of a state.
    read, change : callable
        As of `Input`, with the options' values.

    """

    def __init__(
        self,
        store: Store,
        handle: Any,
        options: Callable[[State], dict[str, Any]],
        read: Callable[[State], Any],
        change: Callable[[State, Any], State],
    ) -> None:
        self._options = options
        super().__init__(store, handle, lambda state: self._words(state, read(state)), self._chooser(change))

    def show(self, state: State) -> None:
        """Offer the options of a state, and show its choice."""
        offered = tuple(self._options(state))
        if offered != tuple(self.handle.options):
            self.handle.options = offered
            self._known = self.handle.value
        super().show(state)

    def _words(self, state: State, value: Any) -> str:
        options = self._options(state)
        return next((words for words, known in options.items() if known == value), next(iter(options)))

    def _chooser(self, change: Callable[[State, Any], State]) -> Callable[[State, Any], State]:
        def chosen(state: State, words: Any) -> State:
            options = self._options(state)
            return change(state, options[words]) if words in options else state

        return chosen


def button(store: Store, handle: Any, key: str, change: Callable[[State], State]) -> None:
    """Let a button change the state."""
    handle.on_click(by_hand(lambda _: store.update(key, change)))


def show_all(views: Sequence[Shows], state: State) -> None:
    """Show a state in inputs or panels."""
    for view in views:
        view.show(state)
