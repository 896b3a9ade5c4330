"""What a motion asks of the actuators: figures 3 to 8 of Sinatra, Xi and Staicu (2009), drawn into one page."""

from pathlib import Path

import gough

m = gough.load("sinatra2009")
page = Path("sinatra2009-figures-3-to-8.html")
figures = []
for number, name in ((3, "vertical"), (5, "horizontal"), (7, "rotation")):
    motion = gough.dynamics.named_motion(m, name)  # through amplitude (1 - cos(pi t / 3)), 0 to 3 s
    data = gough.dynamics.motion_loads(m, motion)
    figure = gough.plot.leg_histories(m, data, ["force", "power"])
    figure.update_layout(title=f"Figures {number} and {number + 1}: {name} motion", margin_t=80)
    figures.append(figure.to_html(full_html=False, include_plotlyjs=not figures))
    force, power = data.attrs["peak_force"], data.attrs["peak_power"]
    print(f"{name:10}  largest force {force.max():6.3f} N, largest power {power.max():5.3f} W")
    working = [str(i + 1) for i in range(6) if data["power"][75, i] > 0]  # a quarter of the way in time
    print(f"{'':10}  actuators that work while it speeds up: {', '.join(working)}")
page.write_text("<!doctype html><meta charset=utf-8>" + "".join(figures), encoding="utf-8")
print(f"wrote {page}")
