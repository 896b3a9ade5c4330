"""De Sapio: speed and stiffness of the Hexel.

Figures 19, 20 and 21 of the report (1998). The markers in figure 19 are the output of the report's program in appendix
B, which scales unit vectors on a grid until a strut reaches 25 mm/s; they lie on the exact polytope computed here.
Appendix C computes in N and mm (area times modulus is in N): the last lines check that its stiffness equals the one
here. The displacements that it prints in mm are in um, 1000 times too large.
"""

import numpy as np

import gough

m = gough.load("hexel")
X = gough.pose([0, 0, 0.8])
WRENCH = [200, 0, 1000, 0, 0, 0]

e = gough.velocity_envelope(m, X)
print("figure 19: velocity envelope at 0, 0, 800 mm")
for name, direction in (("x", [1, 0, 0]), ("y", [0, 1, 0]), ("z", [0, 0, 1])):
    print(f"  along {name} {1e3 * e.speed(direction):.3f} mm/s")
print(f"  in every direction {1e3 * e.guaranteed():.3f} mm/s, in the fastest {1e3 * e.fastest():.3f} mm/s")
print(f"  legs at 10 mm/s along x: {np.round(1e3 * e.joint_rates([0.01, 0, 0, 0, 0, 0]), 3)} mm/s")

J = gough.jacobian(m, X)  # appendix B: a sphere of unit vectors, each scaled by 25 mm/s over the largest strut rate
i, j = np.meshgrid(np.pi * np.arange(0, 121, 4) / 60, np.pi * np.arange(0, 61, 4) / 60)
unit = np.stack([np.cos(i) * np.cos(j), np.cos(i) * np.sin(j), np.sin(i)], axis=-1).reshape(-1, 3)
report = 25 / np.abs(unit @ J[:, :3].T).max(axis=1)
off = np.abs(report - 1e3 * e.speed(unit)).max()
print(f"  the report's program, in {len(unit)} directions: differs by {off:.0e} mm/s")
figure = gough.plot.velocity_envelope(m, X)
x, y, z = (report[:, None] * unit).T
marker = {"size": 2.5, "color": "#0f172a"}
figure.add_scatter3d(x=x, y=y, z=z, mode="markers", marker=marker, name="program of appendix B", showlegend=True)
figure.update_layout(
    title="Figure 19: velocity envelope at 0, 0, 800 mm", margin_t=50, showlegend=True, legend={"x": 0, "y": 0}
)
figure.write_html("figure-19.html")

over = gough.workspaces.velocity_map(m, X, samples=9)
fastest = over.fastest_translation
print(
    f"figure 20: its fastest direction over the workspace, {1e3 * fastest.min():.1f} to {1e3 * fastest.max():.1f} mm/s"
)
gough.plot.velocity_map(m, X).write_html("figure-20.html")

K = gough.stiffness(m, X)
principal = gough.statics.principal_stiffness(K)
moved = gough.statics.deflection(m, X, WRENCH)
print("figure 21: stiffness")
print(f"  principal, translation {np.round(principal.translation / 1e6, 2)} N/um, rotation held")
print(f"  under 200 N along x and 1000 N along z: {np.round(1e6 * moved[:3], 3)} um")
print(f"  forces of the legs, pushing: {np.round(gough.statics.axial_forces(m, X, WRENCH), 1)} N")
weakest = gough.statics.weakest_pose(m, X, samples=9)
print(f"  softest in the workspace {weakest.value / 1e6:.2f} N/um at {np.round(1e3 * weakest.position, 1)} mm")
mm = np.diag([1, 1, 1, 1e3, 1e3, 1e3])  # J of appendix C has its arms in mm, and Ks = Area EM / L [N/mm] its lengths
Kc = mm @ J.T @ np.diag(0.00042333 * 203250000000 / (1e3 * gough.inverse_kinematics(m, X))) @ J @ mm
print(f"  Kc of appendix C, {Kc[2, 2]:.6g} along z, is ours in N and mm to {abs(Kc[2, 2] * 1e3 / K[2, 2] - 1):.0e}")
gough.plot.stiffness(m, X, wrench=WRENCH).write_html("figure-21.html")
