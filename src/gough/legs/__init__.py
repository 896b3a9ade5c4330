"""The leg kinds: one file each.

All of them obey one equation: the rod between the driven point p(q) on the base side and the platform point b
has the length L(q),

    | t + R b - p(q) | = L(q)

A kind defines p, L and their derivatives, q as a function of the platform point, and where there is no q. All other
code is written in those terms, the same for every kind.
"""

from gough.legs.leg import Legs
from gough.legs.pus import PUS
from gough.legs.rus import RUS
from gough.legs.ups import UPS

KINDS: dict[str, type[Legs]] = {kind.kind: kind for kind in (UPS, PUS, RUS)}
"""Leg kinds by name, as machine files spell them."""

MOVES_AS = {"UCU": "UPS", "SPS": "UPS", "PSS": "PUS", "RSS": "RUS"}
"""Legs whose other joints change no pose: what they are called, and the kind that they move as."""

__all__ = ["KINDS", "MOVES_AS", "PUS", "RUS", "UPS", "Legs"]
