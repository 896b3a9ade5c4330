"""A MuJoCo model with closed loops.

`gough export mjcf` in Python. The model has every leg as a chain of bodies and a `connect` constraint at the platform;
its keyframe holds the weight. If MuJoCo is installed (`pip install '.[mujoco]'` in a checkout), the model is loaded and
stepped.
"""

from importlib.util import find_spec
from pathlib import Path

import gough

m = gough.load("dumitriu2017")
X = gough.frames.displaced(m, gough.pose([0, 0, 0.02], [5, 0, 0], "XYZ", degrees=True))
text = gough.export.mjcf(m, X)
Path("dumitriu2017.xml").write_text(text, encoding="utf-8")
print(f"{len(text.splitlines())} lines, {text.count('<body')} bodies, {text.count('<connect')} loops closed")
if find_spec("mujoco"):
    import mujoco

    model = mujoco.MjModel.from_xml_string(text)
    state = mujoco.MjData(model)
    mujoco.mj_resetDataKeyframe(model, state, 0)
    mujoco.mj_step(model, state, 100)
    print(f"MuJoCo {mujoco.__version__}: stands after {state.time:.2f} s at {state.body('platform').xpos.round(4)} m")
gough.plot.machine(m, X).write_html("dumitriu2017.html")
