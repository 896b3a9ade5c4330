"""Write what the examples of docs/api print into the pages: scripts/fill-doctests.py [PAGE ...].

Read the change before you commit it: the pages are tests.
"""

from __future__ import annotations

import code
import contextlib
import io
import re
import sys
import time
from pathlib import Path

PAGES = Path(__file__).parents[1] / "docs" / "api"
BLOCK = re.compile(r"(```pycon\n)(.*?)(```)", re.DOTALL)


def filled(text: str, console: code.InteractiveConsole) -> str:
    """A block with its prompts, each statement followed by what it prints now."""
    found = []
    lines = [line for line in text.splitlines() if line.startswith((">>> ", "... ", "..."))]
    for k, line in enumerate(lines):
        found.append(line)
        out = io.StringIO()
        start = time.perf_counter()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(out):
            more = console.push(line[4:])
            is_last = k + 1 == len(lines) or lines[k + 1].startswith(">>> ")
            if more and is_last:
                console.push("")
        taken = time.perf_counter() - start
        if taken > 0.3:
            print(f"  {taken:.1f} s: {line}", file=sys.stderr)
        found += out.getvalue().splitlines()
    return "\n".join(found) + "\n"


def main() -> None:
    """All pages, or those named."""
    for page in [Path(name) for name in sys.argv[1:]] or sorted(PAGES.glob("*.md")):
        print(page.name, file=sys.stderr)
        console = code.InteractiveConsole()
        text = page.read_text("utf-8")
        page.write_text(BLOCK.sub(lambda m, c=console: m[1] + filled(m[2], c) + m[3], text), encoding="utf-8")


if __name__ == "__main__":
    main()
