"""Mechanisms with known solutions.

A redundant four-bar, Bricard's mechanism, a top, Andrews' squeezing mechanism.
"""

import numpy as np

import mechanisms
from gough import multibody, plot

bars = mechanisms.four_bar()
print("four-bar:", bars.redundancy.sentence())
motion = multibody.simulate(bars, 3.0)
print(f"  energy drift {np.ptp(motion.energy()) / abs(motion.energy()[0]):.1e}")
print("  multipliers at B, NaN where three hinges too many share a load:", np.round(motion.multipliers("B")[0], 4))

loop = mechanisms.bricard()
print("Bricard:", loop.redundancy.sentence())
motion = multibody.simulate(loop, 1.0)
print(
    f"  freedom {loop.counts.freedom}, energy drift {np.ptp(motion.energy()):.1e} J, P3 at the end",
    np.round(motion.position("rod 3", [1, -1, 1])[-1], 6),
)

top = mechanisms.spinning_top(np.radians(30))
axis = top.bodies[0].mass_centre / np.linalg.norm(top.bodies[0].mass_centre)
motion = multibody.simulate(top, 1.0, state=top.state({"top": [0, 0, 0, *(120 * axis)]}))
tilt = np.degrees(np.arccos(motion.position("top")[:, 2] / np.linalg.norm(top.bodies[0].mass_centre)))
print(f"top: nutates between {tilt.min():.4f} and {tilt.max():.4f} deg")

squeezer = mechanisms.andrews()
motion = multibody.simulate(squeezer, times=np.linspace(0, 0.03, 121))
angles = mechanisms.andrews_angles(motion.Z[:, :7, :, 1:])
print("Andrews: angles at 0.03 s [rad]", np.round(angles[-1], 8))
print(
    "         published              [15.81077120 -15.75637106 0.04082224 -0.53473012 0.52440998 0.53473012 1.04808074]"
)

names = ("beta", "Theta", "gamma", "Phi", "delta", "Omega", "epsilon")
figure = plot.histories(motion.time, {"angle [rad]": dict(zip(names, angles.T, strict=True))})
figure.write_html("squeezer.html")
