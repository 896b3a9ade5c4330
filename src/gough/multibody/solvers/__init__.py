"""Solvers of the equations, one file each."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from gough.checks.arguments import checks_arguments
from gough.errors import InputError, SolverError, nearest

if TYPE_CHECKING:
    from gough.multibody.solvers.solver import Solver
    from gough.multibody.system import System

SOLVERS = {
    "saddle": "saddle:Saddle",
    "two-step": "two_step:TwoStep",
    "reduced": "reduced:Reduced",
    "chains": "chains:Chains",
}
"""Name -> file and class, of those that answer at an instant; `shooting` works on whole steps."""

AUTOMATIC = "auto"


@checks_arguments
def solver_for(system: System, name: str = AUTOMATIC) -> Solver:
    """The named solver for a system, or the quickest that applies: `chains`, else `reduced`.

    Parameters
    ----------
    system : System
    name : str
        One of `gough.multibody.SOLVERS`, or "auto".

    Returns
    -------
    Solver
        For states of that system.

    Raises
    ------
    InputError
        No solver has this name.
    SolverError
        The solver does not apply to this system; the message names one that does.

    """
    if name == AUTOMATIC:
        try:
            return solver_for(system, "chains")
        except SolverError:
            return solver_for(system, "reduced")
    if name not in SOLVERS:
        known = [*SOLVERS, AUTOMATIC]
        raise InputError(f"there is no solver {name!r}, only {', '.join(known)}.{nearest(name, known)}")
    file, cls = SOLVERS[name].split(":")
    return getattr(import_module(f"gough.multibody.solvers.{file}"), cls)(system)
