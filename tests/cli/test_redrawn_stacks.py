"""The frame that JSON of two stages names is right: the vectors of a stack turn with its four frames.

As in `tests/cli/test_redrawn_frames.py`, both files state one machine.
"""

import tomllib
from pathlib import Path

import numpy as np
import pytest
from scipy.spatial.transform import Rotation
from tests.cli.test_every_frame import written
from tests.cli.test_redrawn_frames import AS_DRAWN, DRAWINGS_OF_MOTIONS, INCH, matches, text, wrong
from tests.redrawn import Frame, moved, pose_of_table, redrawn, table_of_pose
from tests.skew import SKEW_OF_KIND, SKEW_STACK
from tests.thorough import thorough

import gough
from gough.description.write import toml

ARCMIN, MRAD, FOOT = np.pi / 180 / 60, 1e-3, 0.3048
"""Angles of the stages' files, of the stack's, and its length."""
INNER = (
    Frame(Rotation.from_rotvec([0.5, 0.2, -1.4]).as_matrix(), np.array([4.0, -3.0, 2.0])),
    Frame(Rotation.from_rotvec([-1.1, 0.6, 0.3]).as_matrix(), np.array([-2.0, 5.0, 1.0])),
)
"""Where the frames of the intermediate platform and of the upper stage's base are drawn, in inches as all of them."""


def in_feet(*frames):
    return tuple(Frame(frame.R, frame.s * (INCH / FOOT)) for frame in frames)


def draw(folder, outer, inner):
    """The file of the skew stack with its base and its end platform, and both frames between, drawn elsewhere."""
    folder.mkdir()
    (base, end), (intermediate, foot) = outer, inner
    for kind, frames in (("UPS", (base, intermediate)), ("PUS", (foot, end))):
        path = Path(SKEW_OF_KIND[kind])
        document = tomllib.loads(path.read_text("utf-8"))
        (folder / path.name).write_text(toml(redrawn(document, *frames, ARCMIN)), "utf-8")
    document = tomllib.loads(Path(SKEW_STACK).read_text("utf-8"))
    mount = document["stages"][1]["mount"]
    X_IU = moved(pose_of_table(mount, MRAD), *in_feet(intermediate, foot))
    document["stages"][1]["mount"] = table_of_pose(X_IU, mount["sequence"], MRAD)
    (folder / "stack.toml").write_text(toml(document), "utf-8")
    return str(folder / "stack.toml")


WRENCH, CENTRE = np.array([11.5, -7.25, 23.5, 1.3, -0.7, 2.1]), [0.04, -0.03, 0.12]
WALKED = {
    "margins": ("turned", ()),
    "inverse": ("turned", ()),
    "travel": ("turned", ("--along", "WRENCH")),
    "stiffness": ("turned", ("--wrench", "WRENCH")),
    "forces": ("turned", ("--wrench", "WRENCH", "--payload", "3", "--centre", "CENTRE")),
    "frequencies": ("turned", ()),
    "velocity": ("turned", ("--twist", "WRENCH")),
    "capacity": ("turned", ("--centre", "CENTRE")),
    "nearest": ("turned", ()),
    "linear-map": ("turned", ()),
    "conditioning": ("turned", ()),
    "simulate": ("turned", ("--duration", "0.002", "--samples", "5")),
    "corners": ("about z", ("--strokes",)),
    "workspace": ("shifted", ("--samples", "5")),
    "workspace of rays": ("shifted", ("--shape", "rays", "--level", "1")),
    "workspace of orientations": ("base kept", ("--shape", "orientations", "--level", "0")),
}
"""Drawing and options of commands: columns, rays and corners are along the base's axes."""
SLOW = ("corners", "simulate", "workspace", "workspace of rays", "workspace of orientations")


@pytest.mark.parametrize("command", [*(each for each in WALKED if each not in SLOW), *thorough(*SLOW)])
def test_vectors_of_stacks_turn_with_the_frame_that_is_named(command, tmp_path):
    name, options = WALKED[command]
    outer = DRAWINGS_OF_MOTIONS[name]
    inner = AS_DRAWN if command == "workspace" else INNER  # columns depend on a box that is bounded by stages
    answers = []
    for folder, frames, frames_between in (("one", AS_DRAWN, AS_DRAWN), ("other", outer, inner)):
        texts = {"WRENCH": text(frames[0].vectors(WRENCH)), "CENTRE": text(in_feet(frames[1])[0].points(CENTRE))}
        path = draw(tmp_path / folder, frames, frames_between)
        answers.append(written(command, path, [texts.get(each, each) for each in options]))
    one, other = answers
    frames = one.pop("frames", {})
    assert other.pop("frames", {}) == frames
    X_BI, X_BP = gough.load(tmp_path / "one" / "stack.toml").X_home
    between = (in_feet(outer[0], inner[0]), X_BI[:3, :3], FOOT)
    parts, place = [table.pop("intermediate", {}) for table in answers], "intermediate."
    if command == "frequencies":  # shapes of both platforms, the intermediate one first
        both = np.array([table["shape"] for table in answers]).reshape(2, 12, 2, 6)
        one["shape"], other["shape"] = both[:, :, 1].tolist()
        parts, place = [{"shape": shape.tolist()} for shape in both[:, :, 0]], ""
    found = wrong(*parts, frames, *between, place)
    found += wrong(one, other, frames, in_feet(*outer), X_BP[:3, :3], FOOT)
    assert [each for each in found if not matches(each[0], ("evaluations", "azimuth"))] == []
