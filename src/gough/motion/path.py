"""Paths: a pose as a function of a parameter, with first and second derivatives; change of moving and fixed frame.

A path Y(s) of a frame M, fixed to the platform, in a frame W, fixed to the base, is the path of the platform

    X_BP(s) = X_BW Y(s) X_PM^-1

and with the arm r from M's origin to P's, in base axes, v_P = v + w x r, a_P = a + alpha x r + w x (w x r).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import ClassVar, Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from gough.arrays import Array
from gough.checks.arguments import checks_arguments
from gough.checks.numbers import given_point, numbers
from gough.errors import InputError
from gough.machine import Machine
from gough.poses import PoseLike, inverse_matrices, one_pose
from gough.present.show import bracketed, plain
from gough.results import ShowsFacts

States = tuple[Array, Array, Array]
OVERSHOOT = 1e-9
"""Part of a path's span by which a parameter may lie outside; it is then clipped to the end."""


class Rates(NamedTuple):
    """Upper bounds (n,) over intervals of a path: of the speed |v| of the frame's origin and the angular speed |w|, per
    s, and of the accelerations |a| and |alpha|, per s squared."""

    v: Array
    w: Array
    a: Array
    alpha: Array


def carried(arm: float | Array, rate: Array) -> Array:
    """Return the speed at an arm's end from an angular rate: zero without an arm, for an infinite rate too."""
    with np.errstate(invalid="ignore"):
        return np.where(np.asarray(arm) > 0, arm * rate, 0.0)


class Path(ShowsFacts, ABC):
    """Poses of a moving frame over a parameter s.

    Calling it gives `(X, V, A)`: poses (..., 4, 4), V = [dp/ds, w per s] (..., 6) and A = dV/ds (..., 6), of the origin
    of the moving frame, in the axes of the frame in which the path is described: the platform in the base, unless
    `gough.motion.in_frame` converts it. With s = s(t) the twist is V s' and the acceleration A s'^2 + V s''.

    Attributes
    ----------
    knots : (k,) array
        Increasing parameters from the path's begin to its end; between two of them the path is smooth, one formula.
    breaks : (b,) array
        Those inside at which the first or the second derivative jumps.

    """

    PARAMETER: ClassVar[str] = "s"
    """Name of the parameter: "time" where it is time, in s."""
    knots: Array
    breaks: Array

    @property
    def span(self) -> tuple[float, float]:
        """First and last value of the parameter."""
        return float(self.knots[0]), float(self.knots[-1])

    def __repr__(self) -> str:
        low, high = self.span
        return f"<{type(self).__name__} of {len(self.knots)} knots, s from {low:.6g} to {high:.6g}>"

    def facts(self) -> dict[str, str]:
        """Return the range of the parameter, the smooth pieces, start and end."""
        low, high = self.span
        unit = " s" if self.PARAMETER == "time" else ""
        found = {self.PARAMETER: f"{plain(low)} to {plain(high)}{unit}", "smooth pieces": str(len(self.knots) - 1)}
        for name, X in (("start", self.start), ("end", self.end)):
            found[name] = bracketed(X[:3, 3], "m")
        return found

    def __call__(self, s: ArrayLike, *, before: bool = False) -> States:
        """Poses and derivatives at parameters s (...); at a break those that follow, or with `before` those before it.

        Raises
        ------
        InputError
            A parameter outside the span.

        """
        inside = self.inside("s", s)
        X, V, A = self.states(inside.ravel(), before)
        shape = inside.shape
        return X.reshape(*shape, 4, 4), V.reshape(*shape, 6), A.reshape(*shape, 6)

    def inside(self, name: str, s: ArrayLike) -> Array:
        """Clip parameters (...) that exceed the span by rounding; `InputError` for others outside."""
        given = numbers(name, s)
        low, high = self.span
        slack = OVERSHOOT * (high - low)
        outside = ~((given >= low - slack) & (given <= high + slack))
        if outside.any():
            raise InputError(f"{name} = {given[outside].flat[0]:g}: the path goes from {low:g} to {high:g}")
        return np.clip(given, low, high)

    @abstractmethod
    def states(self, s: Array, before: bool) -> States:
        """Compute poses X (n, 4, 4) [m] and their first and second derivatives V, A (n, 6) by the parameter, [v, w] of
        the platform's origin in base axes, at parameters s (n,) in the span; at knots of the piece after them, or of
        the one `before`."""

    def rates(self, low: Array, high: Array) -> Rates | None:
        """Compute bounds of |v|, |w|, |a|, |alpha| (n,) per parameter over intervals from `low` to `high` (n,), none
        with a knot inside; None where a path has no bounds."""
        return None

    @property
    def start(self) -> Array:
        """First pose (4, 4)."""
        return self(self.knots[0])[0]

    @property
    def end(self) -> Array:
        """Last pose (4, 4)."""
        return self(self.knots[-1], before=True)[0]

    @checks_arguments
    def samples(self, count: int) -> Array:
        """Return about `count` evenly spaced parameters over the path, with all its knots."""
        low, high = self.span
        return np.union1d(np.linspace(low, high, count), self.knots)


def piece_of(knots: Array, s: Array, before: bool) -> NDArray[np.intp]:
    """Return the index of the interval between knots (k,) that holds s (n,): at knots the later one, with `before` the
    earlier."""
    found = np.searchsorted(knots, s, side="left" if before else "right") - 1
    return np.clip(found, 0, len(knots) - 2)


class Framed(Path):
    """The platform's path in the base from that of another frame in a work frame; made by `in_frame`."""

    def __init__(self, path: Path, X_BW: Array, X_PM: Array) -> None:
        self.path, self.X_BW, self.X_PM = path, X_BW, X_PM
        self.knots, self.breaks = path.knots, path.breaks
        self._X_MP = inverse_matrices(X_PM)

    def states(self, s: Array, before: bool) -> States:
        """See `Path.states`."""
        Y, V, A = self.path.states(s, before)
        X_BM, R = self.X_BW @ Y, self.X_BW[:3, :3]
        r = X_BM[:, :3, :3] @ self._X_MP[:3, 3]  # from M's origin to P's, in base axes
        v, w = V[:, :3] @ R.T, V[:, 3:] @ R.T
        a, alpha = A[:, :3] @ R.T, A[:, 3:] @ R.T
        w_r = np.cross(w, r)
        v_P, a_P = v + w_r, a + np.cross(alpha, r) + np.cross(w, w_r)
        return X_BM @ self._X_MP, np.concatenate([v_P, w], axis=1), np.concatenate([a_P, alpha], axis=1)

    def rates(self, low: Array, high: Array) -> Rates | None:
        """See `Path.rates`."""
        found = self.path.rates(low, high)
        if found is None:
            return None
        # |v_P| <= |v| + |w| |r| and |a_P| <= |a| + (|alpha| + |w|^2) |r|; the fixed frame only rotates vectors.
        arm, w = float(np.linalg.norm(self._X_MP[:3, 3])), found.w
        return Rates(found.v + carried(arm, w), w, found.a + carried(arm, found.alpha + w**2), found.alpha)


@checks_arguments
def in_frame(
    machine: Machine,
    path: Path,
    *,
    work: PoseLike | None = None,
    of: Literal["tool", "platform"] | PoseLike = "tool",
) -> Path:
    """Convert a path of a tool in a work frame to the platform's path in the base.

    Parameters
    ----------
    machine : Machine
    path : Path
        Path of the tool, in the work frame.
    work : PoseLike, optional
        X_BW, the work frame in the base; default: the base itself.
    of : {"tool", "platform"} or PoseLike
        The moving frame: the machine's tool, the platform, or a frame X_PM fixed to the platform.

    Returns
    -------
    Path
        With the parameter, knots and breaks of the one given.

    Raises
    ------
    ShapeError, PoseError
        A frame that is not one pose.

    """
    X_BW = np.eye(4) if work is None else one_pose(work, name="work")
    if isinstance(of, str):
        X_PM = np.array(machine.X_PT) if of == "tool" else np.eye(4)
    else:
        X_PM = one_pose(of, name="of")
    return Framed(path, X_BW, X_PM)


def tool_in_platform(machine: Machine) -> Array:
    """Return X_PT (4, 4) of the tool's tip; with a head at its present joint coordinates."""
    return np.array(machine.X_PT if machine.head is None else machine.head.tip())


@checks_arguments
def path_about_pivot(
    machine: Machine, path: Path, *, point: ArrayLike | None = None, start: PoseLike | None = None
) -> Path:
    """Build the platform's path from displacements of a pivot: its point M moves by t while the platform turns about M
    by R.

    Parameters
    ----------
    machine : Machine
    path : Path
        Of displacements [R, t] in base axes [m], as `gough.frames.displaced` takes them; begins at the identity if the
        platform begins at `start`.
    point : (3,) array, optional
        The pivot, in the platform frame [m]; default: the machine's point of interest.
    start : PoseLike, optional
        Reference pose of the displacements; default: home.

    Returns
    -------
    Path
        Of the platform in the base, with the parameter, knots and breaks of the one given.

    Raises
    ------
    ShapeError, PoseError
        A start that is not one pose, a point that is not (3,).

    """
    X = np.array(machine.X_home) if start is None else one_pose(start, name="start")
    M = given_point(point, machine.point_of_interest)
    # Work frame at the pivot, with base axes; the moving frame coincides with it at the start.
    X_BW = np.eye(4)
    X_BW[:3, 3] = X[:3, :3] @ M + X[:3, 3]
    return Framed(path, X_BW, inverse_matrices(X) @ X_BW)
