"""Linear algebra in one thread for small matrices, where more threads wait for one another in spin locks."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, wraps
from typing import TYPE_CHECKING, ParamSpec, TypeVar

if TYPE_CHECKING:
    from threadpoolctl import ThreadpoolController

Arguments = ParamSpec("Arguments")
Found = TypeVar("Found")


@cache
def controller() -> ThreadpoolController:
    """Return the controller of the BLAS of NumPy and of SciPy, which both must be loaded when it is made."""
    import scipy.linalg  # noqa: F401
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController()


def in_one_thread(function: Callable[Arguments, Found]) -> Callable[Arguments, Found]:
    """Return the function with its linear algebra in one thread, whatever the environment says.

    Where two Python threads enter together, the first one's limit holds until it leaves.
    """

    @wraps(function)
    def call(*arguments: Arguments.args, **named: Arguments.kwargs) -> Found:
        with controller().limit(limits=1, user_api="blas"):
            return function(*arguments, **named)

    return call
