"""The same machine with its legs in another order."""

from dataclasses import replace

import numpy as np


def of_each_leg(part, order):
    """The arrays of a part of a machine that have a row for each leg, in another order."""
    arrays = {name: value for name, value in vars(part).items() if isinstance(value, np.ndarray)}
    return {name: value[order] for name, value in arrays.items() if value.shape[:1] == (6,)}


def limits_relabelled(limits, order):
    """Limits with the legs in another order."""
    parts = {name: getattr(limits, name) for name in ("base_cone", "platform_cone", "base_plate", "platform_plate")}
    parts = {name: part and replace(part, **of_each_leg(part, order)) for name, part in parts.items()}
    return replace(limits, **of_each_leg(limits, order), **parts)


def relabelled(machine, order, **changes):
    """The machine with its legs in another order; bodies and joint axes of legs as they were, unless changed."""
    legs = replace(machine.legs, **of_each_leg(machine.legs, order))
    return replace(machine, legs=legs, limits=limits_relabelled(machine.limits, order), **changes)
