"""Machine files of faults that the second reader has found, one for each class.

`two-crossings.toml`: the singular surface is crossed twice within a centimetre. `cranks-at-180.toml` and
`cranks-turned-zero.toml`: one machine, whose cranks' ranges end at half a turn, or about zero. `radius-limit.toml`: a
round range, all of whose azimuths reach equally far. `soft-tall-shifted.toml`: `tests/machines/soft-tall.toml` with the
platform's frame drawn 500 mm higher.
"""

from pathlib import Path

TWO_CROSSINGS, CRANKS_AT_180, CRANKS_TURNED_ZERO, RADIUS_LIMIT = FILES = tuple(
    str(Path(__file__).parent / f"{name}.toml")
    for name in ("two-crossings", "cranks-at-180", "cranks-turned-zero", "radius-limit")
)
SOFT_TALL_SHIFTED = str(Path(__file__).parent / "soft-tall-shifted.toml")
