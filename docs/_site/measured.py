"""Tables of what the benchmarks have measured: their stored output, `benchmarks/results/*.json`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

RESULTS = Path(__file__).parents[2] / "benchmarks" / "results"


def stored() -> dict[str, Any]:
    """The stored run."""
    return json.loads((RESULTS / "speed.json").read_text("utf-8"))


def speed() -> str:
    """Heading and table of the run."""
    run = stored()
    lines = [
        f"Measured on {run['date']} by `{run['command']}`: {run['cores']} cores, {run['machine']},",
        f"Python {run['python']}. {run['note']}",
        "",
        "| work | Gough | peer | unit | times quicker | the peer |",
        "|---|---|---|---|---|---|",
    ]
    for what, ours, peer, theirs, unit in run["rows"]:
        lines.append(f"| {what} | {ours:.3g} | {theirs:.4g} | {unit} | {theirs / ours:.3g} | {peer} |")
    return "\n".join(lines) + "\n"
