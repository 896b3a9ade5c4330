"""Ten degrees are not ten degrees.

The same three angles are different rotations for different controllers. The figure shows the distance between the
positions of a point 100 mm above the platform if two controllers execute the angles (a, a, a).
"""

import numpy as np

import gough

angle = np.linspace(0, 20, 41)
numbers = np.stack([angle] * 3, axis=1)
point = np.array([0, 0, 0.1])
pi = gough.from_convention("pi", np.zeros((41, 3)), numbers).apply(point)
apart = {}
for name in ("symetrie", "linuxcnc", "rubin", "hexel"):
    other = gough.from_convention(name, np.zeros((41, 3)), numbers).apply(point)
    apart[f"pi and {name}"] = 1e3 * np.linalg.norm(other - pi, axis=1)
    print(f"pi and {name}: {apart[f'pi and {name}'][20]:.2f} mm apart at 10 deg")
gough.plot.histories(angle, {"apart [mm]": apart}).update_xaxes(title="a [deg]").write_html("ten-degrees.html")
