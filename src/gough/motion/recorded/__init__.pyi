from .fitting import FittedMotion as FittedMotion
from .fitting import PerAxisScale as PerAxisScale
from .fitting import fit_motion as fit_motion
from .fitting import per_axis_scale as per_axis_scale
from .recorded_motion import RecordedMotion as RecordedMotion
from .washout import specific_force as specific_force
from .washout import washout as washout
