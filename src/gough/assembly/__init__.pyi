from .assembly_modes import AssemblyModes as AssemblyModes
from .assembly_modes import assembly_modes as assembly_modes
from .mode_count_map import assembly_mode_count_map as assembly_mode_count_map
from .mode_transition import ModeTransition as ModeTransition
from .mode_transition import mode_transition as mode_transition
