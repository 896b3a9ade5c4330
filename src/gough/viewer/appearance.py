"""The page's colours: those of the figures, and what a margin looks like."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from gough.arrays import Array
from gough.limits.margins import TIGHT, Margins
from gough.plot import _style as style

Rgb = tuple[int, int, int]

EASY = 0.25
"""Relative margin from which all colours are the same green."""
GOOD, NEAR, BROKEN = style.AXES[1], "#d97706", style.AXES[0]


def rgb(colour: str) -> Rgb:
    """Red, green and blue, 0 to 255, of a colour "#rrggbb"."""
    return int(colour[1:3], 16), int(colour[3:5], 16), int(colour[5:7], 16)


def hex_colour(colour: ArrayLike) -> str:
    """A colour "#rrggbb" of red, green and blue, 0 to 255."""
    return "#" + "".join(f"{int(part):02x}" for part in np.asarray(colour))


def instance_colours(colours: Sequence[str]) -> NDArray[np.uint8]:
    """Colours (n, 3) of the solids of a batch, 0 to 255, as linear light: the page converts all other colours from
    sRGB, but not these."""
    srgb = np.array([rgb(colour) for colour in colours]) / 255.0
    # IEC 61966-2-1: linear below 0.04045, a power law above.
    linear = np.where(srgb <= 0.04045, srgb / 12.92, ((srgb + 0.055) / 1.055) ** 2.4)
    return np.asarray((255.0 * linear).round(), dtype=np.uint8)


def margin_colour(relative: float) -> str:
    """Colour of a relative margin: red on the limit and beyond, over amber near it, to green."""
    if not relative > 0:  # NaN too
        return BROKEN
    if relative >= EASY:
        return GOOD
    channels = zip(rgb(BROKEN), rgb(NEAR), rgb(GOOD), strict=True)
    return hex_colour(np.round([np.interp(relative, (0.0, TIGHT, EASY), channel) for channel in channels]))


def leg_margins(found: Margins, *, of_strokes: bool = False) -> Array:
    """Smallest relative margin (6,) of each leg, over the limits that concern it alone, or over its own stroke only."""
    smallest = np.full(6, np.inf)
    for column, relative in zip(found.columns, found.relative.tolist(), strict=True):
        concerns_one = column.quantity == "" if of_strokes else len(column.legs) == 1
        if concerns_one and np.isfinite(relative):
            smallest[column.legs[0] - 1] = min(smallest[column.legs[0] - 1], relative)
    return smallest
