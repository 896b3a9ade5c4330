"""`gough export`: machines in the formats of other programs, one command for each."""

from __future__ import annotations

from pathlib import Path

import typer

import gough
from gough.cli.command import Request, command
from gough.cli.options import named

export = typer.Typer(help="Write the machine for another program.", no_args_is_help=True, rich_markup_mode=None)


@export.command()
@command("pose", "payload", "si")
def mjcf(
    request: Request,
    output: Path | None = typer.Option(
        None, "--output", "-o", metavar="FILE", help="The file to write; NAME.xml in this folder if not given."
    ),
) -> None:
    """Write a MuJoCo model whose loops close.

    With the masses, limits and drives of the machine file, at
    the given pose or at home, its weight held.
    """
    from gough.files import stem_of, write_whole
    from gough.present.write import print_text

    path = Path(f"{stem_of(request.machine.name)}.xml") if output is None else output
    named(".xml", ".mjcf")(path)
    request.note_poses()
    write_whole(path, gough.export.mjcf(request.machine, request.X))
    print_text(f"wrote {path}; to look at it: python -m mujoco.viewer --mjcf={path}")
