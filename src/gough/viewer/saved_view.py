"""Saved views: the state of the page as a JSON document, in a file or in a link, and back."""

from __future__ import annotations

import base64
import json
import zlib
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import Any
from urllib.parse import parse_qs

import numpy as np

import gough
from gough.errors import InputError
from gough.files import DOCUMENT, read_bounded
from gough.poses import checked_matrices
from gough.viewer.applied_forces import LARGEST, NOTHING, ForceInputs
from gough.viewer.stage import BASE, HOME, pivots
from gough.viewer.store import State

VERSION = 1
VIEW = "view"
"""Name of the view in the query of an address."""
NEAREST = 1e-9
"""Smallest distance of a camera from what it looks at [m], and length of its upward direction."""
DRAWN = ("frames", "numbers")
"""Fields of the state for what is drawn, kept as switches; shadows depend on the computer that shows the view."""


@dataclass
class SavedView:
    """A machine, its pose, the page's settings and a camera.

    Attributes
    ----------
    machine : str
        Built-in name or path.
    poses : list of (4, 4) lists
        Pose of each stage's platform in its base [m].
    head : list of float
        Joint coordinates of the tool head [rad or m]; empty without one.
    reading : dict
        Pivot, convention and origin of the pose's coordinates.
    overlays : list of str
    switches : dict
        State of the switches by name.
    load : dict
        Payload and applied load, as `ForceInputs`, the mass in a list.
    camera : dict
        position, look_at and up_direction [m]; empty for the initial camera.

    """

    machine: str
    poses: list[Any]
    head: list[float] = field(default_factory=list)
    reading: dict[str, str] = field(default_factory=dict)
    overlays: list[str] = field(default_factory=list)
    switches: dict[str, bool] = field(default_factory=dict)
    load: dict[str, Any] = field(default_factory=dict)
    camera: dict[str, list[float]] = field(default_factory=dict)

    def document(self) -> str:
        """Return the view as a JSON file."""
        return json.dumps({"gough_view": VERSION, **asdict(self)}, indent=1)

    def link(self) -> str:
        """Return the view as the query of an address."""
        packed = zlib.compress(json.dumps({"gough_view": VERSION, **asdict(self)}).encode(), 9)
        return f"{VIEW}=" + base64.urlsafe_b64encode(packed).decode().rstrip("=")


def from_file(name: str) -> SavedView:
    """Return the view in a file."""
    return from_document(read_bounded(name, DOCUMENT), name)


def from_document(text: str | bytes, where: str) -> SavedView:
    """Return the view in a JSON document; `InputError` for any other text, which may come from anywhere."""
    try:
        found = json.loads(text)
        if found.pop("gough_view") != VERSION:
            raise InputError(f"{where}: a view of another version than {VERSION}; save it again")
        view = SavedView(**found)
        _check(view)
    except InputError:
        raise
    except (ValueError, KeyError, TypeError, AttributeError, OverflowError, RecursionError):
        raise InputError(f"{where} is not a view saved by gough view") from None
    return view


def _check(view: SavedView) -> None:
    """Raise `ValueError`, `TypeError` or `PoseError` for values that no view has."""
    poses = np.array(view.poses, dtype=float)
    checked_matrices(poses.reshape(-1, 4, 4))
    listed = [*view.camera.values(), *view.load.values()]
    numbers = np.array([*poses.ravel(), *view.head, *(x for values in listed for x in values)], dtype=float)
    texts = [view.machine, *view.overlays, *view.reading, *view.reading.values(), *view.switches, *view.load]
    if not (np.abs(numbers) <= LARGEST).all():
        raise ValueError(f"poses, head, load and camera are numbers of at most {LARGEST:g}")
    _with_load(NOTHING, view.load).check()
    position, target, upward = (
        np.array(view.camera.get(name, default), dtype=float)
        for name, default in (("position", np.ones(3)), ("look_at", np.zeros(3)), ("up_direction", np.ones(3)))
    )
    if min(np.linalg.norm(position - target), np.linalg.norm(upward)) < NEAREST:
        raise ValueError("a camera has a direction and an upward one")
    if not all(isinstance(text, str) for text in texts) or any(len(values) != 3 for values in view.camera.values()):
        raise TypeError("names are text, and the camera's positions are points")


def from_link(text: str) -> SavedView:
    """Return the view in the query of an address."""
    try:
        packed = parse_qs(text.lstrip("?"), max_num_fields=20).get(VIEW, [""])[0]
        # The padding that `link` removes; at most 1 MB is unpacked, as a short link may hold far more.
        document = zlib.decompressobj().decompress(base64.urlsafe_b64decode(packed + "=" * (-len(packed) % 4)), 1 << 20)
    except (ValueError, zlib.error):
        raise InputError("the address does not hold a view; copy the whole link") from None
    return from_document(document, "the link")


def saved_view(state: State, camera: dict[str, list[float]] | None = None) -> SavedView:
    """Return the view of a state, with the camera of one window."""
    head, inputs = state.stage.machine.head, state.force_inputs
    pivot = next(name for name, p in pivots(state.stage.machine).items() if np.array_equal(p, state.coordinates.pivot))
    return SavedView(
        state.source,
        [stage.X.tolist() for stage in state.stages],
        [] if head is None else head.q.tolist(),
        {"pivot": pivot, "convention": state.convention, "origin": state.origin},
        sorted(state.overlays),
        {"limits": state.stage.keeps_limits, **{name: getattr(state, name) for name in DRAWN}},
        {"mass": [inputs.mass], **{name: list(getattr(inputs, name)) for name in inputs._fields[1:]}},
        camera or {},
    )


def restored(state: State, view: SavedView) -> State:
    """Return a state with the poses and settings of a view; settings that it does not have stay.

    The machine of the state must be that of the view.
    """
    keeps_limits = bool(view.switches.get("limits", state.stage.keeps_limits))
    state = replace(state, stages=tuple(replace(stage, keeps_limits=keeps_limits) for stage in state.stages))
    state = replace(state.posed(view.poses), overlays=frozenset(view.overlays), **_settings(state, view))
    state = state.with_forces(_with_load(state.force_inputs, view.load))
    head = state.stage.machine.head
    return state if head is None or not view.head else state.moved(state.stage.with_head(view.head), "restored")


def _settings(state: State, view: SavedView) -> dict[str, Any]:
    """Fields of the state from a view, where their values are known ones."""
    found: dict[str, Any] = {name: bool(view.switches[name]) for name in DRAWN if name in view.switches}
    known: dict[str, Any] = {
        "pivot": pivots(state.stage.machine),
        "convention": gough.frames.CONVENTIONS,
        "origin": (HOME, BASE),
    }
    return found | {name: value for name, value in view.reading.items() if value in known.get(name, ())}


def _with_load(inputs: ForceInputs, load: Mapping[str, Any]) -> ForceInputs:
    """Inputs with the load of a view: those with three values, and the mass with one; others stay."""
    given = {name: tuple(map(float, load.get(name, ()))) for name in ForceInputs._fields}
    mass = given.pop("mass")
    found: dict[str, Any] = {name: values for name, values in given.items() if len(values) == 3}
    found |= {"mass": mass[0]} if len(mass) == 1 else {}
    return inputs._replace(**found)
