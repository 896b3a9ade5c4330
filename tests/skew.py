"""Machines without any symmetry, one of each leg kind and a stack of two, for every test that takes machines.

In their files (`tests/machines`) every frame is turned about all axes and off centre: home, tool, base and platform
against their plates, cones and joint axes; point of interest and gravity lie on no axis; the legs differ in everything;
every unit is a rare one, and home and cranks are near half turns. Tests on them see wrong frames, signs and units that
the built-in machines, with R = 1 at home and all points of interest on z, hide.
"""

from pathlib import Path

MACHINES = Path(__file__).parent / "machines"
SKEW = tuple(str(MACHINES / f"skew-{legs}.toml") for legs in ("struts", "sliders", "cranks"))
"""Files of the three machines, as `gough.load` takes them."""
SKEW_OF_KIND = dict(zip(("UPS", "PUS", "RUS"), SKEW, strict=True))
SKEW_STACK = str(MACHINES / "skew-stack.toml")
"""Sliders on struts."""
