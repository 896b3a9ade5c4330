"""`gough export`: machines in the formats of other programs, one command for each."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

import gough
from gough.cli.command import request_of
from gough.cli.options import At, MachineName, Options, Sequences, flag, named

export = typer.Typer(help="Write the machine for another program.", no_args_is_help=True, rich_markup_mode=None)


@export.command()
def mjcf(
    context: typer.Context, machine: MachineName, at: At = None, sequence: Sequences = None,
    servos: Annotated[bool, flag("--servos", "Position servos as actuators, which hold it, not motors.")] = False,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", metavar="FILE", help="The file to write; NAME.xml in this folder if not given."),
    ] = None,
) -> None:  # fmt: skip
    """Write a MuJoCo model whose loops close.

    With the masses, limits and drives of the machine file, at the given
    pose or at home. Its keyframe "start" holds the weight there by the
    forces of motors, or with --servos by position servos.
    """
    from gough.files import stem_of, write_whole
    from gough.present.write import print_text

    request = request_of(context, machine, Options(at=at, sequence=sequence))
    path = Path(f"{stem_of(request.machine.name)}.xml") if output is None else output
    named(".xml", ".mjcf")(path)
    request.note_poses()
    write_whole(path, gough.export.mjcf(request.machine, request.X, has_servos=servos))
    print_text(f"wrote {path}; to look at it: python -m mujoco.viewer --mjcf={path}")
    more = "" if servos else "; --servos makes its actuators position servos, which also hold it when it is pushed"
    print_text(
        "Its weight is held from the keyframe 'start': choose Load key there, or call "
        f"mujoco.mj_resetDataKeyframe(model, data, 0){more}."
    )
