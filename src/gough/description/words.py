"""Names of kinds of machines: of their legs, of templates of `gough new`, and common synonyms."""

from __future__ import annotations

STRUTS, SLIDERS, CRANKS = ("UPS", "UCU", "SPS", "UPU"), ("PUS", "PSS"), ("RUS", "RSS")
TEMPLATES = (*STRUTS, *SLIDERS, "rails", *CRANKS, "servo")
"""Templates of `gough new`: leg kinds, and two special machines."""
OTHER_WORDS = {
    **dict.fromkeys(("stewart", "gough", "gough-stewart", "stewart-gough", "hexapod", "strut", "struts"), "UPS"),
    **dict.fromkeys(("linapod", "slider", "sliders", "linear"), "PUS"),
    **dict.fromkeys(("hexaglide", "rail", "horizontal"), "rails"),
    **dict.fromkeys(("rotary", "rotopod", "hunt", "crank", "cranks"), "RUS"),
    **dict.fromkeys(("servos", "hobby"), "servo"),
}
"""Templates by common synonyms."""
LIKE = {"rails": SLIDERS, "servo": CRANKS, **{name: kinds for kinds in (STRUTS, SLIDERS, CRANKS) for name in kinds}}
"""Leg kinds of the machines of a template."""


def template_name(word: str) -> str | None:
    """Template for a word, in any case, with or without "6-" before it; None for an unknown word."""
    plain = word.casefold().removeprefix("6-")
    known = {name.casefold(): name for name in TEMPLATES}
    return known.get(plain, OTHER_WORDS.get(plain))


def leg_kind_of(word: str) -> str | None:
    """Leg kind that a word names, in any case, with or without "6-" before it; None for other words."""
    kind = word.casefold().removeprefix("6-").upper()
    return kind if kind in (*STRUTS, *SLIDERS, *CRANKS) else None


def machine_hint(word: str) -> str:
    """Hint for a word that names a kind of machines instead of a machine; "" for other words."""
    name = template_name(word)
    if name is None:
        return ""
    return (
        f" For machines of this kind: gough machines {word} lists those built in, gough new --kind {name} writes one."
    )
