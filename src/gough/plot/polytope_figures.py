"""Polytopes at a pose: the velocities that the drives allow, and the loads that the actuators can hold."""

from __future__ import annotations

from typing import Literal

import numpy as np
import plotly.graph_objects as go
from numpy.typing import ArrayLike

from gough.arrays import Array, Ints
from gough.checks.arguments import checks_arguments
from gough.checks.numbers import of_shape
from gough.limits.velocity_envelope import VelocityEnvelope
from gough.limits.velocity_envelope import velocity_envelope as envelope_of
from gough.plot import _style as style
from gough.plot._scene import in_space, line, machine_scene, scene, span, triangles
from gough.plot._solids import Solid, edges, hull
from gough.poses import PoseLike
from gough.present.units import file_unit, in_file_units
from gough.stacked import AnyMachine
from gough.statics.capacity import wrench_envelope

DIVISIONS = 7
"""Parts of each edge of a face: Plotly interpolates colours linearly, and the distance is not linear on a face."""


@checks_arguments
def velocity_envelope(
    machine: AnyMachine,
    X: PoseLike | None = None,
    motion: Literal["translation", "rotation"] = "translation",
    *,
    result: VelocityEnvelope | None = None,
) -> go.Figure:
    """The polytope of velocities that keep every joint within its speed, coloured by speed (De Sapio 1998, figure 19).

    Parameters
    ----------
    machine : Machine
    X : PoseLike, optional
        One pose; home where none is given.
    motion : {"translation", "rotation"}
        Velocities of the point of interest without turning, or angular velocities in place.
    result : VelocityEnvelope, optional
        Of `gough.velocity_envelope` at one pose; computed where not given.

    Returns
    -------
    plotly.graph_objects.Figure
        In the units of the machine's file per second.

    Raises
    ------
    InputError
        No joint speeds, or a singular pose, where the envelope has no end.

    """
    envelope = envelope_of(machine, machine.end_home if X is None else X) if result is None else result
    si_unit, letter = ("m", "v") if motion == "translation" else ("rad", "w")
    vertices = in_file_units(machine, envelope.vertices(motion), si_unit)
    unit = f"{file_unit(machine, si_unit)}/s"
    box = scene([f"{letter}{axis} [{unit}]" for axis in "xyz"], span(vertices))
    return in_space(_surface(vertices, "speed", unit), height=420, showlegend=False, scene=box)


@checks_arguments
def wrench_capacity(
    machine: AnyMachine,
    X: PoseLike | None = None,
    kind: Literal["force", "moment"] = "force",
    *,
    result: ArrayLike | None = None,
) -> go.Figure:
    """The polytope of forces at the point of interest that keep every actuator within its force, coloured by size.

    Parameters
    ----------
    machine : Machine
        With actuator forces, which also hold the weights of platform and legs as far as their masses are known.
        Neither is needed where `result` is given.
    X : PoseLike, optional
        One pose; home where none is given.
    kind : {"force", "moment"}
        Forces without a moment, or pure moments.
    result : (n, 3) array, optional
        Vertices [N or N m], of `gough.statics.wrench_envelope`; computed where not given.

    Returns
    -------
    plotly.graph_objects.Figure
        In N, or N m.

    Raises
    ------
    InputError
        No actuator forces, a singular pose, or weights that alone are too much.

    """
    if result is None:
        result = wrench_envelope(machine, machine.X_home if X is None else X, kind, gravity=machine.has_weight)
    vertices = of_shape("result", result, "(n, 3)")
    letter, unit = ("f", "N") if kind == "force" else ("m", "N m")
    box = machine_scene(machine, [f"{letter}{axis} [{unit}]" for axis in "xyz"], span(vertices))
    return in_space(_surface(vertices, kind, unit), height=420, showlegend=False, scene=box)


def _surface(vertices: Array, quantity: str, unit: str) -> list[go.Mesh3d | go.Scatter3d]:
    """Faces and edges of the polytope around the origin with vertices (n, 3), coloured by the distance from there."""
    body = hull(vertices)
    fine, faces = _divided(body)
    distance = np.linalg.norm(fine, axis=1)
    mesh = triangles(
        fine,
        faces,
        intensity=distance,
        colorscale=style.SCALE,
        cmin=float(distance.min()),
        cmax=float(distance.max()),
        colorbar=style.colour_bar(f"{quantity} [{unit}]"),
        flatshading=True,
        lighting={"ambient": 0.75, "diffuse": 0.45, "specular": 0.05, "roughness": 0.9},
        hovertemplate=f"%{{customdata:.4g}} {unit}<br>(%{{x:.4g}}, %{{y:.4g}}, %{{z:.4g}})<extra></extra>",
        customdata=distance,
    )
    # The hull triangulates its faces: one degree separates the polytope's edges from those within a face.
    return [mesh, line(edges(body, np.deg2rad(1.0)), style.INK, 2)]


def _divided(body: Solid) -> tuple[Array, Ints]:
    """Each triangle as DIVISIONS^2 smaller ones: points (m, 3) and faces."""
    n = DIVISIONS
    # Lattice points of a triangle in barycentric coordinates (n - a - b, a, b) / n, numbered in this order.
    a, b = np.array([(a, b) for a in range(n + 1) for b in range(n + 1 - a)]).T
    weights = np.stack([n - a - b, a, b], axis=1) / n
    number = {(p, q): k for k, (p, q) in enumerate(zip(a.tolist(), b.tolist(), strict=True))}
    small = [(number[p, q], number[p + 1, q], number[p, q + 1]) for p, q in number if p + q < n]
    small += [(number[p + 1, q], number[p + 1, q + 1], number[p, q + 1]) for p, q in number if p + q < n - 1]
    corners = body.vertices[body.faces]
    points = np.einsum("wc,fcx->fwx", weights, corners).reshape(-1, 3)
    faces = np.array(small)[None] + len(weights) * np.arange(len(corners))[:, None, None]
    return points, faces.reshape(-1, 3)
