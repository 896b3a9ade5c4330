from .joint_move import JointMove as JointMove
from .joint_move import joint_move as joint_move
from .path import JointSpacePath as JointSpacePath
from .path import Straightness as Straightness
from .path import straightness as straightness
from .playback import IncrementalMotion as IncrementalMotion
from .playback import incremental_forward as incremental_forward
from .playback import playback as playback
