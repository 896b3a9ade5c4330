"""Dynamics by virtual work: inverse and forward dynamics, simulation, controllers, natural frequencies.

Derivations and sources: docs/dynamics.md.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
