"""`gough velocity`."""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING, Annotated

from typer import Context

import gough
from gough.cli.command import request_of
from gough.cli.lowest import lowest
from gough.cli.options import (
    DIRECTION,
    Angles,
    At,
    Json,
    MachineName,
    Map,
    Options,
    Output,
    PlacesX,
    PlacesY,
    PlacesZ,
    Samples,
    Sequences,
    Share,
    Si,
    Table,
    flag,
    text,
)
from gough.errors import InputError
from gough.present.answer import MOTIONS, Answer, Field, json_keys, json_of, of_result
from gough.quantity import AXES, SPEEDS

if TYPE_CHECKING:
    from gough.arrays import Array
    from gough.cli.request import Request


def velocity(
    context: Context, machine: MachineName, at: At = None, angles: Angles = None, sequence: Sequences = None,
    share: Share = None, csv: Table = None,
    along: Annotated[str | None, text("DIRECTION", f"Top speed along this: x, -ry ...; {DIRECTION}.")] = None,
    twist: Annotated[
        str | None, text("VX,...,WZ", "Joint rates for this twist of the point of interest, in base axes.")
    ] = None,
    rates: Annotated[
        str | None, text("VX,VY,VZ,A,B,C", "As --twist: its velocity, and the rates of the angles of --sequence.")
    ] = None,
    passive: Annotated[
        bool, flag("--passive", "With --twist or --rates: angles and rates of universal and ball joints, too.")
    ] = False,
    slowest: Annotated[
        bool, flag("--slowest", "Search the workspace for the lowest speed in every direction.")
    ] = False,
    as_map: Map = False, samples: Samples = 15, x: PlacesX = None, y: PlacesY = None, z: PlacesZ = None,
    si: Si = False, as_json: Json = False, output: Output = None,
) -> None:  # fmt: skip
    """Velocity envelope under the joints' speed limits.

    Of the point of interest: along and about each axis alone, in every
    direction, and in the fastest one. At one pose given by options, at
    many in a CSV file, or at home.
    With --map over the positions of the workspace.
    """
    given = Options(
        at=at, angles=angles, sequence=sequence, share=share, csv=csv, as_map=as_map, samples=samples, x=x, y=y, z=z,
        si=si, as_json=as_json, output=output,
    )  # fmt: skip
    request = request_of(context, machine, given)
    request.refuse_grid("--slowest", slowest)
    request.at_most_one("along", "twist", "rates", "slowest", "as_map")
    if twist is None and rates is None:
        request.counts_only_with("--twist or --rates", "passive")
    if slowest:
        request.write(_slowest(request))
    elif as_map:
        of_places = gough.workspaces.velocity_map
        request.write(request.map("velocity map", of_places, request.any_machine, request.X_one))
    else:
        request.write_at_poses(_at_poses(request, along, twist, rates, passive=passive))


def _at_poses(request: Request, along: str | None, twist: str | None, rates: str | None, *, passive: bool) -> Answer:
    """Top speeds in all directions or in one, or the joint rates of a twist."""
    e = gough.velocity_envelope(request.any_machine, request.X)
    if twist is not None:
        V = request.numbers("--twist", twist, (6,), SPEEDS)
        return Answer([*_rates(request, e, V), *(_passive(request, V) if passive else [])])
    if rates is not None:
        maps = request.maps_for("--rates")
        V = maps.twist(request.numbers("--rates", rates, (6,), SPEEDS))
        if (V != V).any(axis=-1).all():
            raise InputError(f"--rates: {maps.sentence()}; give other angles, or --twist")
        request.note_lock()
        of_joints = [*_rates(request, e, V), *(_passive(request, V) if passive else [])]
        return Answer([Field("twist", V, SPEEDS, AXES, "v_{}", frame="base"), *of_joints])
    if along is not None:
        d = request.direction("--along", along)
        # A direction with a translation counts in lengths, a pure rotation in angles.
        speed = Field("top_speed", e.speed(d), "m/s" if d[:3].any() else "rad/s", frame="base")
        return Answer([speed, Field("leg", e.limiting_leg(d))])
    return Answer(_all_directions(request, e), lambda: [request.show.table("along or about", *e.rows())])


def _all_directions(request: Request, e: gough.limits.VelocityEnvelope) -> list[Field]:
    """Top speed of each axis alone, of every direction and of the fastest one, with the legs that set them."""
    import numpy as np

    fields = [*request.axes(SPEEDS), *of_result(e, "top_speed", title="top_{}"), *json_of(e, "leg")]
    for motion in MOTIONS:
        ends = (f"guaranteed_{motion}", f"every_direction.{motion}"), (f"fastest_{motion}", f"fastest.{motion}")
        fields += of_result(e, *ends)
    if e.J_qV.ndim == 2 and np.isfinite(e.top_speed).all():
        fields += json_of(e, "legs")
        if request.options.as_json:  # importing SciPy's convex hulls takes a quarter of a second
            fields += json_keys("vertices.", "m/s", "base", translation=e.vertices("translation"))
            fields += json_keys("vertices.", "rad/s", "base", rotation=e.vertices("rotation"))
    return fields


def _rates(request: Request, e: gough.limits.VelocityEnvelope, V: Array) -> list[Field]:
    """Joint rates for twists, and their utilisation of the joints' speed."""
    from gough.limits.ties import DRIVE_ROUNDING

    (joint_speed,) = of_result(e, "joint_speed")
    used = e.used(V)
    return [
        Field("joint_rates", e.joint_rates(V), joint_speed.unit, request.legs, "q{}"),
        Field("used", used, "", request.legs, "used_q{}"),
        Field("is_possible", (used <= 1.0 + DRIVE_ROUNDING).all(axis=-1)),
    ]


def _passive(request: Request, V: Array) -> list[Field]:
    """Angles and rates of the passive joints under twists of the point of interest."""
    from gough.poses import twist_at

    m, X = request.machine, request.X
    return request.passive_joints(X, twist_at(V, -(X[..., :3, :3] @ m.point_of_interest)))


def _slowest(request: Request) -> Answer:
    """The slowest pose in translation and in rotation; of machines with rods also away from the end of their reach."""
    from gough.present.units import percent
    from gough.workspaces.minimum import REACH_MARGIN, has_rods, slowest_pose

    m, found = request.any_machine, {}
    for motion, margin in product(MOTIONS, (0.0, REACH_MARGIN) if has_rods(m) else (0.0,)):
        name = f"{motion}, {percent(margin)} of the rod from its reach" if margin else motion
        found[name] = request.mapped(f"slowest {motion}", slowest_pose, m, request.X_one, motion, reach_margin=margin)
    return lowest(request, found)
