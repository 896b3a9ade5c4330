"""Animation of the machine, with the path of its tool, and coordinates and rates of its legs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
import plotly.graph_objects as go
from plotly.subplots import make_subplots

from gough.arrays import Array, Indices
from gough.checks.arguments import checks_arguments
from gough.errors import InputError
from gough.plot import _style as style
from gough.plot._bodies import MovingBody, fixed_parts, moving_parts
from gough.plot._scene import dots, line, turn_button, vertices_of
from gough.plot.history_figures import COLOURS
from gough.plot.machine_figures import scene_around
from gough.present.units import file_unit, in_file_units
from gough.stacked import AnyMachine

if TYPE_CHECKING:
    import xarray


FRAMES = 150
"""Largest number of instants drawn."""
FEWEST = 60
"""Instants drawn of a short motion, which is then played slowed down."""
FRAME_TIME, PLAY_TIME = 0.06, 20.0
"""Shortest time between two frames, and longest time of the whole play: longer motions are sped up [s]."""
TRAIL = 400
"""Largest number of points of the tool path up to the current instant."""
SCENE, PANEL, BETWEEN = 420, 150, 70
"""Heights of the scene, of a panel, and of the gap above a panel [pixels]."""
MARGINS = {"t": 72, "b": 140, "l": 4, "r": 12}
REFUSED = "#c8283c"
TRAVELLED = style.AXES[2]
"""Colour of the tool path up to the current instant, and of the tip: it contrasts with the platform about it."""


@checks_arguments
def animation(machine: AnyMachine, result: xarray.Dataset, *, frames: int = FRAMES, curves: bool = True) -> go.Figure:
    """Animate a motion, with controls to play, stop and scrub, the tool path, and the legs' coordinates and rates.

    Parameters
    ----------
    machine : Machine
        Of two stages all poses are of both platforms, and each stage has its panels.
    result : xarray.Dataset
        Over `time`, with `pose`, `joint` and `joint_rate`, as from `gough.motion.leg_motion`,
        `gough.dynamics.motion_forces` or `gough.simulate`; with `head_joint`, as from `gough.motion.heads.head_forces`,
        the tool head moves. Where it has `tip` (time, xyz) that is the tool path, in the base [m]; the origin of the
        machine's tool frame otherwise. With `allowed` (time) the path is marked where a limit is broken.
    frames : int
        Instants drawn at most; the page grows by about 13 kB with each.
    curves : bool
        Whether the legs' coordinates and rates are drawn; not for a mode shape, whose amplitude is arbitrary.

    Returns
    -------
    plotly.graph_objects.Figure
        With `frames`, buttons and a slider; `figure.write_html(path, auto_play=False)` makes a page of it. Legs are
        drawn simply, without their joints. Instants at which a leg cannot close are omitted.

    Raises
    ------
    InputError
        Fewer than two instants at which every leg closes.

    """
    closed = np.flatnonzero(np.isfinite(result["joint"].to_numpy()).all(axis=1))
    if len(closed) < 2:
        raise InputError("animation: need at least two instants at which every leg closes")
    time = result["time"].to_numpy()
    chosen = closed[_evenly(time[closed], frames)]
    joints = result["head_joint"].to_numpy()[chosen] if "head_joint" in result else None
    parts = moving_parts(machine, result["pose"].to_numpy()[chosen], joints)
    tip = _tip(machine, result)
    panels = _panels(machine, result) if curves else []
    figure = _grid(len(panels))
    # First the traces that do not change, then those that every frame replaces, of which frame 0 is drawn.
    for trace in [*fixed_parts(machine, result["pose"].to_numpy()[chosen[0]]), *_tool_path(result, tip)]:
        figure.add_trace(trace, row=1, col=1)
    _add_panels(figure, time, panels)
    moving = len(figure.data)
    span = [(float(np.nanmin(values)), float(np.nanmax(values))) for _, values, _ in panels]
    for trace in _instant(parts, tip, time, chosen, 0, span, whole=True):
        # Cursors name the axes of their panel ("y", "y2", ...), because frames cannot place traces in a grid.
        is_panel = isinstance(trace, go.Scatter)
        place = _place(int(trace.yaxis[1:] or 1)) if is_panel else {"row": 1, "col": 1}
        figure.add_trace(trace, **place)
    traces = list(range(moving, len(figure.data)))
    figure.frames = [
        go.Frame(data=_instant(parts, tip, time, chosen, k, span, whole=False), traces=traces, name=str(k))
        for k in range(len(chosen))
    ]
    _lay_out(figure, machine, time[chosen], _drawn(parts, tip), [title for title, *_ in panels])
    return figure


def _grid(panels: int) -> go.Figure:
    """The scene over the whole width, and so many panels below it, two in a row."""
    rows = panels // 2
    return make_subplots(
        rows=1 + rows,
        cols=2,
        specs=[[{"type": "scene", "colspan": 2}, None], *[[{}, {}]] * rows],
        row_heights=[SCENE, *[PANEL] * rows],
        horizontal_spacing=0.12,
        vertical_spacing=BETWEEN / (SCENE + (PANEL + BETWEEN) * rows),
    )


def _place(number: int) -> dict[str, int]:
    """Row and column of the panel of this number, counted from 1, which is that of its axes."""
    return {"row": 2 + (number - 1) // 2, "col": 1 + (number - 1) % 2}


def _evenly(time: Array, count: int) -> Indices:
    """Indices of at most `count` instants, evenly spread over time."""
    # As many as a play in real time can show, but enough for a smooth play of a short motion.
    in_real_time = max(FEWEST, int((time[-1] - time[0]) / FRAME_TIME))
    wanted = np.linspace(time[0], time[-1], max(2, min(count, in_real_time, len(time))))
    # The first instants at or after the wanted times, to rounding.
    return np.unique(np.clip(np.searchsorted(time, wanted - 1e-12), 0, len(time) - 1))


def _tip(machine: AnyMachine, data: xarray.Dataset) -> Array:
    """The tool path (n, 3) in the file's unit."""
    ends = machine.end_pose(data["pose"].to_numpy())
    tip = data["tip"].to_numpy() if "tip" in data else (ends @ machine.X_PT)[:, :3, 3]
    return np.asarray(tip / machine.units.metres)


def _tool_path(data: xarray.Dataset, tip: Array) -> list[go.Scatter3d]:
    """The whole path, and its parts where a limit is broken."""
    lines = [line(tip.astype(np.float32), style.INK, 3, name="tool path")]
    if "allowed" in data and not data["allowed"].to_numpy().all():
        refused = np.where(data["allowed"].to_numpy()[:, None], np.nan, tip)
        named = {"name": "beyond a limit", "showlegend": True, "legend": "legend2"}
        lines.append(line(refused.astype(np.float32), REFUSED, 7, **named))
    return lines


Panel: TypeAlias = tuple[str, Array, float]
"""Title, values (n, 6) of a stage's legs, and the largest magnitude allowed."""


def _panels(machine: AnyMachine, data: xarray.Dataset) -> list[Panel]:
    """Joint coordinates, and joint rates with their top speed, of each stage, in its file's units."""
    found: list[Panel] = []
    for k, stage in enumerate(machine.stages):
        si, unit = stage.legs.joint_unit, file_unit(stage, stage.legs.joint_unit)
        q, rate = (
            in_file_units(stage, data[name].to_numpy()[:, 6 * k : 6 * k + 6], si) for name in ("joint", "joint_rate")
        )
        speed = stage.limits.joint_speed
        top = np.inf if speed is None else float(in_file_units(stage, np.min(speed), si))
        joint = "joint coordinate" if stage.legs.rod() is not None else "leg length"
        for title, values, most in ((f"{joint} [{unit}]", q, np.inf), (f"joint rate [{unit}/s]", rate, top)):
            found.append((machine.by_stage([""] * k + [title]), values, most))
    return found


def _add_panels(figure: go.Figure, time: Array, panels: list[Panel]) -> None:
    """A curve for each leg, with the top speeds as dotted lines; a leg of each stage shares its colour."""
    for row, (_, values, top) in enumerate(panels, 1):
        axis = "" if row == 1 else str(row)
        for leg, colour in enumerate(COLOURS):
            line = {"color": colour, "width": 1.6}
            legs = ", ".join(str(leg + 1 + 6 * k) for k in range(len(panels) // 2))
            curve = go.Scatter(
                x=time, y=values[:, leg], name=f"leg {legs}", line=line, mode="lines", legendgroup=str(leg),
                showlegend=row == 1,
            )  # fmt: skip
            figure.add_trace(curve, **_place(row))
        # A top speed far above the values would flatten their curves.
        if np.isfinite(top) and top < 3 * np.nanmax(np.abs(values)):
            for sign in (1.0, -1.0):
                line = {"color": style.ACCENT, "width": 1, "dash": "dot"}
                across = {"x0": 0, "x1": 1, "xref": f"x{axis} domain", "y0": sign * top, "y1": sign * top}
                figure.add_shape(type="line", line=line, yref=f"y{axis}", **across)


def _instant(
    parts: list[MovingBody], tip: Array, time: Array, chosen: Indices, k: int, spans: list[Any], *, whole: bool
) -> list[Any]:
    """Traces that change, at one instant: bodies, the path so far, the tip, a line through each panel.

    Whole traces where the figure first draws them; in frames the bodies' vertices alone.
    """
    here = int(chosen[k])
    every = max(1, -(-len(tip) // TRAIL))  # rounded up
    trail = np.concatenate([tip[:here:every], tip[here : here + 1]])
    bodies = [part.trace(k) if whole else part.update(k) for part in parts]
    dot = dots(tip[here : here + 1].astype(np.float32), TRAVELLED, 5, hoverinfo="skip", showlegend=False)
    cursors = [
        go.Scatter(x=[time[here]] * 2, y=span, mode="lines", line={"color": style.INK, "width": 1}, hoverinfo="skip",
                   showlegend=False, xaxis=f"x{axis}", yaxis=f"y{axis}")
        for axis, span in ((row if row > 1 else "", span) for row, span in enumerate(spans, 1))
    ]  # fmt: skip
    return [*bodies, line(trail.astype(np.float32), TRAVELLED, 5, name="gone"), dot, *cursors]


def _drawn(parts: list[MovingBody], tip: Array) -> Array:
    """Points (n, 3) of all instants that the scene must contain: the tool path, and bodies at some twenty instants."""
    every = [part.vertices.reshape(-1, 3)[:: max(1, len(part.vertices) // 20)] for part in parts]
    points = np.concatenate([*every, tip])
    return np.asarray(points[np.isfinite(points).all(axis=1)])


def _lay_out(figure: go.Figure, machine: AnyMachine, time: Array, points: Array, titles: list[str]) -> None:
    """Scene, titles, buttons and slider."""
    bodies = [vertices_of(trace) for trace in figure.data if isinstance(trace, go.Mesh3d)]
    scene = scene_around(machine, np.concatenate([points, *bodies]))
    corner = {"x": 0, "xanchor": "left", "y": 1, "font": {"size": 11}}
    figure.update_layout(
        template=style.TEMPLATE,
        height=SCENE + (PANEL + BETWEEN) * (len(titles) // 2) + MARGINS["t"] + MARGINS["b"],
        margin=MARGINS,
        scene={**scene, "uirevision": "kept"},  # frames do not reset the camera
        # In the upper corner of the scene: above the panels are Plotly's buttons, and narrow panels would wrap it.
        legend={**corner, "yanchor": "top"},
        legend2={**corner, "yanchor": "bottom"},  # above it: a seventh entry would reach into the panels
    )
    for row, title in enumerate(titles, 1):
        style.panel_title(figure, row, title, font={"size": 12})
    if titles:
        figure.update_xaxes(title="time [s]", row=1 + len(titles) // 2)
    _add_controls(figure, time)


def _add_controls(figure: go.Figure, time: Array) -> None:
    """Buttons to play and to stop, and the slider."""
    span = float(time[-1] - time[0])
    steps = max(1, len(time) - 1)
    step = max(FRAME_TIME, min(span, PLAY_TIME) / steps)
    pace = span / (step * steps)  # of the play, relative to real time
    play = {"frame": {"duration": 1e3 * step, "redraw": True}, "transition": {"duration": 0}, "fromcurrent": True}
    how = "in real time" if abs(pace - 1) < 0.1 else f"at {pace:.2g} times its speed"
    buttons = {
        "type": "buttons",
        "direction": "left",
        "showactive": False,
        "x": 0,
        **_PLACE,
        "pad": {"t": 98, "l": 4},
        "buttons": [
            {"label": "▶ play", "method": "animate", "args": [None, play]},
            {"label": "❚❚ stop", "method": "animate", "args": [[None], _STILL]},
        ],
    }
    turn = turn_button({"scene": figure.layout.scene.to_plotly_json()})
    figure.update_layout(
        updatemenus=[buttons, {**turn, "y": figure.layout.scene.domain.y[0]}],
        sliders=[_slider(time, how)],
    )


_PLACE = {"y": 0, "yanchor": "top", "xanchor": "left"}
"""Place of the controls, below the figure."""
_STILL = {"frame": {"duration": 0, "redraw": True}, "transition": {"duration": 0}, "mode": "immediate"}
"""Show one instant, and stay there."""


def _slider(time: Array, how: str) -> dict[str, Any]:
    """A step for each instant; `how` says at which speed they are played."""
    # Decimals of the times: three significant digits of the whole duration.
    digits = max(0, int(np.ceil(2 - np.log10(max(float(time[-1] - time[0]), 1e-9)))))
    return {
        "x": 0,
        "len": 1,
        **_PLACE,
        "pad": {"t": 40, "l": 10, "r": 10},
        "currentvalue": {"prefix": "time ", "suffix": f" s, shown {how}", "font": {"size": 12, "color": style.INK}},
        "transition": {"duration": 0},
        "ticklen": 0,
        "minorticklen": 0,
        "font": {"size": 12, "color": "rgba(0,0,0,0)"},
        "steps": [
            {"label": f"{t:.{digits}f}", "method": "animate", "args": [[str(k)], _STILL]} for k, t in enumerate(time)
        ],
    }
