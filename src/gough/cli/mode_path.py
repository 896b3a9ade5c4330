"""`gough modes --between`: the path from one mode to another, a row for each pose."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from gough.assembly.mode_transition import ModeTransition, mode_transition
from gough.cli.command import Array, Request
from gough.cli.table import numbers
from gough.errors import GoughError, InputError
from gough.kinematics.inverse import inverse_kinematics
from gough.limits.margins import margins
from gough.present.answer import LEGS, Answer, Field, json_keys

if TYPE_CHECKING:
    from gough.assembly.assembly_modes import AssemblyModes


def mode_path(request: Request, found: AssemblyModes, between: str) -> Answer:
    """The path between two modes, given by their numbers "1,2" as `gough modes` counts them."""
    m, (first, last) = request.machine, _chosen(between, len(found))
    path = mode_transition(m, found.matrix[first - 1], found.matrix[last - 1])
    if path is None:
        raise GoughError(f"no path found from mode {first} to mode {last}: a leg cannot close on any path tried")
    s, X, is_crossing = _with_crossings(path)
    fields = [
        *json_keys(between=[first, last]),
        Field("s", s),
        *request.poses(X),
        Field("joints", inverse_kinematics(m, X), m.legs.joint_unit, LEGS, "q{}"),
        Field("allowed", margins(m, X).is_allowed),
        Field("singular", is_crossing),
        *json_keys(crossings=path.crossings),
    ]
    return Answer(fields, notes=[f"from mode {first} to mode {last}, {path.sentence()}"])


def _chosen(between: str, count: int) -> tuple[int, int]:
    """Two numbers of modes, from 1."""
    chosen = numbers("--between", between, [2])
    if not (np.isin(chosen, np.arange(1, count + 1)).all() and chosen[0] != chosen[1]):
        raise InputError(f"--between: {between!r}, expected two different modes of 1 to {count}")
    return int(chosen[0]), int(chosen[1])


def _with_crossings(path: ModeTransition) -> tuple[Array, Array, Any]:
    """Places and poses along the path with the singular ones among them, and which those are."""
    s = np.concatenate([path.s, path.crossings])
    order = np.argsort(s, kind="stable")
    return s[order], np.concatenate([path.matrix, path.crossing_poses])[order], order >= len(path.s)
