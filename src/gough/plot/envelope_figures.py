"""Polytopes of velocities and of loads at a pose, and velocity envelopes over the workspace."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import numpy as np
import plotly.graph_objects as go
from numpy.typing import ArrayLike

from gough.arrays import Array, Ints
from gough.checks.arguments import checks_arguments
from gough.checks.numbers import check_count, of_shape
from gough.errors import InputError
from gough.limits.interval_search import poses_at
from gough.limits.margins import margins
from gough.limits.velocity_envelope import VelocityEnvelope
from gough.limits.velocity_envelope import velocity_envelope as envelope_of
from gough.plot import _style as style
from gough.plot._scene import in_space, line, machine_scene, scene, span, titles_of_positions, triangles, vertices_of
from gough.plot._solids import Solid, edges, hull
from gough.poses import PoseLike, as_matrices
from gough.present.units import file_unit, in_file_units
from gough.results import Labelled
from gough.stacked import AnyMachine
from gough.statics.capacity import wrench_envelope
from gough.workspaces.position_maps import extent

if TYPE_CHECKING:
    import xarray

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
    """Draw the polytope of velocities within all joint speed limits, coloured by speed (De Sapio 1998, figure 19).

    Parameters
    ----------
    machine : Machine
    X : PoseLike, optional
        One pose; default: home.
    motion : {"translation", "rotation"}
        Velocities of the point of interest without turning, or angular velocities in place.
    result : VelocityEnvelope, optional
        Result of `gough.velocity_envelope` at one pose; default: computed.

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
    """Draw the polytope of forces at the point of interest within all actuator force limits, coloured by magnitude.

    Parameters
    ----------
    machine : Machine
        With actuator forces, which also hold the weights of platform and legs as far as their masses are known.
        Neither is needed if `result` is passed.
    X : PoseLike, optional
        One pose; default: home.
    kind : {"force", "moment"}
        Forces without a moment, or pure moments.
    result : (n, 3) array, optional
        Vertices [N or N m], of `gough.statics.wrench_envelope`; default: computed.

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


FILLED = 0.92
"""Extent of a typical envelope, as a part of the grid's step."""


@checks_arguments
def velocity_map(
    machine: AnyMachine,
    orientation: PoseLike | None = None,
    motion: Literal["translation", "rotation"] = "translation",
    *,
    samples: ArrayLike = (6, 6, 4),
    result: xarray.Dataset | Labelled | None = None,
) -> go.Figure:
    """Draw velocity envelopes at a grid of positions in the workspace, all to one scale (De Sapio 1998, figure 20).

    Each is at the point of interest; its size and shape are those of its envelope, its colour says the
    speed in that direction.

    Parameters
    ----------
    machine : Machine
    orientation : PoseLike, optional
        Pose that sets the orientation; default: home.
    motion : {"translation", "rotation"}
    samples : (3,) ints
        Positions along x, y, z of the workspace's extent; those in allowed poses are drawn.
    result : xarray.Dataset, optional
        Result of `gough.workspaces.velocity_map`: its orientation and its allowed positions, in place of both.

    Returns
    -------
    plotly.graph_objects.Figure
        In the units of the machine's file.

    Raises
    ------
    InputError
        No joint speeds, or no allowed position in the grid.

    """
    X = machine.end_home if orientation is None else as_matrices(orientation)
    R, places, step = _places(machine, X, samples, result)
    si_unit = "m" if motion == "translation" else "rad"
    unit = f"{file_unit(machine, si_unit)}/s"
    envelopes = [envelope_of(machine, pose) for pose in machine.end_pose(poses_at(machine, R, places))]
    bodies = [in_file_units(machine, envelope.vertices(motion), si_unit) for envelope in envelopes]
    # The median envelope fills its cell: a few near singular poses may be many times larger than the others.
    typical = float(np.median([np.abs(body).max() for body in bodies]))
    drawn = _mesh(machine, places, bodies, 0.5 * FILLED * step / typical, unit)
    box = machine_scene(machine, titles_of_positions(machine), span(vertices_of(drawn), 0.03))
    return in_space([drawn], height=520, showlegend=False, scene=box)


def _places(
    machine: AnyMachine, X: Array, samples: ArrayLike, result: xarray.Dataset | Labelled | None
) -> tuple[Array, Array, float]:
    """Orientation, allowed positions (n, 3) [m], and the smallest step between positions in the file's unit.

    Of a given map its own; else the centres of the cells of a grid over the workspace.
    """
    if result is None:
        low, high = extent(machine, X)
        counts = of_shape("samples", samples, "(3,)").astype(int)
        if (counts < 1).any():
            raise InputError(f"samples {counts.tolist()}: expected at least one along each axis")
        check_count("positions of the map", *counts.tolist())
        steps = (high - low) / counts
        axes = [low[k] + steps[k] * (np.arange(counts[k]) + 0.5) for k in range(3)]
    else:
        if any(name not in result for name in ("x", "y", "z", "is_allowed")) or "rotation" not in result.attrs:
            raise InputError("result: expected a map as gough.workspaces.velocity_map returns it")
        axes = [result[axis].to_numpy() for axis in "xyz"]
        # A single position has no step: the machine's size takes its place.
        steps = np.concatenate([np.diff(axis) for axis in axes] + [[machine.size]])
    grid = np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1).reshape(-1, 3)
    if result is None:
        R = X[:3, :3]
        allowed = np.asarray(margins(machine, poses_at(machine, R, grid)).is_allowed)
    else:
        R, allowed = np.reshape(result.attrs["rotation"], (3, 3)), result["is_allowed"].to_numpy().ravel()
    if not allowed.any():
        raise InputError(f"machine {machine.name!r}: no position of the grid is allowed; use more samples")
    return R, grid[allowed], float(in_file_units(machine, steps.min(), "m"))


def _mesh(machine: AnyMachine, places: Array, bodies: list[Array], scale: float, unit: str) -> go.Mesh3d:
    """All envelopes as one trace; vertices (n, 3) of `bodies` are velocities in the file's units, scaled to lengths."""
    points, faces, speeds, words, start = [], [], [], [], 0
    for place, body in zip(in_file_units(machine, places, "m"), bodies, strict=True):
        found = _hull(body)
        if found is None:
            continue
        speed = np.linalg.norm(body, axis=1)
        points.append(place + scale * body)
        faces.append(found + start)
        speeds.append(speed)
        where = ", ".join(f"{value:.4g}" for value in place)
        text = f"at ({where}) {machine.units.length}<br>fastest {speed.max():.4g} {unit}"
        words += [text] * len(body)
        start += len(body)
    colours = np.concatenate(speeds).astype(np.float32)
    return triangles(
        np.concatenate(points).astype(np.float32),
        np.concatenate(faces).astype(np.int32),
        intensity=colours,
        colorscale=style.SCALE,
        colorbar=style.colour_bar(f"speed [{unit}]"),
        cmin=float(colours.min()),
        cmax=float(np.quantile(colours, 0.98)),  # the fastest envelopes would leave no colours for the others
        flatshading=True,
        lighting={"ambient": 0.7, "diffuse": 0.5, "specular": 0.05, "roughness": 0.9},
        text=words,
        hovertemplate="%{text}<extra></extra>",
    )


def _hull(body: Array) -> Ints | None:
    """Triangles of the hull of points (n, 3), or None where it is flat to rounding."""
    from scipy.spatial import ConvexHull, QhullError

    try:
        return np.asarray(ConvexHull(body / np.abs(body).max()).simplices)
    except QhullError:
        return None
