"""Polytopes of speeds and forces as surfaces that are coloured by how far they are from their middle."""

from __future__ import annotations

import numpy as np
import plotly.graph_objects as go
from numpy.typing import NDArray

from gough.arrays import Array
from gough.plot import _style as style
from gough.plot._solids import Solid, edges, hull
from gough.plot._traces import line, triangles

PARTS = 7
"""Into which each edge of a face is divided, so that colours follow the distance inside it too."""


def surface(vertices: Array, title: str, hover: str) -> list[go.Mesh3d | go.Scatter3d]:
    """Faces, coloured by the distance from the origin with a colour bar, and edges of a polytope around the origin.

    Parameters
    ----------
    vertices : (n, 3) array
        In the figure's unit.
    title : str
        Of the colour bar: the quantity with its unit.
    hover : str
        Label of a point, with {} for the distance and the unit.

    """
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
        colorbar=style.colour_bar(title),
        flatshading=True,
        lighting={"ambient": 0.75, "diffuse": 0.45, "specular": 0.05, "roughness": 0.9},
        hovertemplate=f"{hover}<br>(%{{x:.4g}}, %{{y:.4g}}, %{{z:.4g}})<extra></extra>",
        customdata=distance,
    )
    # The edges are those between faces that are not in one plane.
    return [mesh, line(edges(body, np.deg2rad(1.0)), style.INK, 2)]


def _divided(body: Solid) -> tuple[Array, NDArray[np.int64]]:
    """Each triangle as PARTS^2 smaller ones: points (m, 3) and faces."""
    a, b = np.array([(a, b) for a in range(PARTS + 1) for b in range(PARTS + 1 - a)]).T
    weights = np.stack([PARTS - a - b, a, b], axis=1) / PARTS
    number = {(p, q): n for n, (p, q) in enumerate(zip(a.tolist(), b.tolist(), strict=True))}
    small = [(number[p, q], number[p + 1, q], number[p, q + 1]) for p, q in number if p + q < PARTS]
    small += [(number[p + 1, q], number[p + 1, q + 1], number[p, q + 1]) for p, q in number if p + q < PARTS - 1]
    corners = body.vertices[body.faces]
    points = np.einsum("wc,fcx->fwx", weights, corners).reshape(-1, 3)
    faces = np.array(small)[None] + len(weights) * np.arange(len(corners))[:, None, None]
    return points, faces.reshape(-1, 3)
