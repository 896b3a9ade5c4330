from .incremental import IncrementalMotion as IncrementalMotion
from .incremental import incremental_forward as incremental_forward
from .joint_move import JointMove as JointMove
from .joint_move import joint_move as joint_move
from .path import JointSpacePath as JointSpacePath
from .playback import playback as playback
from .straightness import Straightness as Straightness
from .straightness import straightness as straightness
