"""A certified region: every pose is allowed.

Travel tables cover one axis at a time. This example proves that every limit is satisfied at every pose of a region of
positions and orientations, refutes a larger region by a pose that violates a limit, and shows the margins over the
proven region. The last figure is the trade-off between tilt and travel.
"""

import numpy as np

import gough

m = gough.load("jugglebot")
home = m.X_home[:3, 3]
place = gough.regions.box(home, [0.04, 0.04, 0.03], tilt=np.radians(5), roll=np.radians(3))
proof = gough.certify_region(m, place)
print(f"a box and a cone: {proof.sentence()}")
print(f"  {proof.boxes} boxes; the smallest margin of {proof.tightest} is proven to be more than "
      f"{1e3 * proof.lower[proof.names.index(proof.tightest)]:.2f} mm")  # fmt: skip

larger = gough.certify_region(m, place.scaled(3.0))
print(f"three times as large: {larger.sentence()}")
is_inside = place.scaled(3.0).contains(larger.witness)
print(f"  witness at {np.round(1e3 * larger.witness[:3, 3], 2)} mm, within the region: {is_inside}")

quick = gough.regions.SpeedLimit(translation=0.3, rotation=0.5, joint_speed=0.6)
strong = gough.statics.ForceLimit(force=50.0, moment=2.0, actuator_force=150.0)
print(f"with joint speeds and forces: {gough.certify_region(m, place, also=[quick, strong]).verdict}")

several = gough.regions.union(place, gough.regions.ball(home + [0, 0, 0.05], 0.02, turn=np.radians(4)))
print(f"with a ball above it: {gough.certify_region(m, several).verdict}")
rooms = gough.regions.travel_tradeoff(m, place, np.radians([0, 3, 6, 9, 12, 15]), rtol=0.01)
for degrees, room in zip([0, 3, 6, 9, 12, 15], rooms, strict=True):
    half = np.round(1e3 * room.half_widths, 1)
    print(f"turned by up to {degrees:2d} deg: ± {half} mm, ended by {room.refutation.limit}")
gough.plot.travel(m, result=rooms).write_html("what_tilt_costs.html")
gough.plot.margins(m, proof.worst[proof.names.index(proof.tightest)]).write_html("tightest_pose.html")
