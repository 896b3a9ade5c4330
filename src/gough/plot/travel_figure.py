"""Travel along and about each axis, in both directions, as bars."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import plotly.graph_objects as go
from plotly.subplots import make_subplots

from gough.checks.arguments import checks_arguments
from gough.limits.travel import TravelRow, travel_table
from gough.plot import _style as style
from gough.plot.tradeoff_figure import tradeoff_figure
from gough.poses import PoseLike
from gough.present.show import significant
from gough.present.units import decimals, file_unit, in_file_units
from gough.regions.largest import LargestRegion
from gough.stacked import AnyMachine

ENDLESS = 1.25
"""Length of a bar without an end, in lengths of the longest one that has an end."""


@checks_arguments
def travel(
    machine: AnyMachine,
    start: PoseLike | None = None,
    *,
    result: Sequence[TravelRow] | Sequence[LargestRegion] | None = None,
) -> go.Figure:
    """Travel along x, y, z and about them from a pose, or what orientations cost of it, in the file's units.

    Parameters
    ----------
    machine : Machine
    start : PoseLike, optional
        Of the end platform; home where none is given.
    result : sequence of TravelRow or of LargestRegion, optional
        Of `gough.travel_table`; computed where not given. Of `gough.regions.travel_tradeoff` the half widths of the
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
    rooms = [row for row in rows if isinstance(row, LargestRegion)]
    if rooms:
        return tradeoff_figure(machine, rooms)
    table = [row for row in rows if isinstance(row, TravelRow)]
    figure = make_subplots(rows=2, cols=1, vertical_spacing=0.26)
    for place, (si_unit, title, part) in enumerate(
        (("m", "translation", table[:3]), ("rad", "rotation", table[3:])), 1
    ):
        for side in ("minus", "plus"):
            figure.add_trace(_bars(machine, part, side, si_unit), row=place, col=1)
        figure.update_xaxes(
            title=f"{title} from the start [{file_unit(machine, si_unit)}]",
            range=_span(machine, part, si_unit),
            row=place,
        )
        figure.update_yaxes(title="axis", autorange="reversed", showgrid=False, row=place)
    figure.update_layout(template=style.TEMPLATE, barmode="relative", bargap=0.45, height=430, showlegend=False)
    return figure


def _bars(machine: AnyMachine, rows: Sequence[TravelRow], side: str, si_unit: str) -> go.Bar:
    values = in_file_units(machine, [getattr(row, side) for row in rows], si_unit)
    unit, digits = file_unit(machine, si_unit), decimals(machine, si_unit)
    is_endless = np.isinf(values)
    exact = [
        "no limit" if endless else f"{value:+.{digits}f}".replace("-", "−")
        for value, endless in zip(values, is_endless, strict=True)
    ]
    short = [
        "no limit" if endless else f"{'+' if value > 0 else ''}{significant(value, 3)}"
        for value, endless in zip(values, is_endless, strict=True)
    ]
    shown = np.where(is_endless, np.sign(values) * ENDLESS * _longest(machine, rows, si_unit), values)
    return go.Bar(
        orientation="h",
        y=[row.axis for row in rows],
        x=shown,
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


def _span(machine: AnyMachine, rows: Sequence[TravelRow], si_unit: str) -> list[float]:
    """A range symmetric about zero, with room for the numbers at the bars' ends."""
    endless = any(np.isinf([row.minus, row.plus]).any() for row in rows)
    reach = 1.5 * _longest(machine, rows, si_unit) * (ENDLESS if endless else 1.0)
    return [-reach, reach]
