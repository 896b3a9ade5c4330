"""Words for leg kinds, and starter files for `gough new`.

Prose begins with "# ", a disabled setting with "#" alone: without that "#" the file is still valid.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import NamedTuple

from gough.errors import InputError, nearest

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
    """Return the template for a word, in any case, with or without "6-" before it; None for an unknown word."""
    plain = word.casefold().removeprefix("6-")
    known = {name.casefold(): name for name in TEMPLATES}
    return known.get(plain, OTHER_WORDS.get(plain))


def leg_kind_of(word: str) -> str | None:
    """Return the leg kind that a word names, in any case, with or without "6-" before it; None for other words."""
    kind = word.casefold().removeprefix("6-").upper()
    return kind if kind in (*STRUTS, *SLIDERS, *CRANKS) else None


def machine_hint(word: str) -> str:
    """Return a hint for a word that names a kind of machine instead of a machine; "" for other words."""
    name = template_name(word)
    if name is None:
        return ""
    return (
        f" For machines of this kind: gough machines {word} lists those built in, gough new --kind {name} writes one."
    )


STARTERS = Path(__file__).with_name("starters")
"""Beginning and end of all starter files, and the tables of legs and joints of each template."""


class Template(NamedTuple):
    """A template: its file in `starters`, what it describes, and the numbers of the disabled settings."""

    file: str
    what: str
    name: str
    leg_radius: str
    z_min: str
    z_max: str
    resolution: str
    transmission: str
    friction: str


_STRUTS = Template("struts", "six extending struts", "my-hexapod", "15", "200", "400", "0.001", "screw_lead = 2", "5")
_SLIDERS = Template(
    "sliders", "six rods on sliders", "my-slider-hexapod", "12", "250", "600", "0.001", "screw_lead = 10", "5"
)
_RAILS = Template(
    "rails", "six rods on horizontal rails", "my-rail-hexapod", "12", "300", "600", "0.001", "screw_lead = 10", "5"
)
_CRANKS = Template(
    "cranks", "six rods on cranks", "my-crank-hexapod", "4", "120", "260", "0.01", "gear_ratio = 50", "0.02"
)
_SERVOS = Template(
    "servos", "six rods on hobby servos", "my-servo-platform", "2", "110", "220", "0.1", "gear_ratio = 200", "0.002"
)
_TEMPLATES = {
    **dict.fromkeys(STRUTS, _STRUTS),
    **dict.fromkeys(SLIDERS, _SLIDERS),
    "rails": _RAILS,
    **dict.fromkeys(CRANKS, _CRANKS),
    "servo": _SERVOS,
}


def starter_text(kind: str) -> str:
    """Return the text of a commented machine file.

    `kind` is a kind of legs ("UPS", "UCU", "SPS", "UPU", "PUS", "PSS", "RUS", "RSS"), "rails", "servo", or a synonym
    (`gough.description.starter`); `InputError` for others.
    """
    name, template = _template(kind)
    head, legs, tail = (
        (STARTERS / part).read_text("utf-8") for part in ("head.txt", f"{template.file}.toml", "tail.txt")
    )
    if name.isupper():
        legs = re.sub(r'^kind = "[A-Z]+"', f'kind = "{name}"', legs, flags=re.MULTILINE)
    words = template._asdict()
    return head.format(**words) + "\n" + legs + tail.format(**words)


def starter_title(kind: str) -> str:
    """Return the kind of the legs and description of the machine: "UCU: six extending struts"."""
    name, template = _template(kind)
    return f"{name}: {template.what}"


def _template(kind: str) -> tuple[str, Template]:
    name = template_name(kind)
    if name is None:
        *most, last = TEMPLATES
        expected = f"{', '.join(most)} or {last}"
        raise InputError(f"no template named {kind!r}, expected {expected}.{nearest(kind, TEMPLATES)}")
    return name, _TEMPLATES[name]
