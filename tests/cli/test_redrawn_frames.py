"""The frame that JSON names is right: a machine whose two frames are drawn elsewhere has its vectors turned with them.

Both files state one machine. Each vector must be, after the base's or the platform's frame is turned and shifted, what
the frame that is named beside it makes of the vector before; what has no frame must not change.
"""

import json
import re
import tomllib
from fnmatch import fnmatchcase
from pathlib import Path

import numpy as np
import pytest
from scipy.spatial.transform import Rotation
from tests.cli.test_every_frame import written
from tests.independent.comparison import SIGMAS
from tests.independent.product import numbers
from tests.laws.test_crank_zero_laws import HEAD
from tests.redrawn import Frame, moved, redrawn
from tests.skew import SKEW_OF_KIND, SKEW_STACK
from tests.thorough import thorough

import gough
from gough.datasheet.sections.stacks import sections_of_stack
from gough.datasheet.sheet import StackedSheet
from gough.description.write import toml

ARCMIN = np.pi / 180 / 60
SHIFTS = np.array([3.0, -2.0, 5.0]), np.array([-1.0, 2.5, 0.5])
DRAWINGS = {
    "turned": (
        Frame(Rotation.from_rotvec([0.7, -1.1, 0.4]).as_matrix(), SHIFTS[0]),
        Frame(Rotation.from_rotvec([-0.3, 0.9, 1.7]).as_matrix(), SHIFTS[1]),
    ),
    "axes renamed": (
        Frame(np.eye(3)[[2, 0, 1]], SHIFTS[0]),
        Frame(np.eye(3)[[1, 2, 0]], SHIFTS[1]),
    ),
}
"""Frames of base and platform: with axes renamed, numbers of each axis go with their axis, too."""
TURNED = DRAWINGS["turned"]
DRAWINGS_OF_MOTIONS = {
    "turned": TURNED,
    "origin kept": (TURNED[0], Frame(TURNED[1].R, np.zeros(3))),
    "platform kept": (TURNED[0], Frame(np.eye(3), np.zeros(3))),
    "about z": (Frame(Rotation.from_rotvec([0, 0, 0.9]).as_matrix(), SHIFTS[0]), TURNED[1]),
    "shifted": (Frame(np.eye(3), SHIFTS[0]), TURNED[1]),
    "base kept": (Frame(np.eye(3), np.zeros(3)), TURNED[1]),
}
"""Those that leave a question alone: splines through poses and their errors are of the platform's origin, heads stand
in its frame, corners are about the z axis, and columns along the base's axes."""
SAME = 1e-7
"""Relative to the largest of a list: files have turned vectors to 16 digits, gradients are differences."""
ROUNDED = 1e-12
"""Of numbers that are zero but for rounding."""
POINTS = ("*position", "point", "*witness_point", "payload.centre", "*geometry.base", "*geometry.platform",
          "*geometry.point_of_interest", "*about")  # fmt: skip
"""Keys of points; other vectors are differences or directions."""
UP_TO_SIGN = ("*axes", "*shape")
"""Keys of vectors whose sense is of no meaning."""
OF_ORIGIN = ("wrench_at_origin", "*shape")
"""Keys of wrenches and twists at the origin of the platform, in SI."""
INCH = 0.0254
IN_COLUMNS = ("*T", "*sensitivity")
"""Keys of matrices whose columns are displacements; those of others are rows."""
TENSORS = ("*matrix", "*matrix_about_point_of_interest", "*under_load.translation", "*under_load.rotation")
OF_AXES = ("*top_speed", "*minus", "*plus", "resolution.*", "error.*", "*worst", "*worst_case", "*rms", "*share",
           "load.*", "speeds.*")  # fmt: skip
"""Keys of numbers for each axis of the base, compared only where the axes are renamed."""
RENAMED = dict(zip("xyz", "yzx", strict=True))
"""New names of the base's axes."""
IGNORED = (
    *("machine", "units", "*sentence*", "*advice", "*_limit", "*_limits", "*leg", "*legs"),  # words
    *("*vertices*", "*residual"),  # in an order of their own; rounding
    *("potential", "energy"),  # from the base's origin
    *("lower", "upper", "distance.*", "workspace.*", "*average_dexterity*"),  # by boxes and grids along the base's axes
    *("payload.upright.*", "payload.hanging.*", "payload.on its side.*"),  # of a platform whose own axes are level
    *(
        "region.directions",
        "*under_load.leg_force",
        "cubic.coefficients",
        "cubic.exponents",
    ),  # along axes; a polynomial
)
COORDINATES = {"extent.x": 0, "extent.y": 1, "extent.z": 2, "x": 0, "y": 1, "intervals": 2}
"""Keys of one coordinate of points, and its axis, where only the origin of the base moves."""
WRENCH = np.array([11.5, -7.25, 23.5, 1.3, -0.7, 2.1])
WALKED = {
    "inverse": (),
    "inverse passive": ("--passive",),
    "velocity passive": ("--twist", "WRENCH", "--passive"),
    "certify": ("--turn", "200"),
    "simulate": ("--duration", "0.002", "--force", "20", "--samples", "5"),
    "margins": (),
    "linear-map": (),
    "velocity": (),
    "stiffness": ("--wrench", "WRENCH"),
    "forces": ("--wrench", "WRENCH", "--payload", "3", "--centre", "CENTRE"),
    "conditioning": (),
    "travel": ("--along", "WRENCH"),
    "nearest": ("AT",),
    "modes": (),
    "frequencies": (),
    "accuracy": ("--tolerance", "0.01"),
    "capacity": ("--centre", "CENTRE"),
    "singularity": (),
}


def largest(value):
    return np.max(np.abs(np.asarray(value, dtype=float)), initial=0.0)


def matches(key, patterns):
    return any(fnmatchcase(key, pattern) for pattern in patterns)


def expected(key, value, frame, drawing, R_home, metres):
    """The value of a key in the new frames."""
    base, platform = drawing
    turned = {"base": base, "platform": platform}[frame]
    d = -R_home @ platform.R.T @ platform.s  # to the new origin of the platform
    if key == "cubic.centre":
        return turned.points(value + d)
    if matches(key, OF_ORIGIN):
        first, second = value[..., :3], value[..., 3:]
        if key == "wrench_at_origin":
            return turned.vectors(np.concatenate([first, second - np.cross(metres * d, first)], axis=-1))
        return turned.vectors(np.concatenate([first + np.cross(second, metres * d), second], axis=-1))
    if fnmatchcase(key, "*sensitivity"):  # of points of the base, of the platform, and of lengths
        parts = [base.vectors(value[:, :18]), platform.vectors(value[:, 18:36]), value[:, 36:]]
        value = np.concatenate(parts, axis=1)
    if matches(key, POINTS):
        return turned.points(value)
    if key in COORDINATES and np.array_equal(turned.R, np.eye(3)):
        return value + turned.s[COORDINATES[key]]
    if matches(key, TENSORS) and value.shape[-1] == value.shape[-2]:
        return turned.vectors(turned.vectors(value).swapaxes(-1, -2)).swapaxes(-1, -2)
    if matches(key, IN_COLUMNS):
        return turned.vectors(value.swapaxes(-1, -2)).swapaxes(-1, -2)
    return turned.vectors(value)


def pose_of(table):
    X = np.zeros((*np.shape(table["position"])[:-1], 4, 4))
    X[..., :3, :3] = (
        Rotation.from_quat(np.reshape(table["quaternion"], (-1, 4))).as_matrix().reshape(*X.shape[:-2], 3, 3)
    )
    X[..., :3, 3], X[..., 3, 3] = table["position"], 1.0
    return X


def wrong(before, after, frames, drawing, R_home, metres=INCH, path=""):
    """Keys whose value after is not that before in the new frames."""
    if isinstance(before, list) and before and isinstance(before[0], dict):
        assert len(before) == len(after)
        return [
            w for pair in zip(before, after, strict=True) for w in wrong(*pair, frames, drawing, R_home, metres, path)
        ]
    is_renamed = set(np.ravel(drawing[0].R)) == {0.0, 1.0} and np.trace(drawing[0].R) == 0.0
    found, own = [], dict(before)
    if "position" in own and "quaternion" in own:
        there, here = pose_of(after), moved(pose_of(own), *drawing)
        # Poses are of the platform in the base: their position names it.
        named = frames.get(f"{path}position")
        if named != "base" or not np.abs(there - here).max() <= SAME * largest(here):
            found.append((f"{path}position, quaternion", named, own["position"], after["position"]))
        del own["position"], own["quaternion"]
    for name, value in own.items():
        key = f"{path}{name}"
        if matches(key, IGNORED) or (matches(key, OF_AXES) and not is_renamed):
            continue
        if is_renamed and re.fullmatch("[rfm]?[xyz]", name):
            name = name[:-1] + RENAMED[name[-1]]
        if isinstance(value, dict) or (isinstance(value, list) and value and isinstance(value[0], dict)):
            found += wrong(value, after[name], frames, drawing, R_home, metres, f"{key}.")
            continue
        frame = frames.get(key)
        try:
            old, new = np.asarray(value, dtype=float), np.asarray(after[name], dtype=float)
        except (TypeError, ValueError):
            found += [(key, value, after[name])] * (value != after[name])
            continue
        if frame in ("base", "platform"):
            old = expected(key, old, frame, drawing, R_home, metres)
        elif frame is not None and old.ndim:
            continue
        if matches(key, UP_TO_SIGN):
            old, new = np.abs(old), np.abs(new)
        with np.errstate(invalid="ignore"):
            off = np.abs(old - new) if old.shape == new.shape else np.inf
        if not np.all(
            (off <= SAME * largest(np.nan_to_num(old)) + ROUNDED) | (old == new) | (np.isnan(old) & np.isnan(new))
        ):
            found.append((key, frame, value, after[name], old.tolist()))
    return found


def options_of(options, X, drawing):
    """Options with wrenches, points and poses stated in the frames of a drawing."""
    base, platform = drawing
    wrench, centre = base.vectors(WRENCH), platform.points([0.4, -0.3, 1.2])
    at = moved(X, *drawing)
    quaternion = Rotation.from_matrix(at[:3, :3]).as_quat()
    texts = {"WRENCH": [text(wrench)], "CENTRE": [text(centre)],
             "AT": ["--at", text([*at[:3, 3], *quaternion])]}  # fmt: skip
    return [word for each in options for word in texts.get(each, [each])]


def text(values):
    return ",".join(repr(float(x)) for x in values)


AS_DRAWN = Frame(np.eye(3), np.zeros(3)), Frame(np.eye(3), np.zeros(3))


def drawn(kind, drawing):
    """Files of a machine without limits of the drawing, and of it redrawn; a pose beyond its limits."""
    document = tomllib.loads(Path(SKEW_OF_KIND[kind]).read_text("utf-8"))
    for path, frames in (("one.toml", AS_DRAWN), ("other.toml", drawing)):
        Path(path).write_text(toml(redrawn(document, *frames, ARCMIN)), "utf-8")
    X = np.eye(4)
    X[:3, :3] = Rotation.from_euler(
        document["home"]["sequence"], np.array(document["home"]["angles"]) * ARCMIN
    ).as_matrix()
    X[:3, 3] = np.array(document["home"]["translation"]) + [6.0, 5.0, -4.0]
    return X


OF_EACH_AXIS = ("velocity", "accuracy")
"""Commands that are run with axes renamed in every run: their numbers for each axis are not compared otherwise."""
WITH_AXES = (*OF_EACH_AXIS, "travel", "capacity", "margins")
"""Commands whose numbers are compared with axes renamed: other vectors turn alike in any drawing."""
CASES = [
    (command, kind, name)
    for command in WALKED
    for kind in SKEW_OF_KIND
    for name in DRAWINGS
    if name == "turned" or command in WITH_AXES
]
QUICK = [
    (command, kind, name)
    for command, kind, name in CASES
    if kind == "UPS"
    and (name == "turned" if command not in OF_EACH_AXIS else name != "turned")
    and command not in ("capacity", "certify", "modes", "singularity")
]


@pytest.mark.parametrize(
    ("command", "kind", "name"), [*QUICK, *thorough(*(case for case in CASES if case not in QUICK))]
)
def test_vectors_of_commands_turn_with_the_frame_that_is_named(command, kind, name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    drawing = DRAWINGS[name]
    X = drawn(kind, drawing)
    one, other = (
        written(command.split()[0], path, options_of(WALKED[command], X, frames))
        for path, frames in (("one.toml", AS_DRAWN), ("other.toml", drawing))
    )
    frames = one.pop("frames", {})
    assert other.pop("frames", {}) == frames
    off = wrong(one, other, frames, drawing, X[:3, :3])
    assert [each for each in off if command != "simulate" or each[0] not in OF_STEPS] == []


OF_STEPS = ("evaluations",)
"""Keys of a simulation that follow from its steps."""


MOTIONS = {
    "path": ("turned", ("path.csv", "--timing", "optimal")),
    "playback": ("turned", ("legs.csv",)),
    "follow": ("origin kept", ("motion.csv", "--fade", "0.5")),
    "dynamics": ("origin kept", ("--motion", "motion.csv", "--samples", "21")),
    "calibrate": ("origin kept", ("measured.csv", "--parameters", "joint_zeros", "--known", "device,target")),
    "choose": ("platform kept", ("--count", "3", "--csv", "measured.csv")),
    "place": ("platform kept", ("--at", "POINT", "--axis", "AXIS")),
    "corners": ("about z", ("--strokes",)),
    "workspace": ("shifted", ("--samples", "5")),
    "workspace of rays": ("shifted", ("--shape", "rays")),
    "workspace of orientations": ("base kept", ("--shape", "orientations")),
    "volume": ("shifted", ("--rtol", "0.2", "--boxes", "2000", "--processes", "1")),
}
"""Drawing and options of commands whose files hold poses, or whose numbers are of axes."""
OF_MOTIONS = {
    "path": ("held_back_by*",),  # of times between samples
    "playback": ("error_*",),  # bounds of rounding
    "choose": ("expected.*",),  # over poses drawn along the base's axes
    "corners": ("azimuth",),
}
"""Keys that are not compared, besides others."""


def rows_of(X, **columns):
    """A table of poses (n, 4, 4), by position and quaternion behind other columns (n,)."""
    names = [*columns, *"xyz", "qx", "qy", "qz", "qw"]
    quaternions = Rotation.from_matrix(X[:, :3, :3]).as_quat()
    rows = np.column_stack([*columns.values(), X[:, :3, 3], quaternions])
    return "\n".join([",".join(names), *(",".join(map(repr, row)) for row in rows.tolist())]) + "\n"


def write_motions(m, drawing, kind):
    """Files of poses about home, as they are in a drawing's frames, in inches and arc minutes."""
    rng, home = np.random.default_rng(1), m.X_home.copy()
    home[:3, 3] /= INCH

    def near(count, far, turn):
        X = np.tile(home, (count, 1, 1))
        X[1:, :3, 3] += rng.uniform(-far, far, (count - 1, 3))
        X[1:, :3, :3] = Rotation.from_rotvec(rng.uniform(-turn, turn, (count - 1, 3))).as_matrix() @ home[:3, :3]
        return X

    def joints(X):
        in_metres = X.copy()
        in_metres[:, :3, 3] *= INCH
        q = gough.inverse_kinematics(m, in_metres) / (ARCMIN if kind == "RUS" else INCH)
        return {f"q{leg}": column for leg, column in enumerate(q.T, 1)}

    path, motion, measured = near(3, 0.3, 0.02), near(9, 0.2, 0.02), near(8, 0.4, 0.05)
    motion[-1] = home
    noise = rng.normal(size=(6, 8)) * (1e-4 / (ARCMIN if kind == "RUS" else 1.0))
    readings = {name: q + error for (name, q), error in zip(joints(measured).items(), noise, strict=True)}
    Path("path.csv").write_text(rows_of(moved(path, *drawing)))
    Path("legs.csv").write_text(rows_of(moved(path, *drawing), time=0.1 * np.arange(3), **joints(path)))
    Path("motion.csv").write_text(rows_of(moved(motion, *drawing), time=0.25 * np.arange(9)))
    Path("measured.csv").write_text(rows_of(moved(measured, *drawing), **readings))
    point, axis = home[:3, 3] + home[:3, :3] @ [1.0, -2.0, 6.0], home[:3, :3] @ [0.1, 0.05, 1.0]
    return {"POINT": text(drawing[0].points(point)), "AXIS": text(drawing[0].vectors(axis))}


def with_head(path):
    """Give the machine of a file a head, which stands in the platform's frame."""
    document = tomllib.loads(Path(path).read_text("utf-8"))
    Path(path).write_text(toml(document | {"head": HEAD}), "utf-8")


QUICK_MOTIONS = [(command, "UPS") for command in ("path", "playback", "dynamics", "calibrate")]
ALL_MOTIONS = [(command, kind) for command in MOTIONS for kind in SKEW_OF_KIND]


@pytest.mark.parametrize(
    ("command", "kind"), [*QUICK_MOTIONS, *thorough(*(case for case in ALL_MOTIONS if case not in QUICK_MOTIONS))]
)
def test_motions_and_axes_turn_with_the_frame_that_is_named(command, kind, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    name, options = MOTIONS[command]
    drawing, answers = DRAWINGS_OF_MOTIONS[name], []
    X = drawn(kind, drawing)
    m = gough.load("one.toml")
    for path, frames in (("one.toml", AS_DRAWN), ("other.toml", drawing)):
        places = write_motions(m, frames, kind)
        if command == "place":
            with_head(path)
        answers.append(written(command.split()[0], path, [places.get(each, each) for each in options]))
    one, other = answers
    frames = one.pop("frames", {})
    assert other.pop("frames", {}) == frames
    found = wrong(one, other, frames, drawing, X[:3, :3])
    assert [each for each in found if not matches(each[0], OF_MOTIONS.get(command.split()[0], ()))] == []


VOLUMES = {
    "workspace": ("--samples", "9"),
    "workspace of a cone": ("--shape", "dexterous", "--tilt", "60", "--samples", "7"),
    "volume": ("--rtol", "0.2", "--boxes", "2000", "--processes", "1"),
}
EXTENT = 1e-8
"""Of a search for the ends of a workspace, relative to its size."""


@pytest.mark.parametrize(
    ("command", "kind"), [("workspace", "UPS"), *thorough(("workspace of a cone", "RUS"), ("volume", "PUS"))]
)
def test_extents_go_with_their_axes_and_volumes_stay(command, kind, tmp_path, monkeypatch):
    """With the base's axes renamed and the platform's frame, whose z axis is that of the cone, turned about z."""
    monkeypatch.chdir(tmp_path)
    base = DRAWINGS["axes renamed"][0]
    drawn(kind, (base, Frame(Rotation.from_rotvec([0, 0, 0.9]).as_matrix(), SHIFTS[1])))
    one, other = (written(command.split()[0], path, VOLUMES[command]) for path in ("one.toml", "other.toml"))
    assert other.get("frames") == one.get("frames")
    if command == "volume":  # 99 % confidence
        assert max(one["low"], other["low"]) <= min(one["high"], other["high"])
        return
    before, after = (np.transpose([table["extent"][axis] for axis in "xyz"]) for table in (one, other))
    np.testing.assert_allclose(after, base.points(before), atol=EXTENT * largest(np.diff(before, axis=0)))
    assert abs(one["volume"] - other["volume"]) <= one["volume_error"] + other["volume_error"]
    for name in {*one["boundary_share"], *other["boundary_share"]}:
        share, error = ([table[key].get(name, 0.0) for table in (one, other)]
                        for key in ("boundary_share", "boundary_share_error"))  # fmt: skip
        assert abs(share[0] - share[1]) <= SIGMAS * np.hypot(*error), name


SECTIONS = ("machine at home", "legs", "geometry", "linear map", "static forces", "conditioning", "stiffness",
            "natural frequencies", "margins")  # fmt: skip


@pytest.mark.parametrize("name", ["turned", *thorough("axes renamed")])
@pytest.mark.parametrize("kind", ["UPS", *thorough("PUS", "RUS")])
def test_vectors_of_the_datasheet_turn_with_the_frame_that_is_named(kind, name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    X = drawn(kind, DRAWINGS[name])
    drawing = [Frame(frame.R, 0.0254 * frame.s) for frame in DRAWINGS[name]]  # numbers in SI
    one, other = (
        json.loads(json.dumps(numbers(path, SECTIONS), default=np.ndarray.tolist))
        for path in ("one.toml", "other.toml")
    )
    frames = one.pop("frames")
    assert other.pop("frames") == frames
    assert wrong(one, other, frames, drawing, X[:3, :3], metres=1.0) == []


def test_gravity_of_each_stage_is_in_the_axes_of_its_own_base():
    """Of the upper stage's base, which stands on the intermediate platform, it is the stack's gravity turned."""
    document = tomllib.loads(Path(SKEW_STACK).read_text("utf-8"))
    lower, mount = tomllib.loads(Path(SKEW_OF_KIND["UPS"]).read_text("utf-8")), document["stages"][1]["mount"]
    turns = [
        Rotation.from_euler(table["sequence"], np.array(table["angles"]) * unit).as_matrix()
        for table, unit in ((lower["home"], ARCMIN), (mount, 1e-3))
    ]
    found = {
        section.key: section.numbers["gravity"]
        for name, make in sections_of_stack(StackedSheet(gough.load(SKEW_STACK)))
        if name.endswith(": geometry") and (section := make()) is not None
    }
    g = np.array(lower["gravity"])
    np.testing.assert_allclose(found["stage_1_geometry"], g, rtol=1e-12)
    np.testing.assert_allclose(found["stage_2_geometry"], (turns[0] @ turns[1]).T @ g, rtol=1e-12)
