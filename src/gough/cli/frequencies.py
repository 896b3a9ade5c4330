"""`gough frequencies`."""

from __future__ import annotations

from typer import Option

import gough
from gough.cli.command import Request, command
from gough.cli.lowest import lowest as lowest_answer
from gough.errors import InputError
from gough.present.answer import Answer, Words, json_keys, json_of, of_result, sentence


@command("pose", "share", "csv", "map", "payload", "figure", "output")
def frequencies(
    request: Request,
    loaded: bool = Option(
        False, "--loaded", help="Count the geometric stiffness of all known weights and of the legs that carry them."
    ),
    lowest: bool = Option(False, "--lowest", help="Search the workspace for the pose of the lowest frequency."),
    mode: int = Option(1, min=1, max=12, help="Of --figure: which mode is animated; 1 has the lowest frequency."),
) -> Answer:
    """Natural frequencies and mode shapes.

    The platform with all that it carries on elastic legs, the drives held,
    without damping. At one pose given by options, at many in a CSV file,
    or at home. With --map over the positions of the workspace.
    """
    from gough.dynamics.natural_frequencies import SHAPE
    from gough.statics.weights import inertia_in_words

    m, as_map, figure = request.any_machine, request.options.as_map, request.options.figure
    request.refuse_grid("--lowest", lowest)
    if figure is None:
        request.counts_only_with("--figure", "mode")
    request.at_most_one("as_map", "lowest", "loaded figure")
    request.note_stage()
    if as_map:
        return request.map("frequency map", gough.dynamics.frequency_map, m, request.X_one)
    if lowest:
        slowest = request.mapped("lowest frequency", gough.dynamics.lowest_frequency, m, request.X_one)
        return lowest_answer(request, {"frequency": slowest})
    found = gough.natural_frequencies(m, request.postures, gravity=loaded)
    if figure is not None:
        _draw(request, found, mode)
    weights, missing = inertia_in_words(m, has_drives=False), found.missing()
    fields = [
        *of_result(found, "frequency", labels=request.legs),
        *json_of(found, "square", "is_stable"),
        *json_of(found, ("energy_shares", "energy_share")),
        *json_keys("", SHAPE * len(m.stages), "base", shape=found.shape.swapaxes(-1, -2)),
        *json_keys(geometric=loaded, weights=weights, is_allowed=request.note_poses()),
    ]
    return Answer(fields, lambda: _words(request, found, weights, loaded=loaded), notes=[missing] if missing else [])


def _words(request: Request, found: gough.dynamics.NaturalFrequencies, weights: str, *, loaded: bool) -> Words:
    yield found.table()
    of = found.machine.moving_platforms
    yield f"Shares are those of the {of}'s kinetic energy: its mass centre along, its turning about the axes."
    yield sentence(weights)
    geometric = "counted" if loaded else "not counted; --loaded counts it"
    yield f"Drives held, no damping; the geometric stiffness of the weights and of the legs under them is {geometric}."


def _draw(request: Request, found: gough.dynamics.NaturalFrequencies, mode: int) -> None:
    """A page that plays one period of a mode, enlarged and slowed down."""
    import numpy as np

    from gough.dynamics.natural_frequencies import SHOWN
    from gough.present.show import Show, plain

    if mode > len(request.legs):
        raise InputError(f"--mode {mode}: there are {len(request.legs)} modes")
    if found.frequency.ndim > 1:
        raise InputError("--figure draws a mode of one pose; give it without --csv")
    if not np.isfinite(found.frequency[mode - 1]):
        raise InputError(f"--mode {mode} does not swing: {found.missing()}")
    m, data = request.any_machine, gough.motion.leg_motion(request.any_machine, found.motion(mode - 1))
    title = f"mode {mode}: {plain(found.frequency[mode - 1], 4)} Hz, one period, enlarged"
    swing = Show(m).with_unit(SHOWN * m.size, "m", 3)
    note = f"A mode has no amplitude of its own. The platform joint<br>that moves most is drawn swinging by ± {swing}."
    text = f'{title}<br><span style="font-size:12px">{note}</span>'
    layout = {"text": text, "x": 0.01, "xanchor": "left"}
    request.draw(lambda: gough.plot.animation(m, data, curves=False).update_layout(title=layout))
