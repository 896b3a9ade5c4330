"""Recorded motions: read, fitted into the workspace of a machine, washed out for motion cueing."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
