"""Which values of a parameter only the thorough run has, as it has whole tests that are marked so."""

import pytest


def thorough(*values):
    """Values of a parameter that are left to `pytest -m thorough`: others go the same ways through the code."""
    return [
        pytest.param(*(value if isinstance(value, tuple) else (value,)), marks=pytest.mark.thorough) for value in values
    ]
