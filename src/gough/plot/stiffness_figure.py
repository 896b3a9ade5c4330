"""Principal stiffnesses drawn on the machine, and the displacement under a load."""

from __future__ import annotations

from typing import Literal

import numpy as np
import plotly.graph_objects as go
from numpy.typing import ArrayLike

from gough.arrays import Array
from gough.checks.arguments import checks_arguments
from gough.plot import _style as style
from gough.plot._scene import line, tag, triangles
from gough.plot._solids import ball
from gough.plot.machine_figure import drawn_points, scene_around
from gough.plot.stacked_machine_figure import machine as machine_figure
from gough.poses import PoseLike, checked_matrices
from gough.present.show import significant
from gough.present.units import readable, unit_of
from gough.stacked import AnyMachine
from gough.statics.stiffness import PrincipalStiffness, deflection, principal_stiffness
from gough.statics.stiffness import stiffness as stiffness_of

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
    """The machine with the ellipsoid of its principal stiffnesses at the point of interest (De Sapio 1998, figure 21).

    Parameters
    ----------
    machine : Machine
        With leg stiffnesses, if `result` is not given or a wrench is.
    X : PoseLike, optional
        One pose, (2, 4, 4) of two stages; home where none is given.
    motion : {"translation", "rotation"}
        Of translation with rotation held, or of rotation with the platform free to translate.
    wrench : (6,) array, optional
        A load [f, m] about the point of interest, in the base frame [N, N m]: the force and the displacement it
        brings are drawn as arrows, of the same length whatever their size.
    result : PrincipalStiffness, optional
        Of `gough.statics.principal_stiffness` at the pose; computed where not given.

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
