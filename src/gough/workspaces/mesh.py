"""Closed triangle meshes: the boundary of a workspace, with the limit that binds at each vertex."""

from __future__ import annotations

from operator import attrgetter
from pathlib import Path

import numpy as np

from gough.arrays import Array, Ints
from gough.checks.arguments import checks_arguments
from gough.errors import InputError
from gough.files import write_whole
from gough.quantity import derived, quantity, result
from gough.results import Result

RANGE = "range searched"
"""Name of the limit that binds at an end of the range that was searched."""


@result
class Mesh(Result):
    """A closed surface of triangles: they traverse every edge as often in one direction as in the other.

    Once in each, but where thin parts of a coarse mesh touch along an edge.

    Attributes
    ----------
    names : tuple of str

    """

    vertices: Array = quantity(
        attrgetter("unit"), "vertex", "axis", frame="base",
        doc="Vertices on the boundary: positions, or rotation vectors.",
    )  # fmt: skip
    faces: Ints = quantity(
        "1", "face", "corner", doc="Vertices of each triangle, counterclockwise as seen from outside."
    )
    binding: Ints = quantity(
        "1", "vertex",
        doc="Index in `names` of the limit that binds at each vertex, or of one of several; -1 at the range's end.",
    )  # fmt: skip
    names: tuple[str, ...]
    face_binding: Ints = quantity(
        "1", "face",
        doc="Index in `names` of the limit that binds on each triangle: edges between limits are edges of triangles.",
    )  # fmt: skip
    unit: str = "m"

    def __str__(self) -> str:
        return f"A closed surface of {len(self.faces)} triangles"

    @property
    @derived(lambda of: f"{of.unit}3")
    def volume(self) -> float:
        """Enclosed volume, by the divergence theorem [m3, or rad3]."""
        if not len(self.faces):
            return 0.0
        # Tetrahedra from the vertices' mean, which keeps the sum's terms small.
        corners = self.vertices[self.faces] - self.vertices.mean(axis=0)
        return float(np.einsum("ij,ij->", corners[:, 0], np.cross(corners[:, 1], corners[:, 2])) / 6.0)

    @property
    @derived(lambda of: f"{of.unit}2", "face", "axis", frame="base", is_listed=False)
    def normals(self) -> Array:
        """Outward normal of each triangle (m, 3), with its area as length [m2]."""
        corners = self.vertices[self.faces]
        return np.asarray(0.5 * np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]))

    @property
    @derived(lambda of: f"{of.unit}2", is_listed=False)
    def area(self) -> float:
        """Area of the surface [m2, or rad2]."""
        return float(np.linalg.norm(self.normals, axis=1).sum())

    def share(self) -> dict[str, float]:
        """Compute the part of the surface on which each limit binds, the largest first."""
        areas = np.linalg.norm(self.normals, axis=1)
        sums = np.bincount(self.face_binding + 1, weights=areas, minlength=len(self.names) + 1)
        labels = (RANGE, *self.names)
        order = [int(k) for k in np.argsort(-sums, kind="stable") if sums[k] > 0]
        return {labels[k]: float(sums[k] / sums.sum()) for k in order}

    @checks_arguments
    def write(self, path: str | Path, unit: float = 1.0) -> None:
        """Write the mesh to a .stl (binary) or .ply file, completely or not at all; lengths in units of `unit` metres.

        Raises
        ------
        InputError
            Another ending, or a place that cannot be written.

        """
        forms = {".stl": self.stl, ".ply": self.ply}
        target = Path(path)
        if target.suffix.lower() not in forms:
            raise InputError(f"cannot write a mesh to {target}: expected a name that ends in .stl or .ply")
        write_whole(target, forms[target.suffix.lower()](unit))

    @checks_arguments
    def stl(self, unit: float = 1.0) -> bytes:
        """Encode the triangles as binary STL, a format without units and without shared vertices."""
        corners = (self.vertices / unit)[self.faces].astype("<f4")
        size = np.linalg.norm(self.normals, axis=1, keepdims=True)
        record = np.dtype([("normal", "<f4", 3), ("corners", "<f4", (3, 3)), ("attribute", "<u2")])
        rows = np.zeros(len(self.faces), dtype=record)
        rows["normal"] = np.divide(self.normals, size, out=np.zeros_like(corners[:, 0], dtype=float), where=size > 0)
        rows["corners"] = corners
        head = f"workspace, lengths in units of {unit:g} m".encode("ascii").ljust(80)
        return head + np.uint32(len(rows)).astype("<u4").tobytes() + rows.tobytes()

    @checks_arguments
    def ply(self, unit: float = 1.0) -> bytes:
        """Encode vertices and triangles as binary PLY; each vertex has the index of its limit, comments have the
        names."""
        comments = [f"comment lengths in units of {unit:g} m", f"comment limit -1: {RANGE}"]
        comments += [f"comment limit {k}: {name}" for k, name in enumerate(self.names)]
        lines = ["ply", "format binary_little_endian 1.0", *comments, f"element vertex {len(self.vertices)}"]
        lines += [f"property double {axis}" for axis in "xyz"] + ["property int limit"]
        lines += [f"element face {len(self.faces)}", "property list uchar int vertex_indices", "end_header"]
        vertices = np.zeros(len(self.vertices), dtype=[("place", "<f8", 3), ("limit", "<i4")])
        vertices["place"], vertices["limit"] = self.vertices / unit, self.binding
        faces = np.zeros(len(self.faces), dtype=[("count", "u1"), ("corners", "<i4", 3)])
        faces["count"], faces["corners"] = 3, self.faces
        return ("\n".join(lines) + "\n").encode("ascii", "replace") + vertices.tobytes() + faces.tobytes()


def share_of_rotations(mesh: Mesh) -> float:
    """Return the share of all orientations, by the invariant (Haar) measure, inside a mesh of rotation vectors [rad].

    Over the solid angle of each triangle: the measure up to the angle s along a ray is (s - sin s) / pi.
    """
    corners = mesh.vertices[mesh.faces]
    s = np.linalg.norm(corners.mean(axis=1), axis=1)
    return float(solid_angles(corners) @ (s - np.sin(s)) / (4.0 * np.pi**2))


def solid_angles(corners: Array) -> Array:
    """Return solid angle (n,) of triangles (n, 3, 3) as seen from the origin, positive where they turn their inside to
    it."""
    # Van Oosterom and Strackee 1983, eq. 8.
    a, b, c = np.moveaxis(corners, 1, 0)
    volume = np.einsum("ij,ij->i", a, np.cross(b, c))
    A, B, C = np.moveaxis(np.linalg.norm(corners, axis=2), 1, 0)
    dots = [np.einsum("ij,ij->i", u, v) for u, v in ((a, b), (b, c), (c, a))]
    return np.asarray(2.0 * np.arctan2(volume, A * B * C + dots[0] * C + dots[1] * A + dots[2] * B))
