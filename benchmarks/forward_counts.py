"""`python -m benchmarks.forward_counts [count] [--save NOTE]`: answers of forward kinematics counted on every machine.

First the histogram of its steps from home for the platform turned by up to 20 degrees where it stands. Then, for poses
moved within the travel and turned up to 20 and 45 degrees about three axes at the centre of the platform, and for
random poses inside all limits: the steps it takes from home, and whether it comes back to the pose that made the joint
values. Where it does not, the answer is another pose with the same joint values: counted apart are those it flags, and
those it calls "near". Of the latter a fine walk of the legs from home (400 to 10,000 parts, plain Newton steps) tells
whether the answer truly continues home: then it is the drawn pose that lies in another assembly mode, out of reach of
a straight motion of the legs.
"""

from __future__ import annotations

import sys

import numpy as np
from rich.console import Console
from rich.table import Table
from scipy.spatial.transform import Rotation

import gough
from benchmarks.sampling import allowed_poses, displaced_poses, turned_poses
from benchmarks.saving import cells, save, words_and_note

SAME, SAME_WALKED = 1e-9, 1e-6
"""Two poses closer than this [of the machine's size, and rad] are one; the second where a walk came close to a
singularity."""
PARTS = (400, 2000, 10000)
LARGEST_JUMP = 0.2
"""A part of the way that moves the platform further [of the machine's size, or rad] has lost it."""
NEWTON_STEPS = 8
CHECKED = 200
"""Doubtful answers looked at by a fine walk, of each machine."""


def distance(machine, X, Y):
    """Largest difference of two poses, positions over the machine's size (n,)."""
    off = np.abs(X - Y)
    return np.maximum(off[:, :3, 3].max(axis=1) / machine.size, off[:, :3, :3].max(axis=(1, 2)))


def leg_errors(machine, q, X):
    """|d| - L of the legs with joint coordinates q (n, 6) at X (n, 4, 4); their derivative by the twist (n, 6, 6)."""
    rho = machine.b_P @ np.swapaxes(X[:, :3, :3], 1, 2)
    d = rho + X[:, None, :3, 3] - machine.legs.driven_points(q)
    length = np.linalg.norm(d, axis=2)
    rod = machine.legs.rod()
    u = d / length[..., None]
    return length - (q if rod is None else rod), np.concatenate([u, np.cross(rho, u)], axis=2)


def walked(machine, q, parts):
    """Poses (n, 4, 4) that continue home while the legs go straight to q (n, 6), in many small parts, each by plain
    Newton steps; NaN where the determinant changes its sign on the way or a part leads far off."""
    X = np.repeat(machine.X_home[None], len(q), axis=0)
    start = gough.inverse_kinematics(machine, machine.X_home)
    way = q - start
    if machine.legs.joint == "angle":
        way = (way + np.pi) % (2 * np.pi) - np.pi
    lost = np.zeros(len(q), dtype=bool)
    side = np.sign(np.linalg.det(leg_errors(machine, start + 0 * q, X)[1]))
    for part in np.linspace(0, 1, parts + 1)[1:]:
        before = X.copy()
        for _ in range(NEWTON_STEPS):
            error, J = leg_errors(machine, start + part * way, X)
            V = -np.linalg.solve(J, error[..., None])[..., 0]
            X[:, :3, :3] = Rotation.from_rotvec(V[:, 3:]).as_matrix() @ X[:, :3, :3]
            X[:, :3, 3] += V[:, :3]
        error, J = leg_errors(machine, start + part * way, X)
        lost |= (np.sign(np.linalg.det(J)) != side) | ~(np.abs(error).max(axis=1) < 1e-9 * machine.size)
        lost |= distance(machine, before, X) > LARGEST_JUMP
        X[lost] = machine.X_home
    X[lost] = np.nan
    return X


def not_confirmed(machine, q, X):
    """How many of the poses X (n, 4, 4) no fine walk of the legs from home to q (n, 6) leads to."""
    for parts in PARTS if len(q) else ():
        away = ~(distance(machine, walked(machine, q, parts), X) <= SAME_WALKED)
        q, X = q[away], X[away]
        if not len(q):
            return 0
    return len(X)


def count(machine, X):
    """Row of counts for poses X (n, 4, 4), and the steps of each."""
    q = gough.inverse_kinematics(machine, X)
    s = gough.forward_kinematics(machine, q, throw=False)
    away = distance(machine, X, s.matrix) > SAME
    near = s.is_near
    doubtful = np.flatnonzero(near & away)
    looked_at = doubtful[:CHECKED]
    unconfirmed = not_confirmed(machine, q[looked_at], s.matrix[looked_at])
    back = near & ~away
    error = distance(machine, X, s.matrix)[back].max(initial=0.0)
    row = {
        "poses": len(X),
        "back": int(back.sum()),
        "other mode, flagged": int((s.converged & ~near).sum()),
        "near, not the drawn pose": len(doubtful),
        "not confirmed": unconfirmed,
        "not converged": int((~s.converged).sum()),
        "largest error": error,
        "largest residual": float(np.nanmax(np.where(s.converged, s.residual, 0.0), initial=0.0)) / machine.size,
    }
    return row, s.iterations[back]


def step_histogram(machine, rng, total):
    """How many of `total` poses, home turned up to 20 degrees about three axes at the platform's centre, take 0, 1, ...
    8 and more steps from home; at how many others a leg cannot close; how many are not in home's mode."""
    turns = rng.uniform(-20, 20, (total, 3))
    X = displaced_poses(machine, machine.platform_centre, np.zeros_like(turns), turns, True)
    q = gough.inverse_kinematics(machine, X)
    closes = np.isfinite(q).all(axis=1)
    s = gough.forward_kinematics(machine, q[closes], throw=False)
    same = s.is_near & (distance(machine, X[closes], s.matrix) <= SAME)
    return np.bincount(np.minimum(s.iterations[same], 9), minlength=10), total - closes.sum(), closes.sum() - same.sum()


def print_histogram(console, total):
    """Table of the steps of every built-in machine, one pose in each place."""
    table = Table(title="rotated at home by up to 20 deg: poses by steps from home")
    for head in ("machine", *map(str, range(1, 9)), "over 8", "leg cannot close", "other mode"):
        table.add_column(head, justify="left" if head == "machine" else "right")
    for info in gough.machines(stages=1):
        counts, *others = step_histogram(gough.load(info.name), np.random.default_rng(3), total)
        table.add_row(info.name, *(str(number) for number in (*counts[1:], *others)))
    console.print(table)
    return table


def main() -> None:
    """Print the tables."""
    words, note = words_and_note(sys.argv[1:])
    total = int(words[0]) if words else 100_000
    console = Console(width=None if sys.stdout.isatty() else 170)
    tables = [print_histogram(console, min(total, 20_000))]
    cases = {
        "rotated by up to 20 deg": lambda m, rng: turned_poses(m, rng, min(total, 20_000), 20.0),
        "rotated by up to 45 deg": lambda m, rng: turned_poses(m, rng, min(total, 20_000), 45.0),
        "inside all limits": lambda m, rng: allowed_poses(m, rng, total),
    }
    for title, draw in cases.items():
        table = Table(title=f"{title}: steps from home")
        for head in ("machine", "poses", "back", "other mode, flagged", "near, not the drawn pose", "not confirmed"):
            table.add_column(head, justify="left" if head == "machine" else "right")
        for head in ("not converged", "largest error", "largest residual", "median steps", "most steps", "over 8"):
            table.add_column(head, justify="right")
        for info in gough.machines(stages=1):
            machine = gough.load(info.name)
            X = draw(machine, np.random.default_rng(3))
            if not len(X):
                table.add_row(info.name, "0")
                continue
            row, steps = count(machine, X)
            shown = [str(value) if isinstance(value, int) else f"{value:.1e}" for value in row.values()]
            shown += (
                [f"{np.median(steps):.0f}", str(steps.max()), str(int((steps > 8).sum()))] if len(steps) else [""] * 3
            )
            table.add_row(info.name, *shown)
        console.print(table)
        tables.append(table)
    if note is not None:
        save("forward_counts", f"python -m benchmarks.forward_counts {total}", note, tables=[cells(t) for t in tables])


if __name__ == "__main__":
    main()
