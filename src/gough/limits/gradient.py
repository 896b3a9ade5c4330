"""Gradients of margins with respect to the pose, and the direction in which to back off from a limit."""

from __future__ import annotations

from functools import partial

import numpy as np

from gough.arrays import Array, Bools
from gough.checks.arguments import checks_arguments
from gough.displacements import displaced
from gough.errors import InputError
from gough.kinematics.inverse import postures
from gough.limits.climb import bisected
from gough.limits.margins import Margins, is_allowed, margins
from gough.limits.table import walking_length
from gough.limits.travel import travel
from gough.poses import PoseLike, checked_matrices
from gough.present.units import unit_of, with_unit
from gough.quantity import ALONG_AXES, AXES, quantity, ratios, result, transform
from gough.results import Result
from gough.stacked import AnyMachine

_OFFSETS = np.array([-2.0, -1.0, 1.0, 2.0])
_WEIGHTS = np.array([1.0, -8.0, 8.0, -1.0]) / 12.0
STEP = 2e-4
"""Step in walking lengths: the fourth-order difference has an error of about 1e-12 of a margin's scale per length."""

TRIED, HALVINGS = 64, 40
"""Displacements along each axis that advice tries, from 1e-9 machine sizes on, and halvings of the best one."""


@result
class MarginGradient(Result):
    """Gradients of margins.

    Attributes
    ----------
    margins : Margins
        The margins themselves.

    """

    values: Array = quantity(
        lambda of: ratios(of.margins.units, ALONG_AXES), "limit", "twist", frame="base",
        doc="Change of each margin per displacement [v, w] of the point of interest; NaN where a leg cannot close "
        "within a step of the pose.",
    )  # fmt: skip
    margins: Margins
    matrix: Array = transform(doc="Poses of the (end) platform.")

    def labels(self, dim: str) -> tuple[str, ...]:
        """See `Result.labels`."""
        return self.margins.labels(dim)

    def back_off(self) -> str:
        """Advise how to leave the limits at one pose, e.g. "back off 1.3 mm in +x".

        The shortest displacement along or about one axis to an allowed pose, with a radian counted as the machine's
        characteristic length; the pose there was tried with the number that is printed. At an allowed pose that
        `Margins.is_tight`, the travel to the nearest limit along the axis that most changes the binding margin.
        """
        if self.margins.values.ndim != 1:
            raise InputError(f"expected a single pose, got poses of shape {self.margins.values.shape[:-1]}")
        if not self.margins.is_allowed:
            return self._advice_back()
        if self.margins.is_singular:
            return f"every limit is kept; {self.margins.singular_sentence()}"
        return self._advice_within() if self.margins.is_tight else "every limit is kept"

    def _weight(self) -> Array:
        """Displacements [m or rad] along and about each axis (6,) that count as much as a metre."""
        return np.array([1.0] * 3 + [1.0 / self.margins.machine.characteristic_length] * 3)

    def _is_refused_along(self, direction: Array, amount: Array) -> Bools:
        """Whether the displacements `amount` times `direction` lead to poses that are not allowed."""
        return ~self._is_allowed(amount * direction)

    def _is_allowed(self, d: Array) -> Bools:
        """Whether the pose displaced by d (..., 6) is allowed (...)."""
        machine = self.margins.machine
        return is_allowed(machine, postures(machine, displaced(self.matrix, d, machine.point_of_interest)))

    def _advice_back(self) -> str:
        """Advice for a refused pose."""
        machine, amounts = self.margins.machine, self.margins.machine.size * np.logspace(-9, 0, TRIED)
        steps = np.concatenate([np.diag(self._weight()), -np.diag(self._weight())])
        allowed = self._is_allowed(amounts[:, None] * steps[:, None])
        for k, direction in sorted(zip(allowed.argmax(axis=1), range(12), strict=True)):
            if not allowed[direction, k]:
                continue
            low = amounts[k - 1] if k else 0.0
            is_refused = partial(self._is_refused_along, steps[direction])
            _, high = bisected(is_refused, np.array(low), amounts[k], HALVINGS)
            axis, unit = direction % 6, "m" if direction % 6 < 3 else "rad"
            least = float(high) * abs(steps[direction, axis])
            size, _ = unit_of(machine.units, unit)
            # The printed number, rounded up to three digits, has to lead to an allowed pose.
            step = 10.0 ** (np.floor(np.log10(least / size)) - 2)
            for amount in size * step * (np.ceil(least / size / step) + np.arange(3)):
                if self._is_allowed(amount * np.sign(steps[direction])):
                    return (
                        f"back off {with_unit(machine, float(amount), unit, 3)} in {'+-'[direction // 6]}{AXES[axis]}"
                    )
        return "no single axis leads back"

    def _advice_within(self) -> str:
        """Advice for an allowed pose near a limit."""
        machine, slope = self.margins.machine, self.values[int(self.margins.binding_index)]
        effect = np.abs(slope) * self._weight()
        if not np.isfinite(effect).all() or effect.max() == 0:
            return "every limit is kept"
        axis = int(np.argmax(effect))
        on = travel(machine, -np.sign(slope[axis]) * np.eye(6)[axis], self.matrix)
        if on.binding_index < 0:
            return "every limit is kept"
        amount = with_unit(machine, float(on.distance), "m" if axis < 3 else "rad", 3)
        off, towards = ("+", "-") if slope[axis] > 0 else ("-", "+")
        return (
            f"every limit is kept; another {amount} in {towards}{AXES[axis]} reaches one, {off}{AXES[axis]} leads away"
        )


@checks_arguments
def margin_gradient(machine: AnyMachine, X: PoseLike) -> MarginGradient:
    """Compute the gradients of all margins at poses, by central differences of fourth order.

    [g(-2h) - 8 g(-h) + 8 g(h) - g(2h)] / 12h along each axis (by definition: dg / d[v, w] of the margins g). These are
    exact to rounding, so that differences give ten digits for all kinds of limits and legs.

    Parameters
    ----------
    machine : Machine
    X : PoseLike, (..., 4, 4)
        Poses of the (end) platform.

    Returns
    -------
    MarginGradient
        `values` (..., k, 6) [unit/m, unit/rad]; NaN where a leg cannot close within a step of the pose.

    Raises
    ------
    ShapeError, PoseError
        An array of another shape; a matrix that is not a pose.

    """
    matrices = checked_matrices(X)
    h = STEP * min(map(walking_length, machine.stages))
    step = np.repeat([h, h / machine.characteristic_length], 3)
    # Displacements (6, 4, 6): four offsets along each of the six axes of the twist.
    d = _OFFSETS[:, None] * np.diag(step)[:, None]
    poses = displaced(matrices[..., None, None, :, :], d, machine.point_of_interest)
    values = margins(machine, postures(machine, poses)).values
    slopes = np.einsum("...aok,o->...ka", values, _WEIGHTS) / step
    return MarginGradient(slopes, margins(machine, postures(machine, matrices)), matrices)
