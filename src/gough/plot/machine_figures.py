"""The machine at a pose, to scale: of one stage, of two, in each assembly mode, and in a notebook."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import plotly.graph_objects as go
from numpy.typing import ArrayLike
from plotly.subplots import make_subplots

from gough.arrays import Array
from gough.assembly.assembly_modes import AssemblyModes
from gough.checks.arguments import checks_arguments
from gough.checks.numbers import of_shape
from gough.errors import InputError, PoseError
from gough.kinematics.inverse import inverse_kinematics
from gough.machine import Machine
from gough.plot import _style as style
from gough.plot._bodies import NEAR, head_solids, plates, tool
from gough.plot._legs import Drawing, draw_legs, mounts, platform_points
from gough.plot._scene import (
    dots,
    in_space,
    line,
    machine_scene,
    scene,
    span,
    tag,
    titles_of_positions,
    triangles,
    up,
    vertices_of,
)
from gough.plot._solids import Ring, Shape, Solid, edges, mesh
from gough.poses import PoseLike, one_pose
from gough.present.results import html_table
from gough.present.show import plain
from gough.present.units import span_in_words, unit_of
from gough.stacked import AnyMachine, StackedMachine, by_machine
from gough.stages.frames import both_poses, upper_base, upper_pose


@by_machine
@checks_arguments
def machine(machine: Machine, X: PoseLike | None = None) -> go.Figure:
    """Draw the machine at a pose, to scale: plates, legs with their joints and numbers, tool head, frames.

    Parameters
    ----------
    machine : Machine
    X : PoseLike, optional
        One pose of the platform in the base, (2, 4, 4) for a stack; default: home.

    Returns
    -------
    plotly.graph_objects.Figure
        With equal scales on its axes, which carry the unit of the machine's file; up is against gravity. A leg that
        cannot close is omitted, and named in a note.

    Raises
    ------
    ShapeError, PoseError
        Not one pose, or one of NaN.

    """
    return _stage_figure(machine, one_pose(X, machine.X_home, "X"))


def _stage_figure(machine: Machine, pose: Array) -> go.Figure:
    """The machine of one stage at a pose (4, 4)."""
    if not np.isfinite(pose).all():
        raise PoseError("X: the pose is not known: its matrix has entries that are not finite")
    b_B = platform_points(machine, pose)
    drawing = draw_legs(machine, inverse_kinematics(machine, pose), pose)
    traces = [*_bodies(machine, drawing, b_B, pose), *_frames(machine, pose)]
    places = drawing.numbers / machine.units.metres
    numbers = [tag(place, f"<b>{leg}</b>", 13) for leg, place in enumerate(places, 1)]
    box = {**scene_around(machine, drawn_points(traces)), "annotations": numbers}
    figure = in_space(traces, height=520, scene=box)
    if drawing.open_legs:
        legs = ", ".join(map(str, drawing.open_legs))
        note = {"x": 0.5, "y": 1, "xref": "paper", "yref": "paper", "showarrow": False}
        figure.add_annotation(text=f"cannot close here: leg {legs}", **note)
    return figure


def _bodies(machine: Machine, drawing: Drawing, b_B: Array, pose: Array) -> list[go.Mesh3d | go.Scatter3d]:
    """Plates, legs and tool, each kind in its colour, and the plates' sharp edges."""
    base, platform = plates(machine, drawing, b_B, pose)
    yokes, sockets = mounts(machine)
    head: dict[str, list[Solid]] = defaultdict(
        list, {} if machine.head is None else head_solids(machine, machine.head, pose)
    )
    groups = [
        ([*base, *yokes], style.BASE, False),
        ([*platform, *(socket.at(pose) for socket in sockets)], style.ACCENT, False),
        (_solids(drawing.guides), style.GUIDE, drawing.has_round_guides),
        ([*_solids(drawing.heavy), *head["links"], *head["elbows"]], style.CYLINDER, False),
        (_solids(drawing.bright), style.PISTON, True),
        ([*_solids(drawing.joints), *head["joints"]], style.JOINT, True),
        (_solids(drawing.forks), style.CYLINDER, False),
        ([*head["spindle"], *tool(machine, pose, b_B)], style.PISTON, True),
    ]
    metres = machine.units.metres
    meshes = [
        mesh((part.in_units(metres) for part in parts), colour, smooth=smooth)
        for parts, colour, smooth in groups
        if parts
    ]
    return [*meshes, *(line(edges(parts[0]) / metres, style.JOINT, 1.5) for parts in (base, platform))]


def _solids(shapes: Sequence[Shape | Ring]) -> list[Solid]:
    return [shape.solid() for shape in shapes]


def frames_shown(machine: Machine, pose: Array) -> dict[str, Array]:
    """Return frames by name: base, platform and, where it is another one, the tool; without those too far off to
    draw."""
    frames = {"B": np.eye(4), "P": pose}
    X_PT = machine.X_PT if machine.head is None else machine.head.tip()
    if not np.allclose(X_PT, np.eye(4), atol=1e-12):
        frames["T"] = pose @ X_PT
    joints = np.concatenate([machine.legs.rest(), platform_points(machine, pose)])
    # Within the radius of the joints about their middle, and some of the machine's size.
    near = np.linalg.norm(joints - joints.mean(axis=0), axis=1).max() + NEAR * machine.size
    return {name: X for name, X in frames.items() if np.linalg.norm(X[:3, 3] - joints.mean(axis=0)) <= near}


def _frames(machine: Machine, pose: Array) -> list[go.Scatter3d]:
    """Axes of the frames, each with its name at the tip of z."""
    return [_frame_axis(machine, name, X, axis) for name, X in frames_shown(machine, pose).items() for axis in range(3)]


def _frame_axis(machine: Machine, name: str, X: Array, axis: int) -> go.Scatter3d:
    # The axis, a gap, and the place of the name beyond its tip.
    steps = np.array([[0.0], [0.13], [np.nan], [0.16]]) * machine.size
    points = (X[:3, 3] + steps * X[:3, axis]) / machine.units.metres
    text = {
        "mode": "lines+text",
        "text": ["", "", "", f"<b>{name}</b>" if axis == 2 else ""],
        "textposition": "middle center",
        "textfont": {"size": 13, "color": style.AXES[axis]},
    }
    return line(points, style.AXES[axis], 5, **text)


def drawn_points(traces: Sequence[go.Mesh3d | go.Scatter3d]) -> Array:
    """Return finite vertices of all traces (n, 3)."""
    points = np.concatenate([vertices_of(trace) for trace in traces])
    return points[np.isfinite(points).all(axis=1)]


def scene_around(machine: AnyMachine, points: Array) -> dict[str, object]:
    """Return an upright scene around points (n, 3) in the unit of the machine's file."""
    # Where the base is above the platform, a flatter view keeps it from hiding the legs.
    lowest = machine.stages[0]
    is_hung = float((lowest.b_home.mean(axis=0) - lowest.legs.rest().mean(axis=0)) @ up(machine)) < 0
    return machine_scene(machine, titles_of_positions(machine), span(points, 0.03), 0.18 if is_hung else 0.3)


@machine.register(StackedMachine)
@checks_arguments
def _(machine: StackedMachine, X: PoseLike | None = None) -> go.Figure:
    """Both stages at poses X (2, 4, 4), see `gough.plot.machine`: three platforms, twelve legs, frames B, I and P."""
    poses = of_shape("X", machine.X_home if X is None else both_poses(X), "(2, 4, 4): one pose of each platform")
    # Each stage is drawn in its base, in the units of the whole; the upper one is then moved onto the lower platform.
    lower, upper = (replace(stage, units=machine.units) for stage in machine.stages)
    below = _stage_figure(lower, poses[0])
    above = _stage_figure(upper, upper_pose(machine, poses))
    _move(above, upper_base(machine, poses), machine.units.metres)
    _relabel(below, {style.ACCENT: style.INTERMEDIATE}, 1)
    _relabel(above, {style.BASE: style.INTERMEDIATE}, 2)
    traces = [*_with_frames(below, {"B": "B", "P": "I"}), *_with_frames(above, {"P": "P", "T": "T"})]
    tags = (*below.layout.scene.annotations, *above.layout.scene.annotations)
    box = {**scene_around(machine, drawn_points(traces)), "annotations": tags}
    figure = in_space(traces, height=640, scene=box)
    for note in (*below.layout.annotations, *above.layout.annotations):
        figure.add_annotation(note)
    return figure


def _move(figure: go.Figure, X_BU: Array, metres: float) -> None:
    """Move the upper stage's drawing from its own base to that of the machine, and count its legs from 7."""
    shift = X_BU[:3, 3] / metres
    for trace in figure.data:
        x, y, z = (vertices_of(trace) @ X_BU[:3, :3].T + shift).T
        trace.update(x=x, y=y, z=z)
    for leg, number in enumerate(figure.layout.scene.annotations, 7):
        x, y, z = np.array([number.x, number.y, number.z]) @ X_BU[:3, :3].T + shift
        number.update(x=x, y=y, z=z, text=f"<b>{leg}</b>")


def _relabel(figure: go.Figure, colours: dict[str, str], stage: int) -> None:
    """Replace colours, and name the stage in the labels."""
    for trace in figure.data:
        if isinstance(trace, go.Mesh3d):
            trace.color = colours.get(trace.color, trace.color)
            if trace.text is not None:
                trace.text = [f"stage {stage}, {word}" if word else word for word in trace.text]


def _with_frames(figure: go.Figure, names: dict[str, str]) -> list[go.Mesh3d | go.Scatter3d]:
    """All traces but the axes of frames that have no new name; a frame's letter is the text of its third axis."""
    axes = [trace for trace in figure.data if isinstance(trace, go.Scatter3d) and trace.mode == "lines+text"]
    dropped: list[int] = []
    for x, y, z in zip(axes[::3], axes[1::3], axes[2::3], strict=True):
        letter = "".join(z.text).removeprefix("<b>").removesuffix("</b>")
        if letter in names:
            z.text = [f"<b>{names[letter]}</b>" if word else word for word in z.text]
        else:
            dropped += map(id, (x, y, z))
    return [trace for trace in figure.data if id(trace) not in dropped]


COLUMNS = 3
MOST = 6
"""Modes drawn: those nearest to home."""
HEIGHT = 300
"""Height of a row [px]."""
TITLE = 11
"""Size of a title: three fit side by side on a phone [px]."""
RISE = 0.35
"""Height of the eye above the horizon, per distance."""
SMALLER = 0.85
"""Scale of a scene beside others, which leaves room for its labels."""


@checks_arguments
def assembly_modes(machine: Machine, result: AssemblyModes) -> go.Figure:
    """Draw the poses that share one vector of joint coordinates side by side, to one scale, the nearest to home first.

    Parameters
    ----------
    machine : Machine
    result : AssemblyModes
        Of which the first six are drawn.

    Returns
    -------
    plotly.graph_objects.Figure
        Rods between driven points and platform joints; the platform in the accent colour where the machine allows the
        pose. Each picture can be turned; the axes carry the unit of the machine's file.

    Raises
    ------
    InputError
        No pose has these joint coordinates.

    """
    count = min(len(result), MOST)
    if count == 0:
        raise InputError("no pose has these joint coordinates: nothing to draw")
    columns = min(COLUMNS, count)
    rows = -(-count // columns)
    figure = make_subplots(
        rows=rows,
        cols=columns,
        specs=[[{"type": "scene"}] * columns] * rows,
        subplot_titles=[f"mode {k + 1}, side {result.sides[k]}<br>{result.verdicts[k]}" for k in range(count)],
        horizontal_spacing=0.01,
        vertical_spacing=0.08,
    )
    points = [_points(machine, result, k) for k in range(count)]
    for k, (feet, joints) in enumerate(points):
        for trace in _traces(feet, joints, allowed=bool(result.within_limits[k])):
            figure.add_trace(trace, row=k // columns + 1, col=k % columns + 1)
    # The layout is taken as a dictionary and made into a new figure: changing it in place validates it again and again.
    layout, box = (
        figure.layout.to_plotly_json(),
        _scene(machine, np.concatenate([np.concatenate(pair) for pair in points])),
    )
    for name in [name for name in layout if name.startswith("scene")]:
        layout[name].update(box)
    for title in layout["annotations"]:
        title["font"]["size"] = TITLE
    return in_space(
        figure.data,
        **{**layout, "height": HEIGHT * rows + 40, "showlegend": False, "margin": {"t": 44, "l": 0, "r": 0, "b": 20}},
    )


def _points(machine: Machine, modes: AssemblyModes, k: int) -> tuple[Array, Array]:
    """Driven points and platform joints (6, 3) of mode k, in the file's unit."""
    feet, joints = machine.legs.driven_points(modes.q), platform_points(machine, modes.matrix[k])
    return feet / machine.units.metres, joints / machine.units.metres


def _traces(feet: Array, joints: Array, *, allowed: bool) -> list[go.Scatter3d | go.Mesh3d]:
    """Plates, rods and joints of a mode."""
    rods = np.full((18, 3), np.nan)  # start, end and a gap for each leg
    rods[0::3], rods[1::3] = feet, joints
    colour = style.ACCENT if allowed else style.BAR
    labels = [f"leg {i + 1}" for i in range(6) for _ in range(3)]
    legs = line(rods, style.CYLINDER, 4, text=labels, hoverinfo="text")
    return [
        _plate(feet, style.BASE),
        _plate(joints, colour),
        legs,
        *(dots(at, style.JOINT, 3, hoverinfo="skip") for at in (feet, joints)),
    ]


def _plate(points: Array, colour: str) -> go.Mesh3d:
    """The hexagon of the joints, as triangles around its middle."""
    # Joints in the order of their angles about the middle, in the plane of the two largest principal axes.
    middle = points.mean(axis=0)
    axes = np.linalg.svd(points - middle)[2]
    at = (points - middle) @ axes.T
    corners = np.vstack([points[np.argsort(np.arctan2(at[:, 1], at[:, 0]))], middle])
    ring = np.arange(6)
    fan = np.stack([ring, (ring + 1) % 6, np.full(6, 6)], axis=1)
    return triangles(corners, fan, color=colour, opacity=0.75, hoverinfo="skip", flatshading=True)


def _scene(machine: Machine, points: Array) -> dict[str, Any]:
    """The scene of all pictures, around the points (n, 3) of all modes, upright as gravity has it."""
    low, high = points.min(axis=0), points.max(axis=0)
    rim = 0.05 * (high - low).max()
    limits = np.stack([low - rim, high + rim], axis=1)
    box = scene(titles_of_positions(machine), limits, up(machine), RISE)
    box["aspectratio"] = {axis: SMALLER * ratio for axis, ratio in box["aspectratio"].items()}
    return box


def machine_html(m: Machine | StackedMachine) -> str:
    """Return a table of legs, size, strokes, masses and home, in the units of the machine's file; and the figure."""
    return _table(m) + str(machine(m)._repr_html_())


def display_machine(m: Machine | StackedMachine) -> None:
    """Show both in the running notebook, the figure by Plotly's renderer of choice."""
    from IPython.display import HTML, display

    display(HTML(_table(m)))  # type: ignore[no-untyped-call]
    machine(m).show()


def _table(machine: Machine | StackedMachine) -> str:
    names = [f"{dim} {k}: " for dim in machine.stage_dims for k in range(1, 1 + len(machine.stages))] or [""]
    rows = [row for stage, name in zip(machine.stages, names, strict=True) for row in _rows(stage, name)]
    return html_table(machine.title or machine.name, ("", "", "unit"), rows)


def _rows(machine: Machine, which: str) -> list[tuple[str, ...]]:
    (metres, length), (scale, unit) = (unit_of(machine.units, si) for si in ("m", machine.legs.joint_unit))
    limits, home = machine.limits, machine.X_home[:3, 3] / metres
    ends = zip(limits.joint_min / scale, limits.joint_max / scale, strict=True)
    travel = sorted({span_in_words(low, high, plain) for low, high in ends})
    masses = [f"{name} {_values(body.mass)}" for name, body in machine.platform_parts.items()]
    masses += [f"each leg's {name} {_values(body.mass)}" for name, body in machine.leg_bodies.items()]
    return [
        (f"{which}legs", f"six {machine.leg_kind}: {machine.legs.title}", ""),
        (f"{which}size", plain(machine.size / metres, 4), length),
        (f"{which}home", f"({', '.join(map(plain, home))})", length),
        (f"{which}joints", "; ".join(travel), unit),
        (f"{which}masses", ", ".join(masses) or "not known", "kg" if masses else ""),
    ]


def _values(values: ArrayLike) -> str:
    """The distinct values: one where all legs are alike."""
    return ", ".join(map(plain, np.unique(values)))
