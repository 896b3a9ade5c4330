"""`gough export`: machines in the formats of other programs, one command for each."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from gough.cli import options

export = typer.Typer(help="Write the machine for another program.", no_args_is_help=True, rich_markup_mode=None)

File = Annotated[
    Path | None,
    typer.Option("--output", "-o", metavar="FILE", help="The file to write; NAME.xml in this folder if not given."),
]


@export.command()
def mjcf(
    machine: options.Machine,
    at: options.At = None,
    angles: options.Angles = None,
    quaternion: options.Quaternion = None,
    matrix: options.Matrix = None,
    sequence: options.Sequence = None,
    convention: options.Convention = None,
    si: options.Si = False,
    output: File = None,
) -> None:
    """Write a MuJoCo model whose loops close.

    With the masses, limits and drives of the machine file, standing at
    the given pose or at home, its weight held.
    """
    from gough.cli.beside import note_poses
    from gough.cli.machine import load_machine
    from gough.cli.pose_input import PoseOptions, read_poses
    from gough.export.mjcf import mjcf as mjcf_of
    from gough.files import check_writable, write_whole

    m = load_machine(machine, si=si)
    path = Path(f"{m.name}.xml") if output is None else output
    check_writable(path)
    X = read_poses(PoseOptions(at, angles, quaternion, matrix, sequence, convention), m)
    note_poses(m, X)
    write_whole(path, mjcf_of(m, X))
    print(f"wrote {path}; to look at it: python -m mujoco.viewer --mjcf={path}")
