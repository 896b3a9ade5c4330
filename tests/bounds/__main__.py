"""The long run: every bound attacked, with how closely it is reached."""

import argparse
import sys
from pathlib import Path

import numpy as np
from tests import bounds
from tests.bounds.table import BOUNDS, ROUND_OFF, attacked


def main() -> int:
    """Attack bounds; how many did not hold."""
    parser = argparse.ArgumentParser(prog="python -m tests.bounds", description=bounds.__doc__.splitlines()[0])
    parser.add_argument("tries", nargs="?", type=int, default=2000, help="of each bound on each machine")
    parser.add_argument("names", nargs="*", metavar="bound", help=f"of {', '.join(BOUNDS)}; all if none is given")
    parser.add_argument(
        "--machine",
        action="append",
        choices=sorted({Path(m).stem for _, ms in BOUNDS.values() for m in ms}),
        help="on these alone, by name",
    )
    chosen = parser.parse_args()
    broken = 0
    for name in chosen.names or BOUNDS:
        for machine in BOUNDS[name][1]:
            if chosen.machine and Path(machine).stem not in chosen.machine:
                continue
            found = list(attacked(name, machine, chosen.tries))
            excess = max(one.excess for one in found)
            parts = np.array([(one.reached, one.closest) for one in found if one.reached == one.reached]).reshape(-1, 2)
            is_true = excess <= ROUND_OFF
            broken += not is_true
            state = "holds" if is_true else "BROKEN"
            reached = f"reached {np.median(parts[:, 0]):.2f}, at most {parts[:, 1].max():.6f}" if len(parts) else ""
            tries = sum(one.tries for one in found)
            print(
                f"{name:9} {Path(machine).stem:13} {state}  {tries:7} tries  excess {excess:9.2e}  {reached}",
                flush=True,
            )
    return broken


if __name__ == "__main__":
    sys.exit(main() > 0)
