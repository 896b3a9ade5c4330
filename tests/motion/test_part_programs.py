"""Part programs: what is read, what is refused, and arcs against geometry worked out another way."""

import numpy as np
import pytest

import gough
from gough import motion
from gough.errors import PathFileError
from gough.motion.programs.program_path import program_segments

NANOMETRE = 1e-9
MM = 1e-3
AXES = {"G17": (0, 1, 2), "G18": (2, 0, 1), "G19": (1, 2, 0)}
"""First and second axis of each plane, and its normal: right-handed."""


def moves(text, **how):
    return motion.programs.parse_program(text, **how).moves


def only(text):
    found = moves(text)
    return found[-1]


def problems(text):
    with pytest.raises(gough.errors.PathFileError) as caught:
        motion.programs.parse_program(text, where="part.ngc")
    return str(caught.value).splitlines()


def circle(plane, centre, radius, angle, level):
    """A point of a circle, from its angle [rad], in mm."""
    first, second, normal = AXES[plane]
    point = np.empty(3)
    point[first], point[second] = centre[0] + radius * np.cos(angle), centre[1] + radius * np.sin(angle)
    point[normal] = level
    return point


@pytest.mark.parametrize("plane", AXES)
@pytest.mark.parametrize("form", ["centre", "absolute centre", "radius"])
def test_arcs_go_along_their_circle(plane, form):
    rng = np.random.default_rng([3, list(AXES).index(plane), len(form)])
    first, second, _ = AXES[plane]
    for _ in range(20):
        centre, radius, begin = rng.uniform(-50, 50, 2), rng.uniform(1, 80), rng.uniform(-4, 4)
        sweep, climb, code = rng.uniform(0.1, 6.0), rng.uniform(-5, 5), rng.choice(["G2", "G3"])
        sign = -1.0 if code == "G2" else 1.0
        level = rng.uniform(-5, 5)
        ends = [circle(plane, centre, radius, begin + sign * part * sweep, level + part * climb) for part in (0, 1)]
        words = " ".join(f"{'XYZ'[k]}{ends[1][k]:.9f}" for k in range(3))
        offset = centre - (0 if form == "absolute centre" else ends[0][[first, second]])
        arc = " ".join(f"{'IJK'[k]}{value:.9f}" for k, value in zip((first, second), offset, strict=True))
        if form == "radius":
            arc = f"R{radius if sweep < np.pi else -radius:.9f}"
        mode = "G90.1" if form == "absolute centre" else "G91.1"
        start = " ".join(f"{'XYZ'[k]}{ends[0][k]:.9f}" for k in range(3))
        move = only(f"{plane} {mode} G0 {start}\n{code} {words} {arc} F100")
        # Nearly half circles by their radius magnify rounding, as every controller's manual warns.
        near = 1e-6 if form == "radius" else NANOMETRE
        for part in (0.0, 0.3, 0.8, 1.0):
            wanted = circle(plane, centre, radius, begin + sign * part * sweep, level + part * climb)
            assert np.abs(move.at(part) - MM * wanted).max() < near * (1 + 1 / abs(np.cos(sweep / 2)))
        assert move.length == pytest.approx(MM * np.hypot(radius * sweep, climb), rel=1e-6)


def test_clockwise_is_as_seen_from_the_positive_end_of_the_third_axis():
    """From three o'clock G2 goes down, in each plane as seen with its first axis to the right, its second up."""
    for plane, (first, second, _) in AXES.items():
        move = only(f"{plane} G0 {'XYZ'[first]}10\nG2 {'XYZ'[first]}-10 {'IJK'[first]}-10 F100")
        assert move.at(0.5)[second] == pytest.approx(-10 * MM)


@pytest.mark.parametrize("words", ["I-10", "X10 Y0 I-10", "X10 I-10 J0"])
def test_an_arc_that_ends_where_it_begins_is_a_full_circle(words):
    move = only(f"G0 X10\nG3 {words} F60")
    assert move.arc.angle == pytest.approx(2 * np.pi)
    assert move.length == pytest.approx(2 * np.pi * 10 * MM)
    assert move.at(0.25) == pytest.approx([0, 10 * MM, 0], abs=NANOMETRE)


def test_turns_and_helix():
    """Two turns more on a quarter: nine quarters, during which Z goes all its way evenly."""
    move = only("G0 X10\nG3 X0 Y10 Z-9 I-10 J0 P3 F60")
    assert move.arc.angle == pytest.approx(9 * np.pi / 2)
    assert move.at(1 / 3) == pytest.approx([0, -10 * MM, -3 * MM], abs=NANOMETRE)


@pytest.mark.parametrize(("radius", "allowed"), [(1.0, 0.005), (20.0, 0.02), (2000.0, 0.5)])
def test_radii_may_differ_by_what_linuxcnc_allows(radius, allowed):
    """In mm: 0.005 always; beyond it a thousandth of the radius, and half a millimetre at most."""
    for part in (0.95, -0.95):
        assert only(f"G0 X{radius}\nG3 X0 Y{radius + part * allowed:.6f} I{-radius} F60").arc is not None
    for part in (1.05, -1.05):
        (sentence,) = problems(f"G0 X{radius}\nG3 X0 Y{radius + part * allowed:.6f} I{-radius} F60")
        assert "radius is" in sentence


@pytest.mark.parametrize(("plane", "words"), [("G17", "X or Y"), ("G18", "Z or X"), ("G19", "Y or Z")])
def test_an_arc_by_its_radius_needs_an_end_in_its_plane(plane, words):
    (sentence,) = problems(f"{plane} G0 X1 Y1 Z1\nG2 R5 F60")
    assert f"in {plane} needs its end: {words}" in sentence


def test_modes():
    text = """%
    (a comment with G1 X99) G20 G91 ; and another
    n10 g0 x 1 . 5 y1
    /N20 X1
    G1 Y-.5 F10
    G90 G21 X5 Z+2
    G93 X0 F2
    G94 F300 G61 X1
    G64 P0.1 X2
    G4 P1.5
    S8000 M3 T2 M6 G43 H1
    G28 Z5
    M30
    G1 X1000
    %
    rubbish"""
    program = motion.programs.parse_program(text, (0.0, 0.0, 0.1))
    found = program.moves
    assert [move.line for move in found] == [3, 4, 5, 6, 7, 8, 9, 12, 12]
    assert found[0].end == pytest.approx((1.5 * 0.0254, 0.0254, 0.1))
    assert found[1].end[0] == pytest.approx(2.5 * 0.0254)
    assert found[2].end[1] == pytest.approx(0.5 * 0.0254)
    assert found[2].feed == pytest.approx(10 * 0.0254 / 60)
    assert found[3].end == pytest.approx((5 * MM, 0.5 * 0.0254, 2 * MM))
    assert found[4].duration == pytest.approx(30.0)
    assert [move.blend for move in found[4:7]] == [None, 0.0, pytest.approx(0.1 * MM)]
    assert [(stop.code, stop.seconds) for stop in program.stops] == [("G4", 1.5), ("M6", 0.0)]
    assert found[-2].end[2] == pytest.approx(5 * MM)
    assert found[-1].end[2] == pytest.approx(0.1)
    assert program.lines == 13
    assert set(program.ignored) == {"S8000", "M3", "T2", "G43", "H1"}
    assert len(motion.programs.parse_program(text, skip_optional=True).moves) == 8


def test_i_j_k_are_the_tool_axis_outside_arcs_and_a_b_c_its_angles():
    found = moves("G0 X1 I3 K4\nG1 Y1 F60\nG2 X2 Y2 I1\nG1 A10 C-20")
    assert [move.tilt_end.axis for move in found[:3]] == [pytest.approx((0.6, 0, 0.8))] * 3
    assert found[2].arc is not None
    assert found[3].tilt_end.angles == pytest.approx(np.deg2rad([10, 0, -20]))
    assert found[3].feed == pytest.approx(np.deg2rad(1.0))  # 60 degrees a minute: the tip stays


def test_everything_wrong_is_named_with_its_line():
    text = """G1 X1
    F0 X2
    G2 X1 Y2
    F60 G2 X1 Y1 I3 J4
    G5 X1
    X3 E3
    X#3
    G1 X[3+1]
    foo
    G3 X5 R1
    (abc
    G0 G1 X3
    G2 X1 Y1 K2
    X1 X2
    G93 G1 X3
    G94 G1 X1..2
    G1 X1 P3 F1
    G2 X5 Y5 I1 J1 R2
    G3 I1 P0.5"""
    expected = ["without a feed", "feed of 0", "needs its centre", "1.39445 mm apart", "unknown word G5"]
    expected += ["unknown word E3", "parameters", "brackets", "no number after F", "cannot reach", "does not end"]
    expected += [
        "G0 and G1",
        "K is not a word",
        "two words X",
        "needs an F word",
        "'.2'",
        "P3 has no meaning",
        "radius R cannot have I",
    ]
    expected += ["turns of an arc"]
    found = problems(text)
    assert len(found) == len(expected)
    for number, (sentence, words) in enumerate(zip(found, expected, strict=True), 1):
        assert sentence.startswith(f"part.ngc, line {number}: ")
        assert words in sentence


def test_only_line_ends_end_lines():
    text = "G1 X1 F60 (before\x85after, a letter of Windows)\r\n\x0cG1 Y1\rG77\n"
    with pytest.raises(PathFileError, match="line 3: unknown word G77"):
        motion.programs.parse_program(text)


@pytest.mark.parametrize("turns", [10_000.5, 3e5])
def test_a_rotary_axis_that_turns_for_ever_is_refused_with_its_turns(turns):
    program = motion.programs.parse_program(f"G1 A{360 * turns} F100")
    with pytest.raises(gough.GoughError, match=f"turns a rotary axis by {turns:.3g} turns".replace("+", r"\+")):
        program_segments(program, "XYZ", np.eye(4))


def test_stops_follow_the_motion_of_their_line_and_tool_changes_precede_it():
    """RS274/NGC's order of execution: Kramer, Proctor and Messina 2000, table 8."""
    program = motion.programs.parse_program("G21 G90 G94 F100\nG1 X10 M0\nX20 M6\nM60 X30\nM2\n")
    assert [getattr(item, "code", "move") for item in program.items] == ["move", "M0", "M6", "move", "move", "M60"]


@pytest.mark.parametrize(("code", "unit", "size"), [("G20", "in", 1.0), ("G21", "mm", 25.4)])
def test_an_arc_that_does_not_fit_is_refused_in_the_units_of_the_program(code, unit, size):
    one, two, far = (f"{count * size:g}" for count in (1, 2, 10))
    begin = f"{code} G90 G17 F1\nG0 X0 Y0\n"
    with pytest.raises(PathFileError, match=rf"radius is {one} {unit} at its start but {two} {unit} at its end"):
        motion.programs.parse_program(f"{begin}G2 X{3 * size:g} Y0 I{one} J0")
    with pytest.raises(PathFileError, match=rf"the radius {one} {unit} cannot reach an end {far} {unit} away"):
        motion.programs.parse_program(f"{begin}G2 X{far} Y0 R{one}")
