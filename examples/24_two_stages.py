"""A stack of two hexapods: 26 solids.

Static forces, and the motion when two lower legs push harder.
"""

import numpy as np

import gough
from gough import multibody, plot

machine = gough.load("dumitriu2017")
resting = multibody.stacked([machine, machine])
counts = resting.counts
print(
    f"{len(resting.bodies)} solids, {counts.differential} differential equations, "
    f"{counts.orthogonality} + {counts.joints} constraints, freedom {counts.freedom}"
)

drives = [f"drive {i}" for i in range(1, 13)]
at_rest = {"stage 1": np.zeros(6), "stage 2": np.zeros(6)}
forces = multibody.inverse_dynamics(resting, at_rest, drives).magnitudes
print("forces at rest, lower legs [N]:", np.round(forces[:6], 4))
print("               upper legs [N]:", np.round(forces[6:], 4))

pushed = forces.copy()
pushed[:2] += 0.5
motion = multibody.simulate(multibody.stacked([machine, machine], forces=pushed.tolist()), 0.4)
figure = plot.histories(
    motion.time,
    {
        f"{quantity} of the {where} platform [{unit}]": dict(zip(names, values.T, strict=True))
        for where, stage in (("lower", "stage 1"), ("upper", "stage 2"))
        for quantity, unit, names, values in (
            ("translation", "m", "xyz", motion.position(stage) - motion.position(stage)[0]),
            ("Tait-Bryant angles", "rad", "xyz", gough.euler_angles(motion.pose(stage), "XYZ")),
        )
    },
)
figure.write_html("two-stages.html", include_plotlyjs=True)
shift = np.round(1e3 * (motion.position("stage 2")[-1] - motion.position("stage 2")[0]), 3)
print(f"after 0.4 s the upper platform has moved by {shift} mm")
print(f"constraints: {motion.residuals()[0].max():.1e}; drawn in two-stages.html")
