"""The machine at a pose, to scale, in three dimensions."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

import numpy as np
import plotly.graph_objects as go

from gough.arrays import Array
from gough.checks.arguments import checks_arguments
from gough.errors import PoseError
from gough.kinematics.inverse import inverse_kinematics
from gough.machine import Machine
from gough.plot import _style as style
from gough.plot._bodies import NEAR, head_solids, plates, tool
from gough.plot._joints import mounts, platform_points
from gough.plot._legs import Drawing, draw_legs
from gough.plot._scene import in_space, line, machine_scene, span, tag, titles_of_positions, up, vertices_of
from gough.plot._shapes import Ring, Shape
from gough.plot._solids import Solid, edges, mesh
from gough.poses import PoseLike, one_pose
from gough.stacked import AnyMachine, by_machine


@by_machine
@checks_arguments
def machine(machine: Machine, X: PoseLike | None = None) -> go.Figure:
    """The machine at a pose, drawn to scale: plates, legs with their joints and numbers, tool head, frames.

    Parameters
    ----------
    machine : Machine
    X : PoseLike, optional
        One pose of the platform in the base, (2, 4, 4) of two stages; home where none is given.

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
    pose = one_pose(X, machine.X_home, "X")
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
    """Frames by name: base, platform and, where it is another one, the tool; without those too far off to draw."""
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
    """Finite vertices of all traces (n, 3)."""
    points = np.concatenate([vertices_of(trace) for trace in traces])
    return points[np.isfinite(points).all(axis=1)]


def scene_around(machine: AnyMachine, points: Array) -> dict[str, object]:
    """An upright scene around points (n, 3) in the unit of the machine's file."""
    # Where the base is above the platform, a flatter view keeps it from hiding the legs.
    lowest = machine.stages[0]
    is_hung = float((lowest.b_home.mean(axis=0) - lowest.legs.rest().mean(axis=0)) @ up(machine)) < 0
    return machine_scene(machine, titles_of_positions(machine), span(points, 0.03), 0.18 if is_hung else 0.3)
