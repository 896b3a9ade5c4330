"""What two sides have of one number: how close they have to be, and every disagreement as a sentence."""

from dataclasses import dataclass, field

import numpy as np
from scipy.stats import t

EXACT = 1e-9  # both sides compute in double precision: relative, of the largest number of a list
ROUNDING = 1e-13  # of sums of products, where a small part of them is compared
ZEROS = 1e-8  # where Brent's method and the product look for the same zero: a root's rounding grows at flat crossings
DIFFERENCES = 2e-6  # central differences: the square of a step of 1e-4, with the third derivative
SAMPLED = 3e-4  # peaks over time: the square of half a sample of a hundredth of the time
SIGMAS = float(t.isf(0.5e-4, 15))  # standard errors of sixteen replicates: one estimate in 10,000 is farther off


@dataclass
class Comparison:
    """What was compared, and every disagreement as a sentence."""

    count: int = 0
    wrong: list = field(default_factory=list)

    def same(self, what, ours, theirs, tolerance=EXACT, scale=None):
        """Equal to a part of the largest number, or of the scale."""
        ours, theirs = np.asarray(ours, float), np.asarray(theirs, float)
        self.count += ours.size
        scale = np.max(np.abs(ours[np.isfinite(ours)]), initial=0.0) if scale is None else scale
        both_endless = np.isinf(ours) & np.isinf(theirs)
        off = np.abs(np.where(both_endless, 0, ours) - np.where(both_endless, 0, theirs))
        if not np.all(off <= tolerance * scale):
            self.wrong.append(f"{what}: here {_short(ours)}, there {_short(theirs)}, apart {np.max(off):.3g}")

    def holds(self, what, is_so):
        """A statement that the product's number implies."""
        self.count += 1
        if not is_so:
            self.wrong.append(what)


def _short(values):
    return np.array2string(values, precision=8, threshold=8)
