"""`gough stiffness`."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from gough.cli import options

if TYPE_CHECKING:
    from gough.cli.dataset import Grid
    from gough.cli.pose_input import Array
    from gough.machine import Machine

Loaded = Annotated[
    bool,
    typer.Option(
        "--loaded",
        help="Count the geometric stiffness of the legs that carry all known weights, and --wrench if given.",
    ),
]
Weakest = Annotated[bool, typer.Option("--weakest", help="Search the workspace for the softest pose.")]
GEOMETRIC = {
    True: "Counted: the geometric stiffness of the legs under load, as gough view counts it.",
    False: "Not counted: the geometric stiffness of legs under load; --loaded counts it, as gough view does.",
}
SORTS: tuple[tuple[Literal["translation", "rotation"], str], ...] = (("translation", "N/m"), ("rotation", "N m/rad"))


@dataclass(frozen=True)
class _Asked:
    """What is asked of the poses."""

    wrench: Array | None
    loaded: bool
    weakest: bool
    as_map: bool
    grid: Grid
    as_json: bool
    output: Path | None


def stiffness(
    context: typer.Context,
    machine: options.Machine,
    wrench: options.Wrench = None,
    loaded: Loaded = False,
    weakest: Weakest = False,
    at: options.At = None,
    angles: options.Angles = None,
    quaternion: options.Quaternion = None,
    matrix: options.Matrix = None,
    sequence: options.Sequence = None,
    convention: options.Convention = None,
    csv: options.Csv = None,
    as_map: options.Map = False,
    samples: options.Samples = 15,
    x: options.GridX = None,
    y: options.GridY = None,
    z: options.GridZ = None,
    si: options.Si = False,
    as_json: options.Json = False,
    output: options.Output = None,
) -> None:
    """Principal stiffnesses, and what a load does.

    At one pose given by options, at many in a CSV file, or at home; about
    the point of interest. --wrench adds its displacement and the forces
    of the legs. With --map over the positions of the workspace.
    """
    from gough.cli.beside import counts_only_with, note_stage
    from gough.cli.dataset import Grid
    from gough.cli.machine import load_machine
    from gough.cli.pose_input import PoseOptions, read_poses
    from gough.cli.wrench import read_wrench

    if not (as_map or weakest):
        counts_only_with(context, "--map or --weakest", "x", "y", "z", "samples")
    m = load_machine(machine, si=si)
    note_stage(machine)
    asked = _Asked(read_wrench(wrench), loaded, weakest, as_map, Grid(x, y, z, samples), as_json, output)
    _answer(m, read_poses(PoseOptions(at, angles, quaternion, matrix, sequence, convention, csv), m), asked)


def _answer(machine: Machine, X: Array, asked: _Asked) -> None:
    from gough.cli.machine import units_of
    from gough.cli.output import emit
    from gough.errors import InputError
    from gough.statics.weights import has_weight

    if asked.weakest and asked.as_map:
        raise InputError("--weakest and --map are separate questions; ask one")
    if asked.loaded and (asked.weakest or asked.as_map):
        raise InputError("--loaded is for poses, not for --map or --weakest")
    if asked.loaded and asked.wrench is None and not has_weight(machine):
        raise InputError(f"--loaded: machine {machine.name!r} carries nothing: give --wrench, or masses in its file")
    if asked.weakest or asked.as_map:
        (_weakest if asked.weakest else _map)(machine, X, asked)
        return
    from gough.cli.beside import note_poses

    found = _at_poses(machine, X, asked)
    found["is_allowed"] = note_poses(machine, X)
    _note_load(machine, X, asked)
    if X.ndim == 2 and not asked.as_json and asked.output is None:
        _tell(machine, found)
        return
    document = {"machine": machine.name, "units": {**units_of(machine), **_UNITS}, **found}
    emit(_columns(machine, found), document, as_json=asked.as_json, output=asked.output)


def _note_load(machine: Machine, X: Array, asked: _Asked) -> None:
    """Whether the actuators can hold the load that is meant, beside the machine's own weights."""
    from gough.cli.beside import note_forces
    from gough.statics.capacity import at_origin
    from gough.statics.forces import leg_forces
    from gough.statics.weights import has_weight

    if asked.wrench is not None:
        note_forces(machine, leg_forces(machine, X, at_origin(machine, X, asked.wrench), gravity=has_weight(machine)))


_UNITS = {"translation": "N/m", "rotation": "N m/rad", "matrix": "N/m, N/rad; N m/m, N m/rad", "axial_force": "N"}


def _at_poses(machine: Machine, X: Array, asked: _Asked) -> dict[str, Any]:
    """Principal stiffnesses and the matrix in SI; displacement under the load in the machine's units."""
    import numpy as np

    from gough.statics.stiffness import axial_forces, displacement_under_load, principal_stiffness
    from gough.statics.stiffness import stiffness as stiffness_of
    from gough.statics.weights import has_weight, masses_in_words

    point, F = machine.point_of_interest, asked.wrench
    own = asked.loaded and has_weight(machine)
    load = np.zeros(6) if F is None and asked.loaded else F
    force = None if load is None else axial_forces(machine, X, load, point=point, gravity=own)
    K = stiffness_of(machine, X, point=point, leg_force=force if asked.loaded else None)
    principal = principal_stiffness(K)
    found: dict[str, Any] = {
        "translation": principal.translation,
        "translation_axes": principal.translation_axes.swapaxes(-1, -2),
        "rotation": principal.rotation,
        "rotation_axes": principal.rotation_axes.swapaxes(-1, -2),
        "matrix": K,
        "geometric": asked.loaded,
    }
    if F is not None and force is not None:
        V = displacement_under_load(machine, X, F, point=point, leg_force=force if asked.loaded else None)
        found |= {
            "wrench": F,
            "displacement": V[..., :3] / machine.units.metres,
            "turn": V[..., 3:] / machine.units.radians,
            "axial_force": force,
            "weights": masses_in_words(machine) if own else "forces are those of the load alone, without weights",
        }
    return found


def _columns(machine: Machine, found: dict[str, Any]) -> dict[str, Any]:
    from gough.cli.dataset import titled

    columns = {titled(f"{name}_{k + 1}", unit): found[name][..., k] for name, unit in SORTS for k in range(3)}
    if "displacement" in found:
        for k, axis in enumerate("xyz"):
            columns[titled(f"d{axis}", machine.units.length)] = found["displacement"][..., k]
        for k, axis in enumerate("xyz"):
            columns[titled(f"r{axis}", machine.units.angle)] = found["turn"][..., k]
        columns |= {f"leg_{i + 1}_N": found["axial_force"][..., i] for i in range(6)}
    return columns


def _tell(machine: Machine, found: dict[str, Any]) -> None:
    """One pose, for people."""
    from gough.cli.output import print_table

    rows = []
    for name, _ in SORTS:
        scale, unit = (1e6, "N/µm") if name == "translation" else (1e3, "N m/mrad")
        for value, axis in zip(found[name], found[f"{name}_axes"], strict=True):
            rows.append((name, f"{value / scale:.6g}", unit, *(f"{round(a, 4) + 0.0:.4f}" for a in axis)))
    print_table(("of", "stiffness", "unit", "axis x", "axis y", "axis z"), rows, numeric=(1, 3, 4, 5))
    print(GEOMETRIC[found["geometric"]])
    if "displacement" not in found:
        return
    print("\nUnder the load")
    u = machine.units
    moved = [(f"d{axis}", f"{found['displacement'][k]:.6g}", u.length) for k, axis in enumerate("xyz")]
    moved += [(f"r{axis}", f"{found['turn'][k]:.6g}", u.angle) for k, axis in enumerate("xyz")]
    forces = [(f"force of leg {i + 1}, pushing", f"{found['axial_force'][i]:.6g}", "N") for i in range(6)]
    print_table(("what", "how much", "unit"), moved + forces, numeric=(1,))
    print(f"{found['weights'][0].upper()}{found['weights'][1:]}.")


def _map(machine: Machine, X: Array, asked: _Asked) -> None:
    """Principal stiffnesses, and the displacement under the load, over positions."""
    from functools import partial

    from gough.cli.dataset import mapped, one_orientation, write_dataset
    from gough.statics.stiffness_map import displacement_map, stiffness_map

    X = one_orientation(X)
    found = mapped("stiffness map", partial(stiffness_map, machine, X), machine, asked.grid)
    if asked.wrench is not None:
        make = partial(displacement_map, machine, asked.wrench, X)
        loaded = mapped("displacement map", make, machine, asked.grid).rename(rotation="turn")
        found = found.assign(loaded.drop_vars("is_allowed")).assign_attrs(loaded.attrs)
    write_dataset(found, machine, as_json=asked.as_json, output=asked.output)


def _weakest(machine: Machine, X: Array, asked: _Asked) -> None:
    from functools import partial

    from gough.cli.dataset import mapped, one_orientation
    from gough.cli.lowest import Found, tell_lowest
    from gough.statics.weakest_pose import weakest_pose

    X = one_orientation(X)
    answers: dict[str, Found] = {}
    for motion, unit in SORTS:
        find = partial(weakest_pose, machine, X, motion)
        answers[motion] = (mapped(f"weakest in {motion}", find, machine, asked.grid), 1.0, unit)
    tell_lowest(machine, answers, as_json=asked.as_json, output=asked.output)
