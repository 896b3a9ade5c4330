"""The beginning of every command: its request, whose modules are imported when it runs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from typer import Context

from gough.cli.options import TABLES, Options

if TYPE_CHECKING:
    from gough.cli.request import Request


def request_of(context: Context, machine: str, options: Options, endings: Sequence[str] = TABLES) -> Request:
    """The request of a command; `endings` are the endings of names for -o."""
    from gough.cli.request import Request

    return Request(context, machine, options, endings)
