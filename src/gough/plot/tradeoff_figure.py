"""What orientation costs of travel: the half widths of the largest positions against the angle of the orientations."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import plotly.graph_objects as go

from gough.arrays import Array
from gough.plot import _style as style
from gough.present.units import file_unit, in_file_units
from gough.regions.largest import LargestRegion
from gough.stacked import AnyMachine

SAME = 1e-9
"""Half widths that differ by no more than this part are drawn as one curve."""
SHAPES = ("circle", "square", "diamond")


def tradeoff_figure(machine: AnyMachine, rooms: Sequence[LargestRegion]) -> go.Figure:
    """Curves over the angle, one for each axis whose half widths differ; what ends them is said where it changes."""
    rooms = sorted(rooms, key=lambda room: room.angle)
    angle = in_file_units(machine, [room.angle for room in rooms], "rad")
    half = np.atleast_2d(in_file_units(machine, np.array([room.half_widths for room in rooms]), "m"))
    limits = [room.limit for room in rooms]
    groups = _groups(half)
    widest = max(groups, key=lambda axes: float(half[:, axes[0]].max()))
    traces = [_curve(machine, angle, half[:, axes[0]], axes, limits, is_named=axes == widest) for axes in groups]
    figure = style.figure(traces, height=380)
    figure.update_xaxes(
        title=f"angle of the orientations [{file_unit(machine, 'rad')}]", range=_span(angle, 0.04, 0.12)
    )
    figure.update_yaxes(title=f"half width [{file_unit(machine, 'm')}]", range=_span(half, 0.0, 0.14))
    return figure


def _groups(half: Array) -> list[tuple[int, ...]]:
    """Axes whose half widths (n, 3) are the same; those that have none are left out."""
    groups: list[tuple[int, ...]] = []
    for axis in np.flatnonzero(half.max(axis=0) > 0):
        alike = [k for k, axes in enumerate(groups) if np.allclose(half[:, axes[0]], half[:, axis], rtol=SAME, atol=0)]
        if alike:
            groups[alike[0]] += (int(axis),)
        else:
            groups.append((int(axis),))
    return groups or [(0,)]


def _curve(
    machine: AnyMachine, angle: Array, half: Array, axes: tuple[int, ...], limits: list[str], *, is_named: bool
) -> go.Scatter:
    name = ", ".join("xyz"[axis] for axis in axes)
    ended = [limit if k == 0 or limit != limits[k - 1] else "" for k, limit in enumerate(limits)]
    units = file_unit(machine, "rad"), file_unit(machine, "m")
    return go.Scatter(
        x=angle,
        y=half,
        name=f"± {name}",
        mode="lines+markers+text" if is_named else "lines+markers",
        marker={"size": 8, "symbol": SHAPES[axes[0]]},
        line={"color": style.AXES[axes[0]]},
        text=ended if is_named else None,
        textposition=["top right" if 2 * k < len(limits) else "top left" for k in range(len(limits))],
        textfont={"size": 11, "color": style.MUTED},
        cliponaxis=False,
        customdata=[limit or "no limit found" for limit in limits],
        hovertemplate=f"%{{x:.4g}} {units[0]}: ± %{{y:.4g}} {units[1]}<br>ended by: %{{customdata}}"
        f"<extra>{name}</extra>",
    )


def _span(values: Array, below: float, above: float) -> list[float]:
    """A range from zero with room beyond the largest value."""
    most = float(values.max(initial=0.0)) or 1.0
    return [-below * most, (1 + above) * most]
