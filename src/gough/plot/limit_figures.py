"""Margins of a pose as bars, travel along and about each axis, and its trade-off with orientations."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np
import plotly.graph_objects as go

from gough.arrays import Array
from gough.checks.arguments import checks_arguments
from gough.errors import ShapeError
from gough.limits.margins import Margins
from gough.limits.margins import margins as margins_of
from gough.limits.travel import TravelRow, fitting_unit, travel_table
from gough.plot import _style as style
from gough.poses import PoseLike
from gough.present.show import Show, significant
from gough.present.units import decimals, file_unit, in_file_units
from gough.regions.largest import LargestRegion
from gough.stacked import AnyMachine

_LEGS = re.compile(r"\blegs? [0-9-]+ ")


@checks_arguments
def margins(machine: AnyMachine, X: PoseLike | None = None, *, result: Margins | None = None) -> go.Figure:
    """Plot the margins of one pose, each as a part of its limit's scale (half a stroke, a cone's half-angle, ...).

    Limits of the same kind, of the same stage, share a row: the bar ends at the tightest, the dots are all of them.

    Parameters
    ----------
    machine : Machine
    X : PoseLike, optional
        One pose, (2, 4, 4) for a stack; default: home.
    result : Margins, optional
        Result of `gough.margins`; default: computed.

    Returns
    -------
    plotly.graph_objects.Figure
        Tightest limit on top, in the accent colour. Zero is on the limit, negative beyond it.

    Raises
    ------
    ShapeError
        More than one pose.

    """
    result = margins_of(machine, machine.X_home if X is None else X) if result is None else result
    if result.values.ndim != 1:
        pose = (*machine.stage_shape, 4, 4)
        raise ShapeError.expected("X", f"{pose}: one pose", (*result.values.shape[:-1], *pose))
    rows, percent = _rows(result), 100 * result.relative
    words = [_in_words(machine, result, c) for c in range(len(result.names))]
    tightest = [columns[0] for columns in rows.values()]
    names, columns = zip(*((name, c) for name, columns in rows.items() for c in columns), strict=True)
    hover = "%{text}<br>%{x:.1f} %<extra></extra>"
    bars = go.Bar(
        orientation="h",
        y=list(rows),
        x=percent[tightest],
        marker={"color": [style.ACCENT if k == 0 else style.BAR for k in range(len(rows))]},
        text=[words[c] for c in tightest],
        textposition="none",
        hovertemplate=hover,
    )
    dots = go.Scatter(
        y=names,
        x=percent[list(columns)],
        mode="markers",
        marker={"color": style.CYLINDER, "size": 7, "line": {"color": "white", "width": 1}},
        text=[words[c] for c in columns],
        hovertemplate=hover,
    )
    figure = style.figure([bars, dots], bargap=0.5, height=110 + 34 * len(rows), showlegend=False)
    # From zero, or the worst broken limit, to a little beyond the bars; dots farther out are cut off.
    ends = percent[tightest]
    span = [min(1.1 * float(ends.min()), 0.0), 1.1 * max(float(ends.max()), 1.0)]
    figure.update_xaxes(title="relative margin [%]", range=span)
    figure.update_yaxes(autorange="reversed", showgrid=False, title="limit")
    return figure


def _rows(result: Margins) -> dict[str, list[int]]:
    """Columns by kind of limit, for all legs together; tightest first in each row and among rows; NaN left out."""
    rows: dict[str, list[int]] = {}
    for column in np.argsort(result.relative):
        if np.isfinite(result.relative[column]):
            rows.setdefault(_LEGS.sub("", result.names[column]), []).append(int(column))
    return rows


def _in_words(machine: AnyMachine, result: Margins, column: int) -> str:
    unit = result.units[column]
    value = in_file_units(machine, result.values[column], unit)
    return f"{result.names[column]}: {value:.{decimals(machine, unit)}f} {file_unit(machine, unit)}".rstrip()


ENDLESS = 1.25
"""Length of a bar without an end, in lengths of the longest one that has an end."""
ROOM = 1.75
"""Half the range of an axis with bars, in lengths of the longest: their numbers fit beside them on a phone."""
SAME = 1e-9
"""Relative difference up to which the half widths of two axes are drawn as one curve."""
SHAPES = ("circle", "square", "diamond")
"""Markers of the axes x, y and z."""


@checks_arguments
def travel(
    machine: AnyMachine,
    start: PoseLike | None = None,
    *,
    result: Sequence[TravelRow] | Sequence[LargestRegion] | None = None,
) -> go.Figure:
    """Plot the travel along x, y, z and about them from a pose, or its trade-off with orientations, in the file's
    units.

    Parameters
    ----------
    machine : Machine
    start : PoseLike, optional
        Of the end platform; default: home.
    result : sequence of TravelRow or of LargestRegion, optional
        Result of `gough.travel_table`; default: computed. Of `gough.regions.travel_tradeoff` the half widths of the
        largest positions are drawn against the angle of the orientations.

    Returns
    -------
    plotly.graph_objects.Figure
        Bars from the lowest to the highest displacement; one that no limit ends is hatched. Of a trade-off curves, with
        the limit that ends them where it changes.

    Raises
    ------
    ShapeError, PoseError
        A start that is not one pose.

    """
    rows = travel_table(machine, start) if result is None else result
    regions = [row for row in rows if isinstance(row, LargestRegion)]
    if regions:
        return _tradeoff(machine, regions)
    table = [row for row in rows if isinstance(row, TravelRow)]
    grid = {"vertical_spacing": 0.26}
    figure = style.panels(2, 1, 430, grid=grid, barmode="relative", bargap=0.45, showlegend=False)
    for row, (si_unit, name, part) in enumerate(style.PARTS_OF_TWIST, 1):
        unit = fitting_unit(table, si_unit)
        bars = [_bars(machine, table[part], side, unit) for side in ("minus", "plus")]
        figure.add_traces(bars, rows=row, cols=1)
        title = f"{name} from the start [{file_unit(machine, unit)}]"
        longest = max((abs(float(x)) for bar in bars for x in bar.x), default=0.0) or 1.0
        figure.update_xaxes(title=title, range=[-ROOM * longest, ROOM * longest], row=row)
        figure.update_yaxes(title="axis", autorange="reversed", showgrid=False, row=row)
    return figure


def _bars(machine: AnyMachine, rows: Sequence[TravelRow], side: str, si_unit: str) -> go.Bar:
    values = in_file_units(machine, [getattr(row, side) for row in rows], si_unit)
    unit, show = file_unit(machine, si_unit), Show(machine)
    is_endless = np.isinf(values)
    exact = [show.value(getattr(row, side), si_unit, sign=True) for row in rows]
    short = ["no limit" if np.isinf(v) else f"{'+' if v > 0 else ''}{significant(v, 3)}" for v in values]
    return go.Bar(
        orientation="h",
        y=[row.axis for row in rows],
        x=np.where(is_endless, np.sign(values) * ENDLESS * _longest(machine, rows, si_unit), values),
        text=short,
        textposition="outside",
        cliponaxis=False,
        marker={
            "color": style.CYLINDER if side == "plus" else style.BAR,
            "pattern": {"shape": ["/" if endless else "" for endless in is_endless]},
        },
        customdata=[(words, getattr(row, f"{side}_words")) for words, row in zip(exact, rows, strict=True)],
        hovertemplate=f"%{{y}}: %{{customdata[0]}} {unit}<br>ended by: %{{customdata[1]}}<extra></extra>",
    )


def _longest(machine: AnyMachine, rows: Sequence[TravelRow], si_unit: str) -> float:
    """The longest finite travel in the file's unit; 1 where there is none."""
    ends = in_file_units(machine, [[row.minus, row.plus] for row in rows], si_unit)
    return float(np.abs(ends[np.isfinite(ends)]).max(initial=0.0)) or 1.0


def _tradeoff(machine: AnyMachine, regions: Sequence[LargestRegion]) -> go.Figure:
    """Half widths of the largest positions over the angle of the orientations, a curve for each axis whose half widths
    differ; the limit that ends them is written where it changes."""
    regions = sorted(regions, key=lambda region: region.angle)
    angle = in_file_units(machine, [region.angle for region in regions], "rad")
    half = np.atleast_2d(in_file_units(machine, np.array([region.half_widths for region in regions]), "m"))
    limits = [region.limit for region in regions]
    # Axes without any half width are omitted.
    axes_drawn = np.flatnonzero(half.max(axis=0) > 0).tolist() or [0]
    groups = style.alike(axes_drawn, lambda a, b: np.allclose(half[:, a], half[:, b], rtol=SAME, atol=0))
    widest = max(groups, key=lambda axes: float(half[:, axes[0]].max()))
    traces = [_curve(machine, angle, half[:, axes[0]], axes, limits, is_named=axes == widest) for axes in groups]
    figure = style.figure(traces, height=380)
    title = f"angle of the orientations [{file_unit(machine, 'rad')}]"
    figure.update_xaxes(title=title, range=_padded_range(angle, 0.04, 0.12))
    figure.update_yaxes(title=f"half width [{file_unit(machine, 'm')}]", range=_padded_range(half, 0.0, 0.14))
    return figure


def _curve(
    machine: AnyMachine, angle: Array, half: Array, axes: list[int], limits: list[str], *, is_named: bool
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


def _padded_range(values: Array, below: float, above: float) -> list[float]:
    """From zero to the largest value, padded on both sides by parts of it."""
    most = float(values.max(initial=0.0)) or 1.0
    return [-below * most, (1 + above) * most]
