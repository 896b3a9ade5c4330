"""`python -m tests.fuzz COUNT [--small] [--seed S] [--from N]`: cases N to N + COUNT of a seed; fails where one failed.

Counts are printed every few seconds; Ctrl-C ends the run with the summary of what was done.
"""

import argparse
import resource
import signal
import sys
from collections import Counter

from tests.fuzz.run import cases
from tests.fuzz.small import SMALL

MEMORY = 16 * 2**30
"""What asks for more [bytes] fails at once."""


def main():
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("count", type=int, help="how many cases")
    parser.add_argument("--seed", default="1", help="of the random numbers")
    parser.add_argument("--from", dest="first", type=int, default=0, help="number of the first case")
    parser.add_argument("--small", action="store_true", help="cases of a millisecond or less, in memory")
    given = parser.parse_args()
    told, counts, failures, small = set(), Counter(), {}, " --small" if given.small else ""

    def report():
        for number in failures.keys() - told:
            told.add(number)
            print(f"--- again: python -m tests.fuzz 1{small} --seed {given.seed} --from {number}\n{failures[number]}")
        print(f"{sum(counts.values())} of {given.count} cases, {len(failures)} failures", flush=True)

    heard = []

    def stop(number, frame):
        heard.append(number)  # what is raised within a callback of the compiler is lost
        raise KeyboardInterrupt

    def until_stopped():
        for number in range(given.first, given.first + given.count):
            if heard:
                raise KeyboardInterrupt
            yield number

    signal.signal(signal.SIGINT, stop)
    signal.signal(signal.SIGTERM, stop)
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    try:
        report()
        cases(given.seed, until_stopped(), report, counts, failures, SMALL if given.small else None)
    except KeyboardInterrupt:
        print("interrupted")
    report()
    summary(counts)
    sys.exit(bool(told))


def summary(counts):
    """A line for each kind: how many were answered, refused and failed."""
    for kind in sorted({kind for kind, _ in counts}):
        ends = {end: counts[kind, end] for end in ("answered", "refused", "failed")}
        print(f"{kind:20}" + "".join(f" {end} {count:6}" for end, count in ends.items()))


main()
