"""The machine moving in time, with the path of its tool and the values of its legs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import plotly.graph_objects as go
from numpy.typing import NDArray
from plotly.subplots import make_subplots

from gough.arrays import Array
from gough.checks.arguments import checks_arguments
from gough.errors import InputError
from gough.machine import Machine
from gough.plot import _style as style
from gough.plot._moving import Moving, moving_parts, resting_parts
from gough.plot._page import with_narrow
from gough.plot._traces import dots, line
from gough.plot.histories_figure import COLOURS
from gough.plot.machine_figure import scene_around
from gough.present.units import file_unit, in_file_units

if TYPE_CHECKING:
    import xarray


FRAMES = 150
"""Instants that are drawn, at most."""
FEWEST = 60
"""Instants drawn of a motion that is over at once."""
QUICKEST, LONGEST = 0.06, 20.0
"""Time between two pictures at least, and of the whole play at most, where the machine is slower [s]."""
GONE = 400
"""Points of the tool path up to the current instant."""
HEIGHT = 680
NARROW = {
    "height": 840,
    "scene.domain.x": [0, 1],
    "scene.domain.y": [0.5, 1],
    "xaxis.domain": [0.11, 1],
    "xaxis2.domain": [0.11, 1],
    "yaxis.domain": [0.27, 0.44],
    "yaxis2.domain": [0.03, 0.2],
    "annotations[0].x": 0.11,
    "annotations[0].y": 0.44,
    "annotations[1].x": 0.11,
    "annotations[1].y": 0.2,
}
"""Of the layout in a narrow window: the machine above its curves."""
REFUSED = "#c8283c"
LEGS = 6


@checks_arguments
def animation(machine: Machine, result: xarray.Dataset, *, frames: int = FRAMES) -> go.Figure:
    """The machine moving, to play, stop and scrub: the tool path and the legs' coordinates and rates beside it.

    Parameters
    ----------
    machine : Machine
    result : xarray.Dataset
        Over `time`, with `pose`, `joint` and `joint_rate`, as from `gough.motion.leg_motion`,
        `gough.dynamics.motion_loads` or `gough.simulate`; with `head_joint`, as from `gough.motion.heads.head_loads`,
        the tool head moves. Where it has `tip` (time, xyz) that is the tool path, in the base [m]; the origin of the
        machine's tool frame otherwise. With `allowed` (time) the path is marked where a limit is broken.
    frames : int
        Instants drawn at most; the page grows by about 13 kB with each.

    Returns
    -------
    plotly.graph_objects.Figure
        With `frames`, buttons and a slider; `figure.write_html(path, auto_play=False)` makes a page of it. Legs are
        drawn simply, without their joints. Instants at which a leg cannot close are left out.

    Raises
    ------
    InputError
        Fewer than two instants at which every leg closes.

    """
    closed = np.flatnonzero(np.isfinite(result["joint"].to_numpy()).all(axis=1))
    if len(closed) < 2:
        raise InputError("animation: there are not two instants at which every leg closes")
    time = result["time"].to_numpy()
    chosen = closed[_evenly(time[closed], frames)]
    joints = result["head_joint"].to_numpy()[chosen] if "head_joint" in result else None
    parts = moving_parts(machine, result["pose"].to_numpy()[chosen], joints)
    tip = _tip(machine, result)
    figure = make_subplots(
        rows=2,
        cols=2,
        specs=[[{"type": "scene", "rowspan": 2}, {}], [None, {}]],
        column_widths=[0.62, 0.38],
        horizontal_spacing=0.06,
        vertical_spacing=0.13,
        shared_xaxes=True,
    )
    for trace in [*resting_parts(machine, result["pose"].to_numpy()[chosen[0]]), *_tool_path(result, tip)]:
        figure.add_trace(trace, row=1, col=1)
    _add_panels(figure, machine, result)
    moving = len(figure.data)
    span = [_span(machine, result["joint"]), _span(machine, result["joint_rate"])]
    for trace in _instant(parts, tip, time, chosen, 0, span, whole=True):
        is_panel = isinstance(trace, go.Scatter)
        row = 2 if is_panel and trace.yaxis == "y2" else 1
        figure.add_trace(trace, row=row, col=2 if is_panel else 1)
    traces = list(range(moving, len(figure.data)))
    figure.frames = [
        go.Frame(data=_instant(parts, tip, time, chosen, k, span, whole=False), traces=traces, name=str(k))
        for k in range(len(chosen))
    ]
    _dress(figure, machine, time[chosen], _drawn(parts, tip))
    return figure


def _evenly(time: Array, count: int) -> NDArray[np.intp]:
    """Indices of at most `count` instants, evenly spread over time."""
    in_real_time = max(FEWEST, int((time[-1] - time[0]) / QUICKEST))
    wanted = np.linspace(time[0], time[-1], max(2, min(count, in_real_time, len(time))))
    return np.unique(np.clip(np.searchsorted(time, wanted - 1e-12), 0, len(time) - 1))


def _tip(machine: Machine, data: xarray.Dataset) -> Array:
    """The tool path (n, 3), in the file's unit."""
    tip = data["tip"].to_numpy() if "tip" in data else (data["pose"].to_numpy() @ machine.X_PT)[:, :3, 3]
    return np.asarray(tip / machine.units.metres)


def _tool_path(data: xarray.Dataset, tip: Array) -> list[go.Scatter3d]:
    """The whole path, and its parts where a limit is broken."""
    lines = [line(tip.astype(np.float32), style.INK, 3, name="tool path")]
    if "allowed" in data and not data["allowed"].to_numpy().all():
        refused = np.where(data["allowed"].to_numpy()[:, None], np.nan, tip)
        lines.append(line(refused.astype(np.float32), REFUSED, 7, name="a limit is broken"))
    return lines


def _add_panels(figure: go.Figure, machine: Machine, data: xarray.Dataset) -> None:
    """Joint coordinates above joint rates, with the top speeds as dotted lines."""
    time = data["time"].to_numpy()
    for row, name in ((1, "joint"), (2, "joint_rate")):
        values = _shown(machine, data[name])
        for leg in range(LEGS):
            line = {"color": COLOURS[leg], "width": 1.6}
            curve = go.Scatter(
                x=time, y=values[:, leg], name=f"leg {leg + 1}", line=line, mode="lines", legendgroup=str(leg),
                showlegend=row == 1,
            )  # fmt: skip
            figure.add_trace(curve, row=row, col=2)
    if machine.limits.joint_speed is not None:
        si = machine.legs.joint_unit
        top = float(in_file_units(machine, np.min(machine.limits.joint_speed), si))
        if np.isfinite(top) and top < 3 * np.nanmax(np.abs(_shown(machine, data["joint_rate"]))):
            for sign in (1.0, -1.0):
                line = {"color": style.ACCENT, "width": 1, "dash": "dot"}
                across = {"x0": 0, "x1": 1, "xref": "x2 domain", "y0": sign * top, "y1": sign * top, "yref": "y2"}
                figure.add_shape(type="line", line=line, **across)


def _shown(machine: Machine, values: xarray.DataArray) -> Array:
    return in_file_units(machine, values.to_numpy(), machine.legs.joint_unit)


def _span(machine: Machine, values: xarray.DataArray) -> tuple[float, float]:
    shown = _shown(machine, values)
    return float(np.nanmin(shown)), float(np.nanmax(shown))


def _instant(
    parts: list[Moving], tip: Array, time: Array, chosen: NDArray[np.intp], k: int, spans: list[Any], *, whole: bool
) -> list[Any]:
    """What moves, at one instant: bodies, the path so far, the tip, a line through each panel."""
    here = int(chosen[k])
    every = max(1, -(-len(tip) // GONE))
    gone = np.concatenate([tip[:here:every], tip[here : here + 1]])
    bodies = [part.at(k) if whole else part.places(k) for part in parts]
    dot = dots(tip[here : here + 1].astype(np.float32), style.ACCENT, 5, hoverinfo="skip", showlegend=False)
    cursors = [
        go.Scatter(x=[time[here]] * 2, y=span, mode="lines", line={"color": style.INK, "width": 1}, hoverinfo="skip",
                   showlegend=False, xaxis=f"x{axis}", yaxis=f"y{axis}")
        for axis, span in zip(("", "2"), spans, strict=True)
    ]  # fmt: skip
    return [*bodies, line(gone.astype(np.float32), style.ACCENT, 5, name="gone"), dot, *cursors]


def _drawn(parts: list[Moving], tip: Array) -> Array:
    """Everything that is ever in the picture, (n, 3)."""
    every = [part.vertices.reshape(-1, 3)[:: max(1, len(part.vertices) // 20)] for part in parts]
    points = np.concatenate([*every, tip])
    return np.asarray(points[np.isfinite(points).all(axis=1)])


def _dress(figure: go.Figure, machine: Machine, time: Array, points: Array) -> None:
    """Axes, buttons, slider."""
    resting = [np.stack([t.x, t.y, t.z], axis=-1) for t in figure.data if isinstance(t, go.Mesh3d)]
    scene = scene_around(machine, np.concatenate([points, *resting]))
    joint = "joint coordinate" if machine.legs.rod() is not None else "leg length"
    unit = file_unit(machine, machine.legs.joint_unit)
    figure.update_layout(
        template=style.TEMPLATE,
        height=HEIGHT,
        margin={"t": 72, "b": 140, "l": 4, "r": 12},
        scene={**scene, "uirevision": "kept"},
        legend={"x": 1.0, "xanchor": "right", "y": 1.06, "yanchor": "bottom", "font": {"size": 11}},
    )
    for key, title in (("", f"{joint} [{unit}]"), ("2", f"its rate [{unit}/s]")):
        top = figure.layout[f"yaxis{key}"].domain[1]
        figure.add_annotation(
            text=title, x=figure.layout[f"xaxis{key}"].domain[0], y=top, xref="paper", yref="paper", xanchor="left",
            yanchor="bottom", showarrow=False, font={"size": 12},
        )  # fmt: skip
    figure.update_yaxes(automargin=False)
    figure.update_xaxes(title="time [s]", row=2, col=2)
    _add_controls(figure, time)
    with_narrow(figure, NARROW)


def _add_controls(figure: go.Figure, time: Array) -> None:
    """Buttons to play and to stop, and the slider."""
    span = float(time[-1] - time[0])
    step = max(QUICKEST, min(span, LONGEST) / max(1, len(time) - 1))
    pace = span / (step * max(1, len(time) - 1))
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
    figure.update_layout(updatemenus=[buttons], sliders=[_slider(time, how)])


_PLACE = {"y": 0, "yanchor": "top", "xanchor": "left"}
"""Of the controls, below the figure."""
_STILL = {"frame": {"duration": 0, "redraw": True}, "transition": {"duration": 0}, "mode": "immediate"}
"""Show one instant, and stay there."""


def _slider(time: Array, how: str) -> dict[str, Any]:
    """A step for each instant; `how` says how quickly they are played."""
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
