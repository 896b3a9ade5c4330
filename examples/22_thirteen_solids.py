"""Dumitriu: direct dynamics of thirteen solids.

Figures 2 to 4 of the paper (2017). At rest it prints 8.5105 N in each leg; first principles give 8.53329 N with its
own data and g = 9.81 m/s2, and so do three independent codes.
"""

import numpy as np

import gough
from gough import multibody, plot

machine = gough.load("dumitriu2017")
system = multibody.hexapod(machine)
counts = system.counts
print(f"{counts.differential} differential equations, {counts.orthogonality} + {counts.joints} constraints")

drives = [f"drive {i}" for i in range(1, 7)]
held = multibody.inverse_dynamics(system, {"platform": np.zeros(6)}, drives)
print(f"force in each leg at rest: {held.magnitudes[0]:.5f} N; printed: {machine.published['static_leg_force_N']} N")

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
print(f"constraints: {motion.residuals()[0].max():.1e}")
print("figures 2 to 4, and the reactions at the platform, in thirteen-solids.html")
