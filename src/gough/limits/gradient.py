"""Gradients of margins with respect to the pose, and the direction in which to back off from a limit."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from gough.arrays import Array
from gough.checks.arguments import checks_arguments
from gough.displacements import displaced
from gough.errors import InputError
from gough.kinematics.inverse import postures
from gough.limits.margins import Margins, margins
from gough.limits.table import walking_length
from gough.poses import PoseLike, checked_matrices
from gough.present.answer import AXES
from gough.present.units import with_unit
from gough.results import Quantities, Result
from gough.stacked import AnyMachine

_OFFSETS = np.array([-2.0, -1.0, 1.0, 2.0])
_WEIGHTS = np.array([1.0, -8.0, 8.0, -1.0]) / 12.0
STEP = 2e-4
"""Step in walking lengths: the fourth-order difference has an error of about 1e-12 of a margin's scale per length."""


@dataclass(frozen=True, eq=False)
class MarginGradient(Result):
    """Gradients of margins.

    Attributes
    ----------
    values : (..., k, 6) array
        Change of each margin per displacement [v, w] of the point of interest in base axes [unit/m, unit/rad]; NaN
        where a leg cannot close within a step of the pose.
    margins : Margins
        The margins themselves.

    """

    QUANTITIES: ClassVar[Quantities] = {
        "values": ("unit of the margin per m, per rad", "limit", "twist"),
    }

    values: Array
    margins: Margins

    def back_off(self) -> str:
        """Advice on the binding limit of one pose, e.g. "back off 1.3 mm in +x".

        It names the axis along which the shortest displacement meets the limit again, to first order, with a radian
        counted as the machine's characteristic length. At an allowed pose that `Margins.is_tight`, it says how far the
        nearest limit is and which direction leads away.
        """
        if self.margins.values.ndim != 1:
            raise InputError(f"advice is for one pose, these are {self.margins.values.shape[:-1]}; take one")
        c = int(self.margins.binding_index)
        value, slope = float(self.margins.values[c]), self.values[c]
        if value >= 0 and self.margins.is_singular:
            return f"every limit is kept; {self.margins.singular_sentence()}"
        if value >= 0 and not self.margins.is_tight:
            return "every limit is kept"
        # Effect of a metre along each axis, a radian counted as the characteristic length.
        machine = self.margins.machine
        weight = np.array([1.0] * 3 + [machine.characteristic_length] * 3)
        effect = np.abs(slope) / weight
        if not np.isfinite(effect).all() or effect.max() == 0:
            return "no single axis leads back" if value < 0 else "every limit is kept"
        axis = int(np.argmax(effect))
        amount = with_unit(machine, abs(-value / slope[axis]), "m" if axis < 3 else "rad", 3)
        off = "+" if slope[axis] > 0 else "-"
        if value < 0:
            return f"back off {amount} in {off}{AXES[axis]}"
        on = "-" if off == "+" else "+"
        return f"every limit is kept; another {amount} in {on}{AXES[axis]} reaches one, {off}{AXES[axis]} leads away"


@checks_arguments
def margin_gradient(machine: AnyMachine, X: PoseLike) -> MarginGradient:
    """Gradients of all margins at poses, by central differences of fourth order.

    [g(-2h) - 8 g(-h) + 8 g(h) - g(2h)] / 12h along each axis (by definition: dg / d[v, w] of the margins g). These are
    exact to rounding, so that differences give ten digits for all kinds of limits and legs.

    Parameters
    ----------
    machine : Machine
        Of two stages the end platform moves, at every pose with the posture that the machine's `share` gives.
    X : PoseLike, (..., 4, 4)
        Poses of the (end) platform.

    Returns
    -------
    MarginGradient
        `values` (..., k, 6) [unit/m, unit/rad]; NaN where a leg cannot close within a step of the pose.

    Raises
    ------
    ShapeError, PoseError
        An array of another shape; a matrix that is no pose.

    """
    matrices = checked_matrices(X)
    h = STEP * min(map(walking_length, machine.stages))
    step = np.repeat([h, h / machine.characteristic_length], 3)
    # Displacements (6, 4, 6): four offsets along each of the six axes of the twist.
    d = _OFFSETS[:, None] * np.diag(step)[:, None]
    poses = displaced(matrices[..., None, None, :, :], d, machine.point_of_interest)
    values = margins(machine, postures(machine, poses)).values
    slopes = np.einsum("...aok,o->...ka", values, _WEIGHTS) / step
    return MarginGradient(slopes, margins(machine, postures(machine, matrices)))
