"""`gough new`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from typer import Argument, Option

from gough.cli.options import flag


def new(
    file: Annotated[Path, Argument(help="The file to write.")] = Path("machine.toml"),
    kind: Annotated[
        str,
        Option(
            metavar="KIND",
            help="Struts: UPS, UCU, SPS; sliders: PUS, PSS, or rails for horizontal ones; cranks: RUS, RSS, or servo "
            "for hobby servos. Other names (Stewart, 6-UCU, Hexaglide, ...) find theirs.",
        ),
    ] = "UPS",
    force: Annotated[bool, flag("--force", "Write over a file that exists.")] = False,
) -> None:
    """Write a commented machine file to start from."""
    from gough.description.starter import starter_text, starter_title
    from gough.errors import InputError
    from gough.files import check_ending, write_whole

    check_ending(file, (".toml",))
    text = starter_text(kind)
    if file.exists() and not force:
        raise InputError(f"{file} exists; give another name, or --force to write over it")
    write_whole(file, text)
    print(f"{file} written ({starter_title(kind)}); edit it, then: gough check {file}")
