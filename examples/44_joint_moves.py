"""Joint moves and playback.

From home to a pose with all legs synchronised, within limits of speed, acceleration and jerk; then playback of the
joint coordinates, as from a controller's log.
"""

import numpy as np

import gough
from gough.motion import joint_space

m = gough.load("hexel")
target = gough.frames.displaced(m, gough.pose([0.1, 0.05, 0.02], [0, 5, 0], "XYZ", degrees=True))
move = joint_space.joint_move(m, m.home, target, 5.0, joint_acceleration=0.5)
time = np.linspace(*move.span, 101)
q, qd, _ = move.joints(time)
print(f"{move.span[1]:.2f} s; fastest leg {1e3 * np.abs(qd).max():.1f} mm/s")
shown = joint_space.playback(m, time, q)
off = shown.pose.to_numpy()[-1, :3, 3] - target.translation
print(f"played back it ends {1e9 * np.linalg.norm(off):.1f} nm from the target")
panels = {
    title: {f"leg {k + 1}": 1e3 * values[:, k] for k in range(6)}
    for title, values in (("leg [mm]", q), ("rate [mm/s]", qd))
}
gough.plot.histories(time, panels).write_html("joint-move.html")
