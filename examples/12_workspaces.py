"""Workspaces: positions and orientations.

Columns at one orientation with exact ends, the positions that allow a whole cone of tilts, and all orientations at
home. Colours show the limit that bounds the workspace.
"""

import numpy as np

import gough

m = gough.load("hexel")
whole = gough.workspace(m, samples=25)
print(f"volume {1e3 * whole.volume:.1f} +- {1e3 * whole.volume_error:.1f} litres")
gough.plot.workspace(m, result=whole).write_html("workspace.html")

part = gough.workspaces.dexterous_workspace(m, tilt=np.deg2rad(10), samples=13)
print(f"with every tilt up to 10 deg: {1e3 * part.volume:.1f} litres")
gough.plot.dexterous_workspace(m, part, whole=whole).write_html("dexterous.html")

turns = gough.workspaces.orientation_workspace(m, level=3)
print(f"at home it allows {100 * turns.share:.2f} % of all orientations")
gough.plot.orientation_workspace(m, result=turns).write_html("orientations.html")
