"""Proof that a workspace is free of singularities.

Do the limits of a machine exclude singular poses? A proof for three leg kinds, and a machine whose limits do not.
"""

import gough

for name in ("hexel", "hexaglide", "servo", "tsai2000"):
    m = gough.load(name)
    free = gough.singularity.free_of_singularities(m)
    near = gough.singularity.singular_distance(m, max_boxes=5000)
    print(f"{name}: {free.sentence()}")
    print(f"  home is {near.lower:.4g} to {near.upper:.4g} m from the singular surface; {free.boxes} boxes")

m = gough.load("tsai2000")
gough.plot.singular_surface(m, result=gough.singularity.free_of_singularities(m)).write_html("tsai2000.html")
