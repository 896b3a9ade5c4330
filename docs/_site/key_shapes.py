"""Drawings of what the geometric keys of a machine file mean."""

from __future__ import annotations

import numpy as np

from _site.drawings import (
    AXES,
    BODY,
    DRIVE,
    INK,
    MUTED,
    PALE,
    arc,
    arrow,
    circle,
    dot,
    line,
    sheet,
    text,
)

P = np.array


def polar(centre: np.ndarray, radius: float, degrees: float) -> np.ndarray:
    """Point on the page, counterclockwise from the right."""
    angle = np.deg2rad(degrees)
    return centre + radius * P([np.cos(angle), -np.sin(angle)])


def plate(middle: np.ndarray, half: float, name: str = "") -> str:
    x, y = middle
    body = f'<rect x="{x - half:g}" y="{y - 6:g}" width="{2 * half:g}" height="12" rx="4" fill="{BODY}"/>'
    return body + (text((x + half + 14, y + 5), name, BODY) if name else "")


def span(a: np.ndarray, b: np.ndarray, words: str, side: float = 12) -> list[str]:
    """A dimension between two points, with its key."""
    across = P([-(b - a)[1], (b - a)[0]]) / np.linalg.norm(b - a)
    return [line(a, b, DRIVE, 1.5), dot(a, DRIVE, 2.5), dot(b, DRIVE, 2.5), key((a + b) / 2 + side * across, words)]


def key(at: np.ndarray, words: str, anchor: str = "middle") -> str:
    return text(at + P([0, 5]), words, DRIVE, 13, anchor)


def pitch_circle() -> str:
    c = P([210.0, 190.0])
    shapes = [circle(c, 140), arrow(c, c + P([190, 0]), AXES["x"], 1.5), text(c + P([200, 5]), "x", AXES["x"])]
    for k, angle in enumerate((250, 290, 10, 50, 130, 170)):
        p = polar(c, 140, angle + 8)
        shapes += [line(c, p, MUTED, 1, "3 3"), dot(p), text(polar(c, 160, angle + 8) + P([0, 5]), str(k + 1))]
    shapes += [*span(c, polar(c, 140, 130), "radius", -14), arc(c, 100, 258, 298), key(polar(c, 84, 278), "pair_angle")]
    shapes += [
        line(c, polar(c, 150, 278), DRIVE, 1, "4 3"),
        arc(c, 118, 270, 278),
        line(c, polar(c, 150, 270), MUTED, 1),
    ]
    shapes += [
        key(polar(c, 168, 277) + P([26, -6]), "rotation", "start"),
        text((210, 372), "plan: pairs at 270, 30 and 150 deg", BODY),
    ]
    base = P([560.0, 300.0])
    shapes += [plate(base + P([0, -90]), 110), line(base - P([140, 0]), base + P([140, 0]), MUTED, 1.5, "5 4")]
    shapes += [
        text(base + P([150, 5]), "z = 0", BODY, 13, "start"),
        *span(base - P([120, 0]), base - P([120, 90]), "height", 30),
    ]
    return sheet(760, 390, "Joints on a pitch circle", shapes)


def crank_arms() -> str:
    c = P([170.0, 60.0])
    shapes = []
    for middle, side in ((c, -1), (c + P([0, 0]), 1)):
        centre = middle + P([side * 70, 130])
        out = centre + P([0, 95])
        tip = polar(centre, 80, 270 + side * 50)
        shapes += [line(centre, out, MUTED, 1.5, "4 3"), line(centre, tip, INK, 7), dot(centre, BODY, 8), dot(tip)]
        low, high = sorted((270, 270 + side * 50))
        shapes += [arc(centre, 46, low, high), text(centre + P([side * 20, -14]), "1" if side < 0 else "2")]
    shapes += [key(P([72.0, 262.0]), "heading"), key(P([268.0, 262.0]), "heading"), key(P([70.0, 205.0]), "length")]
    shapes.append(text((170, 330), "plan at zero: turned from the outward direction,", BODY, 13))
    shapes.append(text((170, 350), "the first leg of a pair by minus, the second by plus", BODY, 13))
    o, foot = P([500.0, 260.0]), P([610.0, 210.0])
    shapes += [
        plate(o + P([40, 40]), 120),
        line(o, o + P([118, 12]), PALE, 8),
        line(o, foot, INK, 8),
        dot(o, BODY, 9),
        dot(foot),
    ]
    shapes += [
        arrow(o, o + P([-30, -70]), DRIVE),
        key(o + P([-36, -84]), "axis"),
        key((o + foot) / 2 - P([0, 16]), "arm"),
    ]
    shapes += [arc(o, 70, -5, 24), text(o + P([86, -10]), "q", DRIVE, 15), line(foot, foot + P([40, -140]), INK, 4)]
    shapes += [
        key(foot + P([34, -70]), "rod_length", "start"),
        text((560, 350), "q from the arm at zero, right hand about axis", BODY, 13),
    ]
    return sheet(760, 370, "Crank arms", shapes)


def branches() -> str:
    shapes = []
    for left, title, solutions in ((0, "slider", 0), (380, "crank", 1)):
        b = P([left + 190.0, 70.0])
        shapes += [dot(b, DRIVE, 7), text(b + P([14, -4]), "b", INK, 15, "start")]
        if solutions == 0:
            low, high = P([left + 40.0, 250.0]), P([left + 340.0, 250.0])
            shapes += [
                line(low, high, MUTED, 7),
                arrow(high, high + P([24, 0]), DRIVE),
                key(high + P([6, 26]), "guide"),
            ]
            shapes.append(line(b, (b[0], 250), MUTED, 1.5, "4 3"))
            feet = (P([left + 100.0, 250.0]), P([left + 280.0, 250.0]))
        else:
            centre = P([left + 190.0, 230.0])
            shapes += [circle(centre, 70), dot(centre, BODY, 8), line(centre, b, MUTED, 1.5, "4 3")]
            feet = (polar(centre, 70, 200), polar(centre, 70, -20))
            shapes += [line(centre, foot, INK, 7) for foot in feet]
        for foot, name in zip(
            feet, ("branch = -1", "branch = 1") if solutions == 0 else ("branch = 1", "branch = -1"), strict=True
        ):
            shapes += [line(foot, b, INK, 4), dot(foot), key(foot + P([0, 26]), name)]
        shapes.append(key((feet[1] + b) / 2 + P([16, 0]), "rod_length", "start"))
        shapes.append(
            text(
                (left + 190, 325),
                f"{title}: two joint coordinates for one pose{', axis towards you' if solutions else ''}",
                BODY,
                13,
            )
        )
    return sheet(760, 345, "Branches", shapes)


def cones() -> str:
    shapes = []
    for left, name, up in ((0, "base_cone", 1), (380, "platform_cone", -1)):
        apex = P([left + 190.0, 250.0 if up > 0 else 90.0])
        axis, half = 90 * up, 26
        edge = [polar(apex, 150, axis - half), polar(apex, 150, axis + half)]
        points = " ".join(f"{x:.0f},{y:.0f}" for x, y in (apex, *edge))
        shapes += [
            f'<polygon points="{points}" fill="{PALE}"/>',
            arrow(*((apex, polar(apex, 160, axis))[::up]), DRIVE, 1.5),
        ]
        shapes += [line(apex, polar(apex, 185, axis - 17 * up), INK, 6), plate(apex + P([0, 14 * up]), 110), dot(apex)]
        low, high = sorted((axis, axis + half))
        shapes += [arc(apex, 110, low, high), key(polar(apex, 128, axis + half / 2) - P([34, 0]), "half_angle")]
        shapes += [
            key(polar(apex, 172, axis) + P([0, 6 * -up]), "axis"),
            text((left + 190, 325), f"{name}: where the leg may point", BODY, 13),
        ]
    return sheet(760, 345, "Joint cones", shapes)


def plate_angles() -> str:
    base, top = P([180.0, 300.0]), P([330.0, 110.0])
    shapes = [
        plate(base + P([120, 8]), 200, "B"),
        plate(top - P([0, 8]), 120, "P"),
        line(base, top, INK, 6),
        dot(base),
        dot(top),
    ]
    shapes += [arc(base, 90, 0, 52), key(base + P([104, -46]), "base_plate_angle", "start")]
    shapes += [arc(top, 60, 180, 232), key(top + P([-74, 34]), "platform_plate_angle", "end")]
    shapes.append(text((300, 350), "the smallest angle that a leg may have to each plate", BODY, 13))
    return sheet(600, 370, "Angles to the plates", shapes)


def clearance() -> str:
    shapes = []
    for a, b in ((P([120.0, 280.0]), P([260.0, 70.0])), (P([300.0, 290.0]), P([300.0, 70.0]))):
        shapes += [line(a, b, PALE, 46), line(a, b, INK, 2, "8 4"), dot(a), dot(b)]
    shapes += [*span(P([300.0, 200.0]), P([323.0, 200.0]), "leg_radius", -14)]
    shapes += [*span(P([234.0, 150.0]), P([277.0, 150.0]), "clearance", -14)]
    shapes.append(text((220, 335), "axes stay apart by the sum of two radii", BODY, 13))
    return sheet(460, 355, "Clearance between legs", shapes)


def tool_limits() -> str:
    shapes = [
        f'<rect x="60" y="90" width="180" height="120" fill="{PALE}" stroke="{MUTED}"/>',
        dot((150, 150), DRIVE, 6),
    ]
    shapes += [text((150, 172), "T", INK, 15), key(P([150.0, 76.0]), "z_max"), key(P([150.0, 226.0]), "z_min")]
    shapes += [
        key(P([54.0, 150.0]), "x_min", "end"),
        key(P([246.0, 150.0]), "x_max", "start"),
        text((150, 290), "box (and y): of the tool's origin", BODY, 13),
    ]
    c = P([400.0, 150.0])
    shapes += [
        circle(c, 70),
        dot(c, BODY),
        *span(c, polar(c, 70, 30), "radius", -14),
        text((400, 290), "radius: horizontally from its home", BODY, 13),
    ]
    o = P([560.0, 220.0])
    shapes += [
        arrow(o, o - P([0, 130]), MUTED, 2),
        arrow(o, polar(o, 130, 62), AXES["z"]),
        arc(o, 90, 62, 90),
        key(polar(o, 108, 76), "tilt"),
    ]
    shapes.append(text((580, 290), "tilt: of the tool's z axis", BODY, 13))
    r = P([760.0, 150.0])
    shapes += [
        circle(r, 60),
        arrow(r, r + P([80, 0]), MUTED, 2),
        arrow(r, polar(r, 80, 38), AXES["x"]),
        arc(r, 45, 0, 38),
        key(r + P([84, -24]), "rotation", "start"),
    ]
    shapes.append(text((770, 290), "rotation: about z of the base", BODY, 13))
    return sheet(900, 310, "Limits of the tool", shapes)


def strokes() -> str:
    shapes = []
    foot, home, low, high = (P([70.0 + x, 120.0]) for x in (0, 330, 240, 430))
    shapes += [line(foot, low - P([30, 0]), BODY, 18), line(foot, home, INK, 7), dot(foot), dot(home, DRIVE, 7)]
    shapes += [
        *span(foot - P([0, -60]), low - P([0, -60]), "joint_min", 14),
        *span(foot - P([0, -100]), high - P([0, -100]), "joint_max", 14),
    ]
    shapes += [
        *span(home - P([0, 40]), low - P([0, 40]), "travel_min", 16),
        *span(home - P([0, 40]), high - P([0, 40]), "travel_max", -16),
    ]
    shapes += [
        text(home + P([0, 26]), "home", BODY, 13),
        text((300, 265), "strokes: from joint to joint, or instead counted from home", BODY, 13),
    ]
    return sheet(600, 285, "Strokes", shapes)


def pivot() -> str:
    c = P([200.0, 60.0])
    shapes = [plate(c + P([0, 80]), 110, "P"), dot(c, DRIVE, 7), key(c + P([16, -10]), "point_of_interest M", "start")]
    shapes += [line(c + P([0, 74]), c, DRIVE, 1.5, "4 3"), text(c + P([-16, 66]), "P's origin", BODY, 12, "end")]
    m = P([560.0, 60.0])
    angle = np.deg2rad(-14)
    turn = P([[np.cos(angle), np.sin(angle)], [-np.sin(angle), np.cos(angle)]])
    a, b = (m + turn @ P([x, 80.0]) for x in (-110, 110))
    shapes += [
        line(m + P([-110, 80]), m + P([110, 80]), PALE, 12),
        line(a, b, BODY, 12),
        dot(m, DRIVE, 7),
        arc(m, 40, 200, 340),
    ]
    shapes += [text((380, 210), "a displacement [t, R] moves M by t and turns the platform about M", BODY, 13)]
    return sheet(760, 230, "Point of interest", shapes)
