"""The leg kinds: one file each.

All of them obey one equation: the rod between the driven point p(q) on the base side and the platform point b
has the length L(q),

    | t + R b - p(q) | = L(q)

A kind defines p, L and their derivatives, q as a function of the platform point, and the domain of that function. All
other code is written in these terms, for every kind at once.
"""

from gough.legs.leg import Legs
from gough.legs.pus import PUS
from gough.legs.rus import RUS
from gough.legs.ups import UPS

KINDS: dict[str, type[Legs]] = {kind.kind: kind for kind in (UPS, PUS, RUS)}
"""Leg kinds by name, as machine files spell them."""

MOVES_AS = {"UCU": "UPS", "SPS": "UPS", "UPU": "UPS", "PSS": "PUS", "RSS": "RUS"}
"""Kind with the same kinematics, by the names of legs whose passive joints differ."""

__all__ = ["KINDS", "MOVES_AS", "PUS", "RUS", "UPS", "Legs"]
