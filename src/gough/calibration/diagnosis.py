"""Tests of a fit's residuals for shifts, drift, hysteresis, and dependence on the place in the workspace."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from gough.arrays import Array, Ints
from gough.calibration.fitted_machine import FittedMachine
from gough.calibration.noise import whitened, whiteners
from gough.calibration.outliers import with_rows
from gough.calibration.problem import full
from gough.calibration.threads import in_one_thread
from gough.limits.ties import legs_in_words
from gough.machine import Machine
from gough.present.show import Show, significant
from gough.quantity import quantity, result
from gough.results import Result

RARE = 1e-3
"""Probability of a finding where there is nothing."""
LEAST = 0.5
"""Size of a drift, a backlash or a shift between sessions that is reported, as part of the scatter."""
ROUNDING = 1e-9
"""Residuals of data without noise, in machine sizes."""
CLEAR = 2.5
"""Size of a jump within a session that is reported, in scatters: smaller ones may be model errors at another place."""
_FEW = 4
"""Smallest number of rows on either side of a jump, and of rows of a stall."""
_DENSE = 0.7
"""Part of the rows of a stall that are left out; the others are near where the leg stayed."""
_CONSTANT = 0.1
"""Part of the squares of rows in sequence that a constant offset leaves, up to which it explains them."""
_ALIKE = 1.5
"""Ratio of the squares left by an offset and by a stall up to which both explain rows alike."""
_GROSS = 3.0
"""Distance of a row, in medians of its sequence, above which it has a cause of its own."""
CAUSES = ("stall", "scale")
"""Kinds of findings that falsify the errors found."""
DECISIVE = 1e-6
"""Probability of such a finding where there is nothing, below which the fit is not good."""
TWO_CAUSES = "shifted joint zeros and a moved measuring device cannot be distinguished by this"


@result
class Finding(Result):
    """An effect that a test found in the residuals."""

    kind: str = quantity("", doc='"shift", "drift", "hysteresis", "place", "stall" or "scale".')
    by_leg: Array = quantity(
        "m", "leg",
        doc="Its size: of the jump, over all rows, between both directions, over the workspace, of what a leg did not "
        "move, of the legs' lengths at home.",
    )  # fmt: skip
    chance: float = quantity("1", doc="Probability of as large an effect where there is none.")
    row: int = quantity("1", is_listed=False, doc="First row after a jump, otherwise -1.")
    words: str = quantity("", is_listed=False, doc="The effect in one sentence.")

    def __str__(self) -> str:
        return self.words


@in_one_thread
def shift(found: FittedMachine) -> Finding | None:
    """Return the jump of the legs' lengths that rows left out show or, otherwise, the most significant one between two
    rows.

    None without one. A score test of the rows kept: for each, by how much the sum of squares would fall with six more
    unknowns, the jumps of the legs from there on, the other unknowns adjusting to them.
    """
    from scipy.special import fdtrc

    away = left_out(found)
    if away is not None and away.kind == "shift":
        return away
    gain, jump, freedom, squares = _gains(found)
    n = len(gain) - 1
    if n < 2 * _FEW or freedom < 1 or not squares > 0:
        return None
    k = _FEW + int(np.argmax(gain[_FEW : n - _FEW + 1]))
    left = max(squares - gain[k], np.finfo(float).eps * squares) / freedom  # a difference is known to rounding
    F = gain[k] / 6 / left  # six parameters, one jump for each leg
    chance = n * float(fdtrc(6, freedom, F))  # Bonferroni: a jump may be at any of n rows
    scatter = float(np.sqrt(left)) * found.noise_along_legs  # residuals are in standard deviations of the noise
    largest = int(np.argmax(np.abs(jump[k])))
    if (
        chance > RARE
        or gain[n] > gain[k]  # a drift explains more
        or abs(jump[k][largest]) < max(CLEAR * scatter, ROUNDING * found.nominal.size)
    ):
        return None
    row = int(found.rows_used[np.flatnonzero(found.kept)[k]])
    return Finding("shift", jump[k], chance, row, _moved(found, row, jump[k], scatter))


def _moved(found: FittedMachine, row: int, jump: Array, scatter: float) -> str:
    """That legs jump (6,) before a row [m]."""
    show, largest = Show(found.nominal), int(np.argmax(np.abs(jump)))
    return (
        f"something moved before row {row + 1}: residuals jump there by up to "
        f"{signed_length(show, jump[largest])} (leg {largest + 1}), their scatter is "
        f"{show.with_unit(scatter, 'm', 2)}; {TWO_CAUSES}"
    )


def _gains(found: FittedMachine) -> tuple[Array, Array, int, float]:
    """Decrease of the sum of squares by a jump before each row that was fitted and, last, by a drift (n + 1,); these
    jumps and the drift (n + 1, 6) [m]; degrees of freedom and sum of squares of the fit.

    With B the whitened derivatives by leg lengths, of rows from the jump on, and r the fit's residuals, the jump solves
    (B^T B - E^T E) jump = B^T r, where E = Q^T B is what the other unknowns explain of it.
    """
    fit, n = found.fit, int(found.kept.sum())
    c, A, E = np.zeros((n, 6)), np.zeros((n, 6, 6)), np.zeros((n, fit.J.shape[1], 6))
    both = zip(full(fit.rows, fit.r), full(fit.rows, fit.hat_factor), whiteners(fit.rows, fit.noise), strict=True)
    for (each, r), (_, Q), W in both:
        if each.by_other_joints is None:
            B = W @ each.by_legs
            B_t = np.swapaxes(B, 1, 2)
            c[each.at] += (B_t @ r[..., None])[..., 0]
            A[each.at] += B_t @ B
            E[each.at] += np.swapaxes(Q, 1, 2) @ B
    # For a jump before a row the sums over it and all later rows; for the drift the sums weighted by time.
    whole = [np.cumsum(each[::-1], axis=0)[::-1] for each in (c, A, E)]
    time = np.linspace(-0.5, 0.5, n)[:, None]
    line = [(c * time).sum(axis=0), (A * time[..., None] ** 2).sum(axis=0), (E * time[..., None]).sum(axis=0)]
    c, A, E = (np.concatenate([one, other[None]]) for one, other in zip(whole, line, strict=True))
    left = A - np.swapaxes(E, 1, 2) @ E
    # Regularised: jumps of a few rows at the end may not be determined.
    size = np.trace(left, axis1=1, axis2=2)[:, None, None] / 6 + 1e-300
    jump = np.linalg.solve(left + 1e-9 * size * np.eye(6), c[..., None])[..., 0]
    return np.sum(c * jump, axis=1), jump, len(fit.r) - len(found.x) - 6, float(fit.r @ fit.r)


def left_out(found: FittedMachine) -> Finding | None:
    """Return rows in sequence that were left out: a jump, a leg that stalls, or neither for sure; None without such."""
    bad, legs = np.flatnonzero(~found.kept), {one.row: one.leg for one in found.outliers}
    by_leg = np.array([legs[found.rows_used[k]] for k in bad], dtype=int)
    runs = [(leg, _sequence(bad[by_leg == leg])) for leg in range(6)]
    leg, rows = max(runs, key=lambda one: len(one[1]))
    if len(rows) < _FEW:
        leg, rows = -1, _sequence(bad)
    if len(rows) < _FEW:
        return None
    m, q, where = found.nominal, found.given.q[rows], found.rows_used[rows]
    off = np.array([one.off for one in found.outliers if one.row in where])
    words, sequence = Show(m).with_unit(off.max(), "m", 3), f"rows {where[0] + 1} to {where[-1] + 1}"
    is_frozen = leg >= 0 and np.ptp(q[:, leg]) <= ROUNDING * (m.size if m.legs.joint == "length" else 1.0)
    if not is_frozen and (jump := _offset(found, leg, rows)) is not None:
        # Rows from the first on are before the jump, others after it.
        is_before = not found.kept[: rows[0]].any() and found.kept[rows[-1] + 1 :].any()
        row = int(found.rows_used[rows[-1] + 1] if is_before else where[0])
        size = -jump[0] if is_before else jump[0]
        return Finding(
            "shift", size, 0.0, row, f"{_moved(found, row, size, jump[1])}; of {sequence}, {len(rows)} are left out"
        )
    if leg < 0:
        words = (
            f"{sequence} do not fit the others, by up to {words}: a leg that did not follow, or something that moved"
        )
    elif is_frozen:
        words = f"the reading of leg {leg + 1} stays the same in {sequence} while the leg moves, by up to {words}"
    else:
        words = f"leg {leg + 1} did not move as it was read in {sequence}, by up to {words}"
    size = off.max() * (np.arange(6) == leg) if leg >= 0 else np.full(6, off.max())
    return Finding("stall", size, 0.0, int(where[0]), f"{words}; {len(rows)} of them are left out")


def _offset(found: FittedMachine, leg: int, rows: Ints) -> tuple[Array, float] | None:
    """Mean jump of leg lengths (6,) that explains `rows`, with the scatter left [m]; None where a stall does better.

    The jump is of one leg's reading or, where `leg` is -1, of all lengths. Where a leg stalls, its length stays while
    its reading q moves: an error of q minus a constant.
    """
    problem = replace(found.problem, X=found.problem.X.copy())  # whose rows overwrite the poses
    absolute = [each for each in problem.rows(found.fit.x) if each.by_other_joints is None]
    if not absolute:
        return None
    (each,), (W,) = absolute, whiteners(absolute, found.fit.noise)  # absolute measurements are all in one block
    r, k = (W @ each.r[..., None])[..., 0], np.flatnonzero(np.isin(each.at, rows))
    far = np.linalg.norm(r[k], axis=1)
    k = k[far <= _GROSS * np.median(far)]
    r, B, rate, q = r[k], W[k] @ each.by_legs[k], each.rate[k], found.given.q[each.at[k]]
    by_reading, chosen = B * rate[:, None], range(6) if leg < 0 else (leg,)
    x, left = _squares_left(r, by_reading[..., [leg]] if leg >= 0 else B)
    stalls = (_squares_left(r - by_reading[..., i] * q[:, [i]], by_reading[..., [i]])[1] for i in chosen)
    if left > min(_CONSTANT * float((r**2).sum()), _ALIKE * min(stalls)):
        return None
    jump = x * rate.mean(axis=0) * (np.arange(6) == leg) if leg >= 0 else x
    freedom = max(int(each.is_there[k].sum()) - len(x), 1)
    return jump, float(np.sqrt(left / freedom)) * found.noise_along_legs


def _squares_left(y: Array, A: Array) -> tuple[Array, float]:
    """Least squares x (p,) of y (k, m) - A x with A (k, m, p), and the sum of squares that it leaves."""
    A, y = A.reshape(y.size, -1), y.ravel()
    x: Array = np.linalg.lstsq(A, y, rcond=None)[0].astype(float)
    return x, float(((y - A @ x) ** 2).sum())


def _sequence(rows: Ints) -> Ints:
    """The largest part of sorted rows without large gaps."""
    counts = [
        (k - i + 1, i, k)
        for i in range(len(rows))
        for k in range(i, len(rows))
        if k - i + 1 >= _DENSE * (rows[k] - rows[i] + 1)
    ]
    _, i, k = max(counts, default=(0, 0, -1))
    return rows[i : k + 1]


def scale(found: FittedMachine) -> Finding | None:
    """Return a common error of all measured lengths, where the device's scale is taken to be known.

    A score test with the errors' spreads as data: by how much the sum of squares of residuals and of errors would fall
    with one more unknown.
    """
    from scipy.special import fdtrc

    problem, fit = with_rows(found.problem, found.kept), found.fit
    if "scale" not in problem.setup.known or not problem.given.has_lengths:
        return None
    free = replace(problem, setup=replace(problem.setup, known=problem.setup.known - {"scale"}), X=problem.X.copy())
    rows = free.rows(np.append(fit.x, 0.0))
    b, Q = whitened(rows, whiteners(rows, fit.noise))[1][:, -1], fit.hat_factor
    left = float(b @ b - ((Q.T @ b) ** 2).sum())
    pull = float(
        ((fit.prior.rows[:, : len(found.errors)] @ found.apart) ** 2).sum()
    )  # frames and points have no spreads
    freedom = len(fit.r) - problem.setup_count - 1
    squares, drop = float(fit.r @ fit.r) + pull, float(b @ fit.r) ** 2 / max(left, 1e-300)
    if freedom < 1 or not left > ROUNDING * float(b @ b):
        return None
    rest = max((squares - drop) / freedom, 1.0)  # one where noise and spreads are what they are taken to be
    off, uncertain, m = -float(b @ fit.r) / left, float(np.sqrt(rest / left)), found.nominal
    least = max(LEAST * found.noise_along_legs, ROUNDING * m.size) / m.size
    chance = float(fdtrc(1, freedom, drop / rest))
    if chance > RARE or abs(off) < least:
        return None
    words = scale_sentence(m, 1.0 + off, uncertain)
    home = np.linalg.norm(m.b_home - m.legs.driven_points(m.legs.joints_at(m.b_home)), axis=1)
    return Finding("scale", off * home, chance, -1, words)


def scale_sentence(machine: Machine, scale: float, deviation: float) -> str:
    """State that lengths look too long or too short by a device's scale."""
    far, uncertain = significant(100.0 * abs(scale - 1.0), 3), significant(100.0 * deviation, 2)
    side, other = "long" if scale > 1.0 else "short", "readings" if machine.legs.joint == "length" else "whole machine"
    return (
        f"measured lengths look {far} % too {side} (uncertain by {uncertain} %): the scale of the measuring device, or "
        f"of the {other}; --more scale (scale=None) estimates the device's"
    )


@in_one_thread
def findings(found: FittedMachine, jump: Finding | None) -> tuple[Finding, ...]:
    """Return findings of all tests, with the jump that `shift` found: drift is not tested then, as a jump looks like
    one."""
    e, show, away = found.residuals, Show(found.nominal), left_out(found)
    tests = (
        None if away is not None and away.kind == "shift" else away,
        scale(found),
        jump,
        None if jump else drift(e, show),
        hysteresis(e, found.given.q, show),
        place(e, found.problem.X, show),
    )
    least = ROUNDING * found.nominal.size
    return tuple(one for one in tests if one is not None and np.nanmax(np.abs(one.by_leg)) > least)


def drift(residuals: Array, show: Show) -> Finding | None:
    """Return residuals (n, 6) that rise or fall over the rows."""
    n = len(residuals)
    time = np.linspace(-0.5, 0.5, n)[:, None]
    found = _regressed(residuals, np.broadcast_to(time[:, None], (n, 6, 1)))
    return _finding("drift", found, show, "residuals drift by {} from the first row to the last")


def hysteresis(residuals: Array, q: Array, show: Show) -> Finding | None:
    """Return residuals (n, 6) that depend on the direction of each joint's motion: backlash and friction."""
    sign = np.sign(np.diff(q, axis=0, prepend=q[:1]))
    sign[0] = 0.0  # of the first row the direction is not known
    found = _regressed(residuals, sign[..., None] / 2.0)
    return _finding(
        "hysteresis", found, show, "residuals differ by {} between readings reached from below and from above"
    )


def place(residuals: Array, X: Array, show: Show) -> Finding | None:
    """Return residuals (n, 6) that depend on the position, to second order: errors that are not modelled."""
    known = np.asarray(np.isfinite(X).all(axis=(1, 2)))
    if not known.any():
        return None
    p = np.where(known[:, None], X[:, :3, 3], np.nan)
    scale = np.nanstd(p, axis=0)
    z = (p - np.nanmean(p, axis=0)) / np.where(scale > 0, scale, 1.0)
    # Nine terms: x, y, z, their squares and products, each without its mean.
    terms = np.stack([z[:, i] * z[:, j] for i in range(3) for j in range(i, 3)], axis=1)
    terms = np.concatenate([z, terms - np.nanmean(terms, axis=0)], axis=1)
    found = _regressed(residuals, np.broadcast_to(terms[:, None], (len(X), 6, terms.shape[1])))
    return _finding("place", found, show, "residuals depend on the place in the workspace, {} peak to peak")


def _regressed(e: Array, terms: Array) -> tuple[Array, Array, Array]:
    """Linear regression of residuals (n, 6) [m] on terms (n, 6, k), for each leg.

    Returns the effect (6,), the coefficient of one term or the range of several, its significance by the F test, and
    the remaining scatter (6,).
    """
    from scipy.special import fdtrc

    effect, chance, scatter = np.zeros(6), np.ones(6), np.full(6, np.nan)
    for i in range(6):
        known = np.isfinite(e[:, i]) & np.isfinite(terms[:, i]).all(axis=1)
        n, k = int(known.sum()), terms.shape[2]
        A, y = np.concatenate([np.ones((n, 1)), terms[known, i]], axis=1), e[known, i]
        if n - k - 1 < 2 or np.linalg.matrix_rank(A) <= k:
            continue  # too few rows, or terms that depend on one another
        b = np.linalg.lstsq(A, y, rcond=None)[0]
        fitted = A[:, 1:] @ b[1:]
        left = ((y - A @ b) ** 2).sum() / (n - k - 1)
        whole = ((y - y.mean()) ** 2).sum()
        scatter[i] = np.sqrt(left)
        effect[i] = b[1] if k == 1 else np.ptp(fitted)
        if left > 0:
            chance[i] = fdtrc(k, n - k - 1, max(whole - left * (n - k - 1), 0.0) / k / left)
    return effect, chance, scatter


def signed_length(show: Show, value: float) -> str:
    """Return a length [m] with its sign and unit."""
    return f"{'+' if value > 0.0 else ''}{show.with_unit(value, 'm', 3)}"


def _finding(kind: str, found: tuple[Array, Array, Array], show: Show, words: str) -> Finding | None:
    """The finding of a regression, where it is significant for any of the six legs and not negligible."""
    effect, chance, scatter = found
    # Bonferroni's factor for six legs.
    sure = (chance * 6 < RARE) & (np.abs(effect) > LEAST * scatter)
    if not sure.any():
        return None
    largest = int(np.argmax(np.where(sure, np.abs(effect), 0.0)))
    legs = legs_in_words(int(i) + 1 for i in np.flatnonzero(sure))
    text = f"{words.format(signed_length(show, effect[largest]))} (leg {largest + 1}; found for {legs})"
    return Finding(kind, effect, float(6 * chance[sure].min()), -1, text)
