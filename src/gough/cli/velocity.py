"""`gough velocity`."""

from __future__ import annotations

from typing import Literal

from typer import Option

import gough
from gough.cli.command import Request, command
from gough.cli.lowest import Lowest, lowest
from gough.cli.options import DIRECTION
from gough.cli.travel import parse_direction
from gough.errors import InputError
from gough.present.answer import AXES, SPEEDS, Answer, Field, Words, json_keys, json_of, of_result

MOTIONS: tuple[tuple[Literal["translation", "rotation"], str, str], ...] = (
    ("translation", "m/s", "direction"),
    ("rotation", "rad/s", "axis"),
)


@command("pose", "share", "csv", "map", "output")
def velocity(
    request: Request,
    along: str | None = Option(None, metavar="DIRECTION", help=f"Top speed along this: x, -ry ...; {DIRECTION}."),
    twist: str | None = Option(
        None, metavar="VX,...,WZ", help="Joint rates that this motion of the point of interest needs."
    ),
    slowest: bool = Option(False, "--slowest", help="Search the workspace for the lowest speed in every direction."),
) -> Answer:
    """Top speeds when each joint keeps its own.

    Of the point of interest: along and about each axis alone, in every
    direction, and in the fastest one. At one pose given by options, at
    many in a CSV file, or at home.
    With --map over the positions of the workspace.
    """
    m, as_map = request.any_machine, request.options.as_map
    request.refuse_grid("--slowest", slowest)
    if sum([along is not None, twist is not None, slowest, as_map]) > 1:
        raise InputError("--along, --twist, --slowest and --map exclude each other; give one")
    if slowest:
        return lowest(request, _slowest(request))
    if as_map:
        return request.map("velocity map", gough.workspaces.velocity_map, m, request.X_one)
    e = gough.velocity_envelope(m, request.X)
    allowed = json_keys(is_allowed=request.note_poses())
    if twist is not None:
        return Answer([*_rates(request, e, twist), *allowed])
    if along is not None:
        return Answer([*_one_direction(request, e, along), *allowed])
    return Answer([*_all_directions(request, e), *allowed], lambda: _words(request, e))


def _all_directions(request: Request, e: gough.limits.VelocityEnvelope) -> list[Field]:
    """Top speed of each axis alone, of every direction and of the fastest one, with the legs that set them."""
    import numpy as np

    fields = [*request.axes(SPEEDS), *of_result(e, "top_speed", title="top_{}"), *json_of(e, "leg")]
    for motion, _, _ in MOTIONS:
        fields += of_result(e, f"guaranteed.{motion}:every_direction.{motion} fastest.{motion}:fastest.{motion}")
    if e.J_qV.ndim == 2 and np.isfinite(e.top_speed).all():
        fields += json_of(e, "legs")
        if request.options.as_json:  # SciPy's hulls: a quarter second to import
            for motion, unit, _ in MOTIONS:
                fields += json_keys("vertices.", unit, **{motion: e.vertices(motion)})
    return fields


def _one_direction(request: Request, e: gough.limits.VelocityEnvelope, along: str) -> list[Field]:
    d = parse_direction(request, along)
    unit = "m/s" if d[:3].any() else "rad/s"
    return [Field("top_speed", e.speed(d), unit, unit_key="speed_unit"), Field("leg", e.limiting_leg(d))]


def _rates(request: Request, e: gough.limits.VelocityEnvelope, text: str) -> list[Field]:
    """Rates of the joints for a twist, and the part of their speed that they use."""
    from gough.present.units import of_legs

    rates = e.joint_rates(request.numbers("--twist", text, (6,), SPEEDS))
    used = abs(rates) / e.joint_speed
    unit = of_legs(request.any_machine, lambda stage: f"{stage.legs.joint_unit}/s")
    return [
        Field("joint_rates", rates, unit, request.legs, "q{}", unit_key="rate_unit"),
        Field("used", used, "", request.legs, "used_q{}"),
        Field("is_possible", (used <= 1).all(axis=-1)),
    ]


def _words(request: Request, e: gough.limits.VelocityEnvelope) -> Words:
    from gough.limits.ties import legs_in_words

    labels, speeds, units = [*AXES], [*e.top_speed], [*SPEEDS]
    for motion, unit, what in MOTIONS:
        labels += [f"every {what}", f"fastest {what}"]
        speeds += [e.guaranteed(motion), e.fastest(motion)]
        units += [unit, unit]
    set_by = [*(legs_in_words(each, len(request.legs)) for each in e.legs), "", "", "", ""]
    columns = [Field("", speeds, units, head="top speed"), Field("", set_by, head="set by")]
    yield request.show.table("along or about", labels, columns)


def _slowest(request: Request) -> dict[str, Lowest]:
    from gough.present.units import percent
    from gough.workspaces.minimum import REACH_MARGIN, has_rods, slowest_pose

    m, answers = request.any_machine, {}
    for motion, unit, _ in MOTIONS:
        for margin in (0.0, REACH_MARGIN) if has_rods(m) else (0.0,):
            name = motion if margin == 0 else f"{motion}, {percent(margin)} of the rod from its reach"
            found = request.mapped(f"slowest {motion}", slowest_pose, m, request.X_one, motion, reach_margin=margin)
            answers[name] = (found, unit)
    return answers
