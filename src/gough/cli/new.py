"""`gough new`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

File = Annotated[Path, typer.Argument(help="The file to write.", show_default=True)]
Kind = Annotated[
    str,
    typer.Option(
        metavar="KIND",
        help="Struts: UPS, UCU, SPS; sliders: PUS, PSS, or rails for horizontal ones; cranks: RUS, RSS, or servo for "
        "hobby servos. Other names (Stewart, 6-UCU, Hexaglide, ...) find theirs.",
    ),
]
Force = Annotated[bool, typer.Option("--force", help="Write over a file that exists.")]


def new(file: File = Path("machine.toml"), kind: Kind = "UPS", force: Force = False) -> None:
    """Write a commented machine file to start from."""
    from gough.description.starter import starter_text, starter_title
    from gough.errors import InputError
    from gough.files import write_whole

    text = starter_text(kind)
    if file.exists() and not force:
        raise InputError(f"{file} exists; give another name, or --force to write over it")
    write_whole(file, text)
    print(f"{file} written ({starter_title(kind)}); edit it, then: gough check {file}")
