"""The supplier's kinematics page: corners and linear map.

The eight corners of the range of motion, for translations and for rotations, and the error of the linear map T by
distance from home. The page states that "the projection of points 2…7 on the XY / RxRy plane is an equilateral
hexagon": the figures show the hexagon, and its sides are printed. It mentions "up to 40 platform positions" for a set
of actuator displacements.

Differences: the page has no dimensions; the dimensions of the machine file are Gough's. Only the strokes limit the
range, as on the page: with the file's limit of the tool's radius, 40 mm, any machine would have a regular hexagon. The
hexagon is equilateral for translations, and nearly so for rotations, which do not commute; its corners need not be
equally far from the axis. The page builds the inverse of T from finite differences; here it is the exact derivative,
with the page's form for comparison.
"""

import numpy as np

import gough

m = gough.load("pitch-circle")
for kind in ("translation", "rotation"):
    found = gough.regions.corners(m, kind, strokes_only=True)
    print(f"{kind}: corners at", found.radii.round(5), "m" if kind == "translation" else "rad")
    ring = np.vstack([found.points[1:7], found.points[1:2]])
    print(f"  sides of the hexagon {found.sides.round(6)}")
    figure = gough.plot.corners(m, kind, result=found)
    scale = 1e3 if kind == "translation" else 180 / np.pi
    x, y = scale * ring[:, :2].T
    floor = np.full(7, scale * found.points[0, 2])
    line = {"color": "#0f172a", "width": 4, "dash": "dash"}
    figure.add_scatter3d(x=x, y=y, z=floor, mode="lines", line=line, name="the page's hexagon", showlegend=True)
    figure.write_html(f"corners-{kind}.html")
exact = gough.kinematics.linear_map(m)
page = exact.finite_difference(1e-3, 1e-3)
print(f"finite differences of 1 mm and 1 mrad differ from the derivative by {abs(page - exact.T_inv).max():.1e}")
gough.plot.linear_map_error(exact).write_html("linear-map.html")
modes = gough.assembly_modes(m, gough.inverse_kinematics(m, m.home))
print(f"{len(modes)} poses have the legs of home, {modes.finite_count} with complex ones; the page: up to 40")
