"""Calibration: geometric errors of a machine from measurements, what these determine, and which poses to measure.

Derivations and sources: docs/calibration.md.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
