"""What is said beside an answer, on the standard error output."""

from __future__ import annotations

import sys


def note(message: str) -> None:
    """Tell something beside the answer."""
    print(f"note: {message}", file=sys.stderr)
