"""A machine in a notebook: a table of its data, and its figure at home."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from gough.machine import Machine
from gough.plot.stacked_machine_figure import machine as machine_figure
from gough.present.results import html_table
from gough.present.show import plain
from gough.present.units import span_in_words, unit_of
from gough.stacked import StackedMachine


def machine_html(machine: Machine | StackedMachine) -> str:
    """A table of legs, size, strokes, masses and home, in the units of the machine's file; and the figure."""
    return _table(machine) + str(machine_figure(machine)._repr_html_())


def display_machine(machine: Machine | StackedMachine) -> None:
    """Show both in the running notebook, the figure by Plotly's renderer of choice."""
    from IPython.display import HTML, display

    display(HTML(_table(machine)))  # type: ignore[no-untyped-call]
    machine_figure(machine).show()


def _table(machine: Machine | StackedMachine) -> str:
    names = [f"{dim} {k}: " for dim in machine.stage_dims for k in range(1, 1 + len(machine.stages))] or [""]
    rows = [row for stage, name in zip(machine.stages, names, strict=True) for row in _rows(stage, name)]
    return html_table(machine.title or machine.name, ("", "", "unit"), rows)


def _rows(machine: Machine, which: str) -> list[tuple[str, ...]]:
    (metres, length), (scale, unit) = (unit_of(machine.units, si) for si in ("m", machine.legs.joint_unit))
    limits, home = machine.limits, machine.X_home[:3, 3] / metres
    ends = zip(limits.joint_min / scale, limits.joint_max / scale, strict=True)
    travel = sorted({span_in_words(low, high, plain) for low, high in ends})
    masses = [f"{name} {_values(body.mass)}" for name, body in machine.platform_parts.items()]
    masses += [f"each leg's {name} {_values(body.mass)}" for name, body in machine.leg_bodies.items()]
    return [
        (f"{which}legs", f"six {machine.leg_kind}: {machine.legs.title}", ""),
        (f"{which}size", plain(machine.size / metres, 4), length),
        (f"{which}home", f"({', '.join(map(plain, home))})", length),
        (f"{which}joints", "; ".join(travel), unit),
        (f"{which}masses", ", ".join(masses) or "not known", "kg" if masses else ""),
    ]


def _values(values: ArrayLike) -> str:
    """The distinct values: one where all legs are alike."""
    return ", ".join(map(plain, np.unique(values)))
