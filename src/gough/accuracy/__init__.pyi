from .accuracy import PARAMETERS as PARAMETERS
from .accuracy import ErrorBudget as ErrorBudget
from .accuracy import Resolution as Resolution
from .accuracy import error_by_group as error_by_group
from .accuracy import parameter_sensitivity as parameter_sensitivity
from .accuracy import pose_error as pose_error
from .accuracy import resolution as resolution
from .region_limits import ResolutionLimit as ResolutionLimit
