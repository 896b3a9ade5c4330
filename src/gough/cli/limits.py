"""Commands of limits: margins, nearest, travel, corners, velocity."""

from __future__ import annotations

from dataclasses import replace
from itertools import product
from typing import TYPE_CHECKING, Annotated, Any, Literal

from typer import Context, Option

import gough
from gough.cli.options import (
    DIRECTION,
    Angles,
    At,
    Figure,
    Json,
    MachineName,
    Map,
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
    number,
    request_of,
    text,
)
from gough.cli.workspaces import lowest
from gough.errors import InputError
from gough.present.answer import MOTIONS, Answer, Field, Words, aligned, csv_columns, json_keys, json_of, of_result
from gough.quantity import ALONG_AXES, AXES, SPEEDS, ratios

if TYPE_CHECKING:
    from gough.arrays import Array
    from gough.cli.request import Request


def margins(
    context: Context, machine: MachineName, at: At = None, sequence: Sequences = None, share: Share = None,
    csv: Table = None, si: Si = False, as_json: Json = False, output: Output = None,
) -> None:  # fmt: skip
    """Compute the signed distance of poses to every limit.

    For one pose specified by options, several in a CSV file, or home.
    Negative values violate the limit. A single pose prints a summary and a
    table; several print CSV with a column for each limit. For a machine of
    two stages, both stages are checked in the postures of --share.
    """
    request = request_of(context)
    m, X = request.any_machine, request.postures
    found = request.in_parts("margins", lambda part: gough.margins(m, part), X, 2 + len(m.stage_shape))
    fields = [
        *of_result(found, "is_allowed", "binding"),
        *request.limits(found.columns),
        *of_result(found, ("values", "margins"), title="{}"),
    ]
    if found.values.ndim > 1 or request.is_for_people:
        request.write(Answer(fields, lambda: _margins_words(request, found)))
        return
    gradient = gough.limits.margin_gradient(m, request.X)
    fields += json_keys(binding_set=found.binding_set, sentences=found.findings(), is_singular=found.is_singular)
    fields += json_keys(advice=gradient.back_off(), axes=AXES)
    fields += json_keys("", ratios(found.units, ALONG_AXES), "base", gradients=gradient.values)
    request.write(Answer(fields))


def _margins_words(request: Request, found: gough.limits.Margins) -> Words:
    """Limits that are broken or nearest, advice how to back off, then a table of every limit."""
    from gough.limits.nearest import nearest_words

    broken, singular = found.sentences(), found.singular_sentence()
    kept = "Every limit is kept, but the pose is singular:" if singular else "Allowed. Nearest to its limit:"
    yield "Not allowed:" if broken else kept
    yield from (f"  {each}" for each in found.findings())
    if found.is_tight and (broken or not singular):
        advice = gough.limits.margin_gradient(request.any_machine, request.X).back_off()
        far = nearest_words(request.any_machine, request.X) if broken else ""
        other = f"; the nearest allowed pose is {far} away: gough nearest" if far else ""
        yield f"  {advice.removeprefix('every limit is kept; ')}{other}"
    yield found.table()


def nearest(
    context: Context, machine: MachineName, at: At = None, sequence: Sequences = None, share: Share = None,
    csv: Table = None,
    length: Annotated[
        float | None, number("LENGTH", "Length that weighs one radian of rotation; default: the platform's radius.")
    ] = None,
    si: Si = False, as_json: Json = False, output: Output = None,
) -> None:  # fmt: skip
    """Find the nearest allowed pose and its active limits.

    Minimises sqrt(shift^2 + (length * angle)^2), where shift is the
    displacement of the point of interest. The orientation is printed in the
    form of the input: Euler angles with --sequence or --convention, otherwise
    a quaternion.
    """
    import numpy as np

    request = request_of(context)
    m, weight = request.any_machine, request.amount(length, "m")
    found = request.one_by_one("nearest allowed pose", lambda X: gough.nearest_pose(m, X, length=weight))
    one = request.X.ndim == 2

    def of_all(name: str, **how: Any) -> list[Field]:
        of_each = [of_result(each, name, **how)[0] for each in found]
        return [of_each[0] if one else replace(of_each[0], value=np.stack([each.value for each in of_each]))]

    # JSON has lists of limits, CSV their names in one cell.
    held = [list(each.active_limits) for each in found]
    fields = [
        *request.all_poses(of_all("matrix")[0].value, key="pose."),
        *of_all("distance"),
        *of_all("translation", title="shift_{}"),
        *of_all("rotation", title="turn_{}"),
        *csv_columns(limit=["; ".join(names) for names in held]),
        *json_keys(active_limits=held[0] if one else held),
        *json_of(found[0], "length"),
    ]
    request.write(Answer(fields, lambda: _nearest_words(request, found[0], fields)))


def _nearest_words(request: Request, found: gough.limits.NearestPose, fields: list[Field]) -> Words:
    from gough.limits.ties import in_words

    if found.distance == 0:
        yield "The pose itself is allowed."
        return
    pairs, show = [], request.show
    for each in fields[:2]:
        name, unit = each.key.removeprefix("pose."), str(each.unit)
        head = "quaternion x, y, z, w" if name == "quaternion" else name
        pairs.append((head, f"{show.numbers(each.value, unit, each.digits)} {show.unit(unit)}".rstrip()))
    moved, turned = ((values @ values) ** 0.5 for values in (found.translation, found.rotation))
    departure = f"{show.with_unit(moved, 'm', 4)} and {show.with_unit(turned, 'rad', 4)} from the requested pose"
    weight = f"a radian weighs as much as {show.with_unit(found.length, 'm', 4)}"
    distance = f"{show.with_unit(found.distance, 'm', 4)}, where {weight}"
    limits = in_words(found.active_limits) or "no limit"
    yield from aligned([*pairs, ("departure", departure), ("limited by", limits), ("distance", distance)])


def travel(
    context: Context, machine: MachineName, at: At = None, sequence: Sequences = None, share: Share = None,
    csv: Table = None,
    along: Annotated[str | None, text("DIRECTION", f"Axis: x, -y, rz ...; {DIRECTION}. Default: all axes.")] = None,
    si: Si = False, as_json: Json = False, output: Output = None,
) -> None:  # fmt: skip
    """Compute the travel along an axis until a limit binds.

    For the point of interest, from one pose specified by options, from
    several in a CSV file, or from home. In a machine of two stages, --share
    divides the displacement. --along also prints the end pose; without it,
    a table lists all axes in both directions. A distance is inf (null in
    JSON) if no limit ends it.
    """
    request = request_of(context)
    request.write(_along_axes(request) if along is None else _along(request, along))


def _along(request: Request, along: str) -> Answer:
    """Travel along one direction, and the pose where it ends."""
    found = _travel(request, request.direction("--along", along))
    fields = [
        *of_result(found, "distance"),
        *of_result(found, ("binding", "limit")),
        *json_keys(limits=found.words()),
        *request.all_poses(found.matrix, key="end."),
        *of_result(found, ("is_start_allowed", "start_allowed")),
    ]
    return Answer(fields, lambda: [found.sentence()])


def _along_axes(request: Request) -> Answer:
    """Travel along all axes, in both senses."""
    import numpy as np

    if request.X.ndim == 2 and request.is_for_people:
        return Answer(words=lambda: _travel_words(request))
    found = _travel(request, np.concatenate([-np.eye(6), np.eye(6)]))  # the negative senses first
    fields, sets = request.axes(ALONG_AXES), found.words()
    for side, sign, of in (("minus", -1.0, slice(6)), ("plus", 1.0, slice(6, None))):
        fields += [
            Field(side, sign * found.distance[..., of], ALONG_AXES, AXES, f"{{}}_{side}", frame="base"),
            Field(f"{side}_limit", np.asarray(found.binding)[..., of], "", AXES, f"{{}}_{side}_limit"),
            *json_keys(**{f"{side}_limits": sets[..., of]}),
        ]
    return Answer([*fields, Field("start_allowed", found.is_start_allowed[..., 0])])


def _travel(request: Request, directions: Array) -> gough.limits.Travel:
    """Travels along directions (k, 6) or (6,) from poses (4, 4) or (n, 4, 4)."""
    from gough._compile import expect_rows

    m, many = request.any_machine, directions.ndim == 2
    expect_rows(directions.size // 6 * (request.X.size // 16))
    return request.in_parts(
        "travel", lambda part: gough.travel(m, directions, part[..., None, :, :] if many else part), request.X
    )


def _travel_words(request: Request) -> Words:
    from gough.limits.nearest import nearest_words
    from gough.limits.travel import travel_fields

    found = gough.margins(request.any_machine, request.postures)
    if found.sentences():
        yield "The start violates limits, so travel is undefined:"
        yield found.table(refused_only=True)
        if far := nearest_words(request.any_machine, request.X):
            yield f"The nearest allowed pose is {far} away: gough nearest"
        return
    yield request.show.table("axis", AXES, travel_fields(gough.travel_table(request.any_machine, request.X)))


def corners(
    context: Context, machine: MachineName,
    kind: Annotated[
        Literal["translation", "rotation"], Option(help="Displacements: x, y, z; or angles.")
    ] = "translation",
    strokes: Annotated[bool, flag("--strokes", "Apply the strokes of the joints only, no other limit.")] = False,
    share: Share = None, figure: Figure = None, as_json: Json = False, output: Output = None,
) -> None:  # fmt: skip
    """Find the eight corners of the range from home.

    The range of pure translations (or rotations) from home resembles a cube
    standing on a corner: all points that straight paths reach before a limit.
    Corner 1 is the lowest point on the z axis, corner 8 the highest; corners
    2 to 7 are the farthest from the axis at azimuths 60 degrees apart. Seen
    along z they form a hexagon, with equal sides for machines of three-fold
    symmetry limited by their strokes.
    """
    import numpy as np

    request = request_of(context)
    m = request.any_machine
    with request.progress("corners"):
        found = gough.regions.corners(m, kind, strokes_only=strokes)
    request.draw(lambda: gough.plot.corners(m, kind, result=found))
    names = AXES[:3] if kind == "translation" else AXES[3:]
    fields = [
        *csv_columns(corner=np.arange(1, 9)),
        *of_result(found, "points", labels=names, title="{}", head="{}"),
        *of_result(found, ("binding", "limit"), title="limit", head="ended by"),
        *of_result(found, "sides", labels=[str(k) for k in range(1, 7)], head="side {}", is_csv=False),
        *of_result(found, "azimuth", is_csv=False),
        Field("limits", [list(limits) for limits in found.binding_sets], is_csv=False),
    ]

    def words() -> Words:
        from gough.limits.ties import in_words
        from gough.regions.corners import PROVEN

        ended = [in_words(names) or one for names, one in zip(found.binding_sets, found.binding, strict=True)]
        numbers = [str(k) for k in range(1, 9)]
        yield request.show.table("corner", numbers, [fields[1], Field("", ended, head="ended by")])
        yield request.show.facts(fields[3:4])
        if found.gap > PROVEN[0]:
            by = f"by {found.gap:.0e} of the distance at most" if np.isfinite(found.gap) else "how far is not proven"
            yield f"Some path may reach farther from the axis than these corners: {by}."

    request.write(Answer(fields, words))


def velocity(
    context: Context, machine: MachineName, at: At = None, angles: Angles = None, sequence: Sequences = None,
    share: Share = None, csv: Table = None,
    along: Annotated[str | None, text("DIRECTION", f"Top speed along this: x, -ry ...; {DIRECTION}.")] = None,
    twist: Annotated[str | None, text("VX,...,WZ", "Compute joint rates for a twist of the point of interest.")] = None,
    rates: Annotated[str | None, text("VX,VY,VZ,A,B,C", "As --twist, with rates of the angles of --sequence.")] = None,
    passive: Annotated[bool, flag("--passive", "With --twist or --rates: add universal and ball joints.")] = False,
    slowest: Annotated[bool, flag("--slowest", "Find the lowest guaranteed speed in the workspace.")] = False,
    as_map: Map = False, samples: Samples = 15, x: PlacesX = None, y: PlacesY = None, z: PlacesZ = None,
    si: Si = False, as_json: Json = False, output: Output = None,
) -> None:  # fmt: skip
    """Compute the velocity envelope under joint speed limits.

    For the point of interest: top speed along and about each axis, in every
    direction, and in the fastest direction. At one pose specified by options,
    at several in a CSV file, or at home. --map evaluates the positions of the
    workspace.
    """
    request = request_of(context)
    request.at_most_one("along", "twist", "rates", "slowest", "as_map")
    if twist is None and rates is None:
        request.counts_only_with("--twist or --rates", "passive")
    request.write_at_poses(
        lambda: _at_poses(request, along, twist, rates, passive=passive),
        lambda: request.map("velocity map", gough.workspaces.velocity_map),
        lambda: _slowest(request),
        "slowest",
    )


def _at_poses(request: Request, along: str | None, twist: str | None, rates: str | None, *, passive: bool) -> Answer:
    """Top speeds in all directions or in one, or the joint rates of a twist."""
    e = gough.velocity_envelope(request.any_machine, request.X)
    if twist is not None:
        V = request.numbers("--twist", twist, (6,), SPEEDS)
        return Answer(_rates(request, e, V, passive=passive))
    if rates is not None:
        maps = request.maps_for("--rates")
        V = maps.twist(request.numbers("--rates", rates, (6,), SPEEDS))
        if (V != V).any(axis=-1).all():
            raise InputError(f"--rates: {maps.sentence()}; specify other angles, or --twist")
        request.note_lock()
        twists = Field("twist", V, SPEEDS, AXES, "v_{}", frame="base")
        return Answer([twists, *_rates(request, e, V, passive=passive)])
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


def _rates(request: Request, e: gough.limits.VelocityEnvelope, V: Array, *, passive: bool) -> list[Field]:
    """Joint rates for twists of the point of interest, their utilisation of the joints' speed, and passive joints."""
    from gough.limits.ties import DRIVE_ROUNDING
    from gough.poses import twist_at

    (joint_speed,), used, X = of_result(e, "joint_speed"), e.used(V), request.X
    at_origin = twist_at(V, -(X[..., :3, :3] @ request.any_machine.point_of_interest))
    return [
        Field("joint_rates", e.joint_rates(V), joint_speed.unit, request.legs, "q{}"),
        Field("used", used, "", request.legs, "used_q{}"),
        Field("is_possible", (used <= 1.0 + DRIVE_ROUNDING).all(axis=-1)),
        *(request.passive_joints(X, at_origin) if passive else []),
    ]


def _slowest(request: Request) -> Answer:
    """The slowest pose in translation and in rotation; of machines with rods also away from the end of their reach."""
    from gough.present.units import percent
    from gough.workspaces.minimum import REACH_MARGIN, has_rods, slowest_pose

    m, found = request.any_machine, {}
    for motion, margin in product(MOTIONS, (0.0, REACH_MARGIN) if has_rods(m) else (0.0,)):
        name = f"{motion}, {percent(margin)} of the rod from its reach" if margin else motion
        found[name] = request.over_grid(f"slowest {motion}", slowest_pose, motion, reach_margin=margin)
    return lowest(request, found)
