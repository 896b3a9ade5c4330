"""Optimal design of experiments: greedy choice of rows, exchange, and an order in which to visit them."""

from __future__ import annotations

import numpy as np

from gough.arrays import Array, Ints

SHORT = 600
"""Number of candidates for exchange, the best of the greedy choice's steps."""
_AGAIN, _BEST = 4, 2000
"""Every fourth greedy step evaluates all candidates, the others the best 2000 of these."""
_SWEEPS = 6
"""Maximum number of exchanges of every row."""
_GAIN = 1e-6
"""Relative gain below which an exchange may be rounding."""


class _Design:
    """Candidates A (n, m, p), and the covariance C (p, p) of the unknowns given the rows chosen.

    `known` is its inverse, the information; W = G^T G of the goals G weighs the covariance in criterion I.
    """

    def __init__(self, A: Array, prior: Array, goal: Array | None) -> None:
        self.A = A
        self.known = np.diag(prior)
        self.C = np.diag(1.0 / prior)
        self.W = None if goal is None else goal.reshape(-1, goal.shape[2]).T @ goal.reshape(-1, goal.shape[2])

    def update(self, row: int, sign: float) -> None:
        """Add a row (+1) or take it out (-1)."""
        a = self.A[row]
        self.known = self.known + sign * a.T @ a
        # Scaled to a unit diagonal, so that unknowns of very different information cost no digits.
        size = 1.0 / np.sqrt(np.diag(self.known))
        C = np.linalg.inv(self.known * size * size[:, None]) * size * size[:, None]
        self.C = (C + C.T) / 2.0

    def gains(self, rows: Ints, *, is_start: bool = False) -> Array:
        """Gain of each row: decrease of the trace of W C, or of log det C without goals or at the start.

        By the matrix inversion lemma with S = I + A C A^T, of the size of a row's measurements.
        """
        A = self.A[rows]
        n, m, p = A.shape
        U = (A.reshape(-1, p) @ self.C).reshape(n, m, p)
        S = np.eye(m) + U @ np.swapaxes(A, 1, 2)
        if self.W is None or is_start:
            return np.asarray(np.linalg.slogdet(S)[1])
        UW = (U.reshape(-1, p) @ self.W).reshape(n, m, p)
        return np.asarray(np.trace(np.linalg.solve(S, UW @ np.swapaxes(U, 1, 2)), axis1=1, axis2=2))


def chosen(A: Array, prior: Array, count: int, goal: Array | None) -> Ints:
    """Return rows of A (n, m, p) that determine the unknowns best, or the goals (k, 6, p) that depend on them.

    Greedy choice, then exchange of one row after the other until none gains; `prior` (p,) is the prior information.
    """
    design = _Design(A, prior, goal)
    picks, shortlist = _greedy(design, count)
    for _ in range(_SWEEPS):
        changes = 0
        for place, row in enumerate(picks):
            design.update(row, -1.0)
            others = np.setdiff1d(shortlist, [each for each in picks if each != row])  # the row itself is one of them
            gains = design.gains(others)
            best = int(others[np.argmax(gains)])
            if best != row and gains.max() > gains[np.searchsorted(others, row)] * (1.0 + _GAIN):
                picks[place], changes = best, changes + 1
            design.update(picks[place], 1.0)
        if not changes:
            break
    return np.array(picks, dtype=np.int64)


def _greedy(design: _Design, count: int) -> tuple[list[int], Ints]:
    """Rows, each the best next to those before, and the candidates for exchange.

    Among many rows they are chosen by the unknowns even where there are goals: while little is known the goals favour
    similar rows, and exchange among these ends up to a sixth worse.
    """
    n, is_start = len(design.A), len(design.A) > _BEST
    picks: list[int] = []
    value, best = np.zeros(n), np.arange(n)
    for step in range(count):
        rows = np.arange(n) if step % _AGAIN == 0 else best
        gains = np.full(n, -np.inf)
        gains[rows] = design.gains(rows, is_start=is_start)
        gains[picks] = -np.inf
        if step % _AGAIN == 0:
            best = np.argsort(-gains)[:_BEST]
        value = np.maximum(value, np.where(np.isfinite(gains), gains / max(gains.max(), 1e-300), 0.0))
        picks.append(int(np.argmax(gains)))
        design.update(picks[-1], 1.0)
    return picks, np.union1d(np.argsort(-value)[:SHORT], picks)


def nearest_neighbours(q: Array) -> Ints:
    """Order of rows of q (n, 6) that keeps the sum of the largest joint travels short: nearest next, then 2-opt."""
    far = np.abs(q[:, None] - q[None]).max(axis=2)  # drives move together, so the largest travel counts
    n = len(q)
    middle = int(np.argmin(np.abs(q - q.mean(axis=0)).max(axis=1)))
    order = [middle]
    while len(order) < n:
        left = np.setdiff1d(np.arange(n), order)
        order.append(int(left[np.argmin(far[order[-1], left])]))
    # 2-opt: order[i + 1] to order[j] are reversed where that shortens the travels to and from them; there is no travel
    # from the last row.
    for _ in range(n):
        better = False
        for i in range(n - 1):
            for j in range(i + 2, n):
                after = far[order[i], order[j]] + (far[order[i + 1], order[j + 1]] if j + 1 < n else 0.0)
                before = far[order[i], order[i + 1]] + (far[order[j], order[j + 1]] if j + 1 < n else 0.0)
                if after < before - 1e-12:
                    order[i + 1 : j + 1] = order[i + 1 : j + 1][::-1]
                    better = True
        if not better:
            break
    return np.array(order, dtype=np.int64)
