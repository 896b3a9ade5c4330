"""Margins of a pose to the machine's limits, as bars."""

from __future__ import annotations

import re

import numpy as np
import plotly.graph_objects as go

from gough.checks.arguments import checks_arguments
from gough.errors import ShapeError
from gough.limits.margins import Margins
from gough.limits.margins import margins as margins_of
from gough.plot import _style as style
from gough.poses import PoseLike
from gough.present.units import decimals, file_unit, in_file_units
from gough.stacked import AnyMachine

_LEGS = re.compile(r"\blegs? [0-9-]+ ")


@checks_arguments
def margins(machine: AnyMachine, X: PoseLike | None = None, *, result: Margins | None = None) -> go.Figure:
    """Margins of one pose, each as a part of its limit's scale (half a stroke, a cone's half-angle, ...).

    Limits of the same kind, of the same stage, share a row: the bar ends at the tightest, the dots are all of them.

    Parameters
    ----------
    machine : Machine
    X : PoseLike, optional
        One pose, (2, 4, 4) of two stages; home where none is given.
    result : Margins, optional
        Of `gough.margins`; computed where not given.

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
    figure = go.Figure([bars, dots])
    # From zero, or the worst broken limit, to a little beyond the bars; dots farther out are cut off.
    ends = percent[tightest]
    span = [min(1.1 * float(ends.min()), 0.0), 1.1 * max(float(ends.max()), 1.0)]
    figure.update_xaxes(title="margin [% of its scale]", range=span)
    figure.update_yaxes(autorange="reversed", showgrid=False, title="limit")
    figure.update_layout(template=style.TEMPLATE, bargap=0.5, height=110 + 34 * len(rows), showlegend=False)
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
