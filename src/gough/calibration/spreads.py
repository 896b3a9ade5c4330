"""Standard deviations assumed before measuring: of the errors of legs, and of the noise of measurements."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from gough.arrays import Array
from gough.calibration.legs import GROUPS, LegErrors, groups_of
from gough.calibration.measurements import NOISE
from gough.errors import InputError, nearest
from gough.machine import Machine
from gough.machine_parts import Encoders

OFF = 0.02
"""Spread of lengths without a tolerance, in machine sizes: loose, so that data determine them."""
TILT = 0.05
"""Spread of the tilts of guides and axes [rad]."""
GAIN = 0.04
"""Spread of gains, and of curvatures at the ends of the travel."""
ONCE = 0.05
"""Spread of the terms of once a turn, in periods."""


def leg_errors(machine: Machine, q: Array, chosen: Sequence[str] | None) -> LegErrors:
    """Return the errors to estimate; gains and curvatures are about the middle of the travel, or of the readings."""
    groups = groups_of(machine, chosen)
    encoders = machine.encoders
    period = np.full(6, np.nan)
    if machine.actuators.transmission is not None:
        period = 2.0 * np.pi / machine.actuators.transmission
    if encoders is not None:  # a machine calibrated before: the middle of its curves stays
        return LegErrors(
            machine, groups, encoders.middle, np.where(np.isfinite(encoders.period), encoders.period, period)
        )
    if "once_per_turn" in groups and not np.isfinite(period).all():
        raise InputError(
            f"parameters: once_per_turn needs the readings of a motor turn, and machine {machine.name!r} has no "
            "actuators.screw_lead or gear_ratio"
        )
    low, high = travel(machine, q)
    return LegErrors(machine, groups, (low + high) / 2.0, period)


def travel(machine: Machine, q: Array) -> tuple[Array, Array]:
    """Return the lowest and highest reading (6,) at the joint limits; of the data where there are no limits."""
    encoders = machine.encoders or Encoders()
    ends = []
    for limit, extreme in ((machine.limits.joint_min, np.nanmin), (machine.limits.joint_max, np.nanmax)):
        known = np.isfinite(limit)
        readings = encoders.readings(np.where(known, limit, encoders.middle))
        ends.append(np.where(known, readings, extreme(q, axis=0)))
    return ends[0], ends[1]


def spreads(legs: LegErrors, q: Array, given: Mapping[str, float]) -> Array:
    """Return standard deviations (6 count,) of all errors before measuring [SI], by the tolerances given or by
    default."""
    m = legs.machine
    for name, value in given.items():
        if name not in GROUPS:
            raise InputError(f"tolerances: no parameters are called {name!r}.{nearest(name, GROUPS)}")
        if not 0.0 < value < np.inf:
            raise InputError(f"tolerances: {name} is {value:g}, expected a standard deviation above 0")
    low, high = travel(m, q)
    half = np.maximum((high - low) / 2.0, 1e-6 * (m.size if m.legs.joint == "length" else 1.0))
    length = OFF * m.size
    own = {
        **dict.fromkeys(("base_points", "platform_points", "rod_lengths", "arms"), np.full(6, length)),
        **dict.fromkeys(("guides", "axes"), np.full(6, TILT)),
        "joint_zeros": np.full(6, length) if m.legs.joint == "length" else _angle(m, length),
        "gains": np.full(6, GAIN),
        "curvatures": GAIN / half,  # as large an effect at the ends of the travel as a gain's
        "once_per_turn": ONCE * np.nan_to_num(legs.period),
    }
    columns = [np.full(6, given[name]) if name in given else own[name] for name in legs.group_of]
    return np.stack(columns, axis=1).ravel()


def _angle(machine: Machine, length: float) -> Array:
    """Rotation of the cranks (6,) by which their arms' ends move by a length [rad]."""
    arms = machine.legs.driven_points(np.zeros(6)) - machine.legs.carriers(np.zeros(6))[:, :3, 3]
    return np.asarray(length / np.linalg.norm(arms, axis=1))


def assumed_noise(machine: Machine, given: Mapping[str, float]) -> tuple[dict[str, float], list[str]]:
    """Return initial noise of each kind, and the kinds whose noise is to be estimated.

    By default readings have 1e-4 of the machine's size along the legs, and the device a tenth of it: residuals are then
    attributed to the legs.
    """
    for name, value in given.items():
        if name not in NOISE:
            raise InputError(f"noise: expected some of {', '.join(NOISE)}, got {name!r}.{nearest(name, NOISE)}")
        if not 0.0 < value < np.inf:
            raise InputError(f"noise: {name} is {value:g}, expected a standard deviation above 0")
    along = 1e-4 * machine.size
    far, turn = 0.1 * along, 0.1 * along / machine.characteristic_length
    joints = along if machine.legs.joint == "length" else float(_angle(machine, along).mean())
    own = {"joints": joints, "positions": far, "rotations": turn, "angles": turn, "distances": far}
    return {**own, **given}, [name for name in NOISE if name not in given]
