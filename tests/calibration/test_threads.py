"""Small matrices are worked on in one thread, and what the process had before is there again afterwards."""

import pytest

from gough.calibration.threads import controller, in_one_thread
from gough.errors import InputError


def counts():
    return {each["num_threads"] for each in controller().info()}


def test_linear_algebra_has_one_thread_inside_and_as_many_as_before_afterwards():
    @in_one_thread
    def inner():
        return counts()

    @in_one_thread
    def outer():
        return inner() | counts()

    @in_one_thread
    def failing():
        raise InputError("refused")

    with controller().limit(limits=2, user_api="blas"):
        assert outer() == {1}
        assert counts() == {2}
        with pytest.raises(InputError, match="refused"):
            failing()
        assert counts() == {2}
