"""The viewer from Python.

Open the page on a free port, move the machine, save the view to a file, stop.

For a page that stays open use `gough view hexel`, or wait where this example stops.
"""

import time
from importlib.util import find_spec
from pathlib import Path

import numpy as np

import gough

if find_spec("viser") is None:
    print("This example needs viser; install it in a checkout with: pip install '.[view]'")
    raise SystemExit


def wait_for(condition):
    """Let the viewer's own thread do what it was asked for."""
    while not condition():
        time.sleep(0.01)


m = gough.load("hexel")
page = gough.view(m, opens_browser=False)  # 127.0.0.1, a free port
view = page.view
print(page)

inside = gough.frames.displaced(m, gough.pose([0.05, 0, 0], [0, 0, 10], "XYZ", degrees=True)).as_matrix()
view.move("example", lambda stage: stage.to(inside))
wait_for(lambda: np.array_equal(view.stage.X, inside))
print(f"Allowed: {view.stage.margins.is_allowed}; legs [mm]: {np.round(1e3 * view.stage.q, 2)}")

beyond = gough.frames.displaced(m, gough.pose([0, 0, 0.5])).as_matrix()
view.move("example", lambda stage: stage.to(beyond))
wait_for(lambda: view.stage.refusal is not None)
print(f"Refused: {view.stage.refusal.reasons[0]}")
print(f"Where it stops: {view.stage.refusal.stop}")

Path("hexel_view.json").write_text(view.saved().document(), encoding="utf-8")  # gough view hexel_view.json
page.close()
gough.plot.machine(m, inside).write_html("hexel.html")
