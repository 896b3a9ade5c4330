"""Can the machine reach this pose?

If not: which limit is violated, and what is the nearest allowed pose? The figures show the margin of every limit at the
pose, and the nearest allowed pose.
"""

import numpy as np

import gough

m = gough.load("hexel")
wanted = gough.pose([0.30, 0.25, 1.12], [0, 12, 0], "XYZ", degrees=True)

g = gough.margins(m, wanted)
print("allowed" if g.is_allowed else "refused:")
for sentence in g.sentences():
    print("  " + sentence)

near = gough.nearest_pose(m, wanted)
print(f"nearest allowed pose: {1e3 * near.distance:.2f} mm away, held by {', '.join(near.active_limits)}")
print(f"  give up {np.round(1e3 * near.translation, 2)} mm and {np.round(np.degrees(near.rotation), 3)} deg")

gough.plot.machine(m, near.matrix).write_html("nearest.html")
gough.plot.margins(m, wanted).write_html("margins.html")
