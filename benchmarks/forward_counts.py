"""`python -m benchmarks.forward_counts [count]`: what forward kinematics answers, counted on every built-in machine.

For poses turned up to 20 and 45 degrees about three axes at the centre of the platform, and for random poses inside all
limits: the steps it takes from home, and whether it comes back to the pose that made the joint values. Where it does
not, the answer is another pose with the same joint values: counted apart are those it flags, and those it calls "near".
Of the latter a fine walk of the legs from home (400 parts) tells whether the answer truly continues home: then it is
the drawn pose that lies in another assembly mode, out of reach of a straight motion of the legs.
"""

from __future__ import annotations

import sys

import numpy as np
from rich.console import Console
from rich.table import Table

import gough
from benchmarks.sampling import allowed_poses, turned_poses

SAME = 1e-9
"""Two poses closer than this [of the machine's size, and rad] are one."""
PARTS = 400
LARGEST_JUMP = 0.2
"""A part of the way that moves the platform further [of the machine's size, or rad] has lost it."""
CHECKED = 200
"""Doubtful answers looked at by a fine walk, of each machine."""


def distance(machine, X, Y):
    """Largest difference of two poses, positions over the machine's size (n,)."""
    off = np.abs(X - Y)
    return np.maximum(off[:, :3, 3].max(axis=1) / machine.size, off[:, :3, :3].max(axis=(1, 2)))


def walked(machine, q):
    """Pose that continues home while the legs go straight to q (6,), in many small parts; None at a singularity."""
    X = machine.X_home
    start = gough.inverse_kinematics(machine, X)
    way = q - start
    if machine.legs.joint == "angle":
        way = (way + np.pi) % (2 * np.pi) - np.pi
    for part in np.linspace(0, 1, PARTS + 1)[1:]:
        s = gough.forward_kinematics(machine, start + part * way, near=X, throw=False)
        if not s.is_near or distance(machine, X[None], s.matrix[None])[0] > LARGEST_JUMP:
            return None
        X = s.matrix
    return X


def count(machine, X):
    """Row of counts for poses X (n, 4, 4), and the steps of each."""
    q = gough.inverse_kinematics(machine, X)
    s = gough.forward_kinematics(machine, q, throw=False)
    away = distance(machine, X, s.matrix) > SAME
    near = s.is_near
    doubtful = np.flatnonzero(near & away)
    wrong = 0
    for k in doubtful[:CHECKED]:
        truth = walked(machine, q[k])
        wrong += int(truth is None or distance(machine, truth[None], s.matrix[k][None])[0] > SAME)
    back = near & ~away
    error = distance(machine, X, s.matrix)[back].max(initial=0.0)
    row = {
        "poses": len(X),
        "back": int(back.sum()),
        "other mode, flagged": int((s.converged & ~near).sum()),
        "near, not the drawn pose": len(doubtful),
        "of those wrong": wrong,
        "no answer": int((~s.converged).sum()),
        "largest error": error,
        "largest residual": float(np.nanmax(np.where(s.converged, s.residual, 0.0), initial=0.0)) / machine.size,
    }
    return row, s.iterations[back]


def main() -> None:
    """Print the tables."""
    total = int(sys.argv[1]) if len(sys.argv) > 1 else 100_000
    console = Console(width=None if sys.stdout.isatty() else 170)
    cases = {
        "turned up to 20 deg": lambda m, rng: turned_poses(m, rng, min(total, 20_000), 20.0),
        "turned up to 45 deg": lambda m, rng: turned_poses(m, rng, min(total, 20_000), 45.0),
        "inside all limits": lambda m, rng: allowed_poses(m, rng, total),
    }
    for title, draw in cases.items():
        table = Table(title=f"{title}; steps from home")
        for head in ("machine", "poses", "back", "other mode, flagged", "near, not the drawn pose", "of those wrong"):
            table.add_column(head, justify="left" if head == "machine" else "right")
        for head in ("no answer", "largest error", "largest residual", "median steps", "most steps", "over 8"):
            table.add_column(head, justify="right")
        for info in gough.machines():
            machine = gough.load(info.name)
            X = draw(machine, np.random.default_rng(3))
            if not len(X):
                table.add_row(info.name, "0")
                continue
            row, steps = count(machine, X)
            cells = [str(value) if isinstance(value, int) else f"{value:.1e}" for value in row.values()]
            cells += (
                [f"{np.median(steps):.0f}", str(steps.max()), str(int((steps > 8).sum()))] if len(steps) else [""] * 3
            )
            table.add_row(info.name, *cells)
        console.print(table)


if __name__ == "__main__":
    main()
