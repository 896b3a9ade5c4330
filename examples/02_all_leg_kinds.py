"""Struts, sliders and cranks.

All leg kinds use the same functions.
"""

import numpy as np

import gough

for name in ("hexel", "sinatra2009", "servo"):
    m = gough.load(name)
    X = m.X_home @ gough.pose_matrix([0, 0, 0.02 * m.size], [2, -1, 3], "XYZ", degrees=True)
    q = gough.inverse_kinematics(m, X)
    s = gough.forward_kinematics(m, q)
    V = np.array([0.01, 0, 0, 0, 0, 0.05])
    qd = gough.joint_rates(m, X, V)
    print(f"{name}: {m.legs.title}")
    print(f"  q  {np.round(q, 6)} {m.legs.joint_unit}")
    print(f"  qd {np.round(qd, 6)} {m.legs.joint_unit}/s for 10 mm/s along x and 0.05 rad/s about z")
    print(f"  back in {s.iterations} steps, off by {np.abs(s.matrix - X).max():.1e}")
    gough.plot.machine(m, X).write_html(f"{name}.html")
