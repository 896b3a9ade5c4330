"""Cranks by length and heading: arms and axes without trigonometry by hand."""

from __future__ import annotations

import numpy as np

from gough.arrays import Array
from gough.description.points import PAIRS
from gough.description.problems import Problems
from gough.description.schema import MachineFile
from gough.legs import Legs


def crank_of(file: MachineFile, kind: type[Legs], problems: Problems) -> dict[str, Array]:
    """Arms and axes (6, 3) of `legs.crank`, in SI; nothing where the file gives none or something is wrong with it.

    At zero an arm is horizontal; its axis is arm x z, so that positive angles lift it.
    """
    crank, circle = file.legs.crank, file.base.pitch_circle
    if crank is None:
        return {}
    wrong = _complaint(file, kind)
    if wrong:
        problems.add("legs.crank", wrong)
        return {}
    if crank.headings is not None:
        angle = np.array(crank.headings) * file.units.radians
    else:
        assert circle is not None
        assert crank.heading is not None
        mirrored = np.tile([-1.0, 1.0], 3) * crank.heading
        angle = np.radians(np.repeat(PAIRS, 2)) + (circle.rotation + mirrored) * file.units.radians
    along = np.stack([np.cos(angle), np.sin(angle), np.zeros(6)], axis=1)
    length = np.array(crank.length)[:, None] * file.units.metres
    return {"arm": length * along, "axis": np.cross(along, [0.0, 0.0, 1.0])}


def _complaint(file: MachineFile, kind: type[Legs]) -> str:
    crank = file.legs.crank
    assert crank is not None
    if "arm" not in kind.needs:
        return f"{kind.kind} legs have no crank"
    if file.legs.arm is not None or file.legs.axis is not None:
        return "is instead of `axis` and `arm`: give it or both of them"
    if (crank.heading is None) == (crank.headings is None):
        return "give `heading`, from the outward direction of each pair, or `headings`, from the x axis; one of the two"
    if crank.heading is not None and file.base.pitch_circle is None:
        return "`heading` counts from the pairs of a `base.pitch_circle`; for points give six `headings`, from x"
    return ""
