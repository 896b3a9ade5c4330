"""De Sapio: speed and stiffness of the Hexel.

Figures 19, 20 and 21 of the report (1998). The report samples the velocity envelope along directions, here it is the
exact polytope; its appendix mixes mm with m in the stiffness matrix, here everything is SI.
"""

import numpy as np

import gough

m = gough.load("hexel")
X = gough.pose([0, 0, 0.8])
LOAD = [200, 0, 1000, 0, 0, 0]

e = gough.velocity_envelope(m, X)
print("figure 19: velocity envelope at 0, 0, 800 mm")
for name, direction in (("x", [1, 0, 0]), ("y", [0, 1, 0]), ("z", [0, 0, 1])):
    print(f"  along {name} {1e3 * e.speed(direction):.3f} mm/s")
print(f"  in every direction {1e3 * e.guaranteed():.3f} mm/s, in the fastest {1e3 * e.fastest():.3f} mm/s")
print(f"  legs at 10 mm/s along x: {np.round(1e3 * e.joint_rates([0.01, 0, 0, 0, 0, 0]), 3)} mm/s")
gough.plot.velocity_envelope(m, X).write_html("figure-19.html")

over = gough.workspaces.velocity_map(m, X, samples=9)
fastest = over.fastest_translation
print(
    f"figure 20: its fastest direction over the workspace, {1e3 * fastest.min():.1f} to {1e3 * fastest.max():.1f} mm/s"
)
gough.plot.velocity_map(m, X).write_html("figure-20.html")

principal = gough.statics.principal_stiffness(gough.stiffness(m, X))
moved = gough.statics.displacement_under_load(m, X, LOAD)
print("figure 21: stiffness")
print(f"  principal, translation {np.round(principal.translation / 1e6, 2)} N/um, rotation held")
print(f"  under 200 N along x and 1000 N along z: {np.round(1e6 * moved[:3], 3)} um")
print(f"  forces of the legs, pushing: {np.round(gough.statics.axial_forces(m, X, LOAD), 1)} N")
weakest = gough.statics.weakest_pose(m, X, samples=9)
print(f"  softest in the workspace {weakest.value / 1e6:.2f} N/um at {np.round(1e3 * weakest.position, 1)} mm")
gough.plot.stiffness(m, X, wrench=LOAD).write_html("figure-21.html")
