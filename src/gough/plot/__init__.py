"""Plotly figures, one function each; every one returns a `plotly.graph_objects.Figure` with its units on its axes.

Lengths and angles are drawn in the units of the machine's file. Plotly is imported when the first figure is made.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
