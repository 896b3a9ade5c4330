"""Histories as data sets over time: motion of a machine, forces of its drives, utilisation of their limits."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from gough.arrays import Array
from gough.checks.arguments import checks_arguments
from gough.dynamics.drive_peaks import drive_attrs, force_name, motion_extremes, times_between
from gough.dynamics.equations import inverse_dynamics, kinetic_energy, potential_energy
from gough.dynamics.extremes import MOST, Extremes, extremes
from gough.dynamics.integration import FAR
from gough.dynamics.motions import Motion, States, states_along
from gough.errors import InputError
from gough.kinematics.inverse import inverse_kinematics
from gough.kinematics.rates import joint_accelerations, joint_rates
from gough.limits.margins import margins
from gough.limits.ties import legs_in_words
from gough.present.show import plain
from gough.present.units import percent
from gough.quantity import AXES
from gough.results import Labelled, returns_dataset
from gough.stacked import AnyMachine
from gough.statics.weights import inertia_in_words

if TYPE_CHECKING:
    import xarray


HISTORY_TIMES = 301
"""Default number of times at which a motion is evaluated."""


@returns_dataset
@checks_arguments
def motion_forces(
    machine: AnyMachine,
    motion: Motion,
    times: ArrayLike | None = None,
    *,
    wrench: ArrayLike | None = None,
    point: ArrayLike | None = None,
) -> Labelled:
    """Compute actuator forces and powers along a motion.

    Parameters
    ----------
    machine : Machine
    motion : Motion
        Such as `gough.dynamics.CosineMotion` or `gough.dynamics.SplineMotion`.
    times : (n,) array, optional
        [s]; by default evenly spaced over the motion's span.
    wrench, point : (..., 6) and (3,) array, optional
        Applied to the platform throughout, as in `gough.inverse_dynamics`; one for each time is linear between them.

    Returns
    -------
    xarray.Dataset
        See `history`; attributes have the peak and the root mean square of force and power, (6,) each, over the motion
        from the first to the last time, between the times too.

    Raises
    ------
    InputError
        A leg cannot close, or the machine is singular, somewhere on the path.

    """
    t = np.linspace(*motion.span, HISTORY_TIMES) if times is None else np.asarray(times, dtype=float)
    whole = Whole(machine, motion)
    F, at_point = None if wrench is None else np.asarray(wrench, dtype=float), None if wrench is None else point
    states = whole(t)
    force = inverse_dynamics(machine, *states, F, point=at_point)
    check_forces(machine, whole, t[~np.isfinite(force).all(axis=1)])

    def force_at(time: Array, at: States) -> Array:
        wrenches = F if F is None or F.ndim < 2 else between(time, t, F)
        return inverse_dynamics(machine, *at, wrenches, point=at_point)

    knots, span = None if F is None or F.ndim < 2 else t, (float(t.min()), float(t.max()))
    found = motion_extremes(machine, whole, force_at, span=span, knots=knots)
    check_forces(machine, whole, [each.undefined for each in found.values() if each.undefined is not None])
    attrs = {"limits_broken": limits_broken(machine, lambda time: whole(time)[0], times_between(whole, span))}
    return history.labelled(machine, t, states, force, found, attrs=attrs)


def between(time: Array, t: Array, values: Array) -> Array:
    """Return values (n, ..., 6) of times t (n,) at other times (m,), linear between two of them."""
    order = np.argsort(t)
    flat = [np.interp(time, t[order], column) for column in values.reshape(len(t), -1)[order].T]
    return np.stack(flat, axis=-1).reshape(len(time), *values.shape[1:])


def check_forces(machine: AnyMachine, motion: Motion, undefined: ArrayLike) -> None:
    """Raise `InputError` if there are times (n,) at which the forces are undefined."""
    if not np.size(undefined):
        return
    t = float(np.min(undefined))
    why = (margins(machine, motion(np.array([t]))[0][0]).sentences() or ["the pose is singular"])[0]
    raise InputError(f"the motion cannot be carried out, at {t:.6g} s: {why}")


def limits_broken(machine: AnyMachine, poses: Callable[[Array], Array], knots: Array, most: int = MOST) -> str:
    """Return sentences on the limits of poses that are broken between the first and the last of the knots (m,) [s],
    each at its worst; empty for none. `poses` has the poses of all platforms at times."""

    def relative(t: Array) -> dict[str, Array]:
        return {"margin": np.clip(np.nan_to_num(margins(machine, poses(t)).relative, nan=FAR), -FAR, FAR)}

    least = extremes(relative, knots, noise={"margin": [(1.0, 0)]}, most=most)["margin"]
    worst = np.clip(least.when_lowest, knots[0], knots[-1])
    # Whether a limit holds is decided by the margins themselves, which are exact at limits where interpolants are not.
    found = margins(machine, poses(worst))
    each = replace(found, values=np.diagonal(found.values))
    broken = np.flatnonzero(~each.holds & ~np.isnan(each.values))
    return "; ".join(
        f"{each.sentence_of(int(c))}, at {plain(worst[c], 4)} s" for c in broken[np.argsort(worst[broken])]
    )


class Whole:
    """A motion of all platforms, from one of the (end) platform or of all platforms."""

    def __init__(self, machine: AnyMachine, motion: Motion) -> None:
        self.machine, self.motion = machine, motion
        self.span, self.knots = motion.span, getattr(motion, "knots", np.empty(0))

    def __call__(self, time: ArrayLike) -> States:
        """See `Motion`."""
        return states_along(self.machine, self.motion, time)


@returns_dataset
def history(
    machine: AnyMachine,
    time: Array,
    states: States,
    force: Array,
    extremes: Mapping[str, Extremes],
    gravity: bool | ArrayLike | None = None,
    more: dict[str, Any] | None = None,
    attrs: dict[str, Any] | None = None,
) -> Labelled:
    """Return histories of a machine over time: its states (pose, twist, acceleration) and actuator forces; with the
    extremes of the motion, `gough.dynamics.drive_peaks.motion_extremes`.

    Returns
    -------
    xarray.Dataset
        Over `time` [s]: pose (row, column), twist, acceleration (component), joint, joint_rate, joint_acceleration,
        force and power (leg, counted from 1), kinetic, potential and their sum `energy`, margin (limit), each with its
        unit; `reading` (leg) where the file of every stage has encoders; and `more`. Variables of platforms have the
        dimension `stage` too where there are two. Attributes: peak_speed, peak_acceleration, peak_force, peak_power
        and the same with rms, (6,) each, between the times too; used_speed, used_acceleration and used_force (6,), the
        largest utilisations of the limits in the machine's file; `drives_exceeded` names exceeded limits of drives,
        `limits_broken` those of poses, `unresolved` quantities that change too often for the tolerance of 1e-7 to be
        reached, `masses` the bodies with known and with unknown masses.

    """
    found = margins(machine, states[0])
    data = Labelled(
        {
            **platform_columns(machine, states),
            **leg_columns(machine, states, force),
            **_energies(machine, states, gravity),
            "margin": (("time", "limit"), found.values, {"units": "see margin_unit"}),
            "margin_unit": ("limit", np.array(found.units, dtype=str)),
            **(more or {}),
        },
        coords={
            "time": ("time", time, {"units": "s"}),
            **_labels(machine),
            "limit": np.array(found.names, dtype=str),
        },
        attrs={"machine": machine.name, "masses": inertia_in_words(machine), **(attrs or {})},
    )
    data.attrs.update(drive_attrs(machine, extremes))
    return data


def platform_columns(machine: AnyMachine, states: States, over: str = "time", per: str = "/s") -> dict[str, Any]:
    """Return the pose, twist and acceleration of a history over times, or over another parameter with rates `per`
    it."""
    X, V, A = states
    dims = (over, *machine.stage_dims)
    component = (*dims, "component")
    return {
        "pose": ((*dims, "row", "column"), X, {"units": "1, m", "long_name": "platform in the base"}),
        "twist": (component, V, {"units": f"m{per}, rad{per}"}),
        "acceleration": (component, A, {"units": f"m{per}2, rad{per}2"}),
    }


def leg_columns(
    machine: AnyMachine, states: States, force: Array | None = None, over: str = "time", per: str = "/s"
) -> dict[str, Any]:
    """Return joint coordinates, their rates and accelerations; encoder readings where the file of every stage has
    encoders; force and power of the actuators where forces are given."""
    X, V, A = states
    leg, rate, q = (over, "leg"), joint_rates(machine, X, V), inverse_kinematics(machine, X)
    unit, first, second = (joint_unit(machine, part) for part in ("", per, f"{per}2"))
    found = {
        "joint": (leg, q, {"units": unit}),
        "joint_rate": (leg, rate, {"units": first}),
        "joint_acceleration": (leg, joint_accelerations(machine, X, V, A), {"units": second}),
    }
    encoders = [stage.encoders for stage in machine.stages if stage.encoders is not None]
    if len(encoders) == len(machine.stages):
        parts = zip(encoders, np.split(q, len(encoders), axis=-1), strict=True)
        readings = np.concatenate([each.readings(part) for each, part in parts], axis=-1)
        found["reading"] = (leg, readings, {"units": unit})
    if force is None:
        return found
    about = {"units": " or ".join({"m": "N", "rad": "N m"}[kind] for kind in unit.split(" or "))}
    about["long_name"] = "of the actuator, positive drives its joint up"
    return {**found, "force": (leg, force, about), "power": (leg, force * rate, {"units": "W"})}


def joint_unit(machine: AnyMachine, per: str = "") -> str:
    """Return the SI unit of joint coordinates or of their rates; both, "rad or m", for two stages with different
    joints."""
    return " or ".join(dict.fromkeys(f"{stage.legs.joint_unit}{per}" for stage in machine.stages))


def leg_history(
    machine: AnyMachine, states: States, s: Array, force: Array | None = None, over: str = "time", per: str = "/s"
) -> xarray.Dataset:
    """Return columns of platform and legs as a data set over times, or over another parameter s (n,)."""
    import xarray

    return xarray.Dataset(
        platform_columns(machine, states, over, per) | leg_columns(machine, states, force, over, per),
        coords={over: (over, s, {"units": "s" if over == "time" else "path parameter"}), **_labels(machine)},
        attrs={"machine": machine.name},
    )


def _labels(machine: AnyMachine) -> dict[str, Any]:
    """Coordinates of the dimensions of platforms, legs and components."""
    count = len(machine.stages)
    stages = {stage: np.arange(1, 1 + count) for stage in machine.stage_dims}
    return {**stages, "leg": np.arange(1, 1 + 6 * count), "component": list(AXES)}


def _energies(machine: AnyMachine, states: States, gravity: bool | ArrayLike | None) -> dict[str, Any]:
    X, V, _ = states
    kinetic, potential = kinetic_energy(machine, X, V), potential_energy(machine, X, gravity)
    return {
        "kinetic": ("time", kinetic, {"units": "J"}),
        "potential": ("time", potential, {"units": "J"}),
        "energy": ("time", kinetic + potential, {"units": "J"}),
    }


def saturation(machine: AnyMachine, peaks: Array, parts: Array) -> str:
    """Return sentence on a controller's clipped demands, from the largest `Controller.demand` (2, legs) over a time and
    the parts (2,) of it in which one is clipped."""
    words = []
    for name, peak, part in zip(("speed demand", force_name(machine)), peaks, parts, strict=True):
        legs = 1 + np.flatnonzero(peak > 1.0)
        if len(legs):
            words.append(f"the {name} of {legs_in_words(legs.tolist(), len(peak))}, {percent(part, 3)} of the time")
    return "the controller is saturated: " + "; ".join(words) if words else ""
