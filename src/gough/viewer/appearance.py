"""The page's colours: those of the figures, and what a margin looks like."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from gough.arrays import Array
from gough.limits.margins import TIGHT, Margins
from gough.plot import _style as style

Rgb = tuple[int, int, int]

EASY = 0.25
"""A relative margin above this is none to think about."""
GOOD, NEAR, BROKEN = style.AXES[1], "#d97706", style.AXES[0]


def rgb(colour: str) -> Rgb:
    """Red, green and blue, 0 to 255, of a colour "#rrggbb"."""
    return int(colour[1:3], 16), int(colour[3:5], 16), int(colour[5:7], 16)


def instance_colours(colours: Sequence[str]) -> NDArray[np.uint8]:
    """Colours (n, 3) of the solids of a batch, 0 to 255: the page takes them for linear light, where colours of other
    nodes are sRGB (IEC 61966-2-1)."""
    srgb = np.array([rgb(colour) for colour in colours]) / 255.0
    linear = np.where(srgb <= 0.04045, srgb / 12.92, ((srgb + 0.055) / 1.055) ** 2.4)
    return np.asarray((255.0 * linear).round(), dtype=np.uint8)


def margin_colour(relative: float) -> str:
    """Green with room, over amber near a limit, to red on it and beyond, for a relative margin."""
    if not relative > 0:
        return BROKEN
    if relative >= EASY:
        return GOOD
    ends = (BROKEN, NEAR, GOOD)
    at = relative / TIGHT if relative < TIGHT else 1.0 + (relative - TIGHT) / (EASY - TIGHT)
    low, high = np.array(rgb(ends[int(at)])), np.array(rgb(ends[int(at) + 1]))
    red, green, blue = (low + (at - int(at)) * (high - low)).round().astype(int).tolist()
    return f"#{red:02x}{green:02x}{blue:02x}"


def leg_margins(found: Margins) -> Array:
    """Smallest relative margin of the limits that concern each leg alone (6,)."""
    worst = np.full(6, np.inf)
    for column, relative in zip(found.columns, found.relative.tolist(), strict=True):
        if len(column.legs) == 1:
            i = column.legs[0] - 1
            worst[i] = min(worst[i], relative) if np.isfinite(relative) else worst[i]
    return worst
