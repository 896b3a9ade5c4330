"""Notes beside an answer, on the standard error output."""

from __future__ import annotations

import sys


def note(message: str) -> None:
    """Write a note beside the answer."""
    print(f"note: {message}", file=sys.stderr)
