"""Numbers in the prose: the build writes what it computes, or an example prints, between `<!--name-->` and `<!---->`.

An unknown name, or an example that no longer prints its number, ends the build.
"""

from __future__ import annotations

import json
import re
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

import gough
from _site import evidence, measured
from gough import multibody, stages

if TYPE_CHECKING:
    from sphinx.application import Sphinx

DOCS = Path(__file__).parents[1]
STORED = DOCS / "_generated" / "values.json"
VALUE = re.compile(r"<!--(\w+)-->(.*?)<!---->", re.DOTALL)


@cache
def output(card: str) -> str:
    """What a card's script has printed in this build."""
    pages = list((DOCS / "gallery").glob(f"*/{card}.rst"))
    if not pages:
        raise ValueError(f"no card {card} in the gallery: values of the prose follow from what it prints")
    parts = pages[0].read_text("utf-8").split(".. rst-class:: sphx-glr-script-out")[1:]
    blocks = (part.split(".. code-block:: none", 1)[1] for part in parts)
    lines = [line for block in blocks for line in re.split(r"\n(?=\S)", block, maxsplit=1)[0].splitlines()]
    return "\n".join(line[4:] for line in lines if line.strip())


def printed(card: str, pattern: str) -> str:
    """The number that a card prints where the pattern has its group."""
    found = re.search(pattern.replace("#", NUMBER), output(card))
    if found is None:
        raise ValueError(f"card {card} prints nothing like {pattern!r}: mend docs/_site/values.py or the card")
    return found[1]


def block(card: str, first: str, last: str) -> str:
    """Lines of a card's output, as a block."""
    lines = output(card).splitlines()
    begin = next(k for k, line in enumerate(lines) if line.startswith(first))
    end = next(k for k in range(begin, len(lines)) if lines[k].lstrip().startswith(last))
    return "\n".join(["\n```text", *lines[begin : end + 1], "```\n"])


def power(value: float, unit: str = "") -> str:
    """An error, in one digit."""
    return f"{value:.0e}".replace("e-0", "e-") + (f" {unit}" if unit else "")


def weakest() -> dict[str, str]:
    """The softest poses of Hexel in its workspace."""
    m = gough.load("hexel")
    values = {}
    for kind, scale in (("translation", 1e-6), ("rotation", 1e-3)):
        found = gough.statics.weakest_pose(m, motion=kind)
        values[f"weakest_{kind}"] = f"{scale * found.value:.4g}"
        values[f"weakest_{kind}_at"] = ", ".join(f"{1e3 * x:.1f}" for x in found.position)
    return values


def double_hexapod() -> dict[str, str]:
    """Forces at rest of two stages, and what both reach together."""
    m = gough.load("double-hexapod")
    balance = stages.force_balance(m, m.X_home)
    gain = stages.workspace_gain(m, samples=33)
    lower, _, both = gain.volumes
    return {
        "upper_leg": f"{balance.forces[6]:.3f}",
        "lower_leg": f"{balance.forces[0]:.2f}",
        "lower_leg_of_upper": f"{balance.of_upper_weight[0]:.2f}",
        "gain": f"{gain.gain:.1f}",
        "gain_both": f"{both:.3f}",
        "gain_one": f"{lower:.4f}",
        "gain_error": f"{gain.volume_error:.3f}",
    }


def dynamics() -> dict[str, str]:
    """How far two engines, other codes and the laws are apart."""
    off = {each.what: float(np.abs(np.asarray(each.printed(), float) - each.ours()).max()) for each in evidence.FIGURES}
    m, still = gough.load("dumitriu2017"), np.zeros(6)
    twist = [0.03, 0.02, 0.01, 0.1, 0.2, 0.3]
    free = gough.simulate(m, m.home, twist, still, 10.0, gravity=[0, 0, 0], stop_at=(), rtol=1e-11).energy.to_numpy()
    pendulum = multibody.simulate(multibody.double_pendulum(), 10.0)
    energy = pendulum.energy()
    return {
        "sinatra_off": power(off["actuator forces of the vertical motion"]),
        "fall_off": power(off["platform's path in 0.5 s"]),
        "pendulum_off": power(off["angle of the first bar, 3 s"]),
        "rest_force": f"{evidence.rest_forces()[0]:.5f}",
        "free_energy": power(np.abs(free / free[0] - 1).max()),
        "pendulum_closed": power(pendulum.residuals()[0].max()),
        "pendulum_energy": power(np.ptp(energy) / np.abs(energy).max()),
    }


def incremental() -> dict[str, str]:
    """De Sapio's animator for the displacement of the reference file, and the exact pose."""
    m = gough.load("hexel")
    known = evidence.reference("hexel")
    found = gough.motion.joint_space.incremental_forward(m, m.home, 1e-3 * np.asarray(known["fk_displacement"]))
    return {
        "incremental_lengths": f"{1e6 * np.abs(found.joint_error[-1]).max():.2f}",
        "incremental_position": f"{1e6 * found.position_error[-1]:.2f}",
        "incremental_angle": f"{1e6 * found.rotation_error[-1]:.1f}",
    }


def computed() -> str:
    """What the build computes itself, as JSON."""
    return json.dumps({**weakest(), **double_hexapod(), **dynamics(), **incremental()}, indent=1)


NUMBER = r"([\d.e+-]*\d)"
HELD = ("held, as in the papers", "held, projected", "at every evaluation", "at every evaluation, projected")
OFF = "(?m)^{}: angles off by "
CARDS: dict[str, dict[str, str]] = {
    "17_calibrate": {
        "juggler_fit": "RMS before, # mm after",
        "juggler_kept_out": "rows kept out of the fit: # mm",
        "juggler_shift": "of the legs are up to [+]?#",
        "juggler_low": "scatter about them #",
        "juggler_high": r"scatter about them \S+ to # mm",
        "juggler_other": "the other session as it is: # mm",
        "juggler_rehomed": "the other 54: # mm",
    },
    "21_held_multipliers": {
        **{f"held_angle_{k}": OFF.format(name) + "# rad" for k, name in enumerate(HELD)},
        **{f"held_off_{k}": OFF.format(name) + r"\S+ rad, constraints by #," for k, name in enumerate(HELD)},
        **{f"held_order_{k}": f"(?m)^{name}: .* order #$" for k, name in enumerate(HELD)},
    },
    "30_no_silent_wrong_answer": {
        "same_pose": "Gough: # of",
        "other_pose": "flagged, # another",
        "euler_silent": "lead; # silent",
    },
    "40_along_a_path": {
        **{f"strut_space_{n}": f"in {n} pieces in strut space: # um" for n in (1, 4, 16)},
    },
    "41_tool_head": {
        **{f"tool_alone_{tilt}": f"(?m)^ *{tilt} +#" for tilt in (0, 30, 60, 90)},
        **{f"tool_both_{tilt}": rf"(?m)^ *{tilt} +\S+ +#" for tilt in (0, 30, 60, 90)},
    },
    "42_recorded_motion": {
        "ship_safe": "safe box on six axes: #;",
        "ship_alone": r"cannot do: #\.",
        "ship_one": "one gain: # at most",
        "ship_varying": "varying gain: # at most",
        "ship_mean": r"varying gain: \S+ at most, # in the mean",
        "ship_felt": r"fits with a gain of #\.",
        "ship_surge": "surge #",
        "ship_heave": "and heave #",
    },
    "43_part_program": {
        "bowl_lines": "# lines",
        "bowl_moves": "lines, # moves",
        "bowl_intervals": "on the path, over # intervals",
        "bowl_time": "It takes # s",
        "bowl_feed": "# s feed",
        "bowl_rapid": "# s rapid",
        "bowl_rest": "# s rest",
        "bowl_points": "Strut program: # points",
        "bowl_off": "tool's way by # um",
    },
}
"""Card -> name -> what it prints; # is the number."""


def of_cards() -> dict[str, str]:
    """What the cards have printed."""
    values = {name: printed(card, text) for card, names in CARDS.items() for name, text in names.items()}
    return values | {"velocities": block("10_speed_and_stiffness", "figure 19", "in every direction")}


def of_benchmarks() -> dict[str, str]:
    """What the benchmarks have measured."""
    return {name: measured.cell(*row) for name, row in measured.CELLS.items()}


def filled(text: str, values: dict[str, str]) -> str:
    """A page with the values of its names."""
    return VALUE.sub(lambda match: f"<!--{match[1]}-->{values[match[1]]}<!---->", text)


def fill(app: Sphinx, env: Any, added: set[str], changed: set[str], removed: set[str]) -> list[str]:
    """Write the values into the pages, once the examples have run; return the pages that have changed."""
    values = {**json.loads(STORED.read_text("utf-8")), **of_cards(), **of_benchmarks()}
    pages = []
    for name in env.found_docs:
        page = Path(env.doc2path(name))
        before = page.read_text("utf-8")
        after = filled(before, values)
        if after != before:
            page.write_text(after, "utf-8")
            pages.append(name)
    return pages


def setup(app: Sphinx) -> dict[str, bool]:
    """After the gallery, before pages are read."""
    app.connect("env-get-outdated", fill)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
