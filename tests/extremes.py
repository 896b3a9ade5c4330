"""Every public function on extreme machines, each call under a watchdog: `python -m tests.extremes [MACHINE ...]`.

The watchdog counts processor time, so that a busy machine is no failure, and ends the process even in a kernel. A
machine may be refused with a sentence, a call too; anything else but an answer is a defect, a warning as well.
"""

import faulthandler
import inspect
import signal
import sys
import tempfile
import warnings
from pathlib import Path

import numpy as np
from tests.signatures import parameters

import gough

WATCHDOG = 10.0
"""Processor time for one call [s]."""
FEET = np.array([[1, 0, 0], [0.5, 0.9, 0], [-0.5, 0.9, 0], [-1, 0.1, 0], [-0.5, -0.9, 0], [0.6, -0.9, 0]])
TOPS = np.array([[0.5, 0.3, 0], [0.3, 0.5, 0], [-0.5, 0.3, 0], [-0.6, 0.1, 0], [-0.2, -0.5, 0], [0.2, -0.5, 0]])
LINE = np.column_stack([np.linspace(-0.5, 0.5, 6), np.zeros((6, 2))])
HEXAGON = np.column_stack([np.cos(np.arange(6) * np.pi / 3), np.sin(np.arange(6) * np.pi / 3), np.zeros(6)])
ONE = np.array([[0.1, 0, 0]] * 6)
ALL_ON_ONE = f"{ONE[:1].tolist()}{{}}of_leg = {[1] * 6}"
DRIVES = """
[actuators]
resolution = 1e-6
stiffness = 1e7
[legs.bodies.{part}]
mass = 1
mass_centre = [0, 0, {centre!r}]
"""


def struts(feet=FEET, tops=TOPS, height=1.0, scale=1.0, stroke=(0.5, 1.6), more=""):
    """A machine file of six struts, lengths in units of `scale`."""
    limits = "" if stroke is None else f"joint_min = {stroke[0] * scale!r}\njoint_max = {stroke[1] * scale!r}\n"
    return f"""
name = "extreme"
base = {{ points = {(feet * scale).tolist()} }}
home = {{ translation = [0, 0, {height * scale!r}] }}
[platform]
points = {(tops * scale).tolist()}
mass = 5
inertia = {{ xx = {scale**2!r}, yy = {scale**2!r}, zz = {scale**2!r} }}
[limits]
actuator_force = 500
joint_speed = {0.1 * scale!r}
{limits}{more}"""


def rods(kind, scale=1.0, length=1.2, limits="joint_min = -0.3\njoint_max = 0.3\n", legs="", height=-0.8):
    """A machine file of sliders (PUS) or cranks (RUS)."""
    return f"""
name = "extreme"
base = {{ points = {(FEET * scale).tolist()} }}
platform = {{ points = {(TOPS * scale).tolist()} }}
home = {{ translation = [0, 0, {height * scale!r}] }}
legs = {{ kind = "{kind}", rod_length = {length!r}, {legs} }}
[limits]
{limits}"""


def arms(length):
    """Cranks that turn about axes along y."""
    return f"arm = {[[length, 0, 0]] * 6}, axis = {[[0, 1, 0]] * 6}"


RODS = np.linalg.norm(TOPS - [0, 0, 0.8] - FEET, axis=1)
"""With cranks of no length to speak of, home is all that such rods reach."""
GUIDES = f"guide = {[[1, 0, 0], [-1, 0, 0]] * 3}"
MACHINES = {
    "usual": struts(),
    "far tool": struts(more="[tool]\ntranslation = [0, 0, 1e9]\n"),
    "far tool, no strokes": struts(stroke=None, more="[tool]\ntranslation = [0, 0, 1e9]\n"),
    "tool beside everything": struts(more="[tool]\ntranslation = [1e-300, 0.4, -7e15]\n"),
    "far base": struts(feet=FEET - [0, 0, 1e9], stroke=(0.9e9, 1.1e9)),
    "endless strokes": struts(stroke=(0.0, 1e9)),
    "collinear platform": struts(tops=LINE),
    "collinear base": struts(feet=2 * LINE),
    "all collinear": struts(feet=2 * LINE, tops=LINE),
    "coincident platform joints": struts(tops=ONE).replace(str(ONE.tolist()), ALL_ON_ONE.format("\n")),
    "coincident base joints": struts(feet=ONE).replace(f"{ONE.tolist()} }}", ALL_ON_ONE.format(", ") + " }"),
    "nearly coincident": struts(tops=TOPS * 1e-9),
    "micrometre": struts(scale=1e-6),
    "megametre": struts(scale=1e6),
    "singular home": struts(feet=1.5 * HEXAGON, tops=HEXAGON, stroke=(0.5, 1.8)),
    "singular home, no strokes": struts(feet=1.5 * HEXAGON, tops=HEXAGON, stroke=None),
    "flat": struts(height=0.0, stroke=(0.1, 1.6)),
    "sliders": rods("PUS", legs=GUIDES),
    "sliders singular at home": rods("PUS", legs=GUIDES).replace(str(TOPS.tolist()), str((0.5 * FEET).tolist())),
    "short rods": rods("PUS", length=1.001, legs=GUIDES, limits=""),
    "huge sliders": rods("PUS", scale=1e6, length=1.2e6, legs=GUIDES, limits="joint_min = -3e5\njoint_max = 3e5\n"),
    "cranks": rods("RUS", length=1.1, legs=arms(0.3), limits=""),
    "short cranks": rods("RUS", length=RODS.tolist(), legs=arms(1e-6), limits=""),
    "long cranks": rods("RUS", length=1e9, legs=arms(1e9), limits=""),
}
SUITE = ("far tool", "sliders singular at home")
"""Those that the test suite runs."""


def arguments(machine):
    """Values of the parameters of public functions, by name."""
    X, V = machine.home, np.full(6, 1e-3)
    q = gough.inverse_kinematics(machine, X)
    up = np.array([0, 0, -10.0, 0, 0, 0])
    return {
        **dict.fromkeys(("X", "X0", "start", "pose", "by"), X),
        **dict.fromkeys(("V", "V0", "A", "qd", "qdd"), V),
        "end": machine.X_home @ gough.pose_matrix(1e-2 * machine.size * np.ones(3)),
        "tool": X,
        "poses": machine.X_home[None],
        "candidates": machine.X_home[None],
        "count": 1,
        "region": gough.regions.box(machine.X_home[:3, 3], [1e-3 * machine.size] * 3, turn=1e-3, reference=X),
        "q": q,
        "wrench": up,
        "force": np.zeros(6),
        "duration": 0.01,
        "direction": np.concatenate([np.eye(6), -np.eye(6)]),
        "angles": [0.0, 1e-3],
        "kind": "rotation",
        "tilt": 0.1,
        "tolerance": 1e-6,
        "name": "circle",
        "controller": gough.dynamics.GravityCompensation(machine),
        "motion": gough.dynamics.CosineMotion(machine.X_home, V, 1.0),
        "function": lambda poses: gough.singularity.conditioning(machine, poses).distance,
    }


LITTLE = {"samples": 5, "max_boxes": 2000, "level": 2}
"""What a caller says of the amount of work."""
ROUGH = {"workspace_volume_6d": {"rtol": 0.5, "processes": 1}}
OTHERWISE = {
    "map_over_positions": {"function": lambda poses: {"height": ((), poses[:, 2, 3], {})}},
    "displaced": {"by": gough.pose([0, 0, 0])},
}


APART = (gough.errors, gough.motion, gough.multibody, gough.plot, gough.stages)
"""Topics whose functions take more than a machine of one stage and a pose, or draw."""
WHOLE = {"report", "view"}
"""Functions that call all others."""


def functions():
    """The public functions of a machine, by name."""
    topics = [gough, *(module for name in gough.__all__ if inspect.ismodule(module := getattr(gough, name)))]
    found = {name: getattr(topic, name) for topic in topics if topic not in APART for name in topic.__all__}
    return {
        name: function
        for name, function in found.items()
        if name not in WHOLE
        and inspect.isfunction(function)
        and next(iter(inspect.signature(function).parameters), "") == "machine"
    }


def call(name, function, machine, given):
    """Call one function; the words of a refusal, which is an answer too."""
    given = given | OTHERWISE.get(name, {})
    takes = parameters(function)
    is_needed = {p.name: p.default is p.empty and p.kind is not p.VAR_KEYWORD for p in list(takes.values())[1:]}
    wanted = {parameter: given[parameter] for parameter, is_so in is_needed.items() if is_so}
    work = {parameter: amount for parameter, amount in LITTLE.items() if parameter in takes} | ROUGH.get(name, {})
    try:
        function(machine, **wanted, **work)
    except gough.GoughError as error:
        return str(error)
    return ""


def main(names):
    """Run the machines named, or all; the last line printed is what ended the process."""
    warnings.simplefilter("error")
    faulthandler.register(signal.SIGPROF, chain=True)
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        for turn, title in enumerate(["usual", *(names or MACHINES)]):
            path = Path(folder) / "extreme.toml"
            path.write_text(MACHINES[title])
            try:
                machine = gough.load(path)
                given = arguments(machine)
            except gough.GoughError as error:
                print(f"{title}: refused, {str(error).splitlines()[0][:100]}", flush=True)
                continue
            for name, function in functions().items():
                if name == "load":
                    continue
                print(f"{title}: {name}", end=" ", flush=True)
                signal.setitimer(signal.ITIMER_PROF, 0.0 if turn == 0 else WATCHDOG)  # kernels are compiled first
                try:
                    call(name, function, machine, given)
                except Exception as error:
                    failed += 1
                    print(f"FAILED {type(error).__name__}: {error}", end="")
                used = WATCHDOG - signal.setitimer(signal.ITIMER_PROF, 0.0)[0]
                print(f"{used:.1f} s" if used > 1.0 and turn > 0 else "", flush=True)
    return failed


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
