"""Write examples/gough_bowl.ngc: the word GOUGH engraved into a bowl, the tool square to the surface all the way.

scripts/make-part-program.py [FILE]

The bowl is a sphere's part; the program's zero is above its deepest point, z points up. Letters are lines and arcs
on the unrolled surface, cut as short straight moves with the tool's axis I J K. A frame about them is made of arcs in
the planes G18 and G19 with rotary words, the rim of helices, full circles and a scallop of arcs given by their radius.
"""

import sys
from itertools import pairwise
from pathlib import Path

import numpy as np

RADIUS, RIM = 200.0, 116.0
"""Of the sphere, and of the flat rim about the bowl [mm]."""
MIDDLE = 160.0
"""Height of the sphere's middle above the program's zero [mm]."""
DEEP, CLEAR = 0.8, 12.0
"""Depth of the cut and height of the moves between cuts, along the surface's normal [mm]."""
STEP = 0.625
"""Between points of the letters [mm]."""
WIDE, HIGH, PITCH = 26.0, 46.0, 38.0
"""Letters, and from one to the next [mm]."""
FRAME = 98.0, 38.0
"""Half width and half height of the frame about the word [mm]."""
SCALLOPS = 36
DEFAULT = Path(__file__).parent.parent / "examples" / "gough_bowl.ngc"


def bend(centre: tuple[float, float], start: float, end: float) -> np.ndarray:
    """Points of a letter's round part, from angle to angle [deg]."""
    r = WIDE / 2
    angle = np.deg2rad(np.linspace(start, end, max(2, int(np.ceil(r * np.deg2rad(abs(end - start)) / STEP)) + 1)))
    return np.stack([centre[0] + r * np.cos(angle), centre[1] + r * np.sin(angle)], axis=-1)


def straight(*corners: tuple[float, float]) -> np.ndarray:
    """Points along straight parts."""
    parts = [np.array(corners[:1])]
    for a, b in pairwise(corners):
        n = max(1, int(np.ceil(np.hypot(b[0] - a[0], b[1] - a[1]) / STEP)))
        parts.append(np.linspace(a, b, n + 1)[1:])
    return np.concatenate(parts)


def joined(*parts: np.ndarray) -> np.ndarray:
    """One stroke of several parts that meet."""
    return np.concatenate([parts[0], *(part[1:] for part in parts[1:])])


def letters() -> dict[str, list[np.ndarray]]:
    """Strokes of each letter about its middle [mm]."""
    w, h, r = WIDE / 2, HIGH / 2, WIDE / 2
    top, bottom = (0.0, h - r), (0.0, r - h)
    left = straight((-w, h - r), (-w, r - h))
    right = straight((w, r - h), (w, h - r))
    return {
        "G": [joined(bend(top, 25, 180), left, bend(bottom, 180, 360), straight((w, r - h), (w, -2), (3, -2)))],
        "O": [joined(bend(top, 0, 180), left, bend(bottom, 180, 360), right)],
        "U": [joined(straight((-w, h), (-w, r - h)), bend(bottom, 180, 360), straight((w, r - h), (w, h)))],
        "H": [straight((-w, h), (-w, -h)), straight((w, h), (w, -h)), straight((-w, 0), (w, 0))],
    }


def on_bowl(place: np.ndarray, deep: float) -> tuple[np.ndarray, np.ndarray]:
    """Point and inward normal at a place (2,) of the unrolled surface, `deep` below it."""
    a, b = place / RADIUS
    down = np.array([np.sin(a), np.cos(a) * np.sin(b), -np.cos(a) * np.cos(b)])
    return np.array([0.0, 0.0, MIDDLE]) + (RADIUS + deep) * down, -down


def words(place: np.ndarray, deep: float) -> str:
    """X Y Z I J K at a place."""
    point, normal = on_bowl(place, deep)
    numbers = zip("XYZIJK", [*point, *normal], [3, 3, 3, 5, 5, 5], strict=True)
    return " ".join(f"{letter}{value + 0.0:.{digits}f}" for letter, value, digits in numbers)


def engraving() -> list[str]:
    """The five letters."""
    shapes, lines = letters(), []
    for k, letter in enumerate("GOUGH"):
        lines.append(f"({letter})")
        for stroke in shapes[letter]:
            places = stroke + [(k - 2) * PITCH, 0.0]
            lines.append(f"G0 {words(places[0], -CLEAR)}")
            lines.append(f"G1 {words(places[0], DEEP)} F300")
            lines.append(f"{words(places[1], DEEP)} F600")
            lines += [words(place, DEEP) for place in places[2:]]
            lines.append(f"G0 {words(places[-1], -CLEAR)}")
    return lines


def frame() -> list[str]:
    """Four arcs on the bowl: along x in G18 with the tool turned by B, along y in G19 by A."""
    lines = ["(frame)"]
    for plane, along, across, half, side, rotary, sign in (
        ("G18", "X", "Y", FRAME[0], FRAME[1], "B", -1),
        ("G19", "Y", "X", FRAME[1], FRAME[0], "A", 1),
    ):
        section = np.sqrt(RADIUS**2 - side**2)  # radius of the section's circle
        cut = section + DEEP
        tilt = np.degrees(np.arcsin(half / section))
        start, level = cut * half / section, MIDDLE - cut * np.cos(np.arcsin(half / section))
        centre = "I" if along == "X" else "J"
        code = "G3" if plane == "G18" else "G2"
        for place in (-side, side):
            code = {"G2": "G3", "G3": "G2"}[code]
            way = 1 if place < 0 else -1
            turn = sign * way * tilt
            high = start - CLEAR * half / section
            lines += [
                f"{plane} G0 {along}{-way * high:.4f} {across}{place:.4f} Z{level + CLEAR:.4f} A0 B0 C0",
                f"{rotary}{-turn:.5f}",
                f"G1 {along}{-way * start:.4f} Z{level:.4f} F300",
                f"{code} {along}{way * start:.4f} Z{level:.4f} {centre}{way * start:.4f} K{MIDDLE - level:.4f} "
                f"{rotary}{turn:.5f} F600",
                f"G0 {along}{way * high:.4f} Z{level + CLEAR:.4f}",
            ]
    return lines


def rim() -> list[str]:
    """A helix down to two full circles, and a scallop of arcs by their radius, the tool upright."""
    level = MIDDLE - np.sqrt(RADIUS**2 - RIM**2)
    angle = 2 * np.pi * np.arange(SCALLOPS + 1) / SCALLOPS
    points = (RIM + 10.0) * np.stack([np.cos(angle), np.sin(angle)], axis=-1)
    lines = [
        "(rim)",
        f"G17 G0 X{RIM:.3f} Y0 Z{level + CLEAR:.3f} I0 J0 K1",
        f"G1 Z{level + 1:.3f} F300",
        f"G3 X{RIM:.3f} Y0 Z{level - DEEP:.3f} I{-RIM:.3f} J0 P2 F1200",
        f"G3 I{-RIM:.3f}",
        "G4 P0.5",
        f"G1 X{RIM + 4:.3f}",
        f"G2 I{-RIM - 4:.3f}",
        f"G0 Z{level + CLEAR:.3f}",
        "(scallop)",
        f"X{points[0][0]:.3f} Y{points[0][1]:.3f}",
        f"G1 Z{level - DEEP:.3f} F300",
    ]
    lines += [f"G2 X{x + 0.0:.3f} Y{y + 0.0:.3f} R14 F1200" for x, y in points[1:]]
    return [*lines, f"G0 Z{level + CLEAR:.3f}"]


def program() -> str:
    """The whole program."""
    lines = ["%", "(GOUGH in a bowl: tool axes, arcs in three planes, helices)", "G21 G90 G91.1 G94 G17 G40 G49 G80"]
    lines += ["G64 P0.02", "T1 M6", "S12000 M3", *engraving(), *frame(), *rim()]
    lines += ["M5", "G28", "M30", "%"]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    target = Path(sys.argv[1]) if len(sys.argv) > 1 else DEFAULT
    target.write_text(program(), "utf-8")
    print(f"wrote {target}: {program().count(chr(10))} lines")
