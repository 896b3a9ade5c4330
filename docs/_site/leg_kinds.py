"""Drawing of the three kinds of legs with their joints and symbols."""

from __future__ import annotations

WIDTH, HEIGHT, PANEL = 960, 400, 320
INK, BODY, DRIVE, MUTED = "#1f2937", "#64748b", "#c2410c", "#94a3b8"
Point = tuple[float, float]
HEAD: Point = (190.0, 92.0)


def line(a: Point, b: Point, colour: str = INK, width: float = 4.0, dash: str = "") -> str:
    """Straight line from a to b."""
    style = f' stroke-dasharray="{dash}"' if dash else ""
    ends = f'x1="{a[0]:g}" y1="{a[1]:g}" x2="{b[0]:g}" y2="{b[1]:g}"'
    return f'<line {ends} stroke="{colour}" stroke-width="{width:g}"{style}/>'


def text(
    at: Point, words: str, colour: str = INK, size: int = 15, anchor: str = "start", *, italic: bool = False
) -> str:
    """Words at a point."""
    style = ' font-style="italic"' if italic else ""
    place = f'x="{at[0]:g}" y="{at[1]:g}" text-anchor="{anchor}"'
    return f'<text {place} fill="{colour}" font-size="{size}"{style}>{words}</text>'


def symbols(places: dict[str, Point], colour: str = INK) -> list[str]:
    """Letters in italics at their places."""
    return [text(at, letter, colour, italic=True) for letter, at in places.items()]


def plate(middle: Point, half: float) -> str:
    """Base or platform, seen from the side."""
    x, y = middle
    return f'<rect x="{x - half:g}" y="{y - 7:g}" width="{2 * half:g}" height="14" rx="4" fill="{BODY}"/>'


def ball(at: Point) -> str:
    """Spherical joint S."""
    return f'<circle cx="{at[0]:g}" cy="{at[1]:g}" r="10" fill="white" stroke="{INK}" stroke-width="3"/>'


def universal(at: Point) -> str:
    """Universal joint U: two crossed axes."""
    x, y = at
    return ball(at) + line((x - 7, y), (x + 7, y), INK, 2) + line((x, y - 7), (x, y + 7), INK, 2)


def between(a: Point, b: Point, part: float) -> Point:
    """Point at a part of the segment from a to b."""
    return a[0] + part * (b[0] - a[0]), a[1] + part * (b[1] - a[1])


def panel(k: int, title: str, below: str, shapes: list[str]) -> str:
    """One picture, with its title above and its sentence below."""
    platform = [plate((HEAD[0], HEAD[1] - 17), 82), text((HEAD[0] + 90, HEAD[1] - 12), "P", BODY)]
    base = [plate((150, 337), 110), text((266, 342), "B", BODY)]
    words = [text((150, 30), title, size=18, anchor="middle"), text((150, 380), below, BODY, 13, "middle")]
    return f'<g transform="translate({PANEL * k + 10},0)">' + "".join([*platform, *base, *shapes, *words]) + "</g>"


def strut() -> str:
    """UPS: an extending strut between a base joint and a platform joint."""
    foot: Point = (90, 320)
    tube = between(foot, HEAD, 0.55)
    return panel(
        0,
        "UPS: extending strut",
        "q = L: the length from joint to joint",
        [
            line(foot, tube, DRIVE, 14), line(tube, HEAD, INK, 6), universal(foot), ball(HEAD),
            text((54, 322), "U"), text((158, 96), "S"), text((140, 252), "P, driven", DRIVE, 13),
            *symbols({"a": (106, 312), "b": (206, 106)}), *symbols({"q": (112, 208)}, DRIVE),
        ],
    )  # fmt: skip


def slider() -> str:
    """PUS: a rod of constant length on a carriage that slides along a straight guide."""
    low, high, foot = (60.0, 322.0), (150.0, 210.0), (96.0, 277.0)
    return panel(
        1,
        "PUS: slider and rod",
        "q: displacement along the guide from a",
        [
            line(low, high, MUTED, 8), line(foot, HEAD, INK, 6),
            f'<rect x="80" y="266" width="32" height="22" rx="3" fill="{DRIVE}" transform="rotate(-51 96 277)"/>',
            universal(foot), ball(HEAD), text((112, 298), "U"), text((158, 96), "S"),
            text((10, 268), "P, driven", DRIVE, 13), *symbols({"q": (58, 296)}, DRIVE),
            *symbols({"a": (40, 322), "b": (206, 106), "g": (158, 212), "L": (152, 190), "p": (116, 272)}),
        ],
    )  # fmt: skip


def crank() -> str:
    """RUS: a rod of constant length on a crank that turns about a fixed axis."""
    centre, foot = (110.0, 318.0), (70.0, 242.0)
    return panel(
        2,
        "RUS: crank and rod",
        "q: angle of the arm about its axis n",
        [
            line(centre, foot, DRIVE, 12), line(foot, HEAD, INK, 6), ball(centre),
            f'<circle cx="{centre[0]:g}" cy="{centre[1]:g}" r="3" fill="{INK}"/>', universal(foot), ball(HEAD),
            f'<path d="M 150 318 A 40 40 0 0 0 91 283" fill="none" stroke="{DRIVE}" stroke-width="2"/>',
            text((160, 314), "R, driven", DRIVE, 13), text((44, 238), "U"),
            text((158, 96), "S"), *symbols({"q": (142, 284)}, DRIVE),
            *symbols({"c": (84, 326), "b": (206, 106), "p": (90, 254), "r": (70, 286), "L": (140, 184)}),
        ],
    )  # fmt: skip


def picture() -> str:
    """The whole file."""
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" height="{HEIGHT}" '
        'font-family="sans-serif" role="img" aria-label="The three kinds of legs">'
    )
    back = f'<rect width="{WIDTH}" height="{HEIGHT}" fill="white"/>'
    return "\n".join([head, back, strut(), slider(), crank(), "</svg>"]) + "\n"
