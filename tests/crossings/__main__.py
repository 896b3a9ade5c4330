"""`python -m tests.crossings [PATHS]`: the study of `tests.crossings`; fails where a travel is not the first limit."""

import sys

import numpy as np
from tests.crossings import KINDS, study

PATHS = int(sys.argv[1]) if sys.argv[1:] else 10_000
EACH = 10
found = study(-(-PATHS // (EACH * len(KINDS))), EACH, np.random.default_rng(2026))
print(
    f"{found.paths} travels, {found.singular} end at a singularity, {found.too_long} too long, {found.too_short} short"
)
sys.exit(bool(found.too_long or found.too_short))
