"""Extremes of joints and actuators over a motion, and utilisation of the limits of the drives."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from gough.arrays import Array
from gough.dynamics.extremes import MOST, TOLERANCE, Extremes, Noise, extremes
from gough.dynamics.motions import Motion, States
from gough.kinematics.inverse import inverse_kinematics
from gough.kinematics.rates import jacobian, joint_accelerations, joint_rates
from gough.limits.ties import DRIVE_ROUNDING, legs_in_words, listed, tied
from gough.machine import Machine
from gough.present.answer import Field
from gough.present.units import force_unit, percent, with_unit
from gough.quantity import of_legs
from gough.results import Labelled
from gough.stacked import StackedMachine

if TYPE_CHECKING:
    import xarray

Histories: TypeAlias = "xarray.Dataset | Labelled"

LIMITED = {
    "joint_rate": ("speed", "joint_speed"),
    "joint_acceleration": ("acceleration", "joint_acceleration"),
    "force": ("force", "actuator_force"),
}
"""Variables of a history that a drive limits: name of the quantity, and of the limit in `Machine.limits`."""
QUANTITIES = {name: quantity for name, (quantity, _) in LIMITED.items()} | {"power": "power"}
"""Names of quantities in the attributes of a history, by variable."""
PER = {"speed": "/s", "acceleration": "/s2"}
"""Suffix of the unit of the joint coordinate in those of its rates."""
DEFINED = {
    "force": "the actuator force of each leg, without sign: inverse dynamics of all known masses and friction.",
    "power": "force times joint rate of each leg, without sign.",
    "speed": "|dq/dt| of each leg.",
    "acceleration": "|d2q/dt2| of each leg.",
}


@dataclass(frozen=True, eq=False)
class DrivePeak:
    """Largest absolute values of one quantity over a history, per leg.

    Attributes
    ----------
    quantity : str
        "speed", "acceleration" or "force" (of cranks the torque).
    peak : (6,) array
        [m/s, m/s2, N; rad/s, rad/s2, N m].
    time : (6,) array
        Of the peaks [s].
    limit : (6,) array or None
        Limits of the machine; None where its file has none.

    """

    quantity: str
    peak: Array
    time: Array
    limit: Array | None

    @property
    def used(self) -> Array | None:
        """Utilisation of the limit (6,); 1 at the limit."""
        return None if self.limit is None else np.asarray(self.peak / self.limit)

    def sentence(self, machine: Machine) -> str:
        """Return sentence on the legs with the largest utilisation, in the file's units; empty where no limit is
        known."""
        if self.limit is None or self.used is None:
            return ""
        i = int(np.argmax(self.used))
        hardest = 1 + np.flatnonzero(tied(-self.used))
        legs = legs_in_words(hardest.tolist())
        unit = peak_unit(machine, self.quantity)
        peak, limit = (with_unit(machine, values[i], unit, 4) for values in (self.peak, self.limit))
        name = force_name(machine) if self.quantity == "force" else self.quantity
        verb = "needs" if len(hardest) == 1 else "need"
        return f"{legs} {verb} a {name} of {peak} at {self.time[i]:.4g} s, allowed {limit}: {percent(self.used[i], 3)}"


def peak_unit(stage: Machine, quantity: str) -> str:
    """Return the SI unit of a quantity that a drive limits."""
    return force_unit(stage) if quantity == "force" else f"{stage.legs.joint_unit}{PER[quantity]}"


def force_name(machine: Machine | StackedMachine) -> str:
    """Return the name of the actuators' output: "torque" for a machine with cranks only, else "force"."""
    return "torque" if all(stage.legs.joint == "angle" for stage in machine.stages) else "force"


def motion_extremes(
    machine: Machine | StackedMachine,
    motion: Motion,
    force: Callable[[Array, States], Array] | None = None,
    *,
    span: tuple[float, float] | None = None,
    knots: Array | None = None,
    more: Callable[[Array, States], Mapping[str, Array]] | None = None,
    limits: Mapping[str, ArrayLike] | None = None,
    idle: Array | None = None,
    is_state: bool = False,
    most: int = MOST,
) -> dict[str, Extremes]:
    """Find the extremes of the joints and the actuators over a motion, see `gough.dynamics.extremes`.

    Parameters
    ----------
    machine : Machine
    motion : Motion
        Of all platforms. Its attribute `knots`, if it has one, has the times between which it is smooth [s].
    force : callable, optional
        Actuator forces (n, legs) at times (n,) and states; without it forces and powers are left out.
    span : (float, float), optional
        First and last time [s]; default: the motion's.
    knots : (m,) array, optional
        More times at which something jumps [s].
    more : callable, optional
        Further quantities.
    limits, idle
        Of quantities, and times that count for no limit, see `gough.dynamics.extremes`; "joint_jerk" is found too where
        it has a limit.
    is_state : bool
        Whether twists and accelerations are states and rates of equations, without rounding errors of derivatives of
        positions.
    most : int
        Largest number of intervals that are halved.

    Returns
    -------
    dict of str to Extremes
        Of "joint", "joint_rate" (its `path` is the travel), "joint_acceleration", "force", "power" and `more`.

    """
    ends = times_between(motion, span, knots)

    def quantities(t: Array) -> dict[str, Array]:
        states = X, V, A = motion(t)
        found = {
            "joint": inverse_kinematics(machine, X),
            "joint_rate": joint_rates(machine, X, V),
            "joint_acceleration": joint_accelerations(machine, X, V, A),
        }
        if force is not None:
            found["force"] = force(t, states)
            found["power"] = found["force"] * found["joint_rate"]
        return found if more is None else {**found, **more(t, states)}

    jerk = {"joint_jerk": "joint_acceleration"} if limits is not None and "joint_jerk" in limits else None
    how: dict[str, Any] = {"derivatives": jerk, "limits": limits, "idle": idle, "most": most}
    noise = _noise(machine)
    if is_state:
        noise = {name: kept for name, pairs in noise.items() if (kept := [pair for pair in pairs if pair[1] == 0])}
    products = {"power": ("force", "joint_rate")} if force is not None else {}
    return extremes(quantities, ends, noise=noise, products=products, integrals=("joint_rate",), **how)


def times_between(motion: Motion, span: tuple[float, float] | None = None, knots: Array | None = None) -> Array:
    """Return first and last time of a motion or of a span of it, and between them those of its knots and of other
    `knots`."""
    low, high = motion.span if span is None else span
    inner = np.union1d(getattr(motion, "knots", []), [] if knots is None else knots)
    return np.array([low, *inner[(inner > low) & (inner < high)], high])


def _noise(machine: Machine | StackedMachine) -> Noise:
    """Rounding errors of positions of the machine's size, of their derivatives, and of forces from these."""
    size = machine.size
    mass = sum(stage.platform.mass for stage in machine.stages if stage.platform is not None)
    weight = mass * float(np.linalg.norm(machine.gravity))
    return {
        "joint": [(size, 0)],
        "joint_error": [(size, 0)],
        "joint_rate": [(size, 1)],
        "joint_acceleration": [(size, 2)],
        "joint_jerk": [(size, 3)],
        "force": [(mass * size, 2), (weight, 0)],
    }


def peak_attrs(found: Mapping[str, Extremes]) -> dict[str, Array]:
    """Return peaks and root mean squares over a motion as attributes of a history, an entry for every leg."""
    peaks = {f"peak_{what}": found[name].peak for name, what in QUANTITIES.items() if name in found}
    means = {f"rms_{what}": found[name].rms for name, what in QUANTITIES.items() if name in found}
    return peaks | means


def unresolved(found: Mapping[str, Extremes]) -> str:
    """Return sentence on the quantities whose extremes are not resolved; empty for none."""
    names = [name.replace("_", " ") for name, each in found.items() if not each.is_resolved]
    if not names:
        return ""
    return f"{listed(names)}: peaks and means are not resolved to {TOLERANCE:g}, the motion changes too often"


def peak_fields(machine: Machine | StackedMachine, data: Histories) -> list[Field]:
    """Return fields of every actuator over a history: peak and root mean square of force and power, peak speed and
    acceleration, utilisation of known limits; zero where a simulation's tolerances do not resolve them."""
    floor = _resolution(machine, data)
    floor["power"] = floor["speed"] * data.attrs["peak_force"]
    words = {"peak": "peak", "rms": "RMS", "force": force_name(machine)}
    fields = []
    for what in ("force", "power", "speed", "acceleration"):
        unit = "W" if what == "power" else of_legs(machine, partial(peak_unit, quantity=what))
        for kind in ("peak", "rms") if what in ("force", "power") else ("peak",):
            values = _resolved(data.attrs[f"{kind}_{what}"], floor.get(what, 0.0))
            head, doc = (
                f"{words[kind]} {words.get(what, what)}",
                f"{'Largest value' if kind == 'peak' else 'Root mean square over time'} of {DEFINED[what]}",
            )
            fields.append(Field(f"{kind}_{what}", values, unit, head=head, doc=doc))
    for quantity, _ in LIMITED.values():
        used = data.attrs.get(f"used_{quantity}")
        if used is not None:
            used = np.where(_resolved(data.attrs[f"peak_{quantity}"], floor.get(quantity, 0.0)) == 0.0, 0.0, used)
            head = f"{words.get(quantity, quantity)} used"
            fields.append(Field(f"used_{quantity}", used, head=head, digits=3, shown="%",
                doc="Peak of each leg over its joint_speed, joint_acceleration or actuator_force."))  # fmt: skip
    return fields


def _resolution(machine: Machine | StackedMachine, data: Histories) -> dict[str, Any]:
    """Joint speeds and accelerations that the tolerances of a simulation do not resolve; 0 for other histories.

    The integrator allows an error of `atol` at each evaluation: these add up to a speed of the platform, which may
    reverse within the time between two of them, and drives joints by the Jacobian.
    """
    t, count = data["time"].to_numpy(), int(data.attrs.get("evaluations", 0))
    gain = np.concatenate([np.abs(jacobian(stage, stage.X_home)).sum(axis=-1) for stage in machine.stages])
    speed = float(data.attrs.get("atol", 0.0)) * count * np.maximum(np.nan_to_num(gain, posinf=1.0), 1.0)
    span = float(t[-1] - t[0])
    return {"speed": speed, "acceleration": 2.0 * speed * count / span if span > 0 else 0.0}


def _resolved(values: Array, floor: Array | float) -> Array:
    """Magnitudes, zero up to `floor`."""
    return np.where(values <= floor, 0.0, values)


def drive_peaks(machine: Machine, found: Mapping[str, Extremes], legs: slice = slice(None)) -> list[DrivePeak]:
    """Return peaks of joint speed, joint acceleration and actuator force, as far as known; `legs` are the machine's
    among those of the extremes."""
    return [
        DrivePeak(quantity, found[name].peak[legs], found[name].when[legs], getattr(machine.limits, limit))
        for name, (quantity, limit) in LIMITED.items()
        if name in found
    ]


def exceeded(machine: Machine, peaks: Iterable[DrivePeak]) -> list[str]:
    """Return sentences on the limits of the drives that are exceeded over a motion."""
    return [p.sentence(machine) for p in peaks if p.used is not None and bool((p.used > 1.0 + DRIVE_ROUNDING).any())]


def drive_attrs(machine: Machine | StackedMachine, found: Mapping[str, Extremes]) -> dict[str, Any]:
    """Return attributes of a history: peaks and root mean squares, utilisations (6,) of the limits that every stage
    has, the exceeded limits in words, and the quantities that are not resolved."""
    of_stages = [drive_peaks(stage, found, slice(6 * k, 6 * k + 6)) for k, stage in enumerate(machine.stages)]
    attrs: dict[str, Any] = peak_attrs(found)
    for parts in zip(*of_stages, strict=True):
        used = [part.used for part in parts if part.used is not None]
        if len(used) == len(parts):
            attrs[f"used_{parts[0].quantity}"] = np.concatenate(used)
    words = ("; ".join(exceeded(stage, part)) for stage, part in zip(machine.stages, of_stages, strict=True))
    return {**attrs, "drives_exceeded": machine.by_stage(words), "unresolved": unresolved(found)}
