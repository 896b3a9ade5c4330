"""`python -m tests.crossings [PATHS [SEED]]`: the study of `tests.crossings`; fails where a travel is not the first
limit."""

import sys

from tests.crossings import KINDS, study

PATHS, SEED = (int(given) for given in (*sys.argv[1:3], *(10_000, 2026)[len(sys.argv) - 1 :]))
found = study(PATHS, 5, SEED, KINDS)
print(found)
sys.exit(bool(found.too_long or found.too_short))
