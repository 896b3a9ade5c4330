"""`gough frequencies`."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Annotated, Any

import typer

import gough
from gough.cli import options
from gough.cli.command import command
from gough.cli.lowest import lowest as lowest_found
from gough.cli.map_output import map_answer
from gough.errors import InputError
from gough.present.answer import AXES, LEGS, Answer, Field, Table, Words

if TYPE_CHECKING:
    from gough.cli.request import Request
    from gough.dynamics import NaturalFrequencies

Loaded = Annotated[
    bool,
    typer.Option("--loaded", help="Count the geometric stiffness of the legs that carry all known weights."),
]
Lowest = Annotated[
    bool, typer.Option("--lowest", help="Search the workspace for the pose whose slowest mode is slowest.")
]
SHAPE = (*["1/sqrt(kg)"] * 3, *["rad/(m sqrt(kg))"] * 3)
"""SI units of a mode shape's twist."""
Mode = Annotated[int, typer.Option(min=1, max=6, help="Of --figure: which mode moves; 1 is the slowest.")]
MODES = LEGS
PERIOD = 3.0
"""Of a mode that is drawn [s]."""


@command("pose", "csv", "map", "payload", "output")
def frequencies(
    request: Request,
    loaded: Loaded = False,
    lowest: Lowest = False,
    mode: Mode = 1,
    figure: options.Figure = None,
) -> Answer:
    """Natural frequencies, and what swings in each mode.

    The platform with all that it carries on elastic legs, the drives held,
    without damping. At one pose given by options, at many in a CSV file,
    or at home. With --map over the positions of the workspace.
    """
    m, as_map = request.machine, request.options["as_map"]
    if not (as_map or lowest):
        request.counts_only_with("--map or --lowest", "x", "y", "z", "samples")
    if figure is None:
        request.counts_only_with("--figure", "mode")
    if sum([as_map, lowest, loaded, figure is not None]) > 1 and (as_map or lowest):
        raise InputError("--map and --lowest are questions of their own, without --loaded and --figure; ask one")
    request.note_stage()
    if as_map:
        return map_answer(request.mapped("frequency map", partial(gough.dynamics.frequency_map, m, request.X_one)), m)
    if lowest:
        search = partial(gough.dynamics.lowest_frequency, m, request.X_one)
        return lowest_found(request, {"frequency": (request.mapped("lowest frequency", search), "Hz")})
    force = gough.statics.axial_forces(m, request.X, [0.0] * 6, gravity=True) if loaded else None
    found = gough.natural_frequencies(m, request.X, leg_force=force)
    if figure is not None:
        _draw(request, found, mode, figure)
    return _answer(request, found, loaded=loaded)


def _answer(request: Request, found: NaturalFrequencies, *, loaded: bool) -> Answer:
    from gough.statics.weights import masses_in_words

    weights = masses_in_words(request.machine)
    fields = [
        Field("frequency", found.frequency, "Hz", MODES, "frequency_{}", "frequency"),
        Field("energy_share", found.energy_shares, is_csv=False),
        Field("shape", found.shape.swapaxes(-1, -2), is_csv=False),
        Field("geometric", loaded, is_csv=False),
        Field("weights", weights, is_csv=False),
        Field("is_allowed", request.note_poses(), is_csv=False),
    ]
    return Answer(
        fields, lambda: _words(found, weights, loaded=loaded), {"frequency": "Hz", "shape": SHAPE}, notes=_notes(found)
    )


def _words(found: NaturalFrequencies, weights: str, *, loaded: bool) -> Words:
    from gough.present.show import number, significant

    header = ("mode", "frequency [Hz]", *(f"{axis} [%]" for axis in AXES))
    rows = [
        (name, significant(frequency), *(number(100 * part, 0) for part in shares))
        for name, frequency, shares in zip(MODES, found.frequency, found.energy_shares, strict=True)
    ]
    yield Table(header, rows)
    yield "Shares are those of the platform's kinetic energy: its mass centre along, its turning about the axes."
    yield f"{weights[0].upper()}{weights[1:]}."
    geometric = "counted" if loaded else "not counted; --loaded counts it"
    yield f"Drives held, no damping; the geometric stiffness of loaded legs is {geometric}."


def _notes(found: NaturalFrequencies) -> list[str]:
    import numpy as np

    missing = int((~np.isfinite(found.frequency)).any(axis=-1).sum())
    if not missing:
        return []
    which = "this pose" if found.frequency.ndim == 1 else f"{missing} of {len(found.frequency)} poses"
    return [
        f"a frequency does not exist at {which}: a leg cannot close, some motion has no inertia (point masses: give "
        "inertias), or loaded legs push the platform away"
    ]


def _draw(request: Request, found: NaturalFrequencies, mode: int, figure: Any) -> None:
    """A page on which one mode moves, enlarged and slowed down."""
    import numpy as np

    if found.frequency.ndim > 1 or not np.isfinite(found.frequency[mode - 1]):
        raise InputError(f"--figure draws mode {mode} at one pose, where it has a frequency")
    poses = found.animation(mode - 1)
    motion = gough.dynamics.SplineMotion(np.linspace(0, PERIOD, len(poses) + 1), np.concatenate([poses, poses[:1]]))
    data = gough.motion.leg_motion(request.machine, motion)
    title = f"mode {mode}: {found.frequency[mode - 1]:.4g} Hz, enlarged and slowed down"
    request.draw(
        figure,
        lambda: gough.plot.animation(request.machine, data).update_layout(
            title={"text": title, "x": 0.01, "xanchor": "left"}
        ),
    )
