"""`python -m tests.fuzz COUNT [--seed S] [--from N]`: cases N to N + COUNT of a seed; fails where one failed."""

import argparse
import sys

from tests.fuzz.run import cases

parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
parser.add_argument("count", type=int, help="how many cases")
parser.add_argument("--seed", default="1", help="of the random numbers")
parser.add_argument("--from", dest="first", type=int, default=0, help="number of the first case")
given = parser.parse_args()
counts, failures = cases(given.seed, range(given.first, given.first + given.count))
for number, wrong in failures.items():
    print(f"--- again: python -m tests.fuzz 1 --seed {given.seed} --from {number}\n{wrong}")
for (kind, end), count in sorted(counts.items()):
    print(f"{kind:14} {end:9} {count:8}")
print(f"{sum(counts.values())} cases, {len(failures)} failures")
sys.exit(bool(failures))
