"""What can be asked of one window's page by its scripts, and told to it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gough.viewer.viser_parts import run_script

if TYPE_CHECKING:
    import viser

PATIENCE = 20.0
"""Before a window that does not answer is given up [s]."""
IS_PLAIN = "String(window.goughIsPlain)"
"""Whether the page draws as without a graphics card; the script that is read ahead of viser's says so."""


def ask(client: viser.ClientHandle, question: str, expression: str) -> str | None:
    """Value of a JavaScript expression, a string, in a window; None if the window is gone or keeps no storage.

    Parameters
    ----------
    client : viser.ClientHandle
    question : str
        Key of the window's storage by way of which the answer comes.
    expression : str

    """
    client.local_storage.set_item(question, "")
    keys = f"Object.keys(localStorage).filter((key) => key.endsWith({question!r}))"
    run_script(client, f"const answer = {expression}; for (const key of {keys}) localStorage.setItem(key, answer);")
    try:
        return client.local_storage.get_item(question, timeout=PATIENCE)
    except (RuntimeError, TimeoutError):
        return None
