"""The supplier's kinematics page: corners and linear map.

The eight corners of the range of motion, for translations and for rotations, by exact search where the page steps;
and what the linear map T leaves out, by distance from home. The page builds the inverse of T from finite differences;
here it is the exact derivative, with the page's form for comparison.
"""

import gough

m = gough.load("pitch-circle")
for kind in ("translation", "rotation"):
    found = gough.limits.corners(m, kind)
    print(f"{kind}: corners at", found.radii.round(5), "m" if kind == "translation" else "rad")
    gough.plot.corners(m, kind, result=found).write_html(f"corners-{kind}.html")
exact = gough.kinematics.linear_map(m)
page = exact.finite_difference(1e-3, 1e-3)
print(f"finite differences of 1 mm and 1 mrad differ from the derivative by {abs(page - exact.T_inv).max():.1e}")
gough.plot.linear_map_error(exact).write_html("linear-map.html")
