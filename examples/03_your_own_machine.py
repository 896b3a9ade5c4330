"""Your own machine, without a file.

Define a machine by two sets of points and the limits of its drives.
"""

import numpy as np

import gough


def ring(radius, degrees):
    angle = np.deg2rad(degrees)
    return np.stack([radius * np.cos(angle), radius * np.sin(angle), np.zeros(6)], axis=1)


m = gough.from_points(
    ring(0.20, [250, 290, 10, 50, 130, 170]),
    ring(0.12, [220, 320, 340, 80, 100, 200]),
    home=gough.pose([0, 0, 0.30]),
    joint_min=0.29,
    joint_max=0.37,
    limits={"joint_speed": 0.05, "leg_radius": 0.012},
    actuators={"resolution": 1e-6, "stiffness": 20e6},
)
for row in gough.travel_table(m):
    print(f"{row.axis:>2}  {row.minus:+.4f} ({row.minus_binding})   {row.plus:+.4f} ({row.plus_binding})")
print("smallest step, worst case [m, rad]:", gough.accuracy.resolution(m, m.home).worst_case)
print("stiffness with rotation held [N/m]:", gough.statics.principal_stiffness(gough.stiffness(m, m.home)).translation)
gough.plot.machine(m).write_html("machine.html")
gough.plot.travel(m).write_html("travel.html")
