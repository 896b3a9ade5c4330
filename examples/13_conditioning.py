"""Conditioning over the workspace.

Dexterity (the reciprocal of the condition number) in the plane y = 0, and the smallest singular value of the legs'
directions, which is the distance to a singularity.
"""

import numpy as np

import gough

m = gough.load("pitch-circle")
here = gough.singularity.conditioning(m, m.home)
print(f"at home: dexterity {here.dexterity:.4f}, for a length of {here.length:.4f} m")
print(f"distance to a singularity {here.distance:.4f}")
near = gough.singularity.singular_distance(m)
print(f"the nearest singular position is {1e3 * near.lower:.1f} to {1e3 * near.upper:.1f} mm away")
over = gough.singularity.conditioning_map(m, y=float(m.X_home[1, 3]), samples=21)
print(f"over the plane: {np.nanmin(over.dexterity):.4f} to {np.nanmax(over.dexterity):.4f}")
gough.plot.conditioning_map(m, result=over).write_html("conditioning.html")
