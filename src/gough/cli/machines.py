"""`gough machines`."""

from __future__ import annotations

from typing import Annotated

from typer import Argument

import gough
from gough.cli.options import Json


def machines(
    word: Annotated[
        str | None,
        Argument(
            help="Only those that this finds: a kind of legs, a word of title or source, or what others call them."
        ),
    ] = None,
    as_json: Json = False,
) -> None:
    """List the built-in machines with their leg kind.

    Where their numbers come from is in gough check NAME, and in --json.
    """
    from gough.description.words import leg_kind_of, template_name
    from gough.errors import InputError
    from gough.present.write import print_json, print_table

    known, template = gough.machines(word), None if word is None else template_name(word)
    if not known and template is None:
        raise InputError(f"no built-in machine is found by {word!r}; gough machines lists all")
    if as_json:
        print_json(
            [{"name": m.name, "kind": m.kind, "stages": m.stages, "title": m.title, "source": m.source} for m in known]
        )
        return
    if known:
        print_table(("name", "legs", "title"), [(m.name, m.kind, m.title) for m in known])
    kind = None if word is None else leg_kind_of(word)
    if kind is not None and not any(kind in m.kind.split(" on ") for m in known):
        print(f"None of kind {kind} is built in; the legs of these move as its legs do.")
    if template is not None:
        print(f"To start from one like these: gough new --kind {template}")
