"""A machine of two stages at a pose, to scale, in three dimensions."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import plotly.graph_objects as go

from gough.arrays import Array
from gough.checks.arguments import checks_arguments
from gough.checks.numbers import of_shape
from gough.plot import _style as style
from gough.plot._scene import in_space, vertices_of
from gough.plot.machine_figure import drawn_points, scene_around
from gough.plot.machine_figure import machine as machine
from gough.plot.machine_figure import machine as of_stage
from gough.poses import PoseLike
from gough.stacked import StackedMachine
from gough.stages.frames import both_poses, upper_base, upper_pose


@machine.register(StackedMachine)
@checks_arguments
def _(machine: StackedMachine, X: PoseLike | None = None) -> go.Figure:
    """Both stages at poses X (2, 4, 4), see `gough.plot.machine`: three platforms, twelve legs, frames B, I and P."""
    poses = of_shape("X", machine.X_home if X is None else both_poses(X), "(2, 4, 4): one pose of each platform")
    # Each stage is drawn in its base, in the units of the whole; the upper one is then moved onto the lower platform.
    lower, upper = (replace(stage, units=machine.units) for stage in machine.stages)
    below = of_stage(lower, poses[0])
    above = of_stage(upper, upper_pose(machine, poses))
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
    for leg, tag in enumerate(figure.layout.scene.annotations, 7):
        x, y, z = np.array([tag.x, tag.y, tag.z]) @ X_BU[:3, :3].T + shift
        tag.update(x=x, y=y, z=z, text=f"<b>{leg}</b>")


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
