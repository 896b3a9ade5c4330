"""Six-dimensional volume of all allowed poses.

Positions times orientations: the capability of a machine in one number, with a confidence interval and proven bounds;
the gain from two more degrees of a joint's cone, or from a longer stroke; and the poses that are proven to be allowed.
"""

from dataclasses import replace

import numpy as np

import gough

m = gough.load("jugglebot")
found = gough.workspace_volume_6d(m, rtol=0.02)
print(f"{m.name}: {found.sentence()}")
print(f"  {found.samples} poses drawn; {len(found.paving)} boxes, home is {found.paving.contains(m.home)}")

longer = replace(m, limits=replace(m.limits, joint_max=m.limits.joint_max + 0.02))
more = gough.workspace_volume_6d(longer, rtol=0.02)
print(f"20 mm more of stroke: {more.volume / found.volume:.2f} times as much")

near = gough.regions.ball(m.X_home[:3, 3], 0.12, turn=np.radians(12), reference=m.home, about=m.platform_centre)
part = gough.workspace_volume_6d(m, near, rtol=0.01, max_boxes=60_000)
print(f"of a ball of poses about home: {part.sentence()}")
gough.plot.workspace(m, result=part.paving).write_html("paving.html")
