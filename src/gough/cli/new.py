"""`gough new`."""

from __future__ import annotations

from pathlib import Path

from typer import Argument, Option


def new(
    file: Path = Argument(Path("machine.toml"), help="The file to write.", show_default=True),
    kind: str = Option(
        "UPS",
        metavar="KIND",
        help="Struts: UPS, UCU, SPS; sliders: PUS, PSS, or rails for horizontal ones; cranks: RUS, RSS, or servo for "
        "hobby servos. Other names (Stewart, 6-UCU, Hexaglide, ...) find theirs.",
    ),
    force: bool = Option(False, "--force", help="Write over a file that exists."),
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
