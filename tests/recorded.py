"""What the library answers to the rooms that render: every number, in SI, that crosses from one side to the other."""

import sys
import threading
from dataclasses import fields, is_dataclass
from functools import cache
from pathlib import Path

import numpy as np
from scipy.spatial.transform import Rotation

import gough
from gough.limits.margins import Margins

ROOT = f"{Path(gough.__file__).parent}/"
RENDERING = tuple(f"{ROOT}{room}/" for room in ("cli", "datasheet", "viewer", "plot", "present"))
BETWEEN = ("functools.py", "contextlib.py")
"""Code that only hands a call on."""
FEW = 300
"""Numbers of an array that rounded numbers are looked for in: among many, one fits by chance."""
EXACT = 1e-10
DEPTH = 7


class Recorder:
    """Records, while it is entered, what functions of the library return to code of the rendering rooms."""

    def __init__(self):
        self._seen, self._arrays = {}, []

    def __enter__(self):
        threading.setprofile(self._watch)
        sys.setprofile(self._watch)
        return self

    def __exit__(self, *_):
        sys.setprofile(None)
        threading.setprofile(None)

    def _watch(self, frame, event, value):
        if event == "return" and value is not None and is_library(frame.f_code.co_filename):
            caller = frame.f_back
            while caller is not None and caller.f_code.co_filename.endswith(BETWEEN):
                caller = caller.f_back
            if caller is not None and caller.f_code.co_filename.startswith(RENDERING):
                self.keep(value)

    def keep(self, value, depth=0):
        """Keep all numbers within a value."""
        if isinstance(value, str | bytes | bool) or depth > DEPTH or value is None:
            return
        if isinstance(value, int | float | np.number):
            self._arrays.append(np.array([float(value)]))
        elif isinstance(value, np.ndarray):
            if value.dtype.kind in "fiu":
                self._arrays.append(np.array(value, float))
            elif value.dtype.kind == "O":
                self.keep(value.tolist(), depth)
        elif id(value) not in self._seen:
            self._seen[id(value)] = value  # kept alive, so that no other takes its place
            if isinstance(
                value, Margins
            ):  # sentences tell the quantity itself: what is allowed, more or less the margin
                signs = [1.0 if column.is_lower else -1.0 for column in value.columns]
                self._arrays.append(np.array([column.bound for column in value.columns]) + signs * value.values)
            for part in parts(value):
                self.keep(part, depth + 1)

    def keep_uses(self, machine):
        """Keep also what part of the drives' limits the numbers of six legs are."""
        limits = [limit for limit in (machine.limits.joint_speed, machine.limits.actuator_force) if limit is not None]
        self._arrays += [a / limit for a in self._arrays if a.ndim and a.shape[-1] == 6 for limit in limits]

    def all(self):
        """Magnitudes of all numbers, and of the quaternions of poses; sorted."""
        return self._sorted([*self._arrays, *quaternions(self._arrays)])

    def few(self):
        """Those of small arrays, with the extremes of large ones, and norms of vectors; sorted."""
        small = [a for a in self._arrays if a.size <= FEW]
        finite = [a[np.isfinite(a)] for a in self._arrays if a.size > FEW]
        small += [np.array([a.min(), a.max()]) for a in finite if a.size]
        small += [a[end] for a in self._arrays if a.size > FEW and a.ndim for end in (0, -1) if a[end].size <= FEW]
        norms = [np.linalg.norm(a, axis=-1) for a in small if a.ndim and a.shape[-1] in (3, 6)]
        norms += [np.linalg.norm(a[:3], axis=0) for a in small if a.ndim == 2 and len(a) == 6]
        return self._sorted([*small, *norms, *quaternions(small)])

    @staticmethod
    def _sorted(arrays):
        every = np.abs(np.concatenate([np.zeros(1), *(np.ravel(a) for a in arrays)]))
        return np.unique(every[np.isfinite(every)])


def quaternions(arrays):
    """Of the finite poses (..., 4, 4) among arrays."""
    turned = [a.reshape(-1, 4, 4)[:, :3, :3] for a in arrays if a.shape[-2:] == (4, 4)]
    known = [R[np.isfinite(R).all((1, 2))] for R in turned]
    return [Rotation.from_matrix(R).as_quat() for R in known if len(R)]


def parts(value):
    """What a value is made of."""
    if isinstance(value, dict):
        return list(value.values())
    if isinstance(value, list | tuple | set | frozenset):
        return list(value)
    if type(value).__module__.startswith("xarray"):
        known = {**value.coords, **getattr(value, "data_vars", {"": value})}
        return [value.attrs, *(each.to_numpy() for each in known.values())]
    if type(value).__module__.startswith("gough."):
        own = list(vars(value).values()) if hasattr(value, "__dict__") else []
        return own or ([getattr(value, f.name) for f in fields(value)] if is_dataclass(value) else [])
    return []


@cache
def is_library(filename):
    """Whether code is Gough's, and does not render."""
    return filename.startswith(ROOT) and not filename.startswith(RENDERING)


def has(numbers, value, half=0.0):
    """Whether sorted magnitudes have one within `half` of a value, and rounding."""
    value, half = abs(value), half + EXACT * abs(value)
    return bool(np.searchsorted(numbers, value - half) < np.searchsorted(numbers, value + half, side="right"))
