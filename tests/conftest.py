"""Fixtures shared by all tests: one machine of each leg kind."""

import numpy as np
import pytest

import gough

ONE_OF_EACH_KIND = ("hexel", "sinatra2009", "servo")


@pytest.fixture(params=ONE_OF_EACH_KIND, scope="session")
def machine(request):
    return gough.load(request.param)


@pytest.fixture
def rng():
    return np.random.default_rng(20260101)
