"""`gough machines`."""

from __future__ import annotations

import gough
from gough.cli import options


def machines(as_json: options.Json = False) -> None:
    """List the built-in machines with their leg kind and source."""
    from gough.present.write import print_json, print_table

    known = gough.machines()
    if as_json:
        print_json(
            [{"name": m.name, "kind": m.kind, "stages": m.stages, "title": m.title, "source": m.source} for m in known]
        )
    else:
        print_table(("name", "legs", "title", "source"), [(m.name, m.kind, m.title, m.source) for m in known])
