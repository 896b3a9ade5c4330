"""Forces of the legs as bars, and principal stiffnesses drawn on the machine."""

from __future__ import annotations

from typing import Literal

import numpy as np
import plotly.graph_objects as go
from numpy.typing import ArrayLike

from gough.arrays import Array
from gough.checks.arguments import checks_arguments
from gough.checks.numbers import of_shape
from gough.plot import _style as style
from gough.plot._scene import line, tag, triangles
from gough.plot._solids import ball
from gough.plot.machine_figures import drawn_points, scene_around
from gough.plot.machine_figures import machine as machine_figure
from gough.poses import PoseLike, checked_matrices
from gough.present.show import significant
from gough.present.units import force_unit, readable, unit_of
from gough.stacked import AnyMachine, StackedMachine
from gough.stages.statics import ForceBalance
from gough.statics.capacity import known_forces
from gough.statics.stiffness import PrincipalStiffness, deflection, principal_stiffness
from gough.statics.stiffness import stiffness as stiffness_of

PARTS = (
    ("of_upper_weight", "end platform and upper legs", style.CYLINDER),
    ("of_lower_weight", "intermediate platform and lower legs", style.BAR),
    ("of_wrench", "applied wrench", style.ACCENT),
)
"""Field of `ForceBalance`, its name in words and its colour."""
VISIBLE = 20
"""Limits above this many times the largest force are not drawn: the bars would be too short to read."""


@checks_arguments
def leg_forces(machine: AnyMachine, result: ArrayLike, *, of_rods: bool = False) -> go.Figure:
    """Plot the forces of the six legs; for a stack, of all twelve.

    Parameters
    ----------
    machine : Machine
    result : (6,) array, (12,) of two stages
        Of the actuators [N, or N m of cranks] as `gough.leg_forces` gives them, or of the rods [N].
    of_rods : bool
        Whether they are those of the rods (`gough.statics.axial_forces`), which have no limit of their own.

    Returns
    -------
    plotly.graph_objects.Figure
        Bars, and a line at each actuator's largest force in both directions where the machine has one that is near
        enough to be seen.

    Raises
    ------
    ShapeError
        Other than six forces, or twelve.

    """
    legs, unit = _labels(machine), "N" if of_rods else _unit(machine)
    values = of_shape("forces", result, f"({len(legs)},)")
    what = "force of the rod, pushing" if of_rods else "actuator torque" if unit == "N m" else "actuator force"
    bars = go.Bar(
        x=legs,
        y=values,
        marker={"color": style.CYLINDER},
        text=[significant(v) for v in values],
        textposition="outside",
        cliponaxis=False,
        hovertemplate=f"%{{x}}: %{{y:.5g}} {unit}<extra></extra>",
    )
    figure = style.figure([bars], height=330, showlegend=False, bargap=0.5)
    most = None if of_rods else known_forces(machine)
    largest = float(np.nanmax(np.abs(values), initial=0.0))
    if most is not None and most.min() >= VISIBLE * largest:
        most = None
    if most is not None:
        for limit in (most, -most):
            hover = f"%{{x}}: at most %{{y:.5g}} {unit}<extra></extra>"
            figure.add_scatter(x=legs, y=limit, mode="markers", marker=style.largest_mark(44), hovertemplate=hover)
        largest = max(largest, float(most.max()))
    figure.update_xaxes(showgrid=False)
    low = -1.25 * largest if most is not None or values.min() < 0 else 0.0
    high = 1.25 * largest if most is not None or values.max() > 0 else 0.0
    figure.update_yaxes(title=f"{what} [{unit}]", range=[low, high])
    _name_stages(figure, machine)
    return figure


@checks_arguments
def force_balance(machine: StackedMachine, result: ForceBalance) -> go.Figure:
    """Plot actuator forces of both stages at one pose as stacked bars: for the weights above, below, and the wrench.

    Parameters
    ----------
    machine : StackedMachine
    result : ForceBalance
        Of one pose, from `gough.stages.force_balance`.

    Returns
    -------
    plotly.graph_objects.Figure
        Bars [N, or N m of cranks], and a line at each actuator's largest force.

    Raises
    ------
    ShapeError
        More than one pose.

    """
    of_shape("forces", result.forces, "(12,): of one pose")
    legs = _labels(machine)
    legend = {"y": -0.2, "yanchor": "top"}
    figure = style.figure([], height=380, barmode="relative", bargap=0.4, legend=legend)
    for key, name, colour in PARTS:
        values = getattr(result, key)
        if np.any(values):
            hover = f"%{{x}}: %{{y:.5g}} for {name}<extra></extra>"
            figure.add_bar(x=legs, y=values, name=name, marker={"color": colour}, hovertemplate=hover)
    if result.largest is not None:
        mark = style.largest_mark(26)
        figure.add_scatter(x=legs, y=result.largest, mode="markers", marker=mark, name="largest allowed")
    figure.update_xaxes(showgrid=False)
    figure.update_yaxes(title=f"actuator force [{_unit(machine)}]")
    _name_stages(figure, machine)
    return figure


def _labels(machine: AnyMachine) -> list[str]:
    """Names of all legs, the lower stage's first."""
    return [f"leg {leg}" for leg in range(1, 1 + 6 * len(machine.stages))]


def _unit(machine: AnyMachine) -> str:
    """Unit of the actuators' forces, in words where those of two stages differ."""
    units = [force_unit(stage) for stage in machine.stages]
    return units[0] if len(set(units)) == 1 else f"{units[0]} below, {units[1]} above"


def _name_stages(figure: go.Figure, machine: AnyMachine) -> None:
    """Separate the legs of two stages by a line, and name the stages above them."""
    if machine.stage_dims:
        for k, name in enumerate(("lower stage", "upper stage")):
            figure.add_annotation(x=6 * k + 2.5, y=1.0, yref="paper", yanchor="bottom", text=name, showarrow=False)
        figure.add_vline(x=5.5, line={"color": style.MUTED, "width": 1, "dash": "dot"})
        figure.update_layout(margin={"t": 28})


REACH = 0.3
"""Half-length of the stiffest axis, as a part of the machine's size."""
UNITS = {"translation": "N/m", "rotation": "N m/rad"}
METRIC = ((1e-3, "mm"), (1e-6, "µm"), (1e-9, "nm"))
"""Units of displacements, largest first."""


@checks_arguments
def stiffness(
    machine: AnyMachine,
    X: PoseLike | None = None,
    motion: Literal["translation", "rotation"] = "translation",
    *,
    wrench: ArrayLike | None = None,
    result: PrincipalStiffness | None = None,
) -> go.Figure:
    """Draw the machine with the ellipsoid of its principal stiffnesses at the point of interest (De Sapio 1998, figure
    21).

    Parameters
    ----------
    machine : Machine
        With leg stiffnesses, unless `result` is passed or a wrench is.
    X : PoseLike, optional
        One pose, (2, 4, 4) for a stack; default: home.
    motion : {"translation", "rotation"}
        Of translation with rotation held, or of rotation with the platform free to translate.
    wrench : (6,) array, optional
        A load [f, m] about the point of interest, in the base frame [N, N m]: the force and the displacement it
        brings are drawn as arrows, of the same length whatever their size.
    result : PrincipalStiffness, optional
        Result of `gough.statics.principal_stiffness` at the pose; default: computed.

    Returns
    -------
    plotly.graph_objects.Figure
        The ellipsoid is that of the forces (or moments) that strain the legs with the same energy: its half-axes are as
        the roots of the principal stiffnesses, the longest drawn to a fixed length.

    Raises
    ------
    InputError
        No leg stiffnesses.

    """
    pose = machine.X_home if X is None else checked_matrices(X)
    figure = machine_figure(machine, pose)
    found = principal_stiffness(stiffness_of(machine, pose)) if result is None else result
    values, axes = (getattr(found, name) for name in (motion, f"{motion}_axes"))
    end = machine.end_pose(pose)
    centre = end[:3, :3] @ machine.point_of_interest + end[:3, 3]
    # With f^T C f constant, half-axes are proportional to the roots of the stiffnesses. Rounding can make one negative.
    reach = REACH * machine.size * np.sqrt(np.maximum(values, 0.0) / values.max())
    sphere = ball(np.zeros(3), 1.0)
    points = (centre + sphere.vertices @ (axes * reach).T) / machine.units.metres
    figure.add_trace(triangles(points, sphere.faces, color=style.AXES[2], opacity=0.25, hoverinfo="skip"))
    size, unit = unit_of(machine.units, readable(machine.units, UNITS[motion]))
    tags: list[dict[str, object]] = []
    labels = [f"{significant(value / size)} {unit}" for value in values]
    for k, label in enumerate(
        labels
    ):  # the softest first; the stiffest axis is the longest, and its label close to its end
        ends = (centre + np.array([[-1.0], [1.0]]) * reach[k] * axes[:, k]) / machine.units.metres
        figure.add_trace(line(ends, style.AXES[2], 5, hovertemplate=f"{label}<extra></extra>"))
        place = (centre + (1.4 if k < 2 else 1.06) * reach[k] * axes[:, k]) / machine.units.metres
        if k == 1 and label == labels[0]:  # equal and short: two labels would cover each other
            tags[0] = tag(place, f"{label}, two axes", 12)
        else:
            tags.append(tag(place, label, 12))
    if wrench is not None:
        _draw_deflection(figure, tags, machine, pose, centre, np.asarray(wrench, dtype=float))
    figure.layout.scene = {**scene_around(machine, drawn_points(figure.data)), "annotations": tags}
    return figure


def _draw_deflection(
    figure: go.Figure, tags: list[dict[str, object]], machine: AnyMachine, pose: Array, centre: Array, wrench: Array
) -> None:
    """Lines along the force of a wrench and along the displacement under it, with labels; none where one is zero."""
    moved = deflection(machine, pose, wrench, point=machine.point_of_interest)[:3]
    length = float(np.linalg.norm(moved))
    size, unit = next((entry for entry in METRIC if length >= entry[0]), METRIC[-1])
    arrows = [(wrench[:3], f"load {np.linalg.norm(wrench[:3]):.4g} N", style.INK, 0.42)]
    arrows.append((moved, f"moves {length / size:.4g} {unit}", style.ACCENT, 0.24))
    for vector, label, colour, part in arrows:
        strength = float(np.linalg.norm(vector))
        if strength == 0:
            continue
        tip = centre + part * machine.size * vector / strength
        figure.add_trace(line(np.stack([centre, tip]) / machine.units.metres, colour, 8))
        tags.append(tag((tip + 0.03 * (tip - centre)) / machine.units.metres, label, 12, colour))
