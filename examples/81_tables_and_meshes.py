"""Tables, datasets and meshes.

Results as xarray datasets, netCDF and CSV files; workspaces as closed meshes for CAD programs.
"""

from pathlib import Path

import gough

m = gough.load("pitch-circle")
rows = ["axis,minus,ended_by,plus,ended_by_plus"]
rows += [f"{row.axis},{row.minus},{row.minus_words},{row.plus},{row.plus_words}" for row in gough.travel_table(m)]
Path("travel.csv").write_text("\n".join(rows), encoding="utf-8")
whole = gough.workspace(m, samples=25)
whole.dataset.to_netcdf("workspace.nc")
mesh = whole.mesh()
mesh.write("workspace.stl")
for file in ("travel.csv", "workspace.nc", "workspace.stl"):
    print(f"{file}: {Path(file).stat().st_size} bytes")
gough.plot.workspace(m, result=mesh).write_html("workspace.html")
