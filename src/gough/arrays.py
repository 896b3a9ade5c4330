"""Types for annotations: NumPy's arrays by what they hold, and functions called with how far work is."""

from collections.abc import Callable
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

Array: TypeAlias = NDArray[np.float64]
Bools: TypeAlias = NDArray[np.bool_]
Complex: TypeAlias = NDArray[np.complex128]
Ints: TypeAlias = NDArray[np.int64]
Indices: TypeAlias = NDArray[np.intp]

Progress: TypeAlias = Callable[[int, int], None] | None
"""Called with how much is done, and of how much; what it raises (Ctrl-C) ends the work."""
