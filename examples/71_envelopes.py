"""De Sapio: lower and upper workspace envelope.

The report (1998) steps along columns by 5 and 10 mm until a limit breaks; here every end is found exactly, and the
limit that binds there is its colour. At 49 x 49 columns both agree within the report's steps, in every column
(docs/workspace.md). Gravity points along z of this machine, whose base hangs above: its lower envelope is where the
legs are longest.
"""

import gough

m = gough.load("hexel")
found = gough.workspace(m, samples=49)
print(f"volume {1e3 * found.volume:.2f} +- {1e3 * found.volume_error:.2f} litres")
for side in ("lower", "upper"):
    gough.plot.workspace(m, result=found, side=side).write_html(f"{side}.html")
