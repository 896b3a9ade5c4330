"""The machine of two stages, with all that functions of a `Machine` do for it.

Importing this module registers the implementations; whoever makes a `StackedMachine` imports it from here.
"""

from __future__ import annotations

import copyreg
from dataclasses import fields
from typing import Any

from gough.stacked import StackedMachine as StackedMachine
from gough.stages import bodies, dynamics, equations, forces, forward, kinematics, limits, paths, share, stiffness

REGISTERED = (bodies, dynamics, equations, forces, forward, kinematics, limits, paths, share, stiffness)
"""Modules with implementations."""


def restored(values: dict[str, Any]) -> StackedMachine:
    """A machine from a pickle, which imports this module in the process that reads it."""
    return StackedMachine(**values)


copyreg.pickle(StackedMachine, lambda m: (restored, ({each.name: getattr(m, each.name) for each in fields(m)},)))
