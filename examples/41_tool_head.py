"""A two-axis tool head.

Platform and head share the tilt of the tool such that the smallest margin is largest.
"""

import numpy as np

import gough
from gough import motion, plot

m = gough.load("hexel-head")
point = np.array([0.0, 0.0, 0.85])

print("tool tilted [deg]   platform alone   head and platform   platform's share [deg]")
for tilt in (0, 15, 30, 45, 60, 75, 90):
    axis = [np.sin(np.deg2rad(tilt)), 0.0, np.cos(np.deg2rad(tilt))]
    alone = motion.heads.place_tool(m, point=point, axis=axis, joints=[0, 0])
    shared = motion.heads.place_tool(m, point=point, axis=axis)
    platform = np.rad2deg(np.arccos(shared.matrix[2, 2]))
    print(f"{tilt:17}   {alone.margin:14.3f}   {shared.margin:17.3f}   {platform:22.1f}")
print(f"Tilted by 90 deg with the head held straight: {alone.sentence()}.")

# A bead round a cone, the tool leaning outwards by 50 deg: 40 poses, then once round in a minute.
s = np.linspace(0, 2 * np.pi, 41)
points = point + 0.06 * np.stack([np.cos(s), np.sin(s), np.zeros_like(s)], axis=1)
lean = np.deg2rad(50)
axes = np.stack([np.sin(lean) * np.cos(s), np.sin(lean) * np.sin(s), np.full_like(s, np.cos(lean))], axis=1)
track = motion.heads.follow_tool(m, points=points, axes=axes)
print(f"Round the cone no limit comes closer than {track.margin.min():.3f} of its range.")

time = 60.0 * s / s[-1]
platform, head = track.in_time(time)
moved = motion.heads.head_forces(m, platform, head)
off = np.abs(np.linalg.norm(moved["tip"][:, :2], axis=1) - 0.06).max()
print(f"Between the poses the tip leaves its circle by {1e9 * off:.1f} nm at most.")
legs, torques = np.abs(moved["force"]).max(), np.abs(moved["head_effort"]).max()
speed = np.abs(moved["joint_rate"]).max() / m.limits.joint_speed[0]
print(f"The fastest leg is at {100 * speed:.0f} % of its top speed.")
print(f"Peak force of a leg {legs:.0f} N, peak torque of the head {torques:.1f} N m.")

plot.animation(m, moved, frames=40).write_html("tool_head.html", include_plotlyjs="directory", auto_play=False)
