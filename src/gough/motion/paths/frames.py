"""Paths in other frames: of the tool in a work frame, of a body that turns about a pivot.

A path Y(s) of a frame M, fixed to the platform, in a frame W, fixed to the base, is the path of the platform

    X_BP(s) = X_BW Y(s) X_PM^-1

and with the arm r from M's origin to P's, in base axes, v_P = v + w x r, a_P = a + alpha x r + w x (w x r).
"""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from gough.checks.arguments import checks_arguments
from gough.checks.numbers import numbers
from gough.errors import ShapeError
from gough.machine import Machine
from gough.motion.paths.path import Path, Rates, States, carried
from gough.poses import PoseLike, checked_matrices, inverse_matrices

Array = NDArray[np.float64]


class Framed(Path):
    """The platform's path in the base, of another frame's in a work frame; made by `in_frame`."""

    def __init__(self, path: Path, X_BW: Array, X_PM: Array) -> None:
        self.path, self.X_BW, self.X_PM = path, X_BW, X_PM
        self.knots, self.breaks = path.knots, path.breaks
        self._X_MP = inverse_matrices(X_PM)

    def states(self, s: Array, before: bool) -> States:
        """See `Path.states`."""
        Y, V, A = self.path.states(s, before)
        X_BM, R = self.X_BW @ Y, self.X_BW[:3, :3]
        r = X_BM[:, :3, :3] @ self._X_MP[:3, 3]
        v, w = V[:, :3] @ R.T, V[:, 3:] @ R.T
        a, alpha = A[:, :3] @ R.T, A[:, 3:] @ R.T
        carried = np.cross(w, r)
        v_P, a_P = v + carried, a + np.cross(alpha, r) + np.cross(w, carried)
        return X_BM @ self._X_MP, np.concatenate([v_P, w], axis=1), np.concatenate([a_P, alpha], axis=1)

    def rates(self, low: Array, high: Array) -> Rates | None:
        """See `Path.rates`."""
        found = self.path.rates(low, high)
        if found is None:
            return None
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
    """The platform's path in the base from that of a tool in a work frame.

    Parameters
    ----------
    machine : Machine
        It says where its tool is.
    path : Path
        Of the tool, in the work frame.
    work : PoseLike, optional
        X_BW, the work frame in the base; the base itself if none is given.
    of : {"tool", "platform"} or PoseLike
        What the path moves: the machine's tool, the platform, or a frame X_PM fixed to the platform.

    Returns
    -------
    Path
        With the parameter, knots and breaks of the one given.

    Raises
    ------
    ShapeError, PoseError
        A frame that is not one pose.

    """
    X_BW = np.eye(4) if work is None else _one("work", work)
    if isinstance(of, str):
        X_PM = np.array(machine.X_PT) if of == "tool" else np.eye(4)
    else:
        X_PM = _one("of", of)
    return Framed(path, X_BW, X_PM)


@checks_arguments
def path_about_pivot(
    machine: Machine, path: Path, *, point: ArrayLike | None = None, start: PoseLike | None = None
) -> Path:
    """The platform's path from displacements of a pivot: its point M moves by t while the platform turns about M by R.

    Parameters
    ----------
    machine : Machine
    path : Path
        Of displacements [R, t] in base axes [m], as `gough.frames.displaced` takes them; begins at the identity if the
        platform begins at `start`.
    point : (3,) array, optional
        The pivot, in the platform frame [m]; the machine's point of interest where not given.
    start : PoseLike, optional
        The pose from which displacements count; home where not given.

    Returns
    -------
    Path
        Of the platform in the base, with the parameter, knots and breaks of the one given.

    Raises
    ------
    ShapeError, PoseError
        A start that is not one pose, a point that is not (3,).

    """
    X = np.array(machine.X_home) if start is None else _one("start", start)
    M = machine.point_of_interest if point is None else numbers("point", point)
    if M.shape != (3,):
        raise ShapeError.expected("point", "(3,)", M.shape)
    X_BW = np.eye(4)
    X_BW[:3, 3] = X[:3, :3] @ M + X[:3, 3]
    return Framed(path, X_BW, inverse_matrices(X) @ X_BW)


def _one(what: str, X: PoseLike) -> Array:
    matrix = checked_matrices(X)
    if matrix.shape != (4, 4):
        raise ShapeError.expected(what, "(4, 4): one pose", matrix.shape)
    return matrix
