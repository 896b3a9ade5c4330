"""Motion: paths, timing that respects the legs, tool heads, part programs, recorded motions.

>>> import gough
>>> from gough import motion
>>> m = gough.load("hexel")
>>> up = gough.displaced(m, gough.pose([0, 0, 0.02]))
>>> path = motion.line(m.home, up)
>>> motion.leg_motion(m, path)["joint"].shape
(301, 6)
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gough._lazy import lazy_names

if TYPE_CHECKING:
    from gough.motion.answers import LegWork as LegWork
    from gough.motion.answers import PathAnswer as PathAnswer
    from gough.motion.answers import answer as answer
    from gough.motion.arcs import arc as arc
    from gough.motion.arcs import arc_through as arc_through
    from gough.motion.chain import Chain as Chain
    from gough.motion.check import check_path as check_path
    from gough.motion.deviation import Straightness as Straightness
    from gough.motion.deviation import straightness as straightness
    from gough.motion.fitting import FittedMotion as FittedMotion
    from gough.motion.fitting import PerAxisScale as PerAxisScale
    from gough.motion.fitting import fit_motion as fit_motion
    from gough.motion.fitting import per_axis_scale as per_axis_scale
    from gough.motion.frames import about_pivot as about_pivot
    from gough.motion.frames import in_frame as in_frame
    from gough.motion.function import FunctionPath as FunctionPath
    from gough.motion.function import coordinates as coordinates
    from gough.motion.gcode.head_program import head_program as head_program
    from gough.motion.gcode.moves import Move as Move
    from gough.motion.gcode.moves import Program as Program
    from gough.motion.gcode.moves import Stop as Stop
    from gough.motion.gcode.program_path import program_path as program_path
    from gough.motion.gcode.program_path import program_start as program_start
    from gough.motion.gcode.read import parse_program as parse_program
    from gough.motion.gcode.read import read_program as read_program
    from gough.motion.gcode.strut_program import StrutProgram as StrutProgram
    from gough.motion.gcode.strut_program import strut_program as strut_program
    from gough.motion.head_history import head_loads as head_loads
    from gough.motion.head_spline import HeadSpline as HeadSpline
    from gough.motion.increments import IncrementalMotion as IncrementalMotion
    from gough.motion.increments import incremental_forward as incremental_forward
    from gough.motion.jerk import jerk_limited as jerk_limited
    from gough.motion.joining import Joined as Joined
    from gough.motion.joining import joined as joined
    from gough.motion.legs import leg_motion as leg_motion
    from gough.motion.limits import MotionLimits as MotionLimits
    from gough.motion.limits import motion_limits as motion_limits
    from gough.motion.limits_of_head import head_margins as head_margins
    from gough.motion.lines import line as line
    from gough.motion.lines import via as via
    from gough.motion.newton_euler import HeadDynamics as HeadDynamics
    from gough.motion.newton_euler import head_dynamics as head_dynamics
    from gough.motion.path import Path as Path
    from gough.motion.path import Rates as Rates
    from gough.motion.path_plan import file_plan as file_plan
    from gough.motion.path_plan import pose_plan as pose_plan
    from gough.motion.path_plan import timed_poses as timed_poses
    from gough.motion.path_schema import PathFile as PathFile
    from gough.motion.path_schema import read_path_file as read_path_file
    from gough.motion.placement import ToolPlacement as ToolPlacement
    from gough.motion.placement import place_tool as place_tool
    from gough.motion.plan import Plan as Plan
    from gough.motion.planned import PlannedMotion as PlannedMotion
    from gough.motion.planned import time_plan as time_plan
    from gough.motion.playing import playback as playback
    from gough.motion.pointing import head_angles as head_angles
    from gough.motion.profile import Profile as Profile
    from gough.motion.recorded import RecordedMotion as RecordedMotion
    from gough.motion.spline import Spline as Spline
    from gough.motion.strut_moves import StrutMove as StrutMove
    from gough.motion.strut_moves import strut_move as strut_move
    from gough.motion.struts import StrutPath as StrutPath
    from gough.motion.timed import TimedPath as TimedPath
    from gough.motion.timing import time_optimal as time_optimal
    from gough.motion.tip import head_jacobian as head_jacobian
    from gough.motion.tip import head_pose as head_pose
    from gough.motion.tip import platform_under as platform_under
    from gough.motion.tool_path import ToolTrack as ToolTrack
    from gough.motion.tool_path import follow_tool as follow_tool
    from gough.motion.under_tool import UnderTool as UnderTool
    from gough.motion.verdict import PathCheck as PathCheck
    from gough.motion.verdict import Stretch as Stretch
    from gough.motion.washing_out import specific_force as specific_force
    from gough.motion.washing_out import washout as washout

_HOME = {
    "Chain": "chain",
    "FittedMotion": "fitting",
    "FunctionPath": "function",
    "HeadDynamics": "newton_euler",
    "HeadSpline": "head_spline",
    "IncrementalMotion": "increments",
    "Joined": "joining",
    "LegWork": "answers",
    "MotionLimits": "limits",
    "Move": "gcode.moves",
    "Path": "path",
    "PathAnswer": "answers",
    "PathCheck": "verdict",
    "PathFile": "path_schema",
    "PerAxisScale": "fitting",
    "Plan": "plan",
    "PlannedMotion": "planned",
    "Profile": "profile",
    "Program": "gcode.moves",
    "Rates": "path",
    "RecordedMotion": "recorded",
    "Spline": "spline",
    "Stop": "gcode.moves",
    "Straightness": "deviation",
    "Stretch": "verdict",
    "StrutMove": "strut_moves",
    "StrutPath": "struts",
    "StrutProgram": "gcode.strut_program",
    "TimedPath": "timed",
    "ToolPlacement": "placement",
    "ToolTrack": "tool_path",
    "UnderTool": "under_tool",
    "about_pivot": "frames",
    "answer": "answers",
    "arc": "arcs",
    "arc_through": "arcs",
    "check_path": "check",
    "coordinates": "function",
    "file_plan": "path_plan",
    "fit_motion": "fitting",
    "follow_tool": "tool_path",
    "head_angles": "pointing",
    "head_dynamics": "newton_euler",
    "head_jacobian": "tip",
    "head_loads": "head_history",
    "head_margins": "limits_of_head",
    "head_pose": "tip",
    "head_program": "gcode.head_program",
    "in_frame": "frames",
    "incremental_forward": "increments",
    "jerk_limited": "jerk",
    "joined": "joining",
    "leg_motion": "legs",
    "line": "lines",
    "motion_limits": "limits",
    "parse_program": "gcode.read",
    "per_axis_scale": "fitting",
    "place_tool": "placement",
    "platform_under": "tip",
    "playback": "playing",
    "pose_plan": "path_plan",
    "program_path": "gcode.program_path",
    "program_start": "gcode.program_path",
    "read_path_file": "path_schema",
    "read_program": "gcode.read",
    "specific_force": "washing_out",
    "straightness": "deviation",
    "strut_move": "strut_moves",
    "strut_program": "gcode.strut_program",
    "time_optimal": "timing",
    "time_plan": "planned",
    "timed_poses": "path_plan",
    "via": "lines",
    "washout": "washing_out",
}
"""Public name -> module that defines it."""

__all__ = [*_HOME]  # noqa: PLE0604
__getattr__, __dir__ = lazy_names(__name__, _HOME)
