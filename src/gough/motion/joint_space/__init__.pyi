from .joint_motion import IncrementalMotion as IncrementalMotion
from .joint_motion import JointMove as JointMove
from .joint_motion import incremental_forward as incremental_forward
from .joint_motion import joint_move as joint_move
from .joint_motion import playback as playback
from .path import JointSpacePath as JointSpacePath
from .path import Straightness as Straightness
from .path import straightness as straightness
