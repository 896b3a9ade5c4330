"""Commands on machine files: machines, check, new, schema, export; and the compilation of all kernels, warm."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer import Argument, Option

import gough
from gough.cli.options import At, Json, MachineName, Sequences, flag, named, request_of

if TYPE_CHECKING:
    from gough.description.describe_machine import Cell, ContentsTable


def machines(
    word: Annotated[str | None, Argument(help="Filter by leg kind, alias, or word of the title.")] = None,
    as_json: Json = False,
) -> None:
    """List the built-in machines with their leg kinds.

    For the sources of the dimensions, see gough check NAME or --json.
    """
    from gough.description.starter import leg_kind_of, template_name
    from gough.errors import InputError
    from gough.present.write import print_json, print_table

    known, template = gough.machines(word), None if word is None else template_name(word)
    if not known and template is None:
        raise InputError(f"no built-in machine matches {word!r}; see gough machines for all names")
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


_ROUND_OFF = 1e-12
"""Numbers smaller than this are shown as zero; no file counts in such units."""


def check(machine: MachineName, as_json: Json = False) -> None:
    """Validate a machine file and print a summary.

    Values are in the units of the file. All errors are listed, one sentence
    each, with exit code 2. Warnings flag values that are possible but
    suspicious, such as a mass off by orders of magnitude, with value and unit.
    """
    from gough.errors import one_line
    from gough.loading import describe_file
    from gough.present.write import print_json, print_text

    found, doubts = describe_file(machine), _findings(machine)
    if as_json:
        print_json({**found.as_dict(), "findings": doubts})
        return
    print_text(one_line(f"{found.name}: {found.title}" if found.title else found.name))
    for section in found.sections:
        _print_section(section)
    for sentence in found.notes:
        print_text(f"\nNote: {sentence}")
    for doubt in doubts:
        print_text(f"\nLook at {doubt['look_at']}: {doubt['sentence']}")


def _findings(machine: str) -> list[dict[str, Any]]:
    """Findings on each stage, which two stages are named before."""
    from gough.loading import load_with_files
    from gough.plausibility import findings

    whole, files = load_with_files(machine)
    found = []
    for k, (stage, file) in enumerate(zip(whole.stages, files, strict=True), 1):
        before = f"stage {k}: " if len(files) > 1 else ""
        found += [{**asdict(one), "sentence": before + one.sentence} for one in findings(stage, file.units)]
    return found


def _print_section(section: ContentsTable) -> None:
    from gough.present.write import print_table

    columns = list(zip(*section.rows, strict=True))
    numeric = [k for k, cells in enumerate(columns) if not any(isinstance(cell, str) for cell in cells)]
    print(f"\n{section.title}")
    print_table(section.columns, [[_text(cell) for cell in row] for row in section.rows], numeric=numeric)


def _text(cell: Cell) -> str:
    from gough.present.show import plain

    if cell is None:
        return ""
    if isinstance(cell, str):
        return cell
    if isinstance(cell, tuple):
        return "; ".join(map(_text, cell))
    return plain(cell if abs(cell) > _ROUND_OFF else 0.0, 8)


def new(
    file: Annotated[Path, Argument(help="File to write.")] = Path("machine.toml"),
    kind: Annotated[
        str,
        Option(
            metavar="KIND",
            help="Struts: UPS, UCU, SPS; sliders: PUS, PSS, or rails for horizontal ones; cranks: RUS, RSS, or servo "
            "for hobby servos. Other names (Stewart, 6-UCU, Hexaglide, ...) find theirs.",
        ),
    ] = "UPS",
    force: Annotated[bool, flag("--force", "Overwrite an existing file.")] = False,
) -> None:
    """Write a commented template of a machine file."""
    from gough.description.starter import starter_text, starter_title
    from gough.errors import InputError
    from gough.files import check_ending, write_whole

    check_ending(file, (".toml",))
    text = starter_text(kind)
    if file.exists() and not force:
        raise InputError(f"{file} exists; specify another name, or --force to overwrite it")
    write_whole(file, text)
    print(f"{file} written ({starter_title(kind)}); edit it, then: gough check {file}")


def schema() -> None:
    """Print the JSON Schema of machine files, for editors."""
    from gough.description.schema import json_schema
    from gough.present.write import print_json

    print_json(json_schema())


export = typer.Typer(help="Export the machine to another program.", no_args_is_help=True, rich_markup_mode=None)


@export.command()
def mjcf(
    context: typer.Context, machine: MachineName, at: At = None, sequence: Sequences = None,
    servos: Annotated[bool, flag("--servos", "Use position servos as actuators instead of motors.")] = False,
    target: Annotated[
        Path | None, typer.Option("--output", "-o", metavar="FILE", help="File to write; default: NAME.xml.")
    ] = None,
) -> None:  # fmt: skip
    """Write a MuJoCo model whose loops close.

    With the masses, limits and drives of the machine file, at the given
    pose or at home. Its keyframe "start" holds the weight there by the
    forces of motors, or with --servos by position servos.
    """
    from gough.files import stem_of, write_whole
    from gough.present.write import print_text

    request = request_of(context)
    path = Path(f"{stem_of(request.machine.name)}.xml") if target is None else target
    named(".xml", ".mjcf")(path)
    request.note_poses()
    write_whole(path, gough.export.mjcf(request.machine, request.X, has_servos=servos))
    print_text(f"wrote {path}; to look at it: python -m mujoco.viewer --mjcf={path}")
    more = "" if servos else "; --servos makes its actuators position servos, which also hold it when it is pushed"
    print_text(
        "Its weight is held from the keyframe 'start': choose Load key there, or call "
        f"mujoco.mj_resetDataKeyframe(model, data, 0){more}."
    )


def warm(as_json: Json = False) -> None:
    """Compile all kernels in advance.

    The machine code is stored in the cache folder of the user, or in
    GOUGH_CACHE_DIR. A new version of Gough, Numba or Python compiles again.
    """
    from gough._compile import Compilation, all_kernels, cache_folder
    from gough.cli.progress import progress
    from gough.present.write import json_text

    with progress("compiling kernels"):
        _run_kernels()
    folder, ready = cache_folder(), sum(bool(kernel.signatures) for kernel in all_kernels())
    if as_json:
        print(json_text({"kernels": ready, "compiled": Compilation.count, "folder": folder and str(folder)}))
    else:
        where = "which could not be kept" if folder is None else f"kept in {folder}"
        print(f"{ready} kernels ready, {Compilation.count} of them compiled now, {where}")


def _run_kernels() -> None:
    """Run every kernel in small jobs."""
    import numpy as np

    from gough.limits.margins import DECIDED_FROM

    m = gough.load("hexel")
    X, still = m.X_home, np.zeros(6)
    q = gough.inverse_kinematics(m, X)
    gough.forward_kinematics(m, q)
    gough.ForwardSolver(m)(q)
    gough.ForwardSolver(m).follow(q[None])
    gough.jacobian(m, X)
    gough.kinematics.inverse_jacobian(m, X)
    gough.kinematics.joint_accelerations(m, X, still, still)
    gough.kinematics.certify_pose(m, q, X)
    gough.margins(m, X)
    gough.limits.is_allowed(m, np.repeat(X[None], DECIDED_FROM, axis=0))
    gough.travel(m, np.eye(6)[0])
    gough.workspace(m, samples=3)
    gough.motion.time_optimal(m, gough.motion.line(X, gough.frames.displaced(m, gough.pose([0.01, 0.0, 0.0]))))
    for name in ("hexel", "singular-home"):
        m = gough.load(name)
        gough.assembly_modes(m, gough.inverse_kinematics(m, m.X_home))
    heavy, stack = gough.load("dumitriu2017"), gough.load("double-hexapod")
    gough.dynamics.mass_matrix(heavy, heavy.X_home)
    gough.dynamics.coriolis_wrench(heavy, heavy.X_home, still)
    gough.dynamics.body_motions(heavy, heavy.X_home)
    for any_machine, V in ((heavy, still), (stack, np.zeros((2, 6)))):
        f = gough.inverse_dynamics(any_machine, any_machine.X_home, V, V)
        gough.forward_dynamics(any_machine, any_machine.X_home, V, f)
        gough.simulate(any_machine, any_machine.X_home, V, f, 0.01)
    pendulum, chains = gough.multibody.double_pendulum(), gough.multibody.hexapod(heavy)
    for system, solver in ((pendulum, "saddle"), (pendulum, "two-step"), (chains, "chains")):
        gough.multibody.simulate(system, 1e-4, solver=solver)
    drives = [f"drive {k}" for k in range(1, 7)]
    gough.multibody.inverse_dynamics(chains, {"platform": still}, drives)
