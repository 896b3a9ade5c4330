"""What a view is: as a document that a file or a link carries, and back."""

from __future__ import annotations

import base64
import json
import zlib
from dataclasses import asdict, dataclass, field
from typing import Any
from urllib.parse import parse_qs

import numpy as np

from gough.errors import InputError
from gough.poses import checked_matrices

VERSION = 1
VIEW = "view"
"""Name of the view in an address."""


@dataclass
class State:
    """A machine, its pose, and how it is looked at.

    Attributes
    ----------
    machine : str
        Built-in name or path.
    poses : list of (4, 4) lists
        Of the platform in its base [m]; of both stages of a double hexapod.
    head : list of float
        Joint coordinates of the tool head [rad or m]; empty without one.
    reading : dict
        Pivot, convention and origin of the six numbers.
    overlays : list of str
    switches : dict
        Names of switches and whether they are on.
    load : dict
        Payload and applied load.
    camera : dict
        position, look_at and up [m]; empty for the first look.

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
        """The state as a JSON file."""
        return json.dumps({"gough_view": VERSION, **asdict(self)}, indent=1)

    def link(self) -> str:
        """The state as what stands behind ? in an address."""
        packed = zlib.compress(json.dumps({"gough_view": VERSION, **asdict(self)}).encode(), 9)
        return f"{VIEW}=" + base64.urlsafe_b64encode(packed).decode().rstrip("=")


def from_document(text: str | bytes, where: str) -> State:
    """State from a JSON file; `InputError` says what is wrong with it."""
    try:
        found = json.loads(text)
        if found.pop("gough_view") != VERSION:
            raise InputError(f"{where}: a view of another version than {VERSION}; save it anew")
        state = State(**found)
        _check(state)
    except InputError:
        raise
    except (ValueError, KeyError, TypeError, AttributeError, OverflowError, RecursionError):
        raise InputError(f"{where} is not a view saved by gough view") from None
    return state


def _check(state: State) -> None:
    """`ValueError`, `TypeError` or `PoseError` where a document holds other things than a state does."""
    poses = np.array(state.poses, dtype=float)
    checked_matrices(poses.reshape(-1, 4, 4))
    numbers = np.array([*state.head, *(x for values in state.camera.values() for x in values)], dtype=float)
    texts = [state.machine, *state.overlays, *state.reading, *state.reading.values(), *state.switches, *state.load]
    if not (np.isfinite(poses).all() and np.isfinite(numbers).all()):
        raise ValueError("poses, head and camera are finite numbers")
    if not all(isinstance(text, str) for text in texts) or any(len(values) != 3 for values in state.camera.values()):
        raise TypeError("names are text, and the camera's places are points")


def from_link(text: str) -> State:
    """State from what stands behind ? in an address."""
    try:
        packed = parse_qs(text.lstrip("?"), max_num_fields=20).get(VIEW, [""])[0]
        document = zlib.decompressobj().decompress(base64.urlsafe_b64decode(packed + "=" * (-len(packed) % 4)), 1 << 20)
    except (ValueError, zlib.error):
        raise InputError("the address does not hold a view; copy the whole link") from None
    return from_document(document, "the link")
