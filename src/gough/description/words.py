"""Machines by the names of their legs, by what they are, and by what others call them."""

from __future__ import annotations

STRUTS, SLIDERS, CRANKS = ("UPS", "UCU", "SPS"), ("PUS", "PSS"), ("RUS", "RSS")
TEMPLATES = (*STRUTS, *SLIDERS, "rails", *CRANKS, "servo")
"""Machines to start from (`gough new`)."""
OTHER_WORDS = {
    **dict.fromkeys(("stewart", "gough", "gough-stewart", "stewart-gough", "hexapod", "struts"), "UPS"),
    **dict.fromkeys(("linapod", "sliders", "linear"), "PUS"),
    **dict.fromkeys(("hexaglide", "rail", "horizontal"), "rails"),
    **dict.fromkeys(("rotary", "rotopod", "hunt", "cranks"), "RUS"),
    **dict.fromkeys(("servos", "hobby"), "servo"),
}
"""What others call them."""
LIKE = {"rails": SLIDERS, "servo": CRANKS, **{name: kinds for kinds in (STRUTS, SLIDERS, CRANKS) for name in kinds}}
"""Kinds of legs that the machines of a template have."""


def template_name(word: str) -> str | None:
    """The template that a word means, in any case and with "6-" before it; None if it means none."""
    plain = word.casefold().removeprefix("6-")
    known = {name.casefold(): name for name in TEMPLATES}
    return known.get(plain, OTHER_WORDS.get(plain))


def machine_hint(word: str) -> str:
    """Where to find and make machines, for a word that names no machine but means a kind; nothing for another."""
    name = template_name(word)
    if name is None:
        return ""
    return (
        f" For machines of this kind: gough machines {word} lists those built in, gough new --kind {name} writes one."
    )
