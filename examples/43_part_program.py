"""A part program of a thousand lines.

Checked, timed, animated, and converted to a program of the struts.

The program engraves the word GOUGH into a bowl, with the tool perpendicular to the surface
(scripts/make-part-program.py).
"""

from pathlib import Path

import numpy as np

import gough
from gough import motion, plot

m = gough.load("hexel")
program = motion.programs.read_program(Path(__file__).parent / "gough_bowl.ngc", motion.programs.program_start(m))
print(f"{program.lines} lines, {len(program.moves)} moves, {program.cutting_length:.3f} m with a feed.")

plan = motion.programs.program_path(m, program)  # the work frame: the tool at home, z from its tip to its spindle
done = motion.path_report(plan, joint_acceleration=0.5)
print(f"Feasible: {done.is_feasible}; {done.check.sentence()}.")
print(
    f"It takes {done.motion.duration:.1f} s; " + ", ".join(f"{t:.1f} s {what}" for what, t in done.times.items()) + "."
)
held = ", ".join(f"{name} {100 * part:.0f} %" for name, part in list(done.binding.items())[:3])
print(f"Held back by {held} of the time; leg {done.work.hardest} goes the longest way.")

struts = motion.programs.joint_program(m, done.motion, tolerance=1e-5)
Path("gough_bowl_struts.ngc").write_text(struts.text, encoding="utf-8")
print(
    f"Strut program: {len(struts)} points; straight joints leave the tool's way by {1e6 * struts.deviation:.1f} um "
    f"and {1e6 * struts.turn:.1f} urad."
)

plot.tool_path(m, done.history).write_html("gough_bowl.html", include_plotlyjs="directory")
plot.animation(m, done.history, frames=60).write_html("gough_bowl_moving.html", include_plotlyjs="directory")

# A circle that is too large: where does it end?
larger = motion.programs.parse_program("G1 X500 F1500\nG3 I-500", motion.programs.program_start(m))
refused = motion.path_report(motion.programs.program_path(m, larger))
print(f"A circle of a metre: {refused.sentences()[0]}")
assert np.isfinite(done.history["joint"]).all()
