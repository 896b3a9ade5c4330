"""`python -m tests.calibration [COUNT]`: coverage of the intervals and efficiency of the estimates, by leg kind."""

import sys

from tests.calibration.built import KINDS
from tests.calibration.repeats import Repeats


def main(count):
    """Print both for each leg kind; the number of kinds for which one is not as promised."""
    failed = 0
    for kind in KINDS:
        found = Repeats(kind, count)
        is_right = 0.93 <= found.coverage <= 0.97 and abs(found.efficiency - 1.0) <= 0.05
        failed += not is_right
        print(
            f"{kind}: {100 * found.coverage:.2f} % of 95 % intervals cover the truth, errors {found.efficiency:.4f} "
            f"of the Cramer-Rao bound{'' if is_right else ', not as promised'}",
            flush=True,
        )
    return failed


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]) if len(sys.argv) > 1 else 1000))
