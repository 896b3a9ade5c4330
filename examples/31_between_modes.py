"""From one assembly mode to another.

A hexapod with the joint coordinates of home can be in another pose. The example computes a path between two such modes,
and the places where the determinant changes sign.
"""

import gough

m = gough.load("hexel")
modes = gough.assembly_modes(m, gough.inverse_kinematics(m, m.home))
print(f"{len(modes)} poses, {modes.certified.sum()} proven, {modes.within_limits.sum()} within the limits")
path = gough.assembly.mode_transition(m, modes.matrix[0], modes.matrix[1], tries=20)
print(path.sentence())
legs = {f"leg {leg + 1}": path.q[:, leg] for leg in range(6)}
panels = {"joint coordinate [m]": legs, "conditioning": {"signed": path.conditioning}}
gough.plot.histories(path.s, panels).update_xaxes(title="part of the path").write_html("between-modes.html")
