"""Key numbers of every built-in machine, computed by the build."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

import gough

HEAD = (
    "machine", "legs", "size [m]", "up [mm]", "down [mm]", "about x [deg]", "volume at home's orientation",
    "dexterity at home", "assembly modes, allowed", "speed [mm/s]",
)  # fmt: skip


KINDS = {("length", True): "strut", ("length", False): "slider", ("angle", False): "crank"}
VOLUMES = ((1.0, "m³"), (1e-3, "l"), (1e-6, "cm³"), (1e-9, "mm³"))


def volume(value: float, error: float) -> str:
    """A volume [m3] with its error, in the unit that suits its size."""
    if not value:
        return "0"
    unit, name = next((each for each in VOLUMES if value > 0.1 * each[0]), VOLUMES[-1])
    decimals = max(0, -int(np.floor(np.log10(error / unit)))) if error > 0 else 3
    return f"{value / unit:.{decimals}f} ± {error / unit:.{decimals}f} {name}"


def cells(name: str) -> Iterator[str]:
    """One machine's row; what its file does not know stays empty."""
    m = gough.load(name)
    yield f"[{name}](gallery/machines/{name}.rst)"
    yield KINDS[m.legs.joint, "strut" in m.legs.title]
    yield f"{m.size:.3g}"
    rows = {row.axis: row for row in gough.travel_table(m)}
    ends = sorted((rows["z"].minus, rows["z"].plus), key=abs)
    up = rows["z"].plus if m.gravity[2] <= 0 else -rows["z"].minus
    down = -rows["z"].minus if m.gravity[2] <= 0 else rows["z"].plus
    yield from (f"{1e3 * value:.4g}" if np.isfinite(ends[-1]) else "not limited" for value in (up, down))
    yield f"{np.degrees(rows['rx'].minus):.3g} to {np.degrees(rows['rx'].plus):.3g}"
    w = gough.workspace(m, samples=25)
    yield volume(w.volume, w.volume_error)
    yield f"{float(gough.singularity.conditioning(m, m.home).dexterity):.3f}"
    modes = gough.assembly_modes(m, gough.inverse_kinematics(m, m.home))
    yield f"{len(modes)}, {int(modes.within_limits.sum())}"
    known = m.limits.joint_speed is not None
    yield f"{1e3 * float(gough.velocity_envelope(m, m.home).guaranteed()):.4g}" if known else ""


def table() -> str:
    """One row for each built-in machine of one stage."""
    names = [each.name for each in gough.machines(stages=1)]
    lines = [f"| {' | '.join(HEAD)} |", "|" + "---|" * len(HEAD)]
    return "\n".join([*lines, *(f"| {' | '.join(cells(name))} |" for name in names)]) + "\n"
