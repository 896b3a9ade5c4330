"""Dumitriu: direct dynamics of thirteen solids.

Figures 2 to 4 of the paper (2017), under its forces: 9.5 N in legs 1 and 2, 8.5105 N in the others.

What differs: at rest the paper prints 8.5105 N in each leg. First principles give 8.53329 N with its own data and g
= 9.81 m/s2, and so do three independent codes; the first figure has both, and with the printed force in all legs
the platform sinks. Where the paper's number comes from cannot be told: no step of its computation is printed. It
says that only the angle α2 varies; by its own matrix (18) a turn about x0 is α1, and that is what varies here. Its
l1 = l2, l5 = l4 and l6 = l3 hold.
"""

import numpy as np
import plotly.graph_objects as go

import gough
from gough import multibody, plot

machine = gough.load("dumitriu2017")
system = multibody.hexapod(machine)
counts = system.counts
print(f"{counts.differential} differential equations, {counts.orthogonality} + {counts.joints} constraints")

drives = [f"drive {i}" for i in range(1, 7)]
held = multibody.inverse_dynamics(system, {"platform": np.zeros(6)}, drives)
print(f"force in each leg at rest: {held.magnitudes[0]:.5f} N; printed: {machine.published['static_leg_force_N']} N")

PRINTED = machine.published["static_leg_force_N"]
sinking = multibody.simulate(multibody.hexapod(machine, forces=[PRINTED] * 6), 0.5).position("platform")[:, 2]
print(f"with the printed force in all legs the platform sinks by {1e3 * (sinking[0] - sinking[-1]):.1f} mm in 0.5 s")
marker = {"color": "#c2410c", "size": 12}
rest = go.Figure(go.Scatter(x=[f"leg {k}" for k in range(1, 7)], y=held.magnitudes, mode="markers", marker=marker))
rest.add_hline(PRINTED, line_dash="dash", annotation_text=f"printed: {PRINTED} N", annotation_position="top left")
rest.update_yaxes(range=[8.49, 8.55], title="force at rest [N]")
rest.update_layout(title=f"At rest: {held.magnitudes[0]:.5f} N, printed {PRINTED} N", template="plotly_white")
rest.write_html("at-rest.html")

motion = multibody.simulate(multibody.hexapod(machine, forces=[9.5, 9.5] + [8.5105] * 4), 0.5)
shift = motion.position("platform") - motion.position("platform")[0]
angles = np.degrees(gough.euler_angles(motion.pose("platform"), "XYZ"))
lengths = gough.inverse_kinematics(machine, motion.pose("platform"))
figure = plot.histories(
    motion.time,
    {
        "translation [m]": {f"along {axis}": shift[:, k] for k, axis in enumerate("xyz")},
        "Tait-Bryant angle [deg]": {f"α{k + 1}": angles[:, k] for k in range(3)},
        "leg length [m]": {f"l{k + 1}": lengths[:, k] for k in range(6)},
        "force on the platform [N]": {
            f"joint {k}": np.linalg.norm(motion.reaction(f"platform {k}")[:, :3], axis=1) for k in range(1, 7)
        },
    },
)
figure.write_html("thirteen-solids.html", include_plotlyjs=True)
print(f"after 0.5 s the platform is {shift[-1, 2]:.6f} m higher and turned by {angles[-1, 0]:.4f} deg about x")
pairs = max(np.abs(lengths[:, i] - lengths[:, j]).max() for i, j in ((0, 1), (4, 3), (5, 2)))
print(f"l1 = l2, l5 = l4, l6 = l3 to {pairs:.0e} m; α2 and α3 stay below {np.abs(angles[:, 1:]).max():.0e} deg")
print(f"constraints: {motion.residuals()[0].max():.1e}")
print("figures 2 to 4, and the reactions at the platform, in thirteen-solids.html")
