"""Tables and numbers that the benchmarks have measured: their stored output, `benchmarks/results/*.json`."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

RESULTS = Path(__file__).parents[2] / "benchmarks" / "results"
CELLS: dict[str, tuple[str, str, str]] = {
    "calibrated": ("calibration, 108 poses, 54 errors", "SciPy, differences", "{ours:.2g} ms"),
    "calibrated_scipy": ("calibration, 108 poses, 54 errors", "SciPy, differences", "{theirs:.2g} ms"),
    "half_second": ("half a second, rtol 1e-9, with history", "MuJoCo, 1 ms steps", "{ours:.3g} ms"),
    "solids_once": ("13 bodies, one evaluation", "saddle, dense", "{ours:.2g} us"),
    "solids_dense": ("13 bodies, one evaluation", "saddle, dense", "{theirs:.2g} us"),
    "solids_two_step": ("13 bodies of regular inertia, two-step", "saddle, dense", "{ours:.2g} us"),
    "solids_two_step_dense": ("13 bodies of regular inertia, two-step", "saddle, dense", "{theirs:.2g} us"),
    "solids_exudyn": ("13 bodies, one evaluation; a step", "Exudyn, a step", "{theirs:.2g} us"),
}
"""Name in the prose -> work, peer, and how the number is written."""
MODES = ("all assembly modes", "ForwardSolver", "certificate")
"""Beginnings of the rows on the page on assembly modes."""


@cache
def stored(name: str) -> dict[str, Any]:
    """A stored run."""
    return dict(json.loads((RESULTS / f"{name}.json").read_text("utf-8")))


def origin(run: dict[str, Any]) -> str:
    """When, how and where a run was measured."""
    place = f"{run['cores']} cores, {run['machine']}, Python {run['python']}"
    return f"Measured on {run['date']} by `{run['command']}`: {place}. {run['note']}".strip()


def digits(value: float) -> str:
    """Three digits, and none behind the point of more."""
    return f"{value:.0f}" if value >= 100 else f"{value:.3g}"


def rows() -> list[tuple[str, float, str, float, str]]:
    """All rows of the speeds: work, ours, the peer, theirs, unit."""
    return [tuple(row) for run in stored("speed").values() for row in run["rows"]]


def wanted(run: dict[str, Any], beginnings: tuple[str, ...]) -> bool:
    """Whether a run has a row that begins so."""
    return any(row[0].startswith(beginnings) for row in run["rows"])


def speed(beginnings: tuple[str, ...] = ("",)) -> str:
    """Heading and table of the speeds, or of the rows that begin so."""
    runs = {case: run for case, run in stored("speed").items() if wanted(run, beginnings)}
    places: dict[tuple[Any, ...], list[str]] = {}
    for case, run in runs.items():
        places.setdefault((run["date"], run["note"], run["cores"], run["machine"], run["python"]), []).append(case)
    origins = [
        f"Measured on {date} by `python -m benchmarks {' '.join(cases)}`: {cores} cores, {machine}, "
        f"Python {version}. {note}"
        for (date, note, cores, machine, version), cases in places.items()
    ]
    lines = [
        "\n\n".join(origins),
        "",
        "| work | Gough | reference | unit | speed-up | reference implementation |",
        "|---|---|---|---|---|---|",
    ]
    for what, ours, peer, theirs, unit in rows():
        if what.startswith(beginnings):
            numbers = " | ".join(digits(value) for value in (ours, theirs))
            lines.append(f"| {what} | {numbers} | {unit} | {digits(theirs / ours)} | {peer} |")
    return "\n".join(lines) + "\n"


def modes() -> str:
    """Rows of the speeds that are of assembly modes."""
    return speed(MODES)


def cell(what: str, peer: str, form: str) -> str:
    """One number of the speeds."""
    for row, ours, other, theirs, _ in rows():
        if (row, other) == (what, peer):
            return form.format(ours=ours, theirs=theirs)
    raise ValueError(
        f"benchmarks/results/speed.json has no row {what!r} against {peer!r}: measure it, or mend the page"
    )


def counts(name: str) -> str:
    """Tables of a stored run, each under its title."""
    run = stored(name)
    parts = [origin(run)]
    for table in run["tables"]:
        rows = [table["heads"], ["---"] * len(table["heads"]), *table["rows"]]
        parts += [
            f"**{table['title'][:1].upper()}{table['title'][1:]}**",
            "\n".join(f"| {' | '.join(row)} |" for row in rows),
        ]
    return "\n\n".join(parts) + "\n"
