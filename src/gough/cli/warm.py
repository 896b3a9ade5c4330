"""`gough warm`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated

from typer import Option


def warm(
    as_json: Annotated[bool, Option("--json", help="Print the number of kernels and their folder as JSON.")] = False,
) -> None:
    """Compile all kernels: no later command waits.

    The machine code is kept in the cache folder of the user, or in
    GOUGH_CACHE_DIR. A new version of Gough, Numba or Python compiles again.
    """
    from gough._compile import Compilation, all_kernels, cache_folder
    from gough.cli.progress import progress
    from gough.present.write import json_text

    with progress("compiling kernels", len(WORK)) as advance:
        for work in WORK:
            work()
            advance(1)
    folder, ready = cache_folder(), sum(bool(kernel.signatures) for kernel in all_kernels())
    if as_json:
        print(json_text({"kernels": ready, "compiled": Compilation.count, "folder": folder and str(folder)}))
    else:
        where = "which could not be kept" if folder is None else f"kept in {folder}"
        print(f"{ready} kernels ready, {Compilation.count} of them compiled now, {where}")


def _kinematics() -> None:
    import gough

    m = gough.load("hexel")
    q = gough.inverse_kinematics(m, m.X_home)
    gough.forward_kinematics(m, q)
    gough.ForwardSolver(m)(q)
    gough.ForwardSolver(m).follow(q[None])
    gough.jacobian(m, m.X_home)
    gough.kinematics.inverse_jacobian(m, m.X_home)
    gough.kinematics.joint_accelerations(m, m.X_home, [0.0] * 6, [0.0] * 6)
    gough.kinematics.certify_pose(m, q, m.X_home)


def _limits() -> None:
    import numpy as np

    import gough
    from gough.limits.margins import DECIDED_FROM

    m = gough.load("hexel")
    gough.margins(m, m.X_home)
    gough.limits.is_allowed(m, np.repeat(m.X_home[None], DECIDED_FROM, axis=0))
    gough.travel(m, [1.0, 0.0, 0.0, 0.0, 0.0, 0.0])
    gough.workspace(m, samples=3)


def _modes() -> None:
    import gough

    for name in ("hexel", "singular-home"):
        m = gough.load(name)
        gough.assembly_modes(m, gough.inverse_kinematics(m, m.X_home))


def _dynamics() -> None:
    import numpy as np

    import gough

    m, still = gough.load("dumitriu2017"), np.zeros(6)
    f = gough.inverse_dynamics(m, m.X_home, still, still)
    gough.forward_dynamics(m, m.X_home, still, f)
    gough.dynamics.mass_matrix(m, m.X_home)
    gough.dynamics.coriolis_wrench(m, m.X_home, still)
    gough.dynamics.body_motions(m, m.X_home)
    gough.simulate(m, m.X_home, still, f, 0.01)


def _stages() -> None:
    import numpy as np

    import gough

    m = gough.load("double-hexapod")
    still = np.zeros((2, 6))
    f = gough.inverse_dynamics(m, m.X_home, still, still)
    gough.forward_dynamics(m, m.X_home, still, f)
    gough.simulate(m, m.X_home, still, f, 0.01)


def _paths() -> None:
    import gough

    m = gough.load("hexel")
    X = gough.frames.displaced(m, gough.pose([0.01, 0.0, 0.0]))
    gough.motion.time_optimal(m, gough.motion.line(m.X_home, X))


def _multibody() -> None:
    import gough

    multibody = gough.multibody
    for system, solvers in (
        (multibody.double_pendulum(), ("saddle", "two-step", "reduced")),
        (multibody.hexapod(gough.load("dumitriu2017")), ("chains",)),
    ):
        for solver in solvers:
            multibody.simulate(system, 1e-4, solver=solver)


WORK: tuple[Callable[[], None], ...] = (
    _kinematics, _limits, _modes, _dynamics, _stages, _paths, _multibody,
)  # fmt: skip
"""Small jobs in which every kernel runs."""
