"""Schur complements of matrices of rods' directions over boxes, compiled (`gough.regions.least_singular`)."""

from __future__ import annotations

from math import inf
from typing import NamedTuple

import numpy as np

from gough._compile import kernel
from gough.arrays import Array
from gough.regions._complements import (
    ROUNDED,
    least_near_centre,
    work_of,
    write_complement,
    write_parts,
    write_share,
)
from gough.regions._directions import Place, scratch_of, write_directions
from gough.regions._placing import RegionArrays
from gough.regions._regular import Platform
from gough.regions._split import split_of, write_difference, write_singular_vectors, write_symmetric
from gough.regions._struts import BoxMotion
from gough.regions._taylor import NUMBERS, REMAINDER

S, SIZES, SHARE, LOWEST, LONGEST, RESULTS = 0, NUMBERS, NUMBERS + 3, NUMBERS + 9, NUMBERS + 10, NUMBERS + 11
"""Places in a box's results, see `Complements`, and how many they are."""


class Complements(NamedTuple):
    """Over n boxes: rows of Taylor models of Schur complements s, less their rounding (n, NUMBERS), with infinite
    remainders where none is known or needed; bounds of |D|, |x| and |y| (n, 3); parts of the loss by the coordinates
    (n, 6); a lower bound (n,) of the least singular value without a complement, zero where none is known; and how many
    times (n,) singular values are at most those of the rods' directions."""

    s: Array
    sizes: Array
    share: Array
    lowest: Array
    longest: Array


class Wanted(NamedTuple):
    """A bound that the least singular value has to keep; displacements (6,) of joints by the coordinates; and whether
    complements are needed only where `lowest` does not decide."""

    bound: float
    weight: Array
    is_first: bool


class Room(NamedTuple):
    """Scratch: (3, 6, 6, NUMBERS), (3, 6, NUMBERS), (21, NUMBERS), (11, 6, 6) and (6, 12)."""

    matrices: Array
    rows: Array
    scalars: Array
    square: Array
    E: Array


@kernel
def write_complements(
    platform: Platform,
    region: RegionArrays,
    z: Array,
    motion: BoxMotion,
    wanted: Wanted,
    is_crank: bool | None,
    room: Room,
    out: Array,
) -> None:
    """Write results (n, RESULTS) over boxes with centres z (n, 6). `is_crank` is None for struts: their code is made
    without that of other legs."""
    bound, weight, is_first = wanted
    A, W, moved = room.matrices[0], room.square[9], room.square[10, 0]
    split, rod = split_of(room.square[:3], room.matrices[1:]), scratch_of(room.scalars)
    work = work_of(room.square[3:9], room.E, room.rows)
    for n in range(len(z)):
        half, found = motion.half[n], out[n]
        s = found[S:SIZES]
        for i in range(3):
            for j in range(3):
                W[i, j] = motion.W[n, i, j] * half[3 + j]
        for c in range(6):
            moved[c] = half[c] * weight[c]
        place = Place(motion.X[n], z[n], half, W, motion.turn[n], motion.bend[n] / 2.0)
        longest = write_directions(platform, region, place, bound > 0.0, rod, A, is_crank)
        found[LONGEST], found[LOWEST], found[S + REMAINDER] = longest, 0.0, inf
        if not write_singular_vectors(A, split):
            continue
        top = write_difference(A, split)
        write_parts(split, work)
        if is_first:
            found[LOWEST] = least_near_centre(split, top, work)
        if found[LOWEST] < max(bound, ROUNDED):
            if bound > 0.0:
                write_symmetric(split, bound * longest, work.square)
                write_parts(split, work)
            found[SIZES], found[SIZES + 1], found[SIZES + 2] = write_complement(split, top, work, s)
            s[0] -= ROUNDED * top
            write_share(split.rows, s, moved, found[SHARE:LOWEST])


def complements(
    platform: Platform, region: RegionArrays, z: Array, motion: BoxMotion, wanted: Wanted, is_crank: bool | None
) -> Complements:
    """As `write_complements`."""
    out = np.zeros((len(z), RESULTS))
    room = Room(
        np.empty((3, 6, 6, NUMBERS)),
        np.empty((3, 6, NUMBERS)),
        np.empty((21, NUMBERS)),
        np.empty((11, 6, 6)),
        np.empty((6, 12)),
    )
    write_complements(platform, region, z, motion, wanted, is_crank, room, out)
    return Complements(out[:, S:SIZES], out[:, SIZES:SHARE], out[:, SHARE:LOWEST], out[:, LOWEST], out[:, LONGEST])
