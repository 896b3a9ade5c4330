"""Resolution and effects of geometric errors.

The smallest step of the platform for the smallest steps of the drives, and the sensitivity to each of the 42 geometric
parameters.
"""

import gough

m = gough.load("pitch-circle")
step = gough.accuracy.resolution(m, m.home)
print(f"smallest step, worst signs: {1e6 * step.worst_translation:.3f} um, {1e6 * step.worst_rotation:.3f} urad")
gough.plot.resolution(m, result=step).write_html("resolution.html")

error = gough.accuracy.pose_error(m, m.home, 1e-5)
print("ten micrometres in every number, worst signs [um]:", (1e6 * error.worst_case[:3]).round(1))
gough.plot.sensitivity(m).write_html("sensitivity.html")
