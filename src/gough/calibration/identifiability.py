"""Which combinations of errors data determine, by singular values, and the others in words.

With errors counted in their spreads and s a singular value of the weighted derivatives, the combination has the
standard deviation 1 / sqrt(1 + s^2) after measuring and 1 before. With s < 1 the data say less of it than was known
before: it is not determined.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gough.arrays import Array
from gough.calibration.legs import LegErrors
from gough.calibration.rigid import orthonormal, twists
from gough.legs import PUS, RUS
from gough.limits.ties import legs_in_words, listed
from gough.present.units import with_unit

_INSIDE = 0.9
"""Cosine between an undetermined and a named combination from which the name is used."""
_LOST = 0.1
"""Length of the remainder of a combination below which it was among those named."""
_COUNTS = 0.15
"""Part of a combination's square from which a group of errors in it is named."""


@dataclass(frozen=True, eq=False)
class Information:
    """Information on errors counted in their spreads, with unknown frames and points eliminated.

    Attributes
    ----------
    values : (p,) array
        Singular values in decreasing order; zeros where fewer numbers than errors are measured.
    directions : (p, p) array
        Combinations of errors, in rows.

    """

    values: Array
    directions: Array

    @property
    def is_determined(self) -> NDArray[np.bool_]:
        """Which combinations the data determine (p,)."""
        return np.asarray(self.values >= 1.0)

    @property
    def open(self) -> Array:
        """Undetermined combinations, in rows."""
        return self.directions[~self.is_determined]

    @property
    def covariance(self) -> Array:
        """Covariance (p, p) of the errors, counted in their spreads."""
        return np.asarray((self.directions.T / (1.0 + self.values**2)) @ self.directions)


def information(J: Array, prior: Array) -> Information:
    """Return the information of weighted derivatives (N, errors and setup), whose first columns are the errors'.

    `prior` (p, p) has the inverse spreads of the errors, in the units by which J differentiates: the square root of
    their information before measuring.
    """
    errors = len(prior)
    J_errors, J_setup = np.linalg.solve(prior, J[:, :errors].T).T, J[:, errors:]
    if J_setup.shape[1]:
        # The setup's unknowns have no prior here: the errors' columns lose their parts along the setup's.
        size = np.linalg.norm(J_setup, axis=0)
        U, s, _ = np.linalg.svd(J_setup / np.where(size > 0, size, 1.0), full_matrices=False)
        Q = U[:, s > 1e-9 * max(s[0], 1e-300)]
        J_errors = J_errors - Q @ (Q.T @ J_errors)
    if len(J_errors) < errors:
        J_errors = np.concatenate([J_errors, np.zeros((errors - len(J_errors), errors))])
    R = np.linalg.qr(J_errors, mode="r")  # (p, p), with the same singular values and directions
    _, s, Vt = np.linalg.svd(R)
    return Information(s, Vt)


def sentences(
    found: Information, legs: LegErrors, spread: Array, prior: Array, frames: frozenset[str], q: Array
) -> list[str]:
    """Return undetermined combinations, a sentence for each kind of them; `frames` are the unknown parts of the setup.

    `prior` (p, p) has the inverse spreads of the errors over `spread`.
    """
    rest = found.open
    found_words = []
    for words, directions in _named(legs, spread, frames, q):
        if not len(rest):
            break
        basis = orthonormal(directions @ prior)
        if not len(basis):
            continue
        # Cosines of the principal angles between the named space and what is still undetermined.
        _, s, Vt = np.linalg.svd(basis @ rest.T, full_matrices=False)
        count = int((s > _INSIDE).sum())
        if count:
            found_words.append(f"{words}: {count} combination{'s' if count > 1 else ''}")
            # What was named is projected out; a remainder of rounding is dropped.
            taken = Vt[:count]
            _, left, Vt = np.linalg.svd((np.eye(len(rest)) - taken.T @ taken) @ rest, full_matrices=False)
            rest = Vt[left > _LOST]
    return found_words + _unnamed(rest, legs)


def _named(legs: LegErrors, spread: Array, frames: frozenset[str], q: Array) -> Iterator[tuple[str, Array]]:
    """Words and combinations in spreads, in rows, of what measurements often leave undetermined."""
    if "base_points" in legs.places:
        device = " and the measuring device's frame" if "device" in frames else ""
        yield f"moving all base joints together{device}", twists(legs, "base_points") / spread
    if "platform_points" in legs.places:
        target = " and the target's frame" if frames & {"target", "points"} else ""
        yield f"moving all platform joints together{target}", twists(legs, "platform_points") / spread
    if "joint_zeros" in legs.places and "device" in frames:
        words = "shifting all joint zeros together with the measuring device's frame"
        yield words, _column(legs, "joint_zeros") / spread
    if "scale" in frames:
        yield "scaling the whole machine together with the measuring device", _scaling(legs)[None] / spread
    span = np.nanmax(q, axis=0) - np.nanmin(q, axis=0)
    for i in range(6):
        reach = f"readings span {with_unit(legs.machine, span[i], legs.machine.legs.joint_unit, 4)} of its travel"
        for one, other, words in (
            ("joint_zeros", "gains", "zero of leg {} against its gain"),
            ("gains", "curvatures", "gain of leg {} against its curvature"),
        ):
            if one in legs.places and other in legs.places:
                drive = [name for name in ("joint_zeros", "gains", "curvatures") if name in legs.places]
                columns = np.concatenate([_column(legs, name, i) for name in drive])
                yield f"{words.format(i + 1)} ({reach})", columns / spread


def _column(legs: LegErrors, name: str, leg: int | None = None) -> Array:
    """Unit errors of a group, of one leg or of each leg, in rows."""
    chosen = range(6) if leg is None else [leg]
    found = np.zeros((len(chosen), 6, legs.count))
    for row, i in enumerate(chosen):
        found[row, i, legs.places[name].start] = 1.0
    return found.reshape(len(chosen), -1)


def _scaling(legs: LegErrors) -> Array:
    """Errors (errors,) equivalent to scaling the whole machine, its readings included where their gains are unknown."""
    found, kind, is_length = np.zeros((6, legs.count)), legs.machine.legs, legs.machine.legs.joint == "length"
    parts = {
        "base_points": kind.driven_points(np.zeros(6)),
        "platform_points": legs.machine.b_P,
        "rod_lengths": getattr(kind, "rod_length", np.zeros(6)),
    }
    if isinstance(kind, RUS):
        parts |= {"base_points": kind.c_B, "arms": np.linalg.norm(kind.r_B, axis=1)}
    if is_length:
        parts |= {"joint_zeros": legs.middle, "gains": np.ones(6)}
    for name, place in legs.places.items():
        if name in parts:
            found[:, place] = parts[name].reshape(6, -1)
    if isinstance(kind, PUS) and "base_points" in legs.places:
        found[:, legs.places["base_points"]] += legs.middle[:, None] * kind.g_B  # in place of a zero
    return found.ravel()


def _unnamed(rest: Array, legs: LegErrors) -> list[str]:
    """Groups and legs of which combinations without a name consist."""
    if not len(rest):
        return []
    share = (rest**2).sum(axis=0).reshape(6, -1)  # rows are of length one, so all of it sums to their number
    by_group = {name: share[:, place].sum() for name, place in legs.places.items()}
    groups = [name for name, part in by_group.items() if part > _COUNTS * len(rest)] or list(by_group)
    by_leg = share.sum(axis=1)
    who = [i + 1 for i in range(6) if by_leg[i] > _COUNTS / 2 * len(rest)] or [1, 2, 3, 4, 5, 6]
    words = listed(name.replace("_", " ") for name in groups)
    against = " against one another" if len(groups) > 1 or len(who) > 1 else ""
    return [f"{words} of {legs_in_words(who)}{against}: {len(rest)} combination{'s' if len(rest) > 1 else ''}"]
