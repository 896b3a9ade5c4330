"""Along a path.

A tool path in a work frame: motion of the legs, check of every limit over the whole path, and fastest timing.
"""

import numpy as np

import gough
from gough import motion

m = gough.load("hexaglide")

# A work frame tilted by 5 degrees at the tool's home, in it a square with rounded corners and an arc back.
tool_home = m.X_home @ m.X_PT
work = tool_home @ gough.pose_matrix([0, 0, 0], [5], "x", degrees=True)
turns = [[0, 0, 0], [0, 4, 0], [4, 4, 0], [0, 0, 0]]
corners = gough.pose_matrix([[0, 0, 0], [0.08, 0, 0], [0.08, 0.06, 0], [0, 0.06, 0]], turns, "XYZ", degrees=True)
square = motion.via(corners)
back = motion.arc_through(corners[-1], [-0.02, 0.03, 0], corners[0])
drawn = motion.concatenate([square, back], blend=1e-3, blend_angle=0.01)
path = motion.in_frame(m, drawn, work=work)

legs = motion.leg_motion(m, path)
travel = np.ptp(legs["joint"].to_numpy(), axis=0)
print(f"{m.name}: {path.span[1]:.4f} m of path; slides travel {1e3 * travel.min():.1f} to {1e3 * travel.max():.1f} mm")

print(motion.check_path(m, path).sentence())
wide = motion.in_frame(m, motion.line(corners[0], gough.pose([0.9, 0.4, 0.1])), work=work)
print(motion.check_path(m, wide).sentence())

quick = motion.time_optimal(m, path)
data = quick.limit_utilisation()
print(f"quickest: {quick.duration:.4f} s, bound by {', '.join(dict.fromkeys(data['binding'].to_numpy().tolist()))}")
used = data["utilisation"].max("limit")
print(f"  the binding limit's utilisation stays within {abs(used - 1).max().item():.1e} of one")
fed = motion.time_optimal(m, path, feed=0.1)
print(f"at a feed of 6 m/min: {fed.duration:.4f} s; jerk below 500 m/s3 as well: ", end="")
print(f"{motion.jerk_limited(m, path, 500.0, feed=0.1).duration:.4f} s")
approach = motion.joint_space.joint_move(m, m.home, path.start, 500.0)
print(f"from home to its begin, all legs together: {approach.span[1]:.4f} s")

# De Sapio (1998) expects straight lines of struts that go linearly between via points.
gough.plot.timing(fed).write_html("timing.html")
h = gough.load("hexel")
ends = motion.line(h.home, gough.frames.displaced(h, gough.pose([0.1, 0, 0])))
for count in (2, 5, 17):
    found = motion.joint_space.straightness(h, ends(np.linspace(*ends.span, count))[0])
    gough.plot.straightness(found).write_html(f"straightness-{count - 1}.html")
    print(f"hexel, 100 mm in {count - 1} pieces in strut space: {1e6 * found.largest.max():.2f} um off the line")
