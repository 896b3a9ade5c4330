"""A double hexapod.

The motion of each stage, the forces of twelve legs, and the workspace of both stages together.
"""

import numpy as np

import gough
from gough import multibody, plot, stages

m = gough.load("double-hexapod")
pose = m.X_home[1] @ gough.pose_matrix([0.15, 0.05, 0.1], [5, -15, 20], "XYZ", degrees=True)

for choice in ("fixed", "margin", "force"):
    found = stages.resolve_redundancy(m, pose, choice)
    norm = np.linalg.norm(stages.force_balance(m, found.matrix).forces)
    print(f"{choice:>6}: smallest margin {found.margin:.3f} ({found.margins.binding}), norm of forces {norm:.2f} N")

widest = stages.resolve_redundancy(m, pose, "margin")
again = gough.forward_kinematics(m, widest.joints)
print(f"twelve joints give the pose back to {np.abs(again.matrix[1] - pose).max():.0e} m")
plot.force_balance(m, stages.force_balance(m, widest.matrix)).write_html("forces.html")
plot.machine(m, widest.matrix).write_html("posture.html", include_plotlyjs=True)

V, A = np.zeros((2, 6)), np.zeros((2, 6))
V[0, 5], V[1], A[1, 2] = 0.4, [0.1, 0, 0.2, 0, 0.5, 0], 1.0
forces = gough.inverse_dynamics(m, widest.matrix, V, A)
solids = multibody.stacked(m.stages, [widest.matrix[0], stages.upper_pose(m, widest.matrix)], mounts=[m.X_IU])
drives = [f"drive {leg}" for leg in range(1, 13)]
state = solids.state({"stage 1": V[0], "stage 2": V[1]})
check = multibody.inverse_dynamics(solids, {"stage 1": A[0], "stage 2": A[1]}, drives, state).magnitudes
print("forces in motion [N]:", np.round(forces, 2))
print(f"{len(solids.bodies)} solids with multipliers agree to {np.abs(forces - check).max():.0e} N")

gain = stages.workspace_gain(m, samples=17)
print(f"workspace at home's orientation: {gain.gain:.1f} times that of one stage")
plot.workspace_gain(m, gain).write_html("gain.html", include_plotlyjs=True)
