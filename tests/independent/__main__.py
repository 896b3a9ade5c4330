"""`python -m tests.independent [COUNT [NAME ...]]`: all built-in machines, and COUNT drawn ones of each kind of legs.

With names, those alone, stars allowed: `python -m tests.independent 50 'drawn-rus-3*'`.
"""

import sys
import tempfile
from fnmatch import fnmatchcase
from pathlib import Path

from tests.independent import drawn
from tests.independent.compare import compare
from tests.independent.machine_file import read
from tests.independent.product import built_in, numbers, under_load


def main(count, only=()):
    with tempfile.TemporaryDirectory() as folder:
        files = built_in()
        for kind in ("UPS", "PUS", "RUS"):
            for seed in range(count):
                path = Path(folder) / f"drawn-{kind.lower()}-{seed}.toml"
                path.write_text(drawn.as_toml(drawn.machine(kind, seed)), "utf-8")
                files.append(path)
        total = wrong = 0
        for path in files:
            if only and not any(fnmatchcase(path.stem, name) for name in only):
                continue
            found = compare(read(path), numbers(path) | under_load(path))
            total, wrong = total + found.count, wrong + len(found.wrong)
            print(f"{path.stem}: {found.count} numbers, {len(found.wrong)} disagree", flush=True)
            for sentence in found.wrong:
                print(f"    {sentence}", flush=True)
    print(f"{total} numbers compared, {wrong} disagree")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]) if len(sys.argv) > 1 else 0, sys.argv[2:]))
