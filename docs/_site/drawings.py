"""Drawings of machine files and conventions: SVG, written by the build with the code's own points and frames."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

import gough

Array = NDArray[np.float64]
INK, BODY, DRIVE, MUTED, PALE = "#1f2937", "#64748b", "#c2410c", "#94a3b8", "#e2e8f0"
AXES = {"x": "#b91c1c", "y": "#15803d", "z": "#1d4ed8"}


def line(a: Iterable[float], b: Iterable[float], colour: str = INK, width: float = 2, dash: str = "") -> str:
    (x1, y1), (x2, y2) = a, b
    style = f' stroke-dasharray="{dash}"' if dash else ""
    ends = f'x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}"'
    return f'<line {ends} stroke="{colour}" stroke-width="{width:g}" stroke-linecap="round"{style}/>'


def text(at: Iterable[float], words: str, colour: str = INK, size: int = 14, anchor: str = "middle") -> str:
    x, y = at
    return f'<text x="{x:.1f}" y="{y:.1f}" fill="{colour}" font-size="{size}" text-anchor="{anchor}">{words}</text>'


def dot(at: Iterable[float], colour: str = INK, radius: float = 5) -> str:
    x, y = at
    return f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{radius:g}" fill="{colour}"/>'


def circle(at: Iterable[float], radius: float, colour: str = MUTED, dash: str = "6 5") -> str:
    x, y = at
    return (
        f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{radius:.1f}" fill="none" stroke="{colour}" stroke-dasharray="{dash}"/>'
    )


def arrow(a: Iterable[float], b: Iterable[float], colour: str, width: float = 2.5) -> str:
    """Line with a head at b."""
    start, end = np.array(list(a), float), np.array(list(b), float)
    along = (end - start) / np.linalg.norm(end - start)
    across = np.array([-along[1], along[0]])
    corners = [end, end - 11 * along + 5 * across, end - 11 * along - 5 * across]
    head = " ".join(f"{x:.1f},{y:.1f}" for x, y in corners)
    return line(start, end - 6 * along, colour, width) + f'<polygon points="{head}" fill="{colour}"/>'


def arc(centre: Iterable[float], radius: float, start: float, end: float, colour: str = DRIVE) -> str:
    """Part of a circle between two angles [deg], counterclockwise on the page."""
    c = np.array(list(centre), float)
    a, b = (c + radius * np.array([np.cos(np.deg2rad(t)), -np.sin(np.deg2rad(t))]) for t in (start, end))
    large = int(abs(end - start) > 180)
    return (
        f'<path d="M {a[0]:.1f} {a[1]:.1f} A {radius:g} {radius:g} 0 {large} 0 {b[0]:.1f} {b[1]:.1f}" '
        f'fill="none" stroke="{colour}" stroke-width="2"/>'
    )


def sheet(width: int, height: int, title: str, shapes: Iterable[str]) -> str:
    """A whole file, on white."""
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" '
        f'font-family="sans-serif" role="img" aria-label="{title}">'
    )
    return "\n".join([head, f'<rect width="{width}" height="{height}" fill="white"/>', *shapes, "</svg>"]) + "\n"


class Oblique:
    """Parallel projection of the base frame on the page: x to the right and down a little, y into it, z up."""

    def __init__(self, origin: tuple[float, float], scale: float) -> None:
        self.origin, self.scale = np.array(origin), scale
        self.matrix = np.array([[0.95, 0.45, 0.0], [0.22, -0.38, -1.0]])

    def __call__(self, points: Array) -> Array:
        return self.origin + self.scale * (np.asarray(points) @ self.matrix.T)


def frame(view: Oblique, X: Array, name: str, length: float) -> list[str]:
    """Three axes of a frame with its letter."""
    shapes = []
    for k, axis in enumerate("xyz"):
        end = X[:3, 3] + length * X[:3, k]
        shapes.append(arrow(view(X[:3, 3]), view(end), AXES[axis]))
        shapes.append(text(view(X[:3, 3] + 1.2 * length * X[:3, k]) + [0, 5], axis, AXES[axis], 13))
    return [*shapes, text(view(X[:3, 3]) + [-14, 16], name, INK, 17)]


def machine_shapes(view: Oblique, machine: gough.Machine, X: Array) -> list[str]:
    """Plates and legs at a pose."""
    a = machine.legs.driven_points(gough.inverse_kinematics(machine, X))
    b = machine.b_P @ X[:3, :3].T + X[:3, 3]
    shapes = []
    for points in (a, b):
        corners = " ".join(f"{x:.1f},{y:.1f}" for x, y in view(points))
        shapes.append(
            f'<polygon points="{corners}" fill="{PALE}" stroke="{BODY}" stroke-width="2" fill-opacity="0.7"/>'
        )
    shapes += [line(p, r, INK, 4) for p, r in zip(view(a), view(b), strict=True)]
    return [*shapes, *(dot(p) for p in [*view(a), *view(b)])]


def frames() -> str:
    """Base, platform and tool frame, and the poses between them."""
    m = gough.load("pitch-circle")
    view = Oblique((300, 330), 900)
    X = m.X_home @ gough.pose_matrix([0.0, 0.0, 0.02], [0, 12, 0], "XYZ", degrees=True)
    if abs(m.b_P[:, 2].mean()) > 0.05:  # the file draws the platform where it is at home
        X = X @ gough.pose_matrix([0, 0, m.b_P[:, 2].mean()], [0, 0, 0], "XYZ")
    m = gough.from_points(m.legs.a_B, m.b_P - [0, 0, m.b_P[:, 2].mean()], home=X)
    tool = X @ gough.pose_matrix([0, 0, 0.09], [0, 0, 0], "XYZ")
    base = np.eye(4)
    shapes = [*machine_shapes(view, m, X), *frame(view, base, "B", 0.09), *frame(view, X, "P", 0.07)]
    shapes += frame(view, tool, "T", 0.05)
    shapes += [
        text((560, 120), "X_BT = X_BP X_PT", INK, 16, "start"),
        text((560, 146), "point_B = R_BP point_P + p_BP", INK, 16, "start"),
        text((560, 180), "B: base, P: platform, T: tool", BODY, 14, "start"),
    ]
    return sheet(820, 440, "Frames B, P and T", shapes)


def pitch_circles(machine: gough.Machine, centre: tuple[float, float], scale: float) -> list[str]:
    """Plan view: joints on their pitch circles, with the numbers of the legs."""
    middle = np.array(centre)
    shapes = [circle(centre, scale * np.linalg.norm(machine.legs.a_B[0, :2]))]
    shapes.append(circle(centre, scale * np.linalg.norm(machine.b_P[0, :2]), DRIVE))
    for k, (a, b) in enumerate(zip(machine.legs.a_B[:, :2], machine.b_P[:, :2], strict=True)):
        p, r = (middle + scale * point * [1, -1] for point in (a, b))
        shapes += [line(p, r, MUTED, 5), dot(p, INK), dot(r, DRIVE)]
        shapes.append(text(middle + (scale * a + 18 * a / np.linalg.norm(a)) * [1, -1] + [0, 5], str(k + 1)))
    shapes += [arrow(middle, middle + [70, 0], AXES["x"]), arrow(middle, middle - [0, 70], AXES["y"])]
    return [*shapes, text(middle + [80, 5], "x", AXES["x"]), text(middle + [0, -78], "y", AXES["y"])]


def first_machine() -> str:
    """Plan and side view of the machine of the tutorial."""
    base = {"pitch_circle": {"radius": 0.150, "pair_angle": np.deg2rad(24)}}
    platform = {"pitch_circle": {"radius": 0.100, "pair_angle": np.deg2rad(96)}}
    points = [ring(**plate["pitch_circle"]) for plate in (base, platform)]
    m = gough.from_points(*points, home=gough.pose([0, 0, 0.190]))
    plan, side = (230, 230), (660, 390)
    shapes = [*pitch_circles(m, plan, 1150), text((230, 450), "plan: base joints black, platform joints red", BODY)]
    shapes += [
        line(plan, np.array(plan) + 1150 * 0.15 * np.array([-0.6, 0.8]), MUTED, 1, "3 3"),
        text((100, 398), "R 150", DRIVE, 14, "end"),
        line(plan, np.array(plan) + 1150 * 0.10 * np.array([0.9, -0.43]), MUTED, 1, "3 3"),
        text((282, 196), "R 100", DRIVE, 14, "start"),
        arc(plan, 150, 258, 282),
        text((230, 370), "24°", DRIVE),
    ]
    for a, b in zip(m.legs.a_B, m.b_P + [0, 0, 0.19], strict=True):
        p, r = (np.array(side) + 1150 * np.array([point[0], -point[2]]) for point in (a, b))
        shapes += [line(p, r, MUTED, 5), dot(p, INK), dot(r, DRIVE)]
    x = side[0] + 205
    shapes += [
        arrow((x, side[1] - 100), (x, side[1] - 1150 * 0.19), INK, 1.5),
        arrow((x, side[1] - 100), (x, side[1]), INK, 1.5),
        text((x + 8, side[1] - 105), "190", DRIVE, 14, "start"),
        text((side[0], 450), "side, at home", BODY),
    ]
    return sheet(920, 470, "Drawing of the first machine", shapes)


def ring(radius: float, pair_angle: float) -> Array:
    """Six joints in three pairs, as machine files have them."""
    middle = np.deg2rad([270, 270, 30, 30, 150, 150])
    angle = middle + np.array([-1, 1] * 3) * pair_angle / 2
    return radius * np.stack([np.cos(angle), np.sin(angle), np.zeros(6)], axis=1)


DRAWINGS = {"first-machine.svg": first_machine, "frames.svg": frames}
"""File -> what draws it."""
