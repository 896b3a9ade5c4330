"""All bounds with the machines on which they are attacked, and what promises each of them."""

from collections.abc import Iterator

import numpy as np
from tests.bounds import motions, regions, searches
from tests.bounds.attack import SAMPLES, STEPS, Found, attack
from tests.skew import SKEW, SKEW_STACK

import gough

MACHINES = ("hexel", "pitch-circle", "hexaglide", "rotopod", *SKEW)
ROUND_OFF = 1e-10
"""Relative to the larger of a claim's value and its scale."""
MOST = 10
"""Domains, as a multiple of those that a bound needs that is claimed at all of their places."""
STRUTS = ("hexel", "pitch-circle", SKEW[0])
BOUNDS = {
    claim.__name__: (claim, machines)
    for claims, machines in (
        ((regions.legs, regions.boxes, regions.cells, regions.cuts, regions.proofs), MACHINES),
        ((regions.requested,), ("hexel", *SKEW)),
        ((regions.solutions,), (*MACHINES, SKEW_STACK)),
        ((regions.cubics,), STRUTS),
        ((motions.paths, motions.journeys, motions.verdicts), MACHINES),
        ((searches.reach, searches.steps, searches.surfaces, searches.distances, searches.covers), MACHINES),
        ((searches.envelopes, searches.lines), MACHINES),
        ((motions.tubes,), ("hexel", *SKEW)),
        ((motions.heads, motions.corners, searches.cones), SKEW[:1]),  # which do not depend on the machine
    )
    for claim in claims
}


def attacked(name: str, machine: str, tries: int, seed: int = 0) -> Iterator[Found]:
    """What attacks on one bound of one machine find, one domain after the other, until it was claimed at so many places
    or domains are `MOST` times as many as needed if it were claimed at all of theirs."""
    m, which = gough.load(machine), BOUNDS[name][1].index(machine)
    for k in range(MOST * -(-tries // (SAMPLES + STEPS))):
        rng = np.random.default_rng([seed, which, k])
        size = 10 ** rng.uniform(-6, -0.2) if k % 2 else rng.uniform(0.01, 0.6)
        yield (found := attack(BOUNDS[name][0](m, rng, size), rng))
        tries -= found.tries
        if tries <= 0:
            return
