"""De Sapio: lower and upper workspace envelope.

Figures 14, 16 and 17 of the report (1998). Its programs (appendix A) step along columns, down by 5 mm until a strut is
longer than 970 mm, up by 10 mm until the sine of a strut's angle to the plate is below 0.55 or the tool is at 454 mm;
the markers are the resulting ends. Here every end is exact, and its colour is the limit that binds there.

Differences: the report's ends are inside the exact ones by at most its steps, which the last lines measure. Gravity
points along z of this machine, whose base is above the platform: the legs are longest on its lower envelope.
"""

import numpy as np

import gough

m = gough.load("hexel")
found = gough.workspace(m, samples=49)
print(f"volume {1e3 * found.volume:.2f} +- {1e3 * found.volume_error:.2f} litres")

a, b = 1e3 * np.asarray(m.legs.a_B), 1e3 * np.asarray(m.b_P)
grid = 25.0 * np.arange(-24, 25)
columns = np.stack(np.meshgrid(grid, grid), axis=-1).reshape(-1, 2)


def struts(z):
    """Lengths of the struts above every column, and the sines of their angles to the plate, at heights z (n,)."""
    d = b + np.column_stack([columns, z])[:, None] - a
    length = np.linalg.norm(d, axis=-1)
    return length, d[..., 2] / length


low, high = np.zeros(len(columns)), np.full(len(columns), 1800.0)  # the two programs, all columns at once
while (inside := (struts(low)[0] < 970).all(axis=1)).any():
    low[inside] += 5
while (inside := (struts(high)[1] > 0.55).all(axis=1) & (high > 454)).any():
    high[inside] -= 10
ends = {"lower": low - 5, "upper": high + 10}
reached = ends["lower"] > ends["upper"]

exact = gough.workspace(m, x=1e-3 * grid, y=1e-3 * grid)
for side, step in (("lower", 5), ("upper", 10)):
    figure = gough.plot.workspace(m, result=found, side=side)
    x, y = columns[reached].T
    z = ends[side][reached]
    marker = {"size": 2.5, "color": "#0f172a"}
    figure.add_scatter3d(x=x, y=y, z=z, mode="markers", marker=marker, name="program of appendix A", showlegend=True)
    figure.update_layout(title=f"Figure {14 if side == 'lower' else 16}: {side} envelope", margin_t=50, showlegend=True)
    figure.write_html(f"{side}.html")
    ours = 1e3 * (exact.upper if side == "lower" else exact.lower)
    off = np.abs(ours - ends[side].reshape(49, 49).T)[reached.reshape(49, 49).T & np.isfinite(ours)]
    print(f"{side}: {reached.sum()} columns of the report end within {off.max():.2f} mm of ours; its step is {step} mm")
