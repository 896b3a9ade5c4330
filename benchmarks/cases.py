"""The cases: each returns rows (what, ours, peer, ratio, unit) measured in one run."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from statistics import median

import numpy as np

import gough
from benchmarks import peers
from benchmarks.dynamics import dynamics
from benchmarks.modes import modes
from benchmarks.timing import interleaved, repeated

Row = tuple[str, float, str, float, str]
NS, US, MS = 1e9, 1e6, 1e3


def row(what: str, times: dict[str, float], ours: str, peer: str, scale: float, unit: str) -> Row:
    """Our time and the peer's for the same work, in `unit`."""
    return what, times[ours] * scale, peer, times[peer] * scale, unit


def poses_near_home(machine: gough.Machine, count: int, degrees: float) -> np.ndarray:
    """Random poses about home: a tenth of the machine's size, three Euler angles up to `degrees`."""
    rng = np.random.default_rng(1)
    shift = rng.uniform(-0.1, 0.1, (count, 3)) * machine.size
    turn = rng.uniform(-degrees, degrees, (count, 3))
    return gough.pose_matrix(machine.X_home[:3, 3] + shift, turn, "XYZ", degrees=True)


def inverse_kinematics() -> list[Row]:
    """One million poses of hexel, and one."""
    m = gough.load("hexel")
    count = 1_000_000
    X = poses_near_home(m, count, 20)
    q = np.empty((count, 6))
    one = X[0].copy()
    many = interleaved(
        [
            ("Gough, into an array", lambda: gough.inverse_kinematics(m, X, out=q)),
            ("Gough, new array", lambda: gough.inverse_kinematics(m, X)),
            ("NumPy", lambda: peers.numpy_inverse(m.legs.a_B, m.b_P, X)),
        ],
        rounds=7,
    )
    calls = 2000
    single = interleaved(
        [
            ("Gough", repeated(lambda: gough.inverse_kinematics(m, one), calls)),
            ("NumPy", repeated(lambda: peers.loop_inverse(m.legs.a_B, m.b_P, one), calls)),
        ]
    )
    return [
        row(
            "inverse kinematics, 1e6 poses, into a preallocated array",
            many,
            "Gough, into an array",
            "NumPy",
            NS / count,
            "ns",
        ),
        row("inverse kinematics, 1e6 poses, new array", many, "Gough, new array", "NumPy", NS / count, "ns"),
        row("inverse kinematics, one pose, call from Python", single, "Gough", "NumPy", US / calls, "us"),
    ]


def forward_kinematics() -> list[Row]:
    """Hexel from home, poses turned up to 20 and up to 45 degrees; time of one core."""
    m = gough.load("hexel")
    rows = []
    count = 4000  # below the size that is shared between the cores
    start = np.array([*m.X_home[:3, 3], 0, 0, 0])
    out, steps = np.empty((count, 6)), np.empty(count)
    a_B, b_P = np.array(m.legs.a_B), np.array(m.b_P)
    for degrees in (20, 45):
        q = gough.inverse_kinematics(m, poses_near_home(m, count, degrees))
        times = interleaved(
            [
                ("Gough", lambda q=q: gough.forward_kinematics(m, q, throw=False)),
                ("Euler-angle Newton", lambda q=q: peers.euler_newton(a_B, b_P, start, q, out, steps)),
            ]
        )
        what = f"forward kinematics, one core, +-{degrees} deg"
        rows.append(row(what, times, "Gough", "Euler-angle Newton", US / count, "us"))
    one, calls = q[0].copy(), 1000
    q20 = gough.inverse_kinematics(m, poses_near_home(m, 1, 20))
    out1, steps1 = np.empty((1, 6)), np.empty(1)
    one = q20[0].copy()
    single = interleaved(
        [
            ("Gough", repeated(lambda: gough.forward_kinematics(m, one), calls)),
            ("Euler-angle Newton", repeated(lambda: peers.euler_newton(a_B, b_P, start, q20, out1, steps1), calls)),
        ]
    )
    rows.append(
        row("forward kinematics, one pose, call from Python", single, "Gough", "Euler-angle Newton", US / calls, "us")
    )
    return rows


def start_up() -> list[Row]:
    """Whole processes: importing, and asking for help."""

    def process(*arguments: str) -> float:
        start = time.perf_counter()
        subprocess.run([sys.executable, *arguments], check=True, stdout=subprocess.DEVNULL, env=dict(os.environ))
        return time.perf_counter() - start

    parties = {
        "python alone": ("-c", "pass"),
        "import gough": ("-c", "import gough"),
        "gough --help": ("-c", "from gough.cli import main; import sys; sys.argv = ['gough', '--help']; main()"),
        "import numpy": ("-c", "import numpy"),
    }
    seen = {name: [] for name in parties}
    for _ in range(7):
        for name, arguments in parties.items():
            seen[name].append(process(*arguments))
    times = {name: median(values) for name, values in seen.items()}
    return [
        row("import gough, whole process", times, "import gough", "import numpy", MS, "ms"),
        row("gough --help, whole process", times, "gough --help", "import numpy", MS, "ms"),
    ]


def workspace() -> list[Row]:
    """Hexel's envelope, 49 x 49 columns: exact against stepping in NumPy."""
    from benchmarks.stepping import stepped_envelope

    m = gough.load("hexel")
    grid = (np.arange(49) - 24) * 0.025
    start = time.perf_counter()
    stepped_envelope(m, grid)
    stepping = time.perf_counter() - start
    ours = interleaved([("Gough", lambda: gough.workspace(m, x=grid, y=grid))], rounds=9)["Gough"]
    times = {"Gough": ours, "stepping in NumPy": stepping}
    return [row("workspace of hexel, 49 x 49 columns", times, "Gough", "stepping in NumPy", MS, "ms")]


def margins_map() -> list[Row]:
    """All margins of hexel over 101^3 positions, and only whether it may be there, against NumPy's lengths; and both
    over random poses within a metre and a radian of home, of which few are allowed."""
    m = gough.load("hexel")
    d = np.random.default_rng(0).uniform(-1, 1, (1_000_000, 6))
    random = gough.pose_matrix(m.X_home[:3, 3] + d[:, :3], d[:, 3:], "XYZ")
    axis = np.linspace(-0.3, 0.3, 101)
    points = np.stack(np.meshgrid(axis, axis, axis, indexing="ij"), axis=-1) + m.X_home[:3, 3]
    X = gough.pose_matrix(points).reshape(-1, 4, 4)
    times = interleaved(
        [
            ("margins", lambda: gough.margins(m, X)),
            ("is_allowed", lambda: gough.limits.is_allowed(m, X)),
            ("NumPy, lengths only", lambda: peers.numpy_inverse(m.legs.a_B, m.b_P, X)),
            ("random margins", lambda: gough.margins(m, random)),
            ("random is_allowed", lambda: gough.limits.is_allowed(m, random)),
        ],
        rounds=3,
    )
    of_random = {"margins": times["random margins"], "is_allowed": times["random is_allowed"]}
    return [
        row("all margins of hexel, 101^3 poses", times, "margins", "NumPy, lengths only", MS, "ms"),
        row("allowed poses of hexel, 101^3 poses", times, "is_allowed", "margins", MS, "ms"),
        row("allowed poses of hexel, a million random poses", of_random, "is_allowed", "margins", MS, "ms"),
    ]


def calibration() -> list[Row]:
    """Jugglebot's 54 errors from 108 measured poses, against SciPy with difference quotients of leg lengths."""
    m = gough.load("jugglebot")
    q, X = peers.juggler_108(m)
    groups = ("base_points", "platform_points", "joint_zeros", "gains", "curvatures")
    times = interleaved(
        [
            ("Gough", lambda: gough.calibrate(m, q, X, parameters=groups)),
            ("SciPy, differences", lambda: peers.calibrated_by_differences(m.legs.a_B, m.b_P, q, X)),
        ],
        clock=time.process_time,
    )
    return [row("calibration, 108 poses, 54 errors", times, "Gough", "SciPy, differences", MS, "ms")]


CASES = {
    "inverse": inverse_kinematics,
    "forward": forward_kinematics,
    "start": start_up,
    "workspace": workspace,
    "margins": margins_map,
    "dynamics": dynamics,
    "modes": modes,
    "calibration": calibration,
}
