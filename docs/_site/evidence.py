# ruff: noqa: E501 - one figure a line
"""Table of reference figures with Gough's, computed by the build."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike, NDArray

import gough
from gough import multibody
from gough.description.build import from_document
from gough.description.parse import machine_text, parse

ROOT = Path(__file__).parents[2]
INCH = 0.0254
TSAI = [7.215468027, 7.217587990, 7.217587990, 7.215468027, 7.217699073, 7.217699073]
TSAI_MOVING = [4.931329394, 7.271975130, 3.309581763, 2.517158792, 7.784387368, 6.265263475]
LINUXCNC = [31.085467435, 30.376591426, 28.308765735, 32.034909924, 30.17116351, 28.992798286]


@dataclass(frozen=True)
class Reference:
    """A figure that others print or compute: what it is, from where, their numbers and Gough's, the test that holds it."""

    what: str
    source: str
    printed: Callable[[], ArrayLike]
    decimals: int
    ours: Callable[[], ArrayLike]
    unit: str
    test: str
    remark: str = ""


def reference(name: str) -> dict[str, ArrayLike]:
    return json.loads((ROOT / "tests" / "references" / f"{name}.json").read_text("utf-8"))


def printed(machine: str, key: str) -> Callable[[], ArrayLike]:
    return lambda: gough.load(machine).published[key]


def lengths(name: str, position: ArrayLike, angles: ArrayLike | None = None, unit: float = INCH) -> NDArray[np.float64]:
    pose = gough.pose_matrix(np.array(position) * unit, angles, None if angles is None else "ZYX", degrees=True)
    return gough.inverse_kinematics(gough.load(name), pose) / unit


def tsai(time: float | None) -> NDArray[np.float64]:
    m = gough.load("tsai2000")
    X, zero = m.X_home.copy(), np.zeros(6)
    if time is None:
        return gough.inverse_dynamics(m, X, zero, zero)
    X[:3, 3] += 0.2 * np.sin(3 * time)
    V, A = (np.array([rate] * 3 + [0.0] * 3) for rate in (0.6 * np.cos(3 * time), -1.8 * np.sin(3 * time)))
    return gough.inverse_dynamics(m, X, V, A)


def sinatra_forces() -> NDArray[np.float64]:
    m = gough.load("sinatra2009")
    times = np.array(reference("sinatra2009")["time"])
    return gough.dynamics.motion_forces(m, gough.dynamics.named_motion(m, "vertical"), times).force.to_numpy()


def linapod_error() -> float:
    document = parse(machine_text("linapod")[1], "linapod")
    nominal = from_document(document, "linapod")
    document["legs"]["rod_length"] = [length + 10e-6 for length in document["legs"]["rod_length"]]
    s = gough.forward_kinematics(from_document(document, "linapod"), gough.inverse_kinematics(nominal, nominal.home))
    return 1e6 * float(np.linalg.norm(s.matrix[:3, 3] - nominal.X_home[:3, 3]))


def dehaeze_stiffness() -> NDArray[np.float64]:
    m = gough.load("dehaeze")
    return np.diag(gough.stiffness(m, m.home, point=m.point_of_interest))


def dehaeze_frequencies() -> NDArray[np.float64]:
    m = gough.load("dehaeze")
    return gough.natural_frequencies(m, m.home).frequency


def hexel_speeds() -> NDArray[np.float64]:
    e = gough.velocity_envelope(gough.load("hexel"), gough.pose([0, 0, 0.8]))
    return 1e3 * e.speed(np.array(reference("hexel")["velocity_direction"]))


def rest_forces() -> NDArray[np.float64]:
    m = gough.load("dumitriu2017")
    found = multibody.inverse_dynamics(
        multibody.hexapod(m), {"platform": np.zeros(6)}, [f"drive {i}" for i in range(1, 7)]
    )
    return found.magnitudes


def fall() -> NDArray[np.float64]:
    known, m = reference("dumitriu2017_forward"), gough.load("dumitriu2017")
    motion = multibody.simulate(multibody.hexapod(m, forces=[9.5, 9.5] + [8.5105] * 4), times=known["time"])
    return motion.position("platform")


def pendulum() -> NDArray[np.float64]:
    motion = multibody.simulate(multibody.double_pendulum(), times=reference("dumitriu2016_pendulum")["time"])
    hinge = motion.position("bar 1", motion.system.joints[1].centre)
    return np.arctan2(hinge[:, 1], hinge[:, 0])


def home(name: str, scale: float = 1.0) -> NDArray[np.float64]:
    m = gough.load(name)
    return scale * gough.inverse_kinematics(m, m.home)


FIGURES = (
    Reference("strut lengths at 0, 0, 800 mm", "program run: De Sapio 1998, appendix", lambda: reference("hexel")["lengths"], 12, lambda: home("hexel", 1e3), "mm", "tests/references/test_inverse_golden.py::test_hexel_lengths_and_inverse_jacobian", "at a pose not in the report"),
    Reference("top speeds in 231 directions", "program run: De Sapio 1998, appendix B", lambda: reference("hexel")["velocity_max"], 10, hexel_speeds, "mm/s", "tests/limits/test_velocity.py::test_top_speeds_of_hexel_match_the_report", "the same"),
    Reference("lengths at home", "LinuxCNC genhexkins", printed("linuxcnc", "home_lengths_in"), 9, lambda: home("linuxcnc", 1 / INCH), "in", "tests/references/test_inverse_golden.py::test_linuxcnc_lengths_to_nine_digits"),
    Reference("lengths at 1, 2, 20.5, rotated", "LinuxCNC genhexkins", lambda: LINUXCNC, 9, lambda: lengths("linuxcnc", (1, 2, 20.5), (2, -3, 5)), "in", "tests/references/test_inverse_golden.py::test_linuxcnc_lengths_to_nine_digits"),
    Reference("lengths at pose 0", "NASA Marshall facility", printed("nasa-msfc", "home_lengths_in"), 4, lambda: lengths("nasa-msfc", (0, 0, -111.31)), "in", "tests/references/test_inverse_golden.py::test_nasa_msfc_pose_0"),
    Reference("crank angles at the printed home height", "servo platform's makers", lambda: 0.0, 6, lambda: np.abs(home("servo")).max(), "rad", "tests/references/test_inverse_golden.py::test_servo_platform_cranks_are_level_at_its_home_height", "points specified to 1e-5 mm"),
    Reference("sliders at home", "Pott and Hiller 2008", printed("linapod", "home_slider_m"), 3, lambda: home("linapod"), "m", "tests/references/test_inverse_golden.py::test_linapod_sliders_at_home", "points specified to 1 mm"),
    Reference("pose error of bars 10 um too long", "Pott and Hiller 2008", printed("linapod", "position_error_for_bars_10_um_too_long_um"), 3, linapod_error, "um", "tests/references/test_inverse_golden.py::test_linapod_with_bars_ten_micrometres_too_long", "points specified to 1 mm, so the last digit is undetermined"),
    Reference("actuator forces of the vertical motion", "independent model: data of Sinatra, Xi and Staicu 2009", lambda: reference("sinatra2009")["vertical"]["force"], 6, sinatra_forces, "N", "tests/references/test_dynamics_golden.py::test_sinatras_forces_powers_and_sliders", "the paper has curves only: figure 3"),
    Reference("leg length", "Dehaeze", printed("dehaeze", "leg_length_m"), 7, lambda: home("dehaeze")[0], "m", "tests/references/test_inverse_golden.py::test_micro_vibration_platform_leg_length_and_stiffness"),
    Reference("stiffness above the plate", "Dehaeze", printed("dehaeze", "stiffness_diagonal_at_tool_N_per_m_and_N_m"), 2, dehaeze_stiffness, "N/m, N m", "tests/references/test_inverse_golden.py::test_micro_vibration_platform_leg_length_and_stiffness"),
    Reference("natural frequencies, struts with mass", "Dehaeze", printed("dehaeze", "natural_frequencies_Hz"), 1, dehaeze_frequencies, "Hz", "tests/dynamics/test_modes.py::test_published_frequencies_with_and_without_massive_struts", "1269.66 is truncated in the source"),
    Reference("static actuator forces", "Tsai 2000", lambda: TSAI, 9, lambda: tsai(None), "N", "tests/references/test_dynamics_golden.py::test_tsai_at_rest"),
    Reference("actuator forces in motion, 0.25 s", "Tsai 2000", lambda: TSAI_MOVING, 9, lambda: tsai(0.25), "N", "tests/references/test_dynamics_golden.py::test_tsai_moving"),
    Reference("static force in each leg", "Dumitriu et al. 2017", printed("dumitriu2017", "static_leg_force_N"), 4, rest_forces, "N", "tests/references/test_multibody_golden.py::test_equilibrium_forces_are_those_of_first_principles", "differs: first principles and three independent codes yield 8.53329 N with parts of 0.40 m, as in the text, and 8.5104 N with parts of 0.35 m, as in its Poinsot values"),
    Reference("platform's path in 0.5 s", "independent models: data of Dumitriu et al. 2017", lambda: reference("dumitriu2017_forward")["position"], 8, fall, "m", "tests/references/test_multibody_golden.py::test_the_hexapods_motion_is_that_of_three_other_codes"),
    Reference("angle of the first bar, 3 s", "equations integrated: Dumitriu and Margaritescu 2016, (26)", lambda: reference("dumitriu2016_pendulum")["phi"], 10, pendulum, "rad", "tests/references/test_multibody_golden.py::test_double_pendulum_has_the_angles_of_its_own_lagrange_equations"),
)  # fmt: skip


def verdict(figure: Reference) -> tuple[str, str, str]:
    """First printed number, ours, and how far they agree."""
    known, found = np.atleast_1d(np.asarray(figure.printed(), float)), np.atleast_1d(np.asarray(figure.ours(), float))
    off = np.abs(known - found).max()
    half = 0.5000001 * 10.0**-figure.decimals
    size = np.abs(known).max() or 1.0
    digits = max(0, int(-np.log10(max(off / size, 1e-16))))
    words = "all decimals" if off <= half else f"{digits} digits"
    k = int(np.abs(known).argmax())
    return f"{known.flat[k]:.{figure.decimals}f}", f"{found.flat[k]:.{figure.decimals}f}", words


def rows() -> Iterator[str]:
    for figure in FIGURES:
        known, found, words = verdict(figure)
        count = np.size(figure.printed())
        many = f" (largest of {count})" if count > 1 else ""
        agreed = f"{words}; {figure.remark}" if figure.remark else words
        yield f"| {figure.what}{many} | {figure.source} | {known} | {found} | {figure.unit} | {agreed} | `{figure.test}` |"


def table() -> str:
    """The table, for the page on evidence."""
    head = "| figure | source | reference | Gough | unit | agreement | test |\n|---|---|---|---|---|---|---|"
    return "\n".join([head, *rows()]) + "\n"
